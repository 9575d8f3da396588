/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "lib/stats/judge.h"
#include "tests/bench/lab.h"
#include "tests/t.h"

#define RUNS 16

/* A metric with two runs a side in each block; `steps` is head's effect in each block. */
struct input {
	struct judge_metric metric;
	double base[RUNS], head[RUNS];
	struct judge_run runs[2][RUNS];
};

/* The second half of the blocks ran on builds of its own. */
static void fill(struct input *input, size_t nr_blocks, const double *steps)
{
	*input = (struct input){ .metric = { .name = "time", .is_headline = true } };
	for (size_t i = 0; i < 2 * nr_blocks; i++) {
		double off = i % 2 ? 0.1 : -0.1;
		size_t block = i / 2;
		uint32_t build = block < nr_blocks / 2 ? 1 : 3;

		input->base[i] = 100 + off;
		input->head[i] = 100 + off + steps[block];
		input->runs[0][i] = (struct judge_run){ .block = (uint32_t)block, .build = build };
		input->runs[1][i] =
			(struct judge_run){ .block = (uint32_t)block, .build = build + 1 };
	}
	input->metric.base = (struct judge_samples){ input->base, input->runs[0], 2 * nr_blocks };
	input->metric.head = (struct judge_samples){ input->head, input->runs[1], 2 * nr_blocks };
}

static enum judge_kind confirm(const struct input *input, enum judge_kind found,
			       struct judge_verdict *ret_verdict)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;

	options.found = &found;
	judge(&input->metric, 1, &options, ret_verdict);
	return ret_verdict->kind;
}

static void names_what_is_there_again(void)
{
	struct judge_verdict verdict;
	struct input input;

	fill(&input, 4, (double[]){ 5, 5.1, 4.9, 5 });
	CHECK_INT(confirm(&input, JUDGE_REGRESSION, &verdict), JUDGE_REGRESSION);
	CHECK(verdict.q <= JUDGE_CONFIRM_P);
	CHECK_NEAR(verdict.q, verdict.p / 2, 1e-18);
	CHECK(verdict.interval_95.low > 0.04 && verdict.interval_95.high < 0.06);
}

static void names_nothing_else(void)
{
	struct judge_verdict verdict;
	struct input input;

	fill(&input, 4, (double[]){ 5, 5.1, 4.9, 5 });
	CHECK_INT(confirm(&input, JUDGE_IMPROVEMENT, &verdict), JUDGE_CANNOT_RESOLVE);
	CHECK_INT(confirm(&input, JUDGE_CANNOT_RESOLVE, &verdict), JUDGE_CANNOT_RESOLVE);
	input.metric.is_exact = true;
	CHECK_INT(confirm(&input, JUDGE_NO_CHANGE, &verdict), JUDGE_CANNOT_RESOLVE);
	CHECK_INT(verdict.why, JUDGE_WHY_NOT_FOUND);
	CHECK_INT(confirm(&input, JUDGE_REGRESSION, &verdict), JUDGE_REGRESSION);
}

/* The first pair of builds is 5 % apart, the second one is not: that was a layout. */
static void builds_that_disagree_do_not_confirm(void)
{
	struct judge_verdict verdict;
	struct input input;

	fill(&input, 8, (double[]){ 5, 5.1, 4.9, 5, 0, 0.1, -0.1, 0 });
	CHECK_INT(confirm(&input, JUDGE_REGRESSION, &verdict), JUDGE_CANNOT_RESOLVE);
	CHECK(verdict.interval_95.low < 0);
}

static size_t blocks_for(double effect_in_sd, enum judge_estimator estimator)
{
	const struct judge_metric metric = { .is_headline = true, .estimator = estimator };
	struct judge_verdict verdict = { .kind = JUDGE_REGRESSION,
					 .metric = &metric,
					 .is_ratio = true,
					 .effect = 0.01 * effect_in_sd,
					 .q = 0.001,
					 .min_effect = 0.005,
					 .needs = 17.13 * 4 };

	return judge_confirm_blocks(&verdict, 1, 3);
}

/* 2 (3.2 + 1.28)^2 / (d - sqrt(2 / 12))^2 boots a side, two a block. */
static void small_effects_ask_for_more_runs(void)
{
	CHECK_INT(blocks_for(10, JUDGE_MEAN), 4);
	CHECK_INT(blocks_for(2.41, JUDGE_MEAN), 6);
	CHECK_INT(blocks_for(1, JUDGE_MEAN), 12);
}

/* By ranks four blocks, however clear, say p = 1 / 6^4 = 0.08 %; five say 0.013 %. */
static void medians_are_confirmed_by_enough_blocks(void)
{
	static const double steps[] = { 50, 50, 50, 50, 50 };
	size_t nr_blocks = blocks_for(10, JUDGE_MEDIAN);
	struct judge_verdict verdict;
	struct input input;

	CHECK_INT(nr_blocks, 5);
	fill(&input, nr_blocks, steps);
	input.metric.estimator = JUDGE_MEDIAN;
	CHECK_INT(confirm(&input, JUDGE_REGRESSION, &verdict), JUDGE_REGRESSION);
	fill(&input, nr_blocks - 1, steps);
	input.metric.estimator = JUDGE_MEDIAN;
	CHECK_INT(confirm(&input, JUDGE_REGRESSION, &verdict), JUDGE_CANNOT_RESOLVE);
}

/* The whole way, seeds fixed: 2 % at a noise of 1 % is mailed mostly, and nothing hardly ever. */
static void mails_are_rarely_false(void)
{
	size_t nr_mails = 0;
	size_t nr_false = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct lab lab = { .seed = seed, .cv = 0.01, .nr_confirmations = 1 };
		struct lab_job *job = lab_run(&lab);

		nr_false += job->nr_mails;
		lab_free(job);
		lab.effect = 0.03;
		job = lab_run(&lab);
		nr_mails += job->nr_right;
		lab_free(job);
	}
	CHECK_INT(nr_false, 0);
	CHECK(nr_mails >= 240);
}

static const struct t_case cases[] = {
	{ "a confirmation names what it finds again, one-sided", names_what_is_there_again },
	{ "a confirmation names nothing that was not found", names_nothing_else },
	{ "fresh builds that disagree confirm nothing", builds_that_disagree_do_not_confirm },
	{ "small effects are confirmed with more runs", small_effects_ask_for_more_runs },
	{ "medians are confirmed by as many blocks as ranks need",
	  medians_are_confirmed_by_enough_blocks },
	{ "of 300 idle jobs none mails, of 300 that are 3 % slower most", mails_are_rarely_false },
};

T_MAIN(cases)
