/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "start.h"

#include <math.h>

#include "lib/base/str.h"

/* Far from what a sum of squares cannot hold. */
#define MOST_VALUE 1e100
/* Boots that are told are told apart from those that `choose` counts by their lowest bit. */
#define MOST_BOOT ((size_t)1 << 62)

enum key {
	KEY_N,
	KEY_COST_BUILD,
	KEY_COST_BOOT,
	KEY_SIGMA,
	KEY_NU,
	KEY_BOOT_RATIO,
	KEY_SMALLEST,
	KEY_P_NONE,
	KEY_STOP,
	KEY_MACHINES,
	KEY_BUDGET,
	KEY_JUMPS,
	KEY_PASS_FAIL,
	KEY_EVERY,
	KEY_MORE,
	KEYS
};

static const struct {
	const char *name;
	double range[2];
	bool is_whole;
} keys[] = {
	[KEY_N] = { "n", { 1, BISECT_MOST_COMMITS }, true },
	[KEY_COST_BUILD] = { "cb", { 0, 1e6 }, false },
	[KEY_COST_BOOT] = { "cr", { 0, 1e6 }, false },
	[KEY_SIGMA] = { "sigma", { 1e-100, MOST_VALUE }, false },
	[KEY_NU] = { "nu", { 0, 1e6 }, false },
	[KEY_BOOT_RATIO] = { "bootratio", { -1, 1e4 }, false },
	[KEY_SMALLEST] = { "dmin", { 1e-3, 1e3 }, false },
	[KEY_P_NONE] = { "pnone", { 0, 0.999999 }, false },
	[KEY_STOP] = { "stop", { 0.500001, 0.999999 }, false },
	[KEY_MACHINES] = { "machines", { 1, BISECT_MOST_MACHINES }, true },
	[KEY_BUDGET] = { "budget", { 1, 1e6 }, true },
	[KEY_JUMPS] = { "jumps", { 0, 1 }, false },
	[KEY_PASS_FAIL] = { "passfail", { 0, 1 }, true },
	[KEY_EVERY] = { "every", { 0, 1 }, true },
	[KEY_MORE] = { "more", { 0, 1 }, true },
};

void bisect_start_release(struct bisect_start *start)
{
	free(start->weights);
	ancestry_free(start->ancestry);
	vec_release(&start->given);
	*start = (struct bisect_start){ 0 };
}

/* START */

/* KEYS: none. */
static enum key find_key(const char *name)
{
	size_t i = 0;

	while (i < KEYS && strcmp(keys[i].name, name) != 0) {
		i++;
	}
	return (enum key)i;
}

static bool fail_unknown(const struct words *words, const char *name, struct err *err)
{
	const char *nearest = str_nearest(name, &keys[0].name, KEYS, sizeof(keys[0]));

	return nearest ? words_fail(words, err, "unknown key '%s'; did you mean '%s'?", name,
				    nearest)
		       : words_fail(words, err, "unknown key '%s'", name);
}

/* `values`: NAN where nothing is said of a key. */
static bool read_pair(const struct words *words, size_t index, double *values, struct err *err)
{
	const char *equals = strchr(words->at[index], '=');
	scoped(free) char *name = NULL;
	double value;
	enum key key;

	if (!equals) {
		return words_fail(words, err, "'%s': expected KEY=NUMBER", words->at[index]);
	}
	name = mem_strndup(words->at[index], (size_t)(equals - words->at[index]));
	key = find_key(name);
	if (key == KEYS) {
		return fail_unknown(words, name, err);
	}
	if (!isnan(values[key])) {
		return words_fail(words, err, "'%s' is said twice", name);
	}
	if (!str_to_double(equals + 1, &value, NULL) || value < keys[key].range[0] ||
	    value > keys[key].range[1] || (keys[key].is_whole && value > floor(value))) {
		return words_fail(words, err, "'%s': expected a %snumber from %g to %g",
				  words->at[index], keys[key].is_whole ? "whole " : "",
				  keys[key].range[0], keys[key].range[1]);
	}
	values[key] = value;
	return true;
}

static void set_number(double value, double *number)
{
	*number = isnan(value) ? *number : value;
}

static bool is_set(double value)
{
	return value > 0;
}

static struct bisect_options options_of(const double *values)
{
	struct bisect_options options = bisect_defaults((size_t)values[KEY_N]);

	set_number(values[KEY_COST_BUILD], &options.build_cost);
	set_number(values[KEY_COST_BOOT], &options.boot_cost);
	set_number(values[KEY_SIGMA], &options.sd);
	set_number(values[KEY_NU], &options.sd_df);
	set_number(values[KEY_BOOT_RATIO], &options.boot_share);
	set_number(values[KEY_SMALLEST], &options.smallest);
	set_number(values[KEY_P_NONE], &options.p_none);
	set_number(values[KEY_STOP], &options.stop);
	set_number(values[KEY_JUMPS], &options.jumps);
	if (is_set(values[KEY_BUDGET])) {
		options.budget = (size_t)values[KEY_BUDGET];
	}
	if (is_set(values[KEY_PASS_FAIL])) {
		options.values = BISECT_PASS_FAIL;
	}
	options.every_step = is_set(values[KEY_EVERY]);
	return options;
}

static bool read_values(const struct words *words, double *values, struct err *err)
{
	for (size_t i = 0; i < KEYS; i++) {
		values[i] = NAN;
	}
	if (words->nr == 0 || strcmp(words->at[0], "START") != 0) {
		return words_fail(words, err, "expected START, not '%s'",
				  words->nr ? words->at[0] : "");
	}
	for (size_t i = 1; i < words->nr; i++) {
		if (!read_pair(words, i, values, err)) {
			return false;
		}
	}
	return !isnan(values[KEY_N]) || words_fail(words, err, "START without 'n'");
}

/* the lines behind it */

static bool check_length(const struct words *words, size_t least, size_t most, struct err *err)
{
	return (words->nr >= least && words->nr <= most) ||
	       words_fail(words, err, "%s with %zu words behind it; expected %zu to %zu",
			  words->at[0], words->nr - 1, least - 1, most - 1);
}

static bool read_parents(struct bisect_start *start, const struct words *words, struct err *err)
{
	size_t nr_commits = start->options.nr_commits;
	size_t parents[WORDS_MOST];
	size_t commit;

	if (!check_length(words, 3, WORDS_MOST, err) ||
	    !words_index(words, 1, nr_commits, &commit, err)) {
		return false;
	}
	if (nr_commits > ANCESTRY_MOST_COMMITS) {
		return words_fail(words, err, "PARENTS with n over %d", ANCESTRY_MOST_COMMITS);
	}
	if (commit == 0) {
		return words_fail(words, err, "commit 0, the base, has no parents");
	}
	for (size_t i = 2; i < words->nr; i++) {
		if (!words_index(words, i, commit - 1, &parents[i - 2], err)) {
			return false;
		}
	}
	if (!start->ancestry) {
		start->ancestry = ancestry_new(nr_commits);
	}
	if (ancestry_is_set(start->ancestry, commit)) {
		return words_fail(words, err, "PARENTS %zu is said twice", commit);
	}
	ancestry_set(start->ancestry, commit, parents, words->nr - 2);
	return true;
}

static bool read_weight(struct bisect_start *start, const struct words *words, struct err *err)
{
	static const double range[2] = { 0, 1e9 };
	double weight;
	size_t commit;

	if (!check_length(words, 3, 3, err) ||
	    !words_index(words, 1, start->options.nr_commits, &commit, err) ||
	    !words_number(words, 2, range, &weight, err)) {
		return false;
	}
	if (!start->weights) {
		start->weights = mem_array(start->options.nr_commits + 1, sizeof(double));
		for (size_t i = 0; i <= start->options.nr_commits; i++) {
			start->weights[i] = 1;
		}
	}
	start->weights[commit] = weight;
	return true;
}

bool bisect_start_value(const struct bisect_start *start, const struct words *words, size_t index,
			double *ret_value, struct err *err)
{
	static const double range[2] = { -MOST_VALUE, MOST_VALUE };
	size_t is_failed;

	if (start->options.values == BISECT_LEVELS) {
		return words_number(words, index, range, ret_value, err);
	}
	if (!words_index(words, index, 1, &is_failed, err)) {
		return false;
	}
	*ret_value = (double)is_failed;
	return true;
}

/* A run of which no boot is told had one of its own. */
static bool read_given(struct bisect_start *start, const struct words *words, struct err *err)
{
	struct bisect_run run = { 0 };
	size_t boot = MOST_BOOT + start->given.nr;

	if (!check_length(words, 3, 5, err) ||
	    !words_index(words, 1, start->options.nr_commits, &run.commit, err) ||
	    !bisect_start_value(start, words, 2, &run.value, err) ||
	    (words->nr > 3 && !words_index(words, 3, start->nr_machines - 1, &run.machine, err)) ||
	    (words->nr > 4 && !words_index(words, 4, MOST_BOOT - 1, &boot, err))) {
		return false;
	}
	if (start->given.nr == start->options.budget) {
		return words_fail(words, err, "more runs than the budget of %zu",
				  start->options.budget);
	}
	run.boot = 2 * (uint64_t)boot;
	*vec_push(&start->given) = run;
	return true;
}

static const struct {
	const char *name;
	bool (*read)(struct bisect_start *start, const struct words *words, struct err *err);
} lines[] = {
	{ "PARENTS", read_parents },
	{ "WEIGHT", read_weight },
	{ "GIVEN", read_given },
};

static bool read_more(struct bisect_start *start, const struct words *words, struct err *err)
{
	for (size_t i = 0; i < countof(lines); i++) {
		if (strcmp(lines[i].name, words->at[0]) == 0) {
			return lines[i].read(start, words, err);
		}
	}
	return words_fail(words, err, "expected PARENTS, WEIGHT, GIVEN or GO, not '%s'",
			  words->at[0]);
}

static bool read_to_go(struct bisect_start *start, struct words *words, struct err *err)
{
	for (;;) {
		if (!words_read(words, err)) {
			return false;
		}
		if (words->nr == 0) {
			return words_fail(words, err, "the input ended; expected GO");
		}
		if (strcmp(words->at[0], "GO") == 0) {
			return check_length(words, 1, 1, err);
		}
		if (!read_more(start, words, err)) {
			return false;
		}
	}
}

static bool has_weight(const struct bisect_start *start)
{
	for (size_t i = 1; start->weights && i <= start->options.nr_commits; i++) {
		if (start->weights[i] > 0) {
			return true;
		}
	}
	return !start->weights;
}

bool bisect_start_read(struct words *words, struct bisect_start *ret_start, struct err *err)
{
	struct bisect_start start = { 0 };
	double values[KEYS];

	if (!read_values(words, values, err)) {
		return false;
	}
	start.options = options_of(values);
	start.nr_machines = isnan(values[KEY_MACHINES]) ? 1 : (size_t)values[KEY_MACHINES];
	if (is_set(values[KEY_MORE]) && !read_to_go(&start, words, err)) {
		bisect_start_release(&start);
		return false;
	}
	if (!has_weight(&start)) {
		bisect_start_release(&start);
		return words_fail(words, err, "no commit has a weight over 0");
	}
	start.options.weights = start.weights;
	if (start.ancestry) {
		ancestry_settle(start.ancestry);
		start.options.graph = start.ancestry;
		start.options.holds = ancestry_holds;
		start.options.is_side = ancestry_is_side;
	}
	*ret_start = start;
	return true;
}
