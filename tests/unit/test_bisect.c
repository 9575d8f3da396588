/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Noisy bisection: what it promises, on runs whose noise is known. */
#include <math.h>

#include "lib/stats/bisect.h"
#include "tests/t.h"

static void add(struct bisect *bisect, size_t commit, double value)
{
	/* every run on a boot of its own */
	static uint64_t boot;

	bisect_add(bisect,
		   &(struct bisect_run){ .commit = commit, .boot = ++boot, .value = value });
}

/* Deviations of a standard normal distribution, in no order: its quantiles of (i + 1/2) / 16. */
static const double deviations[] = { -0.1573, 1.0100,  -0.7764, 0.4023, 0.2372,  -1.3180,
				     0.5791,  -0.5791, 1.8627,  0.1573, -1.0100, -0.2372,
				     0.7764,  -0.4023, 1.3180,  -1.8627 };

/* Asks and answers until the end: the commits from `culprit` on are `step` higher. */
static struct bisect_answer hunt(struct bisect *bisect, size_t culprit, double step,
				 size_t unbuildable)
{
	struct bisect_answer answer;
	struct bisect_next next;
	size_t nr = 0;

	for (bisect_answer(bisect, &answer); answer.state == BISECT_OPEN;
	     bisect_answer(bisect, &answer)) {
		bisect_next(bisect, 0, &next);
		if (next.commit == unbuildable && unbuildable > 0) {
			bisect_skip(bisect, next.commit);
			continue;
		}
		add(bisect, next.commit,
		    100 + (next.commit >= culprit ? step : 0) +
			    deviations[nr++ % countof(deviations)]);
	}
	return answer;
}

static void the_culprit_is_named(void)
{
	for (size_t culprit = 1; culprit <= 16; culprit++) {
		struct bisect_options options = bisect_defaults(16);
		scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
		struct bisect_answer answer = hunt(bisect, culprit, -4, 0);

		CHECK_INT(answer.state, BISECT_CULPRIT);
		CHECK_INT(answer.last, culprit);
		CHECK(answer.p >= 0.97);
		CHECK(answer.p_worse < 0.01);
		CHECK_NEAR(answer.after - answer.before, -4, 1.5);
	}
}

static void nothing_is_said_to_be_nothing(void)
{
	struct bisect_options options = bisect_defaults(16);
	struct bisect_answer answer;

	options.smallest = 1;
	{
		scoped(bisect_free) struct bisect *bisect = bisect_new(&options);

		answer = hunt(bisect, 1, 0, 0);
	}
	CHECK_INT(answer.state, BISECT_NONE);
	CHECK_INT(answer.nr_set, 0);
}

static void unbuildable_commits_make_a_set(void)
{
	struct bisect_options options = bisect_defaults(8);
	scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
	struct bisect_answer answer = hunt(bisect, 5, 5, 4);
	size_t set[8] = { 0 };

	CHECK_INT(answer.state, BISECT_SET);
	CHECK_INT(answer.nr_set, 2);
	bisect_set(bisect, &answer, set);
	CHECK_INT(set[0], 4);
	CHECK_INT(set[1], 5);
}

static void equal_binaries_are_never_blamed(void)
{
	const double weights[] = { 0, 1, 1, 0, 1, 1 };
	struct bisect_options options = bisect_defaults(5);
	double p[6];

	options.weights = weights;
	options.sd = 0.5;
	options.sd_df = 20;
	{
		scoped(bisect_free) struct bisect *bisect = bisect_new(&options);

		/* back and forth, or a jump of the machine would explain it, too */
		add(bisect, 0, 100);
		add(bisect, 4, 105);
		add(bisect, 2, 100.3);
		add(bisect, 5, 105.2);
		bisect_posterior(bisect, p);
	}
	CHECK(p[3] <= 0);
	CHECK(p[4] > 0.75);
	CHECK_NEAR(p[0] + p[1] + p[2] + p[3] + p[4] + p[5], 1, 1e-9);
}

static void the_budget_ends_in_a_set(void)
{
	struct bisect_options options = bisect_defaults(8);
	size_t set[8];
	double p[9], sum = 0;

	options.budget = 10;
	options.p_none = 0;
	{
		scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
		struct bisect_answer answer = hunt(bisect, 4, 1, 0);

		CHECK_INT(answer.state, BISECT_SPENT);
		CHECK(answer.nr_set > 1);
		bisect_set(bisect, &answer, set);
		bisect_posterior(bisect, p);
		for (size_t i = 0; i < answer.nr_set; i++) {
			sum += p[set[i]];
		}
		CHECK_NEAR(sum, answer.p, 1e-9);
		CHECK(sum >= 0.95);
	}
}

static void machines_have_levels_of_their_own(void)
{
	struct bisect_options options = bisect_defaults(16);
	scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
	struct bisect_answer answer;
	size_t nr = 0;

	for (bisect_answer(bisect, &answer); answer.state == BISECT_OPEN;
	     bisect_answer(bisect, &answer)) {
		struct bisect_next next[2];

		bisect_next(bisect, 0, &next[0]);
		bisect_next(bisect, 1, &next[1]);
		for (size_t m = 0; m < 2; m++) {
			bisect_add(bisect, &(struct bisect_run){
						   .commit = next[m].commit,
						   .machine = m,
						   .boot = nr,
						   .value = 100 + 7.0 * (double)m +
							    (next[m].commit >= 11 ? 3 : 0) +
							    deviations[nr % countof(deviations)] });
			nr++;
		}
	}
	CHECK_INT(answer.state, BISECT_CULPRIT);
	CHECK_INT(answer.last, 11);
}

static void flaky_tests_are_bisected(void)
{
	/* without the culprit it fails 1 of 8 runs, with it 7 of 8 */
	struct bisect_options options = bisect_defaults(32);
	struct bisect_answer answer;
	size_t nr = 0;

	options.values = BISECT_PASS_FAIL;
	{
		scoped(bisect_free) struct bisect *bisect = bisect_new(&options);

		for (bisect_answer(bisect, &answer); answer.state == BISECT_OPEN;
		     bisect_answer(bisect, &answer)) {
			struct bisect_next next;

			bisect_next(bisect, 0, &next);
			add(bisect, next.commit, (next.commit >= 21) != (nr++ % 8 == 5));
		}
	}
	CHECK_INT(answer.state, BISECT_CULPRIT);
	CHECK_INT(answer.last, 21);
}

/* A jump of the machine in the middle looks like a step to whoever runs the commits in order. */
static void a_machine_that_jumps_is_no_culprit(void)
{
	struct bisect_options options = bisect_defaults(4);
	scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
	struct bisect_answer answer;

	for (size_t i = 0; i < 10; i++) {
		add(bisect, i < 5 ? 0 : 4, (i < 5 ? 100 : 104) + 0.5 * deviations[i]);
	}
	for (size_t i = 0; i < 4; i++) {
		add(bisect, 0, 104 + 0.5 * deviations[i]);
		add(bisect, 4, 104 + 0.5 * deviations[i + 4]);
	}
	bisect_answer(bisect, &answer);
	CHECK(answer.p_none > 0.5);
}

/* 1 - 2 - 5 (a merge of 4, whose parents are 3 and then 1) - 6 */
static bool holds(const void *graph, size_t commit, size_t culprit)
{
	static const uint8_t held[] = { 0, 0x02, 0x06, 0x0a, 0x1a, 0x3e, 0x7e };

	(void)graph;
	return held[commit] >> culprit & 1;
}

static bool is_side(const void *graph, size_t commit)
{
	(void)graph;
	return commit == 3 || commit == 4;
}

static void merges_are_walked_into(void)
{
	struct bisect_options options = bisect_defaults(6);

	options.holds = holds;
	options.is_side = is_side;
	for (size_t culprit = 1; culprit <= 6; culprit++) {
		scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
		struct bisect_answer answer;
		size_t nr = 0;

		for (bisect_answer(bisect, &answer); answer.state == BISECT_OPEN;
		     bisect_answer(bisect, &answer)) {
			struct bisect_next next;
			double value = 100 + deviations[nr++ % countof(deviations)];

			bisect_next(bisect, 0, &next);
			add(bisect, next.commit,
			    value + (holds(NULL, next.commit, culprit) ? 5 : 0));
		}
		CHECK_INT(answer.state, BISECT_CULPRIT);
		CHECK_INT(answer.last, culprit);
	}
}

/* The middle bits of a congruential generator: 0 to 99. */
static unsigned draw(uint64_t *state)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)((*state >> 33) % 100);
}

/* One boot of five is slow; from the culprit on three of five are. */
static void the_share_of_slow_boots_is_bisected(void)
{
	struct bisect_options options = bisect_defaults(16);
	scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
	struct bisect_answer answer;
	uint64_t state = 1;
	size_t nr = 0;

	for (bisect_answer(bisect, &answer); answer.state == BISECT_OPEN;
	     bisect_answer(bisect, &answer)) {
		struct bisect_next next;
		bool is_slow;

		bisect_next(bisect, 0, &next);
		is_slow = draw(&state) < (next.commit >= 7 ? 60 : 20);
		add(bisect, next.commit,
		    100 + (is_slow ? 10 : 0) + deviations[nr++ % countof(deviations)]);
	}
	CHECK_INT(answer.state, BISECT_CULPRIT);
	CHECK_INT(answer.last, 7);
	CHECK(answer.has_modes);
	/* of the last runs, for a machine's share may wander; what the culprit did does not */
	CHECK_NEAR(answer.before, 0.2, 0.2);
	CHECK_NEAR(answer.after - answer.before, 0.4, 0.2);
}

static const struct t_case cases[] = {
	{ "the culprit is named, wherever it is, with its step", the_culprit_is_named },
	{ "where nothing changed that is said", nothing_is_said_to_be_nothing },
	{ "commits that do not build make a set, never a guess", unbuildable_commits_make_a_set },
	{ "a commit of equal bytes is never blamed", equal_binaries_are_never_blamed },
	{ "a spent budget gives the smallest set of 95 %", the_budget_ends_in_a_set },
	{ "machines have levels of their own", machines_have_levels_of_their_own },
	{ "a flaky test is bisected by its share of failures", flaky_tests_are_bisected },
	{ "a machine that jumps is no culprit", a_machine_that_jumps_is_no_culprit },
	{ "where boots have modes, their share is bisected", the_share_of_slow_boots_is_bisected },
	{ "a merge is walked into, and may be the culprit", merges_are_walked_into },
};

T_MAIN(cases)
