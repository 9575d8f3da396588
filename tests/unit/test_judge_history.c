/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the judge takes from elsewhere: history, builds, blocks that cannot be, sweeps. */
#include <math.h>

#include "judge_input.h"

static void history_moderates(void)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct input input = headline("m");
	struct judge_verdict verdict;
	struct judge_metric metric;

	add_all(&input, ratios, countof(ratios));
	for (size_t i = 0; i < input.metric.head.nr; i++) {
		input.head.runs[i].build = 2;
	}
	input.metric.prior_variance = 1e-6;
	input.metric.prior_df = 20;
	input.metric.prior_weight = 12;
	input.metric.build_variance = 9e-8;
	input.metric.build_df = 10;
	options.min_effect = 0.0006;
	metric = metric_of(&input);
	judge(&metric, 1, &options, &verdict);
	CHECK_NEAR(log1p(verdict.effect), moderated_answer[0], 1e-7);
	CHECK_NEAR(verdict.p / moderated_answer[1], 1, 0.002);
	CHECK_NEAR(verdict.p_least / moderated_answer[2], 1, 0.002);
	CHECK_NEAR(verdict.min_effect, 0.0006, 1e-12);
	options.widening = 2;
	judge(&metric, 1, &options, &verdict);
	CHECK(verdict.p > 2 * moderated_answer[1]);
}

/* With 60 metrics that all vary alike today, it does not matter that history saw a hundredth of
 * it. */
static void noisy_days_widen(void)
{
	static const double variances[] = { 2.5e-7, 2.5e-8 };
	struct input inputs[60];
	struct judge_metric metrics[60];
	struct judge_verdict verdicts[60];
	struct judge_options options = JUDGE_OPTIONS_INIT;
	double p[2];

	for (size_t history = 0; history < 2; history++) {
		for (size_t i = 0; i < 60; i++) {
			inputs[i] = headline("m");
			add_all(&inputs[i], ratios, countof(ratios));
			inputs[i].metric.prior_df = 20;
			inputs[i].metric.prior_variance = variances[history];
			metrics[i] = metric_of(&inputs[i]);
		}
		judge(metrics, 60, &options, verdicts);
		p[history] = verdicts[0].p;
	}
	CHECK_NEAR(p[0], p[1], 1e-9);
}

/* With history, a block in which the machine jumped 15 % between two runs of one commit is void. */
static void impossible_blocks_are_void(void)
{
	struct input input = headline("s");
	struct judge_verdict verdict;

	for (uint32_t block = 1; block <= 4; block++) {
		for (uint32_t i = 0; i < 2; i++) {
			double off = block == 3 && i == 1 ? 15 : 0.1 * i * block;

			add(&input, false, 100 + off, (struct judge_run){ .block = block });
			add(&input, true, 103 + off / 2, (struct judge_run){ .block = block });
		}
	}
	CHECK_INT(judge_alone(&input).nr_wild, 0);
	input.metric.prior_df = 40;
	input.metric.prior_weight = 20;
	input.metric.prior_variance = 1e-5;
	verdict = judge_alone(&input);
	CHECK_INT(verdict.nr_wild, 1);
	CHECK_INT(judge_repeats(&verdict, 1), 1);
	CHECK_INT(verdict.base.nr, 6);
	CHECK_NEAR(verdict.effect, 0.03, 0.001);
	CHECK(says(&verdict, "void: 1 block with a spread that history excludes"));
}

static void unknown_builds_are_not_nothing(void)
{
	struct input input = headline("s");
	double p;

	add_values(&input, false, VALUES(100, 100.01, 99.99, 100));
	add_values(&input, true, VALUES(100.9, 100.91, 100.89, 100.9));
	p = judge_alone(&input).p;
	CHECK_KIND(judge_alone(&input), JUDGE_REGRESSION);
	for (size_t i = 0; i < 4; i++) {
		input.head.runs[i].build = 2;
	}
	CHECK(judge_alone(&input).p > 100 * p);
	CHECK_KIND(judge_alone(&input), JUDGE_CANNOT_RESOLVE);
	input.metric.build_variance = 1e-10;
	input.metric.build_df = 20;
	CHECK_KIND(judge_alone(&input), JUDGE_REGRESSION);
}

/* The same with history, and a build a side of which nobody knows how builds vary. */
static void worked_example_continued(void)
{
	struct input input = headline("time");
	struct judge_verdict verdict;

	for (uint32_t block = 1; block <= 2; block++) {
		double up = block == 2 ? 15 : 0;
		double head = block == 2 ? 13 : 0;

		for (uint32_t i = 0; i < 2; i++) {
			add(&input, false, 100 + 2 * i + up,
			    (struct judge_run){ .block = block, .build = 1 });
			add(&input, true, 91 + 2 * i + head,
			    (struct judge_run){ .block = block, .build = 2 });
		}
	}
	input.metric.prior_variance = 0.0001;
	input.metric.prior_df = 20;
	input.metric.prior_weight = 12;
	verdict = judge_alone(&input);
	CHECK_NEAR(verdict.df, 16.026019287009706, 1e-9);
	CHECK_NEAR(verdict.p, 5.225371018376975e-09, 1e-17);
	CHECK_NEAR(verdict.p_least, 7.216438202396279e-09, 1e-17);
	CHECK_NEAR(verdict.min_effect, 0.005551261277393402, 1e-12);
	CHECK_NEAR(verdict.interval_95.low, -0.10857846463074967, 1e-9);
	CHECK_NEAR(verdict.interval_95.high, -0.07545114972843871, 1e-9);
}

/* Points that are 3 % off, while their mean is `step` off. */
static struct judge_verdict judge_sweep(double step, struct judge_verdict *ret_verdicts)
{
	static const char *const names[] = { "time", "time.1", "time.2", "time.4" };
	struct input inputs[4];

	for (size_t i = 0; i < 4; i++) {
		double off = i == 0 ? step : i == 3 ? 0 : 3;

		inputs[i] = headline(names[i]);
		inputs[i].metric.is_headline = i == 0;
		inputs[i].metric.sweep = i == 0 ? NULL : "time";
		add_values(&inputs[i], false, VALUES(100, 100.2, 99.8, 100));
		add_values(&inputs[i], true, VALUES(100 + off, 100.2 + off, 99.8 + off, 100 + off));
	}
	judge_all(inputs, 4, 0, ret_verdicts);
	return ret_verdicts[0];
}

static void points_wait_for_their_sweep(void)
{
	struct judge_verdict verdicts[4];

	CHECK_KIND(judge_sweep(2, verdicts), JUDGE_REGRESSION);
	CHECK_KIND(verdicts[1], JUDGE_REGRESSION);
	CHECK_KIND(verdicts[2], JUDGE_REGRESSION);
	CHECK_NEAR(verdicts[1].q, 3 * verdicts[1].p_least, 1e-15); /* Holm's smallest of three */
	CHECK(verdicts[3].kind == JUDGE_NO_CHANGE || verdicts[3].kind == JUDGE_CANNOT_RESOLVE);
	CHECK(judge_sweep(0, verdicts).kind != JUDGE_REGRESSION);
	CHECK_KIND(verdicts[1], JUDGE_CANNOT_RESOLVE);
	CHECK(says(&verdicts[1], "its sweep did not change"));
}

/* The reason tells what the mean does not. */
static void remarks_stand_in_the_reason(void)
{
	struct input inputs[4];
	struct judge_verdict verdicts[4];
	struct input spread = headline("s");
	static const char *const names[] = { "time", "time.1", "time.2", "time.4" };

	for (size_t i = 0; i < 10; i++) {
		double off = (double)(i * 7 % 10) - 4.5;

		add(&spread, false, 100 + 0.1 * off, (struct judge_run){ 0 });
		add(&spread, true, 100 + off, (struct judge_run){ 0 });
	}
	judge_all(&spread, 1, 0, verdicts);
	CHECK_NEAR(verdicts[0].spread_ratio, 10, 1e-2);
	CHECK(verdicts[0].spread_p < 1e-6);
	CHECK(says(&verdicts[0], "head varies 10.0 times as much (p "));
	for (size_t i = 0; i < 4; i++) {
		double up = i == 3 ? 1.1 : i == 0 ? 1.0323 : 1; /* 1.1 to the third */

		inputs[i] = headline(names[i]);
		inputs[i].metric.is_headline = i == 0;
		inputs[i].metric.sweep = i == 0 ? NULL : "time";
		add_values(&inputs[i], false, VALUES(100, 100.2, 99.8, 100.1));
		add_values(&inputs[i], true, VALUES(100 * up, 100.2 * up, 99.9 * up, 100.15 * up));
	}
	judge_all(inputs, 4, 0, verdicts);
	CHECK(says(&verdicts[0], "its points differ, time.4 moved by +6.6 % against"));
}

static const struct t_case cases[] = {
	{ "history shares its degrees of freedom, as SciPy computes it", history_moderates },
	{ "a day noisier than history widens everything", noisy_days_widen },
	{ "a block that history excludes is void, and counted for repeating",
	  impossible_blocks_are_void },
	{ "the variance between builds is never nothing", unknown_builds_are_not_nothing },
	{ "the worked example, continued with history and builds", worked_example_continued },
	{ "points of a sweep may change only where their mean has", points_wait_for_their_sweep },
	{ "a changed spread and a sweep's shape are remarked", remarks_stand_in_the_reason },
};

T_MAIN(cases)
