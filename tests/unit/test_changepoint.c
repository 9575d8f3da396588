/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a history moved, and where it only looked so.  Expected values: the series are made with
 * known changes; chances are exact counts from Python's fractions; the shared histories come with
 * the places that people or another program found. */
#include <math.h>
#include <stdio.h>

#include "lib/stats/changepoint.h"
#include "lib/stats/split.h"
#include "tests/bench/random.h"
#include "tests/t.h"

#define LEVEL 0.01

struct history {
	double values[2000];
	size_t nr;
};

static void fill(struct history *history, uint64_t seed, size_t nr)
{
	struct rng rng;

	rng_init(&rng, seed);
	history->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		history->values[i] = 100 + rng_normal(&rng);
	}
}

static void raise_from(struct history *history, size_t from, double by)
{
	for (size_t i = from; i < history->nr; i++) {
		history->values[i] += by;
	}
}

static struct changepoints find(const struct history *history)
{
	struct changepoints found;

	changepoint_find(history->values, history->nr, LEVEL, &found);
	return found;
}

static bool is_near(const struct changepoints *found, size_t i, size_t at, size_t reach)
{
	return i < found->points.nr && found->points.at[i].at + reach >= at &&
	       found->points.at[i].at <= at + reach;
}

static void finds_changes_and_their_levels(void)
{
	struct history history;
	struct changepoints found;

	fill(&history, 1, 300);
	raise_from(&history, 80, 8);
	raise_from(&history, 200, -4);
	found = find(&history);
	CHECK_INT(found.points.nr, 2);
	CHECK(is_near(&found, 0, 80, 0));
	CHECK(is_near(&found, 1, 200, 1));
	if (found.points.nr == 2) {
		CHECK_NEAR(found.points.at[0].before, 100, 0.5);
		CHECK_NEAR(found.points.at[0].after, 108, 0.5);
		CHECK_NEAR(found.points.at[1].after, 104, 0.5);
		CHECK(found.points.at[0].p < 1e-10);
	}
	changepoint_release(&found);
}

static void outliers_are_no_change(void)
{
	size_t nr_found = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct history history;
		struct changepoints found;
		struct rng rng;

		fill(&history, seed, 400);
		rng_init(&rng, seed + 1000);
		for (size_t i = 0; i < history.nr; i++) {
			history.values[i] *= rng_share(&rng) < 0.1 ? 100 : 1;
		}
		/* A burst, too short to be a level. */
		for (size_t i = 200; i < 203; i++) {
			history.values[i] = 1e6;
		}
		found = find(&history);
		nr_found += found.points.nr > 0;
		changepoint_release(&found);
	}
	CHECK(nr_found <= 2);
}

static void a_change_among_outliers_is_found(void)
{
	struct history history;
	struct changepoints found;

	fill(&history, 4, 200);
	raise_from(&history, 120, 4);
	for (size_t i = 5; i < history.nr; i += 11) {
		history.values[i] = i % 2 ? 1e9 : -1e9;
	}
	found = find(&history);
	CHECK_INT(found.points.nr, 1);
	CHECK(is_near(&found, 0, 120, 1));
	changepoint_release(&found);
}

/* Noise of which each value keeps a half of the one before. */
static void noise_with_a_memory_is_no_change(void)
{
	size_t nr_found = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct history history;
		struct changepoints found;

		fill(&history, seed, 800);
		for (size_t i = 1; i < history.nr; i++) {
			history.values[i] += 0.5 * (history.values[i - 1] - 100);
		}
		found = find(&history);
		CHECK(found.memory > 1.8 && found.memory < 5);
		nr_found += found.points.nr > 0;
		changepoint_release(&found);
	}
	CHECK(nr_found <= 3);
}

static void only_the_order_of_values_makes_a_point(void)
{
	struct history history;
	struct changepoints found[2];

	fill(&history, 5, 250);
	raise_from(&history, 100, 3);
	found[0] = find(&history);
	for (size_t i = 0; i < history.nr; i++) {
		history.values[i] = exp(0.3 * history.values[i]);
	}
	found[1] = find(&history);
	CHECK_INT(found[0].points.nr, 1);
	CHECK_INT(found[1].points.nr, 1);
	CHECK(is_near(&found[0], 0, 100, 1));
	CHECK(is_near(&found[1], 0, 100, 1));
	CHECK_NEAR(found[0].points.at[0].p, found[1].points.at[0].p, 0.001);
	changepoint_release(&found[0]);
	changepoint_release(&found[1]);
}

static void equal_values_and_short_histories_have_no_point(void)
{
	struct history history = { .nr = 500 };
	struct changepoints found = find(&history);

	CHECK_INT(found.points.nr, 0);
	changepoint_release(&found);
	raise_from(&history, 250, 1);
	found = find(&history);
	CHECK_INT(found.points.nr, 1);
	CHECK(is_near(&found, 0, 250, 0));
	changepoint_release(&found);
	for (history.nr = 0; history.nr < 2 * CHANGEPOINT_LEAST; history.nr++) {
		found = find(&history);
		CHECK_INT(found.points.nr, 0);
		changepoint_release(&found);
	}
}

/* By order alone, either step might be the one. */
static void the_larger_of_two_steps_is_the_place(void)
{
	struct history history;
	struct changepoints found;

	fill(&history, 9, 300);
	raise_from(&history, 60, 40);
	raise_from(&history, 64, 4);
	found = find(&history);
	CHECK_INT(found.points.nr, 1);
	CHECK(is_near(&found, 0, 60, 0));
	changepoint_release(&found);
}

static void worked_example(void)
{
	struct history history = {
		{ 1, 10, 2, 9, 3, 8, 4, 7, 5, 6, 11, 20, 12, 19, 13, 18, 14, 17, 15, 16 }, 20
	};
	struct changepoints found = find(&history);

	CHECK_INT(found.points.nr, 1);
	CHECK(is_near(&found, 0, 10, 0));
	CHECK_NEAR(found.memory, 1, 0);
	CHECK_NEAR(found.points.at[0].p, 0.000124, 0.0000005);
	changepoint_release(&found);
}

struct exact {
	size_t a, b;
	double excess, p;
};

static const struct exact exact_values[] = {
	{ 10, 10, 50, 1.082508822446903e-05 },  { 10, 10, 40, 0.001504687263201195 },
	{ 8, 24, 80, 0.00015116511223296541 },  { 20, 60, 400, 2.6470876225734598e-06 },
	{ 6, 58, 174, 2.6675783382395433e-08 }, { 15, 15, 80, 0.0005777812847961984 },
};

static void p_is_never_too_small_and_never_far_off(void)
{
	for (size_t i = 0; i < countof(exact_values); i++) {
		const struct exact *exact = &exact_values[i];
		struct split split = { 1, exact->a, exact->b, exact->excess, 0 };
		double p = exp(split_ln_p(&split));
		bool is_all = exact->excess >= 0.5 * (double)(exact->a * exact->b);

		CHECK(p >= exact->p * (1 - 1e-9));
		CHECK(p <= exact->p * (is_all ? 1.001 : 12));
	}
}

static bool ask(const struct history *history, struct changepoint_question question,
		struct changepoint *ret_point)
{
	struct changepoints found = find(history);
	bool is_there =
		changepoint_was_there(history->values, history->nr, &found, &question, ret_point);

	changepoint_release(&found);
	return is_there;
}

static void a_jump_was_there_where_it_has_place_direction_and_size(void)
{
	struct history history;
	struct changepoint point;

	fill(&history, 8, 300);
	raise_from(&history, 200, 5);
	CHECK(ask(&history, (struct changepoint_question){ 100, 105, 205, 10 }, &point));
	CHECK(point.at >= 199 && point.at <= 201);
	CHECK_NEAR(point.after - point.before, 5, 0.7);
	CHECK(!ask(&history, (struct changepoint_question){ 100, 95, 205, 10 }, &point));
	CHECK(!ask(&history, (struct changepoint_question){ 100, 105, 150, 10 }, &point));
	CHECK(!ask(&history, (struct changepoint_question){ 100, 115, 205, 10 }, &point));
	CHECK(point.p <= 0.01);
	CHECK(!ask(&history, (struct changepoint_question){ 100, 100, 205, 10 }, &point));
	CHECK_INT(point.at, 0);
}

/* Too few values after it to be found among all places, but not in the one place. */
static void a_new_jump_is_seen_where_one_looks_for_it(void)
{
	struct history history;
	struct changepoints found;
	struct changepoint point;

	fill(&history, 8, 208);
	raise_from(&history, 200, 1.6);
	found = find(&history);
	CHECK_INT(found.points.nr, 0);
	changepoint_release(&found);
	CHECK(ask(&history, (struct changepoint_question){ 100, 101.6, 200, 4 }, &point));
}

static void a_question_without_an_answer_is_answered_no(void)
{
	struct history history;
	struct changepoint point;

	fill(&history, 8, 20);
	for (history.nr = 0; history.nr < 20; history.nr++) {
		CHECK(!ask(&history, (struct changepoint_question){ 100, 150, 500, 3 }, &point));
		CHECK(!ask(&history, (struct changepoint_question){ 100, 150, 0, 3 }, &point));
	}
}

/* The numbers of a file with one a line, after `nr_skip` lines, behind the first comma. */
static bool read_history(const char *name, char before, struct history *ret_history)
{
	scoped(free) char *path = t_shared(name);
	FILE *file = path ? fopen(path, "re") : NULL;
	char line[200];

	ret_history->nr = 0;
	while (file && ret_history->nr < countof(ret_history->values) &&
	       fgets(line, sizeof(line), file)) {
		char *place = strchr(line, before);
		char *end;
		double value = place ? strtod(place + 1, &end) : 0;

		if (place && end > place + 1) {
			ret_history->values[ret_history->nr++] = value;
		}
	}
	if (file) {
		fclose(file);
	}
	return ret_history->nr > 0;
}

struct known {
	const char *name;
	char before;  /* each number */
	size_t at[2]; /* 0: none */
	size_t reach;
};

static const struct known known[] = {
	{ "data/changepoints/otava/tigerbeetle.csv", ',', { 15, 71 }, 0 },
	{ "data/changepoints/mongodb-spa/robust_series.json", ' ', { 25 }, 1 },
	{ "data/changepoints/tcpd/quality_control_1.csv", ',', { 144 }, 2 },
	{ "data/changepoints/tcpd/quality_control_2.csv", ',', { 98 }, 2 },
	{ "data/changepoints/tcpd/quality_control_3.csv", ',', { 179 }, 2 },
};

static void real_histories_changed_where_others_say(void)
{
	for (size_t i = 0; i < countof(known); i++) {
		struct history history;
		struct changepoints found;

		if (!read_history(known[i].name, known[i].before, &history)) {
			T_SKIP("no shared '%s'", known[i].name);
		}
		found = find(&history);
		for (size_t j = 0; j < countof(known[i].at) && known[i].at[j]; j++) {
			bool is_found = false;

			for (size_t k = 0; k < found.points.nr; k++) {
				is_found |= is_near(&found, k, known[i].at[j], known[i].reach);
			}
			CHECK(is_found);
		}
		changepoint_release(&found);
	}
}

/* 30 values at 100, 20 at 120, 30 at 100, a deviation of 1. */
static void c06_what_recovered_is_listed(void)
{
	struct history history;
	struct changepoints found;

	fill(&history, 6, 80);
	raise_from(&history, 30, 20);
	raise_from(&history, 50, -20);
	found = find(&history);
	CHECK_INT(found.points.nr, 2);
	CHECK(is_near(&found, 0, 30, 0) && is_near(&found, 1, 50, 0));
	if (found.points.nr == 2) {
		CHECK_NEAR(found.points.at[0].after / found.points.at[0].before - 1, 0.20, 0.01);
		CHECK_NEAR(found.points.at[1].after / found.points.at[1].before - 1, -0.167, 0.01);
	}
	changepoint_release(&found);
}

static const struct t_case cases[] = {
	{ "changes are found, with their levels", finds_changes_and_their_levels },
	{ "C06: a change that was taken back is listed, and its end too",
	  c06_what_recovered_is_listed },
	{ "outliers are no change", outliers_are_no_change },
	{ "a change among outliers is found", a_change_among_outliers_is_found },
	{ "noise with a memory is no change", noise_with_a_memory_is_no_change },
	{ "only the order of values makes a point", only_the_order_of_values_makes_a_point },
	{ "equal values and short histories have no point",
	  equal_values_and_short_histories_have_no_point },
	{ "the larger of two steps is the place", the_larger_of_two_steps_is_the_place },
	{ "the worked example of docs/statistics.md", worked_example },
	{ "p is never too small, and never far off", p_is_never_too_small_and_never_far_off },
	{ "a jump was there if it has place, direction and size",
	  a_jump_was_there_where_it_has_place_direction_and_size },
	{ "a new jump is seen where one looks for it", a_new_jump_is_seen_where_one_looks_for_it },
	{ "a question without an answer is answered no",
	  a_question_without_an_answer_is_answered_no },
	{ "real histories changed where others say", real_histories_changed_where_others_say },
};

T_MAIN(cases)
