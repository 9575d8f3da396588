/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/policy/bisecting.h"

#include <math.h>

#include "tests/t.h"

static void few_comparisons_are_measured_each(void)
{
	size_t least = bisecting_least_pairs();

	/* the first looks alone, of 8 runs a pair, cost more than all of a bisection */
	CHECK(least * 8 > BISECTING_RUNS);
	CHECK((least - 1) * 8 <= BISECTING_RUNS);
}

static void runs_are_what_the_budget_buys(void)
{
	CHECK_INT(bisecting_runs(10, 1000), 100);
	CHECK_INT(bisecting_runs(10, 60), BISECTING_RUNS);
	CHECK_INT(bisecting_runs(0, 60), BISECTING_RUNS);
	CHECK_INT(bisecting_runs(0.001, 86400), 600);
}

static void noise_is_what_history_knows(void)
{
	struct bisecting_scale scale = bisecting_scale(-0.06, 0.0009, 25, 0.01);

	CHECK_NEAR(scale.sd, 0.03, 1e-12);
	CHECK_NEAR(scale.df, 25, 1e-12);
	CHECK_NEAR(scale.smallest, 1, 1e-12); /* half of two deviations */
}

static void noise_without_history_is_that_of_the_ends(void)
{
	struct bisecting_scale scale = bisecting_scale(0.06, NAN, 25, 0.02);

	CHECK_NEAR(scale.sd, 0.02, 1e-12);
	CHECK_NEAR(scale.df, 0, 0);
	CHECK_NEAR(bisecting_scale(0.06, NAN, 0, NAN).sd, 0.015, 1e-12);
}

static void exact_metrics_have_a_floor(void)
{
	struct bisecting_scale scale = bisecting_scale(0.08, NAN, 0, 1e-9);

	CHECK_NEAR(scale.sd, 0.01, 1e-12);
	CHECK_NEAR(scale.smallest, 4, 1e-12);
	/* and where the step drowns, the least that is looked for is no less than 0.3 */
	CHECK_NEAR(bisecting_scale(0.01, NAN, 0, 1).smallest, 0.3, 1e-12);
}

static void weighs_what_a_commit_can_do(void)
{
	CHECK_NEAR(bisecting_weight(false, false), 1, 0);
	CHECK_NEAR(bisecting_weight(false, true), 0, 0);
	CHECK_NEAR(bisecting_weight(true, true), 0, 0);
	CHECK(bisecting_weight(true, false) > 0 && bisecting_weight(true, false) < 0.05);
}

static void half_of_the_step_has_to_come_back(void)
{
	CHECK(is_bisecting_recovered(-0.06, 0.06));
	CHECK(is_bisecting_recovered(-0.06, 0.03));
	CHECK(!is_bisecting_recovered(-0.06, 0.02));
	CHECK(!is_bisecting_recovered(-0.06, -0.06));
	CHECK(is_bisecting_recovered(0.06, -0.05));
	CHECK(!is_bisecting_recovered(0.06, 0));
}

static const struct t_case cases[] = {
	{ "what costs no more than a bisection is measured", few_comparisons_are_measured_each },
	{ "a bisection has the runs that the budget buys, and enough of them",
	  runs_are_what_the_budget_buys },
	{ "noise is what history knows of it", noise_is_what_history_knows },
	{ "without history it is that of the ends' runs, or a part of the step",
	  noise_without_history_is_that_of_the_ends },
	{ "a metric without noise is taken to have a little", exact_metrics_have_a_floor },
	{ "equal binaries are no culprits, documentation hardly ever",
	  weighs_what_a_commit_can_do },
	{ "recovered is what comes back by half at least", half_of_the_step_has_to_come_back },
};

T_MAIN(cases)
