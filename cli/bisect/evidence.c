/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "evidence.h"

#include <math.h>

#define MOST_FAILURES   2
#define GUESSED_NOISE   0.03   /* before anything ran twice */
#define LEAST_NOISE     0.001  /* a guess from two runs that happen to be alike */
#define EXACT_NOISE     0.0025 /* of counts, which move a little with neutral code, too */
#define SHARE_SD        0.5    /* of pass/fail; see bisect.h */
#define LEAST_SHARE     0.4    /* the difference of two shares of failures that one looks for */
#define DOCS_WEIGHT     0.01
#define MOST_BUILD_COST 50
/* What git-bisect(1) makes of them, but for a crash: who looks for one wants it found. */
#define EXIT_SKIP    125
#define EXIT_SIGNALS 128 /* and the number of the signal */
#define EXIT_STOP    (EXIT_SIGNALS + 65)

/* --- one run --- */

static bool is_reason(const struct json *run, const char *reason)
{
	const char *text = json_text(json_get(run, "reason"));

	return text && strcmp(text, reason) == 0;
}

/* Not the commit's doing. */
static bool is_cut_off(const struct json *run)
{
	return is_reason(run, "cancelled") || is_reason(run, "lost") ||
	       is_reason(run, "machine-changed");
}

static enum sign sign_of_exit(int64_t exit_code, double *ret_value)
{
	if (exit_code >= EXIT_STOP || exit_code < 0) {
		return SIGN_STOP;
	}
	*ret_value = 1;
	return SIGN_VALUE;
}

/* A test that crashed or hung has failed. */
static enum sign sign_of_test(const struct json *run, double *ret_value)
{
	if (is_reason(run, "exit-status")) {
		return sign_of_exit(json_int(json_get(run, "exit_code"), -1), ret_value);
	}
	if (!json_text(json_get(run, "reason"))) {
		*ret_value = 0;
		return SIGN_VALUE;
	}
	*ret_value = 1;
	return is_reason(run, "signal") || is_reason(run, "timeout") ? SIGN_VALUE : SIGN_FAILED;
}

static enum sign sign_of_metric(const char *metric, const struct json *run, double *ret_value)
{
	*ret_value = json_number(json_get(json_get(run, "metrics"), metric), NAN);
	return json_text(json_get(run, "reason")) || isnan(*ret_value) ? SIGN_FAILED : SIGN_VALUE;
}

enum sign evidence_sign(const struct question *question, const struct json *run, double *ret_value)
{
	if (is_cut_off(run)) {
		return SIGN_NONE;
	}
	if (is_reason(run, "build-failed") || is_reason(run, "build-timeout") ||
	    (is_reason(run, "exit-status") &&
	     json_int(json_get(run, "exit_code"), 0) == EXIT_SKIP)) {
		return SIGN_SKIP;
	}
	return question->is_pass_fail ? sign_of_test(run, ret_value)
				      : sign_of_metric(question->metric, run, ret_value);
}

const char *evidence_failure(const struct json *run, struct arena *arena)
{
	const char *reason = json_text(json_get(run, "reason"));
	const char *detail = json_text(json_get(run, "detail"));

	if (!reason) {
		return "no-metric";
	}
	return detail ? arena_printf(arena, "%s: %s", reason, detail) : arena_strdup(arena, reason);
}

/* --- all of them --- */

/* A run with a value. */
struct reading {
	size_t commit;
	double value;
	const char *machine; /* a kernel's boot and a place */
	double took_s;
};

struct readings {
	VEC(struct reading) list;
};

static void readings_release(struct readings *readings)
{
	vec_release(&readings->list);
}
DEFINE_SCOPED_EMBEDDED(readings_release, struct readings)

/* "BOOT/INVOCATION/RUN" begins with the kernel's. */
static const char *machine_of(const struct journal_entry *entry, struct arena *arena)
{
	const char *boot = json_text(json_get(entry->run, "boot"));

	boot = boot ? boot : "";
	return arena_printf(arena, "%.*s/%" PRId64, (int)strcspn(boot, "/"), boot, entry->place);
}

static void note_value(struct evidence_commit *at, double value)
{
	double delta = value - at->mean;

	at->nr++;
	at->mean += delta / (double)at->nr;
	at->sd += delta * (value - at->mean); /* a sum of squares until all are in */
}

static void read_entry(struct evidence *evidence, const struct question *question, size_t commit,
		       const struct journal_entry *entry, struct readings *readings)
{
	struct evidence_commit *at = &evidence->at[commit];
	const char *build = json_text(json_get(entry->run, "build"));
	double value = 0;
	enum sign sign = evidence_sign(question, entry->run, &value);

	at->build = build ? build : at->build;
	if (sign == SIGN_VALUE) {
		*vec_push(&readings->list) =
			(struct reading){ commit, value, machine_of(entry, evidence->arena),
					  entry->took_s };
		note_value(at, value);
		at->nr_failed = 0;
		return;
	}
	evidence->nr_failed += sign != SIGN_NONE;
	at->nr_failed += sign == SIGN_FAILED;
	if (sign == SIGN_SKIP || at->nr_failed >= MOST_FAILURES) {
		at->why = evidence_failure(entry->run, evidence->arena);
	}
}

static void read_journal(struct evidence *evidence, const struct question *question,
			 const struct range *range, const struct journal *journal,
			 struct readings *readings)
{
	for (size_t i = 0; i < journal->entries.nr; i++) {
		const struct journal_entry *entry = &journal->entries.at[i];
		size_t commit = range_find(range, entry->commit);

		if (commit != SIZE_MAX) {
			read_entry(evidence, question, commit, entry, readings);
		}
	}
	evidence->nr_runs = readings->list.nr;
	evidence->is_log = !question->is_pass_fail;
	for (size_t i = 0; i < readings->list.nr; i++) {
		evidence->is_log = evidence->is_log && readings->list.at[i].value > 0;
	}
	for (size_t i = 0; i <= range->tip; i++) {
		struct evidence_commit *at = &evidence->at[i];

		at->sd = at->nr > 1 ? sqrt(at->sd / (double)(at->nr - 1)) : (double)NAN;
		evidence->nr_measured += at->nr > 0;
	}
}

/* --- what the engine is told --- */

static double scaled(const struct evidence *evidence, double value)
{
	return evidence->is_log ? log(value) : value;
}

double evidence_value(const struct evidence *evidence, double value)
{
	return evidence->is_log ? exp(value) : value;
}

/* From the first two runs of a commit, where one machine made both; at most four such pairs. */
static double pair_noise(const struct evidence *evidence, const struct range *range,
			 const struct readings *readings)
{
	scoped(free) const struct reading **first = mem_array(range->tip + 1, sizeof(*first));
	scoped(free) bool *has_pair = mem_array(range->tip + 1, sizeof(*has_pair));
	double sum = 0;
	size_t nr_pairs = 0;

	for (size_t i = 0; i < readings->list.nr && nr_pairs < 4; i++) {
		const struct reading *reading = &readings->list.at[i];
		const struct reading *other = first[reading->commit];

		if (!other) {
			first[reading->commit] = reading;
		} else if (!has_pair[reading->commit] &&
			   strcmp(other->machine, reading->machine) == 0) {
			double step =
				scaled(evidence, reading->value) - scaled(evidence, other->value);

			has_pair[reading->commit] = true;
			sum += step * step / 2;
			nr_pairs++;
		}
	}
	return nr_pairs > 1 ? sqrt(sum / (double)nr_pairs) : (double)NAN;
}

/* Of a run, before the engine fits it. */
static double guess_noise(const struct evidence *evidence, const struct question *question,
			  const struct range *range, const struct readings *readings)
{
	double size = 1; /* a ratio of values is a difference of logarithms */
	double noise = pair_noise(evidence, range, readings);
	const struct metric *metric = question_metric(question);

	if (!evidence->is_log && readings->list.nr > 0) {
		size = fabs(readings->list.at[0].value);
		size = size > 0 ? size : 1;
	}
	if (question->noise_ratio > 0) {
		return size * question->noise_ratio;
	}
	if (metric && metric->is_exact) {
		return size * EXACT_NOISE;
	}
	return isnan(noise) ? size * GUESSED_NOISE : fmax(noise, size * LEAST_NOISE);
}

/* Runs that building a commit costs: what the first run of a commit took more than the second. */
static double build_cost(const struct range *range, const struct readings *readings)
{
	scoped(free) double *first_s = mem_array(range->tip + 1, sizeof(*first_s));

	for (size_t i = 0; i < readings->list.nr; i++) {
		const struct reading *reading = &readings->list.at[i];
		double *first = &first_s[reading->commit];

		if (*first > 0 && reading->took_s > 0) {
			double cost = *first / reading->took_s - 1;

			return cost < 1 ? 0 : fmin(cost, MOST_BUILD_COST);
		}
		*first = reading->took_s;
	}
	return 0;
}

static const double *weights_of(const struct evidence *evidence, const struct range *range)
{
	double *weights = arena_array(evidence->arena, range->tip + 1, sizeof(*weights));
	double sum = 0;

	for (size_t i = 1; i <= range->tip; i++) {
		const struct range_commit *commit = &range->at[i];
		const char *build = evidence->at[i].build;
		const char *before = evidence->at[commit->parent].build;
		bool is_equal =
			commit->is_tree_equal || (build && before && strcmp(build, before) == 0);

		weights[i] = is_equal ? 0 : commit->is_docs_only ? DOCS_WEIGHT : 1;
		sum += weights[i];
	}
	return sum > 0 ? weights : NULL;
}

static struct bisect_options options_of(const struct evidence *evidence,
					const struct question *question, const struct range *range,
					const struct readings *readings)
{
	struct bisect_options options = bisect_defaults(range->tip);
	size_t budget = (size_t)question->budget;

	options.sd = guess_noise(evidence, question, range, readings);
	options.weights = weights_of(evidence, range);
	options.build_cost = build_cost(range, readings);
	options.budget = budget > evidence->nr_failed ? budget - evidence->nr_failed : 0;
	options.every_step = question->wants_all_steps;
	if (range->ancestry) {
		options.graph = range->ancestry;
		options.holds = ancestry_holds;
		options.is_side = ancestry_is_side;
	}
	if (question->is_pass_fail) {
		options.values = BISECT_PASS_FAIL;
		options.smallest = LEAST_SHARE / SHARE_SD / 2;
	}
	if (question->smallest_ratio > 0) {
		double size = question->is_pass_fail ? question->smallest_ratio / SHARE_SD
						     : log1p(question->smallest_ratio) / options.sd;

		options.smallest = size / 2;
	}
	return options;
}

/* The places of now come first; of those of earlier boots the last ones count. */
static struct names *number_machines(const struct readings *readings, const char *boot,
				     int64_t nr_places)
{
	struct names *machines = names_new();

	for (int64_t i = 0; i < nr_places; i++) {
		scoped(free) char *name = mem_printf("%s/%" PRId64, boot, i);

		names_number(machines, name);
	}
	for (size_t i = readings->list.nr; i-- > 0;) {
		names_number(machines, readings->list.at[i].machine);
	}
	return machines;
}

static void add_runs(struct evidence *evidence, const struct readings *readings,
		     const struct names *machines)
{
	for (size_t i = 0; i < readings->list.nr; i++) {
		const struct reading *reading = &readings->list.at[i];
		size_t machine = names_find(machines, reading->machine) - 1;

		if (machine < BISECT_MOST_MACHINES) {
			bisect_add(
				evidence->bisect,
				&(struct bisect_run){ .commit = reading->commit,
						      .machine = machine,
						      .boot = i + 1,
						      .value = scaled(evidence, reading->value) });
		}
	}
}

struct evidence *evidence_new(const struct question *question, const struct range *range,
			      const struct journal *journal, const char *boot)
{
	struct evidence *evidence = mem_alloc(sizeof(*evidence));
	scoped(readings_release) struct readings readings = { 0 };
	scoped(names_free) struct names *machines = NULL;
	struct bisect_options options;

	evidence->arena = arena_new();
	evidence->is_pass_fail = question->is_pass_fail;
	evidence->at = arena_array(evidence->arena, range->tip + 1, sizeof(*evidence->at));
	read_journal(evidence, question, range, journal, &readings);
	options = options_of(evidence, question, range, &readings);
	evidence->sought = 2 * options.smallest * options.sd;
	evidence->bisect = bisect_new(&options);
	for (size_t i = 0; i <= range->tip; i++) {
		if (evidence->at[i].why) {
			bisect_skip(evidence->bisect, i);
		}
	}
	machines = number_machines(&readings, boot, question->jobs);
	add_runs(evidence, &readings, machines);
	bisect_answer(evidence->bisect, &evidence->answer);
	evidence->posterior =
		arena_array(evidence->arena, range->tip + 1, sizeof(*evidence->posterior));
	bisect_posterior(evidence->bisect, evidence->posterior);
	return evidence;
}

struct evidence *evidence_free(struct evidence *evidence)
{
	if (evidence) {
		bisect_free(evidence->bisect);
		arena_free(evidence->arena);
		free(evidence);
	}
	return NULL;
}
