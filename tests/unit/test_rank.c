/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Medians are judged by ranks inside blocks.  Expected values: all arrangements counted by hand in
 * Python's itertools. */
#include <math.h>

#include "lib/base/str.h"
#include "lib/stats/judge.h"
#include "tests/t.h"

#define BLOCKS 4

struct samples {
	double values[2][2 * BLOCKS];
	struct judge_run runs[2][2 * BLOCKS];
	size_t nr;
};

static void add(struct samples *samples, uint32_t block, const double base[2], const double head[2])
{
	for (size_t i = 0; i < 2; i++) {
		samples->values[0][samples->nr] = base[i];
		samples->values[1][samples->nr] = head[i];
		samples->runs[0][samples->nr] = (struct judge_run){ block, 0, 1, 1, 0 };
		samples->runs[1][samples->nr++] = (struct judge_run){ block, 0, 2, 1, 0 };
	}
}

static struct judge_samples side_of(const struct samples *samples, int side)
{
	return (struct judge_samples){ samples->values[side], samples->runs[side], samples->nr };
}

static struct judge_verdict verdict_of(const struct samples *samples,
				       enum judge_estimator estimator, int look)
{
	static struct judge_metric metric;
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct judge_verdict verdict;

	metric = (struct judge_metric){ .name = "time",
					.unit = "s",
					.is_headline = true,
					.estimator = estimator,
					.base = side_of(samples, 0),
					.head = side_of(samples, 1) };
	options.look = look;
	judge(&metric, 1, &options, &verdict);
	return verdict;
}

/* Two runs were held up by something else. */
static void fill_disturbed(struct samples *samples)
{
	add(samples, 1, (const double[]){ 100, 101 }, (const double[]){ 112, 111 });
	add(samples, 2, (const double[]){ 100, 50 }, (const double[]){ 113, 112 });
	add(samples, 3, (const double[]){ 102, 100 }, (const double[]){ 60, 111 });
	add(samples, 4, (const double[]){ 99, 101 }, (const double[]){ 112, 114 });
}

static void disturbed_runs_cost_a_rank(void)
{
	struct samples samples = { 0 };
	struct judge_verdict verdict;

	fill_disturbed(&samples);
	verdict = verdict_of(&samples, JUDGE_MEDIAN, 0);
	CHECK_NEAR(verdict.effect, 0.11498878918130839, 1e-12);
	CHECK_NEAR(verdict.p, 0.029320987654320986, 1e-12);
	CHECK_NEAR(verdict.interval_95.low, 0.08823529411764697, 1e-12);
	CHECK_NEAR(verdict.interval_95.high, 0.1515151515151516, 1e-12);
	CHECK_NEAR(verdict.head.level / verdict.base.level - 1, verdict.effect, 1e-12);
	CHECK(verdict_of(&samples, JUDGE_MEAN, 0).p > 0.2);
}

static void clean_blocks_reach_the_smallest_p(void)
{
	struct samples samples = { 0 };
	struct judge_verdict verdict;

	for (uint32_t block = 1; block <= BLOCKS; block++) {
		double level = 100 + 20 * block;

		add(&samples, block, (const double[]){ level, level + 0.5 },
		    (const double[]){ 1.1 * level, 1.1 * level + 0.5 });
	}
	verdict = verdict_of(&samples, JUDGE_MEDIAN, 2);
	CHECK_NEAR(verdict.p, 2.0 / 1296, 1e-12);
	CHECK_INT(verdict.kind, JUDGE_REGRESSION);
}

static void two_blocks_have_no_interval(void)
{
	struct samples samples = { 0 };
	scoped(str_release) struct str reason = STR_INIT;
	struct judge_verdict verdict;

	add(&samples, 1, (const double[]){ 100, 101 }, (const double[]){ 110, 111 });
	add(&samples, 2, (const double[]){ 100, 102 }, (const double[]){ 112, 111 });
	verdict = verdict_of(&samples, JUDGE_MEDIAN, 0);
	CHECK_NEAR(verdict.p, 2.0 / 36, 1e-12);
	CHECK(isfinite(verdict.interval_90.low) && !isfinite(verdict.interval_95.low));
	CHECK_INT(verdict.kind, JUDGE_CANNOT_RESOLVE);
	judge_reason(&verdict, &reason);
	CHECK_TEXT(reason.at, "too few blocks for an interval");
}

static void equal_values_are_halved(void)
{
	struct samples samples = { 0 };
	struct judge_verdict verdict;

	for (uint32_t block = 1; block <= BLOCKS; block++) {
		add(&samples, block, (const double[]){ 5, 6 }, (const double[]){ 6, 5 });
	}
	verdict = verdict_of(&samples, JUDGE_MEDIAN, 0);
	CHECK_NEAR(verdict.p, 1, 1e-12);
	CHECK_NEAR(verdict.effect, 0, 1e-12);
}

static const struct t_case cases[] = {
	{ "a run that was held up costs a rank and not the test", disturbed_runs_cost_a_rank },
	{ "blocks in perfect order give the smallest p there is",
	  clean_blocks_reach_the_smallest_p },
	{ "too few blocks for an interval are said so", two_blocks_have_no_interval },
	{ "ties count one half on each side", equal_values_are_halved },
};

T_MAIN(cases)
