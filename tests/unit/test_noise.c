/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What days of noise tell the next one.  Expected values: SciPy's digamma, polygamma and brentq. */
#include <math.h>

#include "lib/stats/noise.h"
#include "tests/t.h"

#define MOST 8

/* A value, and the block and build of its run. */
struct sample {
	double value;
	uint32_t block, build;
};

/* The values of one side. */
struct side {
	double values[MOST];
	struct judge_run runs[MOST];
};

static const struct sample base[] = {
	{ 100, 1, 1 },
	{ 102, 1, 1 },
	{ 200, 2, 1 },
	{ 208, 2, 1 },
};
static const struct sample head[] = {
	{ 110, 1, 2 },
	{ 110, 1, 2 },
	{ 221, 2, 2 },
	{ 220, 2, 2 },
};

static struct judge_samples fill(struct side *side, const struct sample *samples, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		side->values[i] = samples[i].value;
		side->runs[i] = (struct judge_run){ .block = samples[i].block,
						    .build = samples[i].build,
						    .machine = 1,
						    .order = (uint32_t)i };
	}
	return (struct judge_samples){ side->values, side->runs, nr };
}

static struct noise noise_between(const struct sample *left, size_t nr_left,
				  const struct sample *right, size_t nr_right)
{
	struct side sides[2];
	struct judge_metric metric = { .name = "time",
				       .base = fill(&sides[0], left, nr_left),
				       .head = fill(&sides[1], right, nr_right) };

	return noise_of(&metric);
}

/* ln(102 / 100)^2 / 2 + ln(208 / 200)^2 / 2 + ln(221 / 220)^2 / 2 */
static void only_runs_of_one_side_in_one_block_are_compared(void)
{
	struct noise noise = noise_between(base, countof(base), head, countof(head));

	CHECK_NEAR(noise.squares, 0.0009754880102287769, 1e-15);
	CHECK_NEAR(noise.df, 4, 0);
}

static void a_value_without_a_logarithm_tells_nothing(void)
{
	static const struct sample zero[] = { { 100, 1, 1 }, { 0, 1, 1 } };

	CHECK_NEAR(noise_between(zero, countof(zero), head, countof(head)).df, 0, 0);
}

static void the_weight_is_how_far_days_agree(void)
{
	static const struct noise mixed[] = { { 4e-4, 4 },   { 9e-4, 8 }, { 2e-4, 4 },
					      { 2.4e-3, 8 }, { 1e-4, 4 }, { 8e-4, 8 } };
	struct noise_prior prior = noise_prior_of(mixed, countof(mixed));

	CHECK_NEAR(prior.variance, 4.8e-3 / 36, 1e-15);
	CHECK_NEAR(prior.df, 36, 0);
	CHECK_NEAR(prior.weight, 6.354613134589546, 1e-9);
}

static void equal_days_count_much_and_unlike_ones_little(void)
{
	struct noise equal[30];
	struct noise unlike[30];

	for (size_t i = 0; i < countof(equal); i++) {
		equal[i] = (struct noise){ 4e-4 * (1 + 0.001 * (double)i), 40 };
		unlike[i] = (struct noise){ 4e-4 * exp(4 * ((double)(i % 3) - 1)), 40 };
	}
	CHECK_NEAR(noise_prior_of(equal, countof(equal)).weight, 60, 0);
	CHECK_NEAR(noise_prior_of(equal, countof(equal)).df, 60, 0);
	CHECK_NEAR(noise_prior_of(unlike, countof(unlike)).weight, 2, 0);
	CHECK_NEAR(noise_prior_of(unlike, countof(unlike)).variance, 0.00018538821890677667, 1e-15);
}

static void one_day_counts_four(void)
{
	static const struct noise day[] = { { 4e-4, 4 } };

	CHECK_NEAR(noise_prior_of(day, 1).weight, 4, 1e-9);
}

static void no_noise_is_no_knowledge(void)
{
	static const struct noise days[] = { { 0, 4 }, { 0, 8 } };

	CHECK_NEAR(noise_prior_of(days, countof(days)).df, 0, 0);
	CHECK_NEAR(noise_prior_of(NULL, 0).df, 0, 0);
}

static const struct sample built[] = {
	{ 100, 1, 7 }, { 102, 1, 7 }, { 200, 2, 7 }, { 201, 2, 7 }, { 150, 3, 7 }, { 150, 3, 7 },
};
static const struct sample rebuilt[] = {
	{ 104, 1, 9 }, { 103, 1, 9 }, { 205, 2, 9 }, { 209, 2, 9 }, { 153, 3, 9 }, { 156, 3, 9 },
};

static struct noise noise_of_both(const struct sample *left, const struct sample *right, size_t nr,
				  bool is_one_commit)
{
	struct side sides[2];
	struct judge_metric metric = { .base = fill(&sides[0], left, nr),
				       .head = fill(&sides[1], right, nr) };

	return noise_of_builds(&metric, is_one_commit);
}

/* Section 2 of docs/statistics.md in Python: half of the squared effect less that of runs. */
static void a_rebuild_differs_by_more_than_runs_do(void)
{
	struct noise noise = noise_of_both(built, rebuilt, countof(built), true);

	CHECK_NEAR(noise.squares, 0.00041922089381091253, 1e-12);
	CHECK_NEAR(noise.df, 1, 0);
	CHECK_NEAR(noise_of_both(built, rebuilt, countof(built), false).df, 0, 0);
	CHECK_NEAR(noise_of_both(built, built, countof(built), true).df, 0, 0);
}

/* Of four builds, two a side, the second pair is 4 % apart: 0.04^2 = 4 s^2, were there no noise. */
static void two_builds_a_side_tell_how_builds_differ(void)
{
	static const struct sample left[] = {
		{ 100, 1, 1 }, { 100.1, 1, 1 }, { 100, 2, 1 }, { 100.1, 2, 1 },
		{ 100, 3, 2 }, { 100.1, 3, 2 }, { 100, 4, 2 }, { 100.1, 4, 2 },
	};
	static const struct sample right[] = {
		{ 100, 1, 3 }, { 100.1, 1, 3 }, { 100, 2, 3 }, { 100.1, 2, 3 },
		{ 104, 3, 4 }, { 104.1, 3, 4 }, { 104, 4, 4 }, { 104.1, 4, 4 },
	};
	struct noise noise = noise_of_both(left, right, countof(left), false);

	CHECK_NEAR(noise.df, 1, 0);
	CHECK_NEAR(noise.squares, 0.0004, 0.00002);
}

static void builds_are_never_known_to_be_alike(void)
{
	static const struct noise none = { 0, 0 };
	static const struct noise own = { 6e-5, 3 };
	static const struct noise family = { 4e-4, 20 };
	static const struct noise alike = { -1e-6, 3 };

	CHECK_NEAR(noise_prior_of_builds(&none, &none).variance, 6.25e-6, 1e-18);
	CHECK_NEAR(noise_prior_of_builds(&none, &none).df, 4, 0);
	CHECK_NEAR(noise_prior_of_builds(&own, &family).variance, 1.8690476190476192e-05, 1e-18);
	CHECK_NEAR(noise_prior_of_builds(&own, &family).df, 7, 0);
	CHECK(noise_prior_of_builds(&alike, &none).variance > 0);
}

static void the_next_level_is_foretold_from_five_on(void)
{
	static const double levels[] = { 2.30, 2.31, 2.29, 2.33, 2.28, 2.30 };
	struct judge_interval interval = noise_predict(levels, countof(levels));

	CHECK_NEAR(interval.low, 2.2266524298852093, 1e-9);
	CHECK_NEAR(interval.high, 2.3766809034481233, 1e-9);
	CHECK(isnan(noise_predict(levels, 4).low));
}

static const struct t_case cases[] = {
	{ "only runs of one side in one block are compared",
	  only_runs_of_one_side_in_one_block_are_compared },
	{ "a value without a logarithm tells nothing", a_value_without_a_logarithm_tells_nothing },
	{ "the weight is how far days agree", the_weight_is_how_far_days_agree },
	{ "equal days count much and unlike ones little",
	  equal_days_count_much_and_unlike_ones_little },
	{ "one day counts four degrees of freedom", one_day_counts_four },
	{ "a rebuild differs by more than runs do", a_rebuild_differs_by_more_than_runs_do },
	{ "two builds a side tell how builds differ", two_builds_a_side_tell_how_builds_differ },
	{ "builds are never known to be alike", builds_are_never_known_to_be_alike },
	{ "the next level is foretold from five on", the_next_level_is_foretold_from_five_on },
	{ "no noise is no knowledge", no_noise_is_no_knowledge },
};
T_MAIN(cases)
