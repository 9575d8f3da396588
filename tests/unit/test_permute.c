/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/stats/permute.h"

#include <math.h>

#include "tests/t.h"

#define RUNS 12

struct input {
	struct judge_metric metric;
	double base[RUNS], head[RUNS];
	struct judge_run runs[2][RUNS];
};

static void add(struct input *input, bool is_head, uint32_t block, double value)
{
	size_t *nr = is_head ? &input->metric.head.nr : &input->metric.base.nr;

	(is_head ? input->head : input->base)[*nr] = value;
	input->runs[is_head][(*nr)++] = (struct judge_run){ .block = block, .build = 1 };
	input->metric.name = "latency";
	input->metric.is_headline = true;
	input->metric.estimator = JUDGE_PERCENTILE;
}

static struct judge_verdict judge_alone(const struct input *input)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct judge_metric metric = input->metric;
	struct judge_verdict verdict;

	metric.base.values = input->base;
	metric.base.runs = input->runs[0];
	metric.head.values = input->head;
	metric.head.runs = input->runs[1];
	options.min_effect = 0;
	judge(&metric, 1, &options, &verdict);
	verdict.metric = NULL; /* it ends here */
	return verdict;
}

/* One tail of what SciPy's permutation_test says with all resamples: 57 of 252; the other tail of
 * the same statistic is no smaller, so p is twice that. */
static void one_block_is_scipys(void)
{
	static const double base[] = { 3.1, 2.7, 9.9, 3.3, 2.9 };
	static const double head[] = { 3.5, 4.1, 12.5, 3.9, 4.4 };
	struct input input = { 0 };

	for (size_t i = 0; i < 5; i++) {
		add(&input, false, 0, base[i]);
		add(&input, true, 0, head[i]);
	}
	CHECK_NEAR(judge_alone(&input).p, 2 * 57.0 / 252, 1e-12);
}

/* By going through all lots in Python: 5 of 36 are as large. */
static void blocks_keep_their_lots(void)
{
	struct input input = { 0 };

	add(&input, false, 1, 10);
	add(&input, false, 1, 12);
	add(&input, true, 1, 11);
	add(&input, true, 1, 14);
	add(&input, false, 2, 20);
	add(&input, false, 2, 23);
	add(&input, true, 2, 22);
	add(&input, true, 2, 30);
	CHECK_NEAR(judge_alone(&input).p, 2 * 5.0 / 36, 1e-12);
	CHECK(isinf(judge_alone(&input).interval_95.low)); /* 36 lots know no 1 in 40 */
}

static struct input six_blocks(double factor)
{
	static const double noise[] = { 1.02, 0.98, 1.4, 1.01, 0.97, 1.03, 2.1, 0.99 };
	struct input input = { 0 };

	for (size_t i = 0; i < RUNS; i++) {
		add(&input, false, (uint32_t)(i / 2), 100 * noise[3 * i % 8]);
		add(&input, true, (uint32_t)(i / 2), 100 * factor * noise[(5 * i + 1) % 8]);
	}
	return input;
}

/* A test and an interval that come from one another. */
static void interval_is_what_is_not_rejected(void)
{
	struct input input = six_blocks(1.6);
	struct judge_verdict verdict = judge_alone(&input);
	double factors[] = { 1 + verdict.interval_95.low, 1 + verdict.interval_95.high };

	CHECK(verdict.p < 0.05);
	CHECK(factors[0] > 1 && factors[0] < 1.6 && factors[1] > 1.6);
	for (size_t end = 0; end < 2; end++) {
		struct input moved = input;

		for (size_t i = 0; i < RUNS; i++) {
			moved.head[i] /= factors[end] * (end == 0 ? 0.999 : 1.001);
		}
		CHECK_NEAR(judge_alone(&moved).p, 0.05, 0.01);
	}
}

/* More lots than are gone through: the sample is the same each time. */
static void many_lots_are_drawn(void)
{
	struct input input = { 0 };
	double p;

	for (size_t i = 0; i < RUNS; i++) {
		add(&input, false, 0, 100 + (double)(i * 7 % 12));
		add(&input, true, 0, 104 + (double)(i * 5 % 12));
	}
	p = judge_alone(&input).p;
	CHECK(p > 0.002 && p < 0.05);
	CHECK_NEAR(judge_alone(&input).p, p, 0);
}

static const struct t_case cases[] = {
	{ "one block is SciPy's permutation test", one_block_is_scipys },
	{ "values change sides inside their block only", blocks_keep_their_lots },
	{ "the interval holds what the test does not reject", interval_is_what_is_not_rejected },
	{ "of many lots a sample is drawn, always the same", many_lots_are_drawn },
};

T_MAIN(cases)
