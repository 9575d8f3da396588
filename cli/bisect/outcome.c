/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outcome.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "cli/pairing.h"
#include "lib/report/format.h"
#include "lib/report/number.h"
#include "picture.h"
#include "replay.h"

static const char *const states[] = {
	[BISECT_OPEN] = "stopped", [BISECT_CULPRIT] = "culprit", [BISECT_SET] = "set",
	[BISECT_NONE] = "none",    [BISECT_SPENT] = "spent",
};

/* The steps that were found; without every_step it is the one of the answer. */
static size_t found_steps(const struct evidence *evidence, struct bisect_found **ret_steps)
{
	const struct bisect_answer *answer = &evidence->answer;
	struct bisect_found *steps =
		arena_array(evidence->arena, answer->nr_found + 1, sizeof(*steps));

	*ret_steps = steps;
	for (size_t i = 0; i < answer->nr_found; i++) {
		bisect_found(evidence->bisect, i, &steps[i]);
	}
	return answer->nr_found;
}

bool outcome_sides(const struct range *range, const struct evidence *evidence, size_t *ret_before,
		   size_t *ret_culprit)
{
	const struct bisect_answer *answer = &evidence->answer;
	size_t before = answer->last;

	if (answer->state != BISECT_CULPRIT && answer->state != BISECT_SET) {
		return false;
	}
	do {
		before = range->at[before].parent;
	} while (before > 0 && evidence->at[before].nr == 0);
	*ret_before = before;
	*ret_culprit = answer->last;
	return true;
}

/* --- the comparison --- */

static bool write_side(const struct outcome *outcome, size_t commit, const char *folder,
		       struct err *err)
{
	const char *id = outcome->range->at[commit].id.text;
	scoped(json_free) struct json *result = json_new_object();
	scoped(free) char *text = NULL;
	scoped(str_release) struct str path = STR_INIT;
	scoped(str_release) struct str lines = STR_INIT;

	json_put_int(result, "schema", 1);
	json_put_text(result, "benchmark", outcome->question->spec->name);
	json_put_text(result, "commit", id);
	json_put(result, "params", json_new_object());
	text = json_write(result, FORM_PRETTY);
	for (size_t i = 0; i < outcome->journal->entries.nr; i++) {
		const struct journal_entry *entry = &outcome->journal->entries.at[i];

		if (strcmp(entry->commit, id) == 0) {
			scoped(json_free) struct json *run = json_clone(entry->run);
			scoped(free) char *line = NULL;

			json_put_int(run, "run", (int64_t)i + 1);
			line = json_write(run, FORM_COMPACT);
			str_printf(&lines, "%s\n", line);
		}
	}
	if (mkdir(folder, 0755) != 0 && errno != EEXIST) {
		return err_set_errno(err, ERR_BROKEN, errno, "make '%s'", folder);
	}
	str_printf(&path, "%s/result.json", folder);
	if (!str_write_file(path.at, text, strlen(text), 0644, err)) {
		return false;
	}
	str_truncate(&path, 0);
	str_printf(&path, "%s/runs.jsonl", folder);
	return str_write_file(path.at, lines.at, lines.length, 0644, err);
}

static void append_comparison(const struct outcome *outcome, const struct sides *sides,
			      struct json *json, struct str *out)
{
	struct spec *const spec = outcome->question->spec;
	const struct jobs jobs = { .specs = { .at = (struct spec *[]){ spec }, .nr = 1 } };
	scoped(pairing_free) struct pairing *pairing = pairing_new(sides, &jobs);
	scoped(view_free) struct view *view = pairing_view(pairing, json != NULL);

	if (json) {
		json_put(json, "comparison", view_json(view));
	} else if (!pairing_reason(pairing)) {
		view_scale(view);
		str_append_char(out, '\n');
		format_get("text")->write(view, &(struct format_options){ 0 }, out);
	}
}

/* Into `json`, or, where that is NULL, as a table. */
static bool compare_sides(const struct outcome *outcome, size_t before, size_t culprit,
			  struct json *json, struct str *out, struct err *err)
{
	scoped(free) char *base = mem_printf("%s/before", outcome->folder);
	scoped(free) char *head = mem_printf("%s/after", outcome->folder);
	scoped(free) char *base_side =
		mem_printf("%.10s=%s", outcome->range->at[before].id.text, base);
	scoped(free) char *head_side =
		mem_printf("%.10s=%s", outcome->range->at[culprit].id.text, head);
	scoped(sides_release) struct sides sides = { 0 };

	if (!write_side(outcome, before, base, err) || !write_side(outcome, culprit, head, err) ||
	    !sides_read(&sides, (char *[]){ base_side, head_side }, 2, NULL, err)) {
		return err_wrap(err, "the comparison");
	}
	append_comparison(outcome, &sides, json, out);
	return true;
}

/* --- as text --- */

static void append_set(const struct outcome *outcome, struct str *out)
{
	const struct bisect_answer *answer = &outcome->evidence->answer;
	scoped(free) size_t *set = mem_array(answer->nr_set + 1, sizeof(*set));

	bisect_set(outcome->evidence->bisect, answer, set);
	for (size_t i = 0; i < answer->nr_set; i++) {
		const struct range_commit *at = &outcome->range->at[set[i]];

		str_printf(out, "  %.10s %s\n", at->id.text, at->subject);
	}
}

static void append_steps(const struct outcome *outcome, struct str *out)
{
	const struct evidence *evidence = outcome->evidence;
	struct bisect_found *steps;
	size_t nr = found_steps(evidence, &steps);

	for (size_t i = 0; i < nr; i++) {
		const struct range_commit *at = &outcome->range->at[steps[i].commit];
		char p[PICTURE_P_BYTES];
		char before[NUMBER_BYTES];
		char after[NUMBER_BYTES];
		const double levels[] = { evidence_value(evidence, steps[i].before),
					  evidence_value(evidence, steps[i].after) };

		picture_p(steps[i].p, p);
		picture_number(levels[0], levels[0], before);
		picture_number(levels[1], levels[0], after);
		str_printf(out, "%s %.10s %s: %s to %s, posterior %s\n",
			   steps[i].nr_set > 1 ? "up to" : "step", at->id.text, at->subject, before,
			   after, p);
	}
}

/* The one line that a person can check. */
static void append_grounds(const struct outcome *outcome, struct str *out)
{
	const struct evidence *evidence = outcome->evidence;
	size_t before = 0;
	size_t culprit = 0;
	char p[PICTURE_P_BYTES];

	if (evidence->answer.state != BISECT_SPENT) {
		picture_p(evidence->answer.p, p);
		str_printf(out, "posterior %s; ", p);
	}
	str_printf(out, "%zu runs on %zu commits", evidence->nr_runs, evidence->nr_measured);
	if (outcome_sides(outcome->range, evidence, &before, &culprit)) {
		str_append(out, "; before ");
		picture_values(evidence, before, out);
		str_append(out, ", then ");
		picture_values(evidence, culprit, out);
	}
	str_append(out, "\n");
}

/* What was looked for is part of what was not found. */
static void append_unchanged(const struct outcome *outcome, const char *metric, struct str *out)
{
	const struct evidence *evidence = outcome->evidence;
	char text[NUMBER_BYTES];

	number_value(evidence->is_log ? 100 * expm1(evidence->sought) : evidence->sought, text);
	if (evidence->is_pass_fail) {
		str_printf(out, "%s did not change\n", metric);
	} else {
		str_printf(out, "%s did not change by %s%s or more\n", metric, text,
			   evidence->is_log ? " %" : "");
	}
}

/* Of the set; where the budget is spent, "nothing changed" may be a candidate beside it. */
static double said_p(const struct outcome *outcome)
{
	const struct evidence *evidence = outcome->evidence;
	const struct bisect_answer *answer = &evidence->answer;
	scoped(free) size_t *set = mem_array(answer->nr_set + 1, sizeof(*set));
	double sum = 0;

	if (answer->state != BISECT_SPENT) {
		return answer->p;
	}
	bisect_set(evidence->bisect, answer, set);
	for (size_t i = 0; i < answer->nr_set; i++) {
		sum += evidence->posterior[set[i]];
	}
	return sum;
}

static void append_spent(const struct outcome *outcome, const char *metric, struct str *out)
{
	const struct bisect_answer *answer = &outcome->evidence->answer;
	char p[PICTURE_P_BYTES];

	picture_p(answer->p_none, p);
	str_printf(out, "the budget of %" PRId64 " runs is spent; that %s did not change has %s",
		   outcome->question->budget, metric, p);
	if (answer->nr_set > 0) {
		picture_p(said_p(outcome), p);
		str_printf(out, ", that it changed with one of these has %s", p);
	}
	str_append_char(out, '\n');
	append_set(outcome, out);
}

static void append_verdict(const struct outcome *outcome, struct str *out)
{
	const struct evidence *evidence = outcome->evidence;
	const struct bisect_answer *answer = &evidence->answer;
	const struct range_commit *last = &outcome->range->at[answer->last];
	const char *metric = outcome->question->is_pass_fail ? "the share of failures"
							     : outcome->question->metric;

	if (answer->nr_found > 0 && outcome->question->wants_all_steps) {
		append_steps(outcome, out);
	}
	switch (answer->state) {
	case BISECT_CULPRIT:
		str_printf(out, "%s changed with %s\n  %s\n  %s\n", metric, last->id.text,
			   last->subject, last->author);
		break;
	case BISECT_SET:
		str_printf(out,
			   "%s changed with one of %zu commits, which cannot be told apart, since "
			   "not all can be measured\n",
			   metric, answer->nr_set);
		append_set(outcome, out);
		break;
	case BISECT_NONE:
		append_unchanged(outcome, metric, out);
		break;
	case BISECT_SPENT:
		append_spent(outcome, metric, out);
		break;
	case BISECT_OPEN:
		str_append(out, "stopped\n");
		break;
	}
	if (answer->nr_unmeasured > 0) {
		str_printf(out,
			   "%zu inner commits were not measured: steps that cancel each other "
			   "would not show\n",
			   answer->nr_unmeasured);
	}
}

static bool print_text(const struct outcome *outcome, struct err *err)
{
	scoped(str_release) struct str out = STR_INIT;
	size_t before = 0;
	size_t culprit = 0;

	append_verdict(outcome, &out);
	append_grounds(outcome, &out);
	str_append_char(&out, '\n');
	picture_table(outcome->range, outcome->evidence, 0, &out);
	if (outcome_sides(outcome->range, outcome->evidence, &before, &culprit)) {
		if (!outcome->evidence->is_pass_fail &&
		    !compare_sides(outcome, before, culprit, NULL, &out, err)) {
			return false;
		}
		str_append_char(&out, '\n');
		replay_append(outcome, &out);
	}
	fwrite(out.at, 1, out.length, stdout);
	return true;
}

/* --- as JSON --- */

static struct json *commit_json(const struct outcome *outcome, size_t i)
{
	const struct evidence_commit *at = &outcome->evidence->at[i];
	const struct range_commit *commit = &outcome->range->at[i];
	struct json *json = json_new_object();

	json_put_text(json, "commit", commit->id.text);
	json_put_text(json, "subject", commit->subject);
	json_put_text(json, "author", commit->author);
	json_put_number(json, "posterior", outcome->evidence->posterior[i]);
	json_put_int(json, "runs", (int64_t)at->nr);
	json_put_number(json, "mean", at->nr > 0 ? at->mean : (double)NAN);
	json_put_number(json, "sd", at->sd);
	json_put_text(json, "skipped", at->why);
	return json;
}

static struct json *commits_json(const struct outcome *outcome)
{
	struct json *commits = json_new_array();

	for (size_t i = 0; i <= outcome->range->tip; i++) {
		json_append(commits, commit_json(outcome, i));
	}
	/* That of "nothing changed" is not the base's. */
	json_remove(json_at(commits, 0), "posterior");
	return commits;
}

static struct json *set_json(const struct outcome *outcome)
{
	const struct bisect_answer *answer = &outcome->evidence->answer;
	scoped(free) size_t *set = mem_array(answer->nr_set + 1, sizeof(*set));
	struct json *json = json_new_array();

	if (answer->nr_set > 0) {
		bisect_set(outcome->evidence->bisect, answer, set);
	}
	for (size_t i = 0; i < answer->nr_set; i++) {
		json_append(json, json_new_text(outcome->range->at[set[i]].id.text));
	}
	return json;
}

static struct json *steps_json(const struct outcome *outcome)
{
	struct bisect_found *steps;
	size_t nr = found_steps(outcome->evidence, &steps);
	struct json *json = json_new_array();

	for (size_t i = 0; i < nr; i++) {
		struct json *step = json_new_object();

		json_put_text(step, "commit", outcome->range->at[steps[i].commit].id.text);
		json_put_int(step, "set", (int64_t)steps[i].nr_set);
		json_put_number(step, "posterior", steps[i].p);
		json_append(json, step);
	}
	return json;
}

static bool print_json(const struct outcome *outcome, struct err *err)
{
	const struct evidence *evidence = outcome->evidence;
	scoped(json_free) struct json *json = json_new_object();
	scoped(str_release) struct str log = STR_INIT;
	scoped(free) char *text = NULL;
	size_t before = 0;
	size_t culprit = 0;

	json_put_word(json, "state", states[evidence->answer.state]);
	json_put_text(json, "metric", outcome->question->metric);
	json_put_number(json, "posterior", said_p(outcome));
	json_put_number(json, "nothing_changed", evidence->answer.p_none);
	json_put_int(json, "runs", (int64_t)evidence->nr_runs);
	json_put_int(json, "unmeasured", (int64_t)evidence->answer.nr_unmeasured);
	json_put(json, "set", set_json(outcome));
	json_put(json, "steps", steps_json(outcome));
	json_put(json, "commits", commits_json(outcome));
	if (outcome_sides(outcome->range, evidence, &before, &culprit)) {
		json_put(json, "culprit",
			 evidence->answer.state == BISECT_CULPRIT ? commit_json(outcome, culprit)
								  : json_new_null());
		if (!evidence->is_pass_fail &&
		    !compare_sides(outcome, before, culprit, json, NULL, err)) {
			return false;
		}
		replay_append(outcome, &log);
		json_put_text(json, "log", log.at);
	}
	text = json_write(json, FORM_PRETTY);
	puts(text);
	return true;
}

bool outcome_print(const struct outcome *outcome, struct err *err)
{
	return outcome->question->is_json ? print_json(outcome, err) : print_text(outcome, err);
}
