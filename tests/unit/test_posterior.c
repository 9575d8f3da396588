/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The posterior of small bisections against integrals: posterior_values.py worked them out with
 * SciPy, from what docs/statistics.md says of the model and nothing of the engine. */
#include "posterior_values.h"

#include "tests/t.h"

/* 64 levels for the integral over all of them; besides, five deviations where it is not known, and
 * of shares of failures as many arcs for a run's worth of half a radian. */
#define OF_LEVELS 0.002
#define OF_NOISES 0.007
#define OF_ARCS   0.006

static bool holds(const void *graph, size_t commit, size_t culprit)
{
	const bool(*rows)[6] = graph;

	return rows[commit][culprit];
}

static void check(const struct worked *of, double tolerance)
{
	struct bisect_options options = of->options;
	scoped(bisect_free) struct bisect *bisect = NULL;
	double p[countof(of->p)];

	options.holds = options.graph ? holds : NULL;
	bisect = bisect_new(&options);
	for (size_t i = 0; i < of->nr_runs; i++) {
		bisect_add(bisect, &of->runs[i]);
	}
	bisect_posterior(bisect, p);
	for (size_t i = 0; i <= options.nr_commits; i++) {
		if (!CHECK_NEAR(p[i], of->p[i], tolerance)) {
			printf("# of commit %zu with %s\n", i, of->name);
		}
	}
}

static bool is_noise_known(const struct worked *of)
{
	return of->options.sd_df >= 1000;
}

static void levels_are_integrated(void)
{
	for (size_t i = 0; i < countof(worked); i++) {
		if (worked[i].options.values == BISECT_LEVELS && is_noise_known(&worked[i])) {
			check(&worked[i], OF_LEVELS);
		}
	}
}

static void noise_is_integrated(void)
{
	for (size_t i = 0; i < countof(worked); i++) {
		if (!is_noise_known(&worked[i])) {
			check(&worked[i], OF_NOISES);
		}
	}
}

static void shares_are_integrated(void)
{
	for (size_t i = 0; i < countof(worked); i++) {
		if (worked[i].options.values == BISECT_PASS_FAIL) {
			check(&worked[i], OF_ARCS);
		}
	}
}

static const struct t_case cases[] = {
	{ "levels, steps, boots, jumps and merges are weighed as Bayes' rule says",
	  levels_are_integrated },
	{ "a deviation that is not known is integrated over", noise_is_integrated },
	{ "so are shares of failures", shares_are_integrated },
};
T_MAIN(cases)
