/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facts.h"

#include <math.h>

#include "lib/base/str.h"
#include "lib/report/mail.h"
#include "lib/report/number.h"

/* {"id", "subject"} put as `name`; gives it for more. */
static struct json *put_commit(struct json *facts, const char *name, const char *oid,
			       const char *subject)
{
	struct json *commit = json_new_object();

	json_put_text(commit, "id", oid);
	json_put_text(commit, "subject", subject);
	json_put(facts, name, commit);
	return commit;
}

/* "Name <address>" of the settings. */
static void put_robot(const struct settings *settings, struct arena *arena, struct json *facts)
{
	struct json *robot = json_new_object();
	const char *from = settings->mail_from;
	size_t name = strcspn(from, "<");
	size_t blanks = name;

	while (blanks > 0 && from[blanks - 1] == ' ') {
		blanks--;
	}
	json_put_text(robot, "name", arena_strndup(arena, from, blanks));
	if (from[name] == '<') {
		json_put_text(robot, "address",
			      arena_strndup(arena, from + name + 1, strcspn(from + name + 1, ">")));
	}
	json_put_text(robot, "url", settings->url);
	json_put(facts, "robot", robot);
}

static void put_tree(const struct rows *finding, struct json *facts)
{
	struct json *tree = json_new_object();

	json_put_text(tree, "name", rows_text(finding, 0, "tree"));
	json_put_text(tree, "url", rows_text(finding, 0, "url"));
	json_put_text(tree, "branch", rows_text(finding, 0, "ref"));
	json_put(facts, "tree", tree);
}

static void put_parameters(const struct comparison *comparison, struct json *facts)
{
	const struct json *params = json_get(comparison->identity, "params");
	struct json *list = json_new_array();

	for (void *it = json_first(params); it; it = json_next(params, it)) {
		struct json *parameter = json_new_object();

		json_put_text(parameter, "name", json_member_name(it));
		json_put(parameter, "value", json_clone(json_member_value(it)));
		json_append(list, parameter);
	}
	json_put(facts, "parameters", list);
}

static void put_notes(struct arena *arena, const struct rows *finding,
		      const struct comparison *comparison, struct json *facts)
{
	int64_t nr_between = rows_int(finding, 0, "nr_between");
	int64_t nr_sharing = rows_int(finding, 0, "nr_sharing");
	struct json *notes = json_new_array();

	if (nr_between > 0) {
		json_append(notes,
			    json_new_text(arena_printf(
				    arena,
				    "%" PRId64
				    " commit%s between the two could not be built or run, so the "
				    "change belongs to one of %" PRId64 " commits",
				    nr_between, nr_between == 1 ? "" : "s", nr_between + 1)));
	}
	if (strcmp(rows_text(finding, 0, "role"), "tip") == 0 &&
	    rows_int(finding, 0, "nr_commits") > 1) {
		json_append(notes,
			    json_new_text("this is the whole stack against its base; no single "
					  "commit was found to explain it"));
	}
	if (rows_bool(finding, 0, "is_confirmed") && rows_int(finding, 0, "failing_id")) {
		json_append(notes, json_new_text("failures are counted over the runs that found "
						 "the change, not over the fresh ones"));
	}
	if (comparison->base_note && strcmp(rows_text(finding, 0, "about"), "metric") == 0) {
		json_append(notes, json_new_text(comparison->base_note));
	}
	if (nr_sharing > 0 &&
	    strcmp(comparison->base.oid, rows_text(finding, 0, "base_oid")) == 0) {
		json_append(notes,
			    json_new_text(arena_printf(
				    arena,
				    "%" PRId64 " other branch%s on this base and its build, so a "
				    "fault of the base shows in all of them",
				    nr_sharing, nr_sharing == 1 ? " stands" : "es stand")));
	}
	json_put(facts, "notes", notes);
}

/* What is not in the table for want of a measurement, so that nobody takes it for unchanged. */
static bool put_missing(struct tick *tick, const struct rows *finding, struct json *facts,
			struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const char *named;
	const char *more = "";

	if (!db_query(tick->db, Q_REPORT_MISSING, ARGS(arg_int(rows_int(finding, 0, "stack_id"))),
		      &rows, err)) {
		return false;
	}
	named = rows_text(rows, 0, "named");
	if (!named) {
		return true;
	}
	if (rows_int(rows, 0, "nr_more") > 0) {
		more = arena_printf(tick->arena, " and %" PRId64 " more",
				    rows_int(rows, 0, "nr_more"));
	}
	json_append(json_get(facts, "notes"),
		    json_new_text(arena_printf(tick->arena,
					       "missing, and neither better nor worse: %s%s", named,
					       more)));
	return true;
}

static void put_links(const struct settings *settings, struct arena *arena,
		      const struct comparison *comparison, int64_t run, struct json *facts)
{
	struct json *links = json_new_object();

	if (settings->url) {
		json_put_text(links, "report",
			      arena_printf(arena, "%s/compare?base=%s&head=%s&cell=%" PRId64,
					   settings->url, comparison->base.oid,
					   comparison->head.oid, comparison->cell));
	}
	if (settings->url && run > 0) {
		json_put_text(
			links, "reproduce",
			arena_printf(arena, "%s/run/%" PRId64 "/reproduce.sh", settings->url, run));
	}
	json_put(facts, "links", links);
}

/* A stack of one patch is what the mail tells anyway. */
static void put_cumulative(const struct tick *tick, const struct rows *finding, struct json *facts)
{
	if (tick->settings->url && rows_int(finding, 0, "nr_commits") > 1) {
		json_put_text(json_get(facts, "links"), "cumulative",
			      arena_printf(tick->arena, "%s/series/%" PRId64 "/cumulative",
					   tick->settings->url, rows_int(finding, 0, "stack_id")));
	}
}

static bool put_stack(struct tick *tick, const struct rows *finding, struct json *facts,
		      struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct json *stack = json_new_object();
	struct json *commits = json_new_array();

	json_put_text(stack, "branch", rows_text(finding, 0, "ref"));
	json_put(stack, "commits", commits);
	json_put(facts, "stack", stack);
	if (!db_query(tick->db, Q_REPORT_STACK,
		      ARGS(arg_int(rows_int(finding, 0, "stack_id")),
			   arg_int(rows_int(finding, 0, "cell_id"))),
		      &rows, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(rows); i++) {
		const char *build = rows_text(rows, i, "build");
		const char *subject = rows_text(rows, i, "subject");
		struct json *commit = json_new_object();

		if (build && strcmp(build, "failed") == 0) {
			subject = arena_printf(tick->arena, "%s (does not build)", subject);
		}
		json_put_text(commit, "id", rows_text(rows, i, "oid"));
		json_put_text(commit, "subject", subject);
		json_append(commits, commit);
	}
	return true;
}

/* "NAME: 2 x AMD EPYC, 24 GiB" as far as the worker could tell. */
static bool put_machine(struct tick *tick, const struct rows *finding, struct json *facts,
			int64_t *ret_run, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(tick->db, Q_REPORT_MACHINE,
		      ARGS(arg_int(rows_int(finding, 0, "cell_id")),
			   arg_int(rows_int(finding, 0, "comparison_id"))),
		      &rows, err)) {
		return false;
	}
	*ret_run = 0;
	if (rows_nr(rows) > 0) {
		*ret_run = rows_int(rows, 0, "run_id");
		json_put_text(facts, "machine", rows_text(rows, 0, "machine"));
	}
	return true;
}

/* What a failing run said at its end, where the mail tells of one. */
static bool put_log(struct tick *tick, const struct rows *finding, struct json *facts,
		    struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	scoped(str_release) struct str excerpt = STR_INIT;
	const char *log;
	struct json *fact;

	if (!db_query(tick->db, Q_REPORT_FAILURE,
		      ARGS(arg_int(rows_int(finding, 0, "cell_id")),
			   arg_id(rows_int(finding, 0, "failing_id"))),
		      &rows, err)) {
		return false;
	}
	log = rows_nr(rows) > 0 ? rows_text(rows, 0, "excerpt") : "";
	if (log[0] == '\0') {
		return true;
	}
	mail_excerpt(log, strlen(log), &excerpt);
	fact = json_new_object();
	json_put_text(fact, "name",
		      arena_printf(tick->arena, "Run %" PRId64 " ended by %s, its last lines",
				   rows_int(rows, 0, "run_id"), rows_text(rows, 0, "reason")));
	json_put_text(fact, "excerpt", excerpt.at);
	if (tick->settings->url) {
		json_put_text(fact, "link",
			      arena_printf(tick->arena, "%s/run/%" PRId64, tick->settings->url,
					   rows_int(rows, 0, "run_id")));
	}
	json_put(facts, "log", fact);
	return true;
}

/* How sure we are that it is the commit, and neither chance nor the place of its code. */
static bool put_confirmation(struct tick *tick, const struct rows *finding, struct json *facts,
			     struct err *err)
{
	scoped(rows_free) struct rows *runs = NULL;
	scoped(rows_free) struct rows *rebuilds = NULL;
	struct json *confirmed;

	if (!rows_bool(finding, 0, "is_confirmed")) {
		return true;
	}
	if (!db_query(tick->db, Q_REPORT_CONFIRMATION, ARGS(arg_int(rows_int(finding, 0, "id"))),
		      &runs, err) ||
	    !db_query(tick->db, Q_NEUTRAL_REBUILDS, NO_ARGS, &rebuilds, err)) {
		return false;
	}
	confirmed = json_new_object();
	json_put_text(confirmed, "found",
		      arena_printf(tick->arena, "%" PRId64 "+%" PRId64,
				   rows_int(runs, 0, "found_base"),
				   rows_int(runs, 0, "found_head")));
	json_put_text(confirmed, "fresh",
		      arena_printf(tick->arena, "%" PRId64 "+%" PRId64,
				   rows_int(runs, 0, "fresh_base"),
				   rows_int(runs, 0, "fresh_head")));
	json_put_int(confirmed, "nr_builds", rows_int(runs, 0, "nr_builds"));
	json_put_bool(confirmed, "is_several", rows_int(runs, 0, "nr_builds") != 1);
	if (rows_int(rebuilds, 0, "nr") > 0) {
		json_put_int(confirmed, "nr_rebuilds", rows_int(rebuilds, 0, "nr"));
		json_put_int(confirmed, "nr_false", rows_int(rebuilds, 0, "nr_named"));
	}
	json_put(facts, "confirmed", confirmed);
	return true;
}

/* Of the runs that a bisection ended with, those of one commit: "4 runs 93.80". */
static const char *say_runs(struct tick *tick, const struct rows *bisection, const char *nr,
			    const char *value)
{
	double mean = rows_number(bisection, 0, value);
	char text[NUMBER_BYTES];

	number_value(mean, text);
	return arena_printf(tick->arena, "%" PRId64 " run%s%s%s", rows_int(bisection, 0, nr),
			    rows_int(bisection, 0, nr) == 1 ? "" : "s", isnan(mean) ? "" : " ",
			    isnan(mean) ? "" : text);
}

/* What a reader can check, and whether it may be called the cause. */
static bool put_bisection(struct tick *tick, const struct rows *finding, struct json *facts,
			  struct err *err)
{
	scoped(rows_free) struct rows *bisection = NULL;
	int64_t id = rows_int(finding, 0, "bisection_id"); /* 0: a comparison found it */
	struct json *culprit;
	int64_t nr_unmeasured;

	if (id == 0 || !rows_bool(finding, 0, "is_confirmed")) {
		return true;
	}
	if (!db_query(tick->db, Q_REPORT_BISECTION,
		      ARGS(arg_int(rows_int(finding, 0, "id")), arg_int(id)), &bisection, err)) {
		return false;
	}
	nr_unmeasured =
		rows_int(finding, 0, "nr_commits") + 1 - rows_int(bisection, 0, "nr_commits");
	culprit = json_new_object();
	json_put_text(culprit, "what",
		      rows_bool(bisection, 0, "is_cause") ? "the cause"
							  : "the first commit that shows it");
	json_put_text(culprit, "posterior", rows_text(bisection, 0, "posterior"));
	json_put_int(culprit, "runs", rows_int(bisection, 0, "nr_runs"));
	json_put_int(culprit, "commits", rows_int(bisection, 0, "nr_commits"));
	json_put_text(culprit, "metric", rows_text(bisection, 0, "metric"));
	json_put_text(culprit, "parent", say_runs(tick, bisection, "nr_parent", "parent"));
	json_put_text(culprit, "this", say_runs(tick, bisection, "nr_this", "this"));
	json_put_text(culprit, "reverted", rows_text(bisection, 0, "reverted"));
	json_put(facts, "culprit", culprit);
	if (nr_unmeasured > 0) {
		const char *note = arena_printf(tick->arena,
						"%" PRId64 " inner commits not measured: a step "
						"that a later one takes back would not be seen",
						nr_unmeasured);

		json_append(json_get(facts, "notes"), json_new_text(note));
	}
	json_put_text(json_get(facts, "confirmed"), "found",
		      arena_printf(tick->arena, "%" PRId64 "+%" PRId64,
				   rows_int(bisection, 0, "nr_parent"),
				   rows_int(bisection, 0, "nr_this")));
	return true;
}

bool facts_gather(struct tick *tick, const struct rows *finding,
		  const struct comparison *comparison, struct json **ret_facts, struct err *err)
{
	scoped(json_free) struct json *facts = json_new_object();
	struct json *benchmark = json_new_object();
	struct json *base;
	int64_t run;

	put_robot(tick->settings, tick->arena, facts);
	put_commit(facts, "commit", comparison->head.oid, comparison->head.subject);
	base = put_commit(facts, "base", comparison->base.oid, comparison->base.subject);
	if (strcmp(rows_text(finding, 0, "role"), "parent") == 0) {
		json_put_text(base, "how",
			      rows_int(finding, 0, "nr_between") > 0
				      ? "the nearest commit before it that builds"
				      : "its parent");
	} else {
		json_put_text(base, "how", "the base of the stack");
	}
	json_put_text(benchmark, "name", comparison->benchmark);
	json_put(facts, "benchmark", benchmark);
	put_tree(finding, facts);
	put_parameters(comparison, facts);
	put_notes(tick->arena, finding, comparison, facts);
	if (!put_missing(tick, finding, facts, err) ||
	    !put_confirmation(tick, finding, facts, err) ||
	    !put_bisection(tick, finding, facts, err) || !put_stack(tick, finding, facts, err) ||
	    !put_log(tick, finding, facts, err) || !put_machine(tick, finding, facts, &run, err)) {
		return false;
	}
	put_links(tick->settings, tick->arena, comparison, run, facts);
	put_cumulative(tick, finding, facts);
	*ret_facts = move(&facts);
	return true;
}
