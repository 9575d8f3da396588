/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every step of a stack: what options.every_step promises, on runs whose noise is known. */
#include <math.h>

#include "lib/stats/bisect.h"
#include "tests/t.h"

/* Deviations of a standard normal distribution, in no order: its quantiles of (i + 1/2) / 17; an
 * odd number of them, for commits that are run by turns shall not get every other one. */
static const double deviations[] = { -0.8208, 0.4579,  0.1480,  -1.3517, 0.6289, -0.4579,
				     1.8895,  0.0000,  -1.0491, -0.2993, 0.8208, -0.6289,
				     1.3517,  -1.8895, 0.2993,  -0.1480, 1.0491 };

/* Levels by commit; NAN does not build. */
static struct bisect_answer hunt(struct bisect *bisect, const double *levels, size_t *ret_nr_runs)
{
	struct bisect_answer answer;
	struct bisect_next next;
	size_t nr = 0;

	for (bisect_answer(bisect, &answer); answer.state == BISECT_OPEN;
	     bisect_answer(bisect, &answer)) {
		struct bisect_run run;

		bisect_next(bisect, 0, &next);
		if (isnan(levels[next.commit])) {
			bisect_skip(bisect, next.commit);
			continue;
		}
		CHECK(next.is_fresh);
		run = (struct bisect_run){ .commit = next.commit,
					   .boot = nr + 1,
					   .value = levels[next.commit] +
						    deviations[nr % countof(deviations)] };
		bisect_add(bisect, &run);
		nr++;
	}
	*ret_nr_runs = nr;
	return answer;
}

static struct bisect_options every_step_of(size_t nr_commits)
{
	struct bisect_options options = bisect_defaults(nr_commits);

	options.every_step = true;
	options.smallest = 1;
	options.sd_df = 12;
	return options;
}

static void steps_that_cancel_are_both_named(void)
{
	const double levels[] = { 0, 0, 0, 0, -4, -4, -4, 0, 0 };
	struct bisect_options options = every_step_of(8);
	scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
	struct bisect_found found;
	size_t nr;
	struct bisect_answer answer = hunt(bisect, levels, &nr);

	CHECK_INT(answer.state, BISECT_CULPRIT);
	CHECK_INT(answer.last, 4);
	CHECK_INT(answer.nr_found, 2);
	CHECK_INT(answer.nr_unmeasured, 0);
	bisect_found(bisect, 0, &found);
	CHECK_INT(found.commit, 4);
	CHECK_INT(found.nr_set, 1);
	CHECK(found.p >= options.stop);
	CHECK_NEAR(found.after - found.before, -4, 1.5);
	bisect_found(bisect, 1, &found);
	CHECK_INT(found.commit, 7);
	CHECK_NEAR(found.after - found.before, 4, 1.5);
}

static void one_step_is_named_alone(void)
{
	for (size_t culprit = 1; culprit <= 8; culprit++) {
		double levels[9] = { 0 };
		struct bisect_options options = every_step_of(8);
		scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
		struct bisect_answer answer;
		double p[9], sum = 0;
		size_t nr;

		for (size_t i = culprit; i <= 8; i++) {
			levels[i] = 4;
		}
		answer = hunt(bisect, levels, &nr);
		CHECK_INT(answer.state, BISECT_CULPRIT);
		CHECK_INT(answer.last, culprit);
		CHECK_INT(answer.nr_found, 1);
		bisect_posterior(bisect, p);
		for (size_t i = 0; i <= 8; i++) {
			sum += p[i];
		}
		CHECK_NEAR(sum, 1, 1e-9);
		CHECK(p[culprit] > 0.99 / (1 + 0.27) - 0.01); /* steps that may be beside it */
	}
}

static void a_short_stack_without_a_step_is_run_twice_at_each_commit(void)
{
	const double levels[17] = { 0 };
	struct bisect_options options = every_step_of(16);
	scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
	size_t nr;
	struct bisect_answer answer = hunt(bisect, levels, &nr);

	CHECK_INT(answer.state, BISECT_NONE);
	CHECK_INT(answer.nr_found, 0);
	CHECK_INT(answer.nr_unmeasured, 0);
	CHECK(nr >= 34);
}

static void what_does_not_build_makes_a_set(void)
{
	const double levels[] = { 0, 0, NAN, 5, 5, 5, 0 };
	struct bisect_options options = every_step_of(6);
	scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
	struct bisect_found found;
	size_t nr, set[2] = { 0 };
	struct bisect_answer answer = hunt(bisect, levels, &nr);

	CHECK_INT(answer.state, BISECT_SET);
	CHECK_INT(answer.nr_set, 2);
	bisect_set(bisect, &answer, set);
	CHECK_INT(set[0], 2);
	CHECK_INT(set[1], 3);
	CHECK_INT(answer.nr_found, 2);
	bisect_found(bisect, 1, &found);
	CHECK_INT(found.commit, 6);
}

static void the_budget_ends_with_what_was_not_measured(void)
{
	const double levels[13] = { 0 };
	struct bisect_options options = every_step_of(12);
	struct bisect_answer answer;
	size_t nr, set[12], nr_set;

	options.budget = 16;
	{
		scoped(bisect_free) struct bisect *bisect = bisect_new(&options);

		answer = hunt(bisect, levels, &nr);
		nr_set = answer.nr_set;
		CHECK(nr_set <= countof(set));
		bisect_set(bisect, &answer, set);
	}
	CHECK_INT(answer.state, BISECT_SPENT);
	CHECK_INT(nr, 16);
	CHECK_INT(answer.nr_unmeasured, 10); /* 13 once, 3 of them twice */
}

static void machines_of_other_levels_make_no_step(void)
{
	struct bisect_options options = every_step_of(4);
	scoped(bisect_free) struct bisect *bisect = bisect_new(&options);
	struct bisect_answer answer;
	struct bisect_next next[2];
	size_t nr = 0;

	for (bisect_answer(bisect, &answer); answer.state == BISECT_OPEN && nr < 500;
	     bisect_answer(bisect, &answer)) {
		bisect_next(bisect, 0, &next[0]);
		bisect_next(bisect, 1, &next[1]);
		for (size_t i = 0; i < countof(next); i++) {
			struct bisect_run run = { .commit = next[i].commit,
						  .machine = i,
						  .boot = nr };

			run.value = (next[i].commit >= 3 ? 4 : 0) + (i > 0 ? 20 : 0) +
				    deviations[nr++ % countof(deviations)];
			bisect_add(bisect, &run);
		}
	}
	CHECK_INT(answer.state, BISECT_CULPRIT);
	CHECK_INT(answer.nr_found, 1);
	CHECK_INT(answer.last, 3);
}

static const struct t_case cases[] = {
	{ "steps that cancel are both named", steps_that_cancel_are_both_named },
	{ "one step is named alone, wherever it is", one_step_is_named_alone },
	{ "a short stack without a step is run twice at each commit",
	  a_short_stack_without_a_step_is_run_twice_at_each_commit },
	{ "what does not build makes a set, beside another step", what_does_not_build_makes_a_set },
	{ "a spent budget says how many commits were not measured",
	  the_budget_ends_with_what_was_not_measured },
	{ "machines of other levels make no step", machines_of_other_levels_make_no_step },
};

T_MAIN(cases)
