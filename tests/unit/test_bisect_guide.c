/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The worked example of docs/bisecting.md: the engine against an integral. */
#include "bisect_values.h"

#include "lib/stats/bisect.h"
#include "tests/t.h"

/* Of the engine's grid; the guide shows three digits. */
#define TOLERANCE 0.002

static struct bisect *of_the_guide(void)
{
	struct bisect_options options = bisect_defaults(4);

	options.sd_df = 1000;
	options.boot_share = 0;
	options.jumps = 0;
	return bisect_new(&options);
}

static void equals_the_integral(void)
{
	scoped(bisect_free) struct bisect *bisect = of_the_guide();
	double p[5];

	for (size_t i = 0; i < countof(guide); i++) {
		bisect_add(bisect, &(struct bisect_run){ .commit = guide[i].commit,
							 .boot = i + 1,
							 .value = guide[i].value });
		bisect_posterior(bisect, p);
		/* a level alone may lie outside the engine's grid: one run is no evidence yet */
		for (size_t commit = 0; i > 0 && commit < countof(p); commit++) {
			CHECK_NEAR(p[commit], guide[i].p[commit], TOLERANCE);
		}
	}
}

static void does_not_depend_on_the_order(void)
{
	scoped(bisect_free) struct bisect *bisect = of_the_guide();
	size_t nr = countof(guide);
	double p[5];

	for (size_t i = nr; i-- > 0;) {
		bisect_add(bisect, &(struct bisect_run){ .commit = guide[i].commit,
							 .boot = i + 1,
							 .value = guide[i].value });
	}
	bisect_posterior(bisect, p);
	for (size_t commit = 0; commit < countof(p); commit++) {
		CHECK_NEAR(p[commit], guide[nr - 1].p[commit], TOLERANCE);
	}
}

static void knows_both_levels(void)
{
	scoped(bisect_free) struct bisect *bisect = of_the_guide();
	struct bisect_answer answer;

	for (size_t i = 0; i < countof(guide); i++) {
		bisect_add(bisect, &(struct bisect_run){ .commit = guide[i].commit,
							 .boot = i + 1,
							 .value = guide[i].value });
	}
	bisect_answer(bisect, &answer);
	CHECK_INT(answer.last, 3);
	/* means of the runs before and from commit 3 on, drawn together a little by the prior */
	CHECK_NEAR(answer.before, 100.14, 0.2);
	CHECK_NEAR(answer.after, 103.075, 0.2);
	CHECK(answer.p_worse > 0.999);
}

static const struct t_case cases[] = {
	{ "after each run the posterior is that of Bayes' rule, integrated", equals_the_integral },
	{ "where nothing drifts, the order of the runs does not matter",
	  does_not_depend_on_the_order },
	{ "the levels are about the means on both sides", knows_both_levels },
};
T_MAIN(cases)
