/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/stats/judge.h"

#include <math.h>

#include "judge_values.h"
#include "lib/base/mem.h"
#include "tests/t.h"

#define MOST 24

/* A metric and the room for its samples. */
struct input {
	struct judge_metric metric;
	struct judge_sample base[MOST], head[MOST];
};

static void add(struct input *input, bool is_head, struct judge_sample sample)
{
	size_t *nr = is_head ? &input->metric.nr_head : &input->metric.nr_base;

	assert(*nr < MOST);
	sample.build = sample.build ? sample.build : 1; /* one image, unless the test says else */
	(is_head ? input->head : input->base)[(*nr)++] = sample;
}

/* Values of one block, each of a boot of its own. */
static void add_values(struct input *input, bool is_head, size_t nr, const double *values)
{
	for (size_t i = 0; i < nr; i++) {
		add(input, is_head, (struct judge_sample){ .value = values[i] });
	}
}

#define VALUES(...)                                                    \
	sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), (double[]) \
	{                                                              \
		__VA_ARGS__                                            \
	}

static struct input headline(const char *name)
{
	return (struct input){ .metric = { .name = name, .is_headline = true } };
}

static void judge_all(struct input *inputs, size_t nr, int look, struct judge_verdict *ret_verdicts)
{
	static struct judge_metric metrics[MOST];
	struct judge_options options = JUDGE_OPTIONS_INIT;

	options.look = look;
	for (size_t i = 0; i < nr; i++) {
		inputs[i].metric.base = inputs[i].base;
		inputs[i].metric.head = inputs[i].head;
		metrics[i] = inputs[i].metric;
	}
	judge(metrics, nr, &options, ret_verdicts);
}

static struct judge_verdict judge_alone(struct input *input)
{
	struct judge_verdict verdict;

	judge_all(input, 1, 0, &verdict);
	return verdict;
}

#define CHECK_KIND(verdict, expected) CHECK_TEXT(judge_word((verdict).kind), judge_word(expected))

/* against SciPy */

static void add_all(struct input *input, const struct value *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		add(input, values[i].is_head,
		    (struct judge_sample){ values[i].value, .block = values[i].block });
	}
}

static struct judge_verdict judge_values(const struct value *values, size_t nr)
{
	struct input input = headline("m");

	add_all(&input, values, nr);
	return judge_alone(&input);
}

static void agrees_raw(const struct value *values, size_t nr, const double *answer)
{
	struct judge_verdict verdict = judge_values(values, nr);
	double base = fabs(verdict.base.level);

	CHECK(isnan(verdict.log_ratio));
	CHECK_NEAR(verdict.effect * base, answer[0], 1e-12);
	CHECK_NEAR(verdict.p, answer[1], 1e-12);
	CHECK_NEAR(verdict.interval_95.low * base, answer[2], 1e-10);
	CHECK_NEAR(verdict.interval_95.high * base, answer[3], 1e-10);
}

static void one_block_is_welch(void)
{
	agrees_raw(one_block, countof(one_block), one_block_answer);
}

static void blocks_are_least_squares(void)
{
	agrees_raw(four_blocks, countof(four_blocks), four_blocks_answer);
	agrees_raw(uneven_blocks, countof(uneven_blocks), uneven_blocks_answer);
}

static void ratios_are_logarithms(void)
{
	struct judge_verdict verdict = judge_values(ratios, countof(ratios));

	CHECK_NEAR(verdict.log_ratio, ratios_answer[0], 1e-7);
	CHECK_NEAR(verdict.p / ratios_answer[1], 1, 0.002);
	CHECK_NEAR(log1p(verdict.interval_95.low), ratios_answer[2], 1e-6);
	CHECK_NEAR(log1p(verdict.interval_95.high), ratios_answer[3], 1e-6);
	CHECK_NEAR(verdict.head.level / verdict.base.level - 1, verdict.effect, 1e-15);
}

static void history_moderates(void)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct input input = headline("m");
	struct judge_verdict verdict;

	add_all(&input, ratios, countof(ratios));
	for (size_t i = 0; i < input.metric.nr_head; i++) {
		input.head[i].build = 2;
	}
	input.metric.base = input.base;
	input.metric.head = input.head;
	input.metric.prior_variance = 1e-6;
	input.metric.prior_df = 20;
	input.metric.prior_weight = 12;
	input.metric.build_variance = 9e-8;
	input.metric.build_df = 10;
	options.min_effect = 0.0006;
	judge(&input.metric, 1, &options, &verdict);
	CHECK_NEAR(verdict.log_ratio, moderated_answer[0], 1e-7);
	CHECK_NEAR(verdict.p / moderated_answer[1], 1, 0.002);
	CHECK_NEAR(verdict.p_least / moderated_answer[2], 1, 0.002);
	CHECK_NEAR(verdict.min_effect, 0.0006, 1e-12);
	options.widening = 2;
	judge(&input.metric, 1, &options, &verdict);
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
			inputs[i].metric.base = inputs[i].base;
			inputs[i].metric.head = inputs[i].head;
			inputs[i].metric.prior_df = 20;
			inputs[i].metric.prior_variance = variances[history];
			metrics[i] = inputs[i].metric;
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

			add(&input, false, (struct judge_sample){ 100 + off, .block = block });
			add(&input, true, (struct judge_sample){ 103 + off / 2, .block = block });
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
	CHECK(strstr(verdict.reason, "void: 1 block with a spread that history excludes"));
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
		input.head[i].build = 2;
	}
	CHECK(judge_alone(&input).p > 100 * p);
	CHECK_KIND(judge_alone(&input), JUDGE_CANNOT_RESOLVE);
	input.metric.build_variance = 1e-10;
	input.metric.build_df = 20;
	CHECK_KIND(judge_alone(&input), JUDGE_REGRESSION);
}

/* The numbers of docs/statistics.md, as NumPy and SciPy compute them from its formulas. */
static void worked_example(void)
{
	static const struct value values[] = {
		{ 100, 1, false }, { 102, 1, false }, { 91, 1, true },  { 93, 1, true },
		{ 115, 2, false }, { 117, 2, false }, { 104, 2, true }, { 106, 2, true },
	};
	struct judge_verdict verdict = judge_values(values, countof(values));

	CHECK_NEAR(verdict.base.level, 108.5, 1e-9);
	CHECK_NEAR(verdict.head.level, 98.5, 1e-9);
	CHECK_NEAR(verdict.log_ratio, -0.0966936248024711, 1e-14);
	CHECK_NEAR(verdict.p, 0.00011261557954403206, 1e-14);
	CHECK_NEAR(verdict.interval_95.low, -0.11262206675256699, 1e-9);
	CHECK_NEAR(verdict.interval_95.high, -0.07123816724080748, 1e-9);
	CHECK_NEAR(verdict.interval_90.low, -0.10824064858407437, 1e-9);
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
			add(&input, false,
			    (struct judge_sample){ 100 + 2 * i + up, block, .build = 1 });
			add(&input, true,
			    (struct judge_sample){ 91 + 2 * i + head, block, .build = 2 });
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

/* practice cases */

static void c03_constant_head(void)
{
	struct input input = headline("ns");
	struct judge_verdict verdict;

	add_values(&input, false, VALUES(115, 114, 115, 115, 115));
	add_values(&input, true, VALUES(78.8, 78.8, 78.8, 78.8, 78.8));
	verdict = judge_alone(&input);
	CHECK_KIND(verdict, JUDGE_IMPROVEMENT);
	CHECK_NEAR(verdict.effect, -0.314, 0.0005);
	CHECK_INT(verdict.base.nr + verdict.head.nr, 10);
	CHECK_NEAR(verdict.head.sd, 0, 0);
}

static void c04_zeros(void)
{
	struct input inputs[] = { headline("errors"), headline("drops"), headline("lat") };
	struct judge_verdict verdicts[3];

	add_values(&inputs[0], false, VALUES(0, 0, 0));
	add_values(&inputs[0], true, VALUES(0, 0, 0));
	add_values(&inputs[1], false, VALUES(0, 0, 0));
	add_values(&inputs[1], true, VALUES(5, 5, 6));
	add_values(&inputs[2], false, VALUES(7));
	judge_all(inputs, 3, 0, verdicts);
	CHECK_KIND(verdicts[0], JUDGE_NO_CHANGE);
	CHECK_NEAR(verdicts[0].effect, 0, 0);
	CHECK(isnan(verdicts[0].interval_95.low)); /* what does not vary has no interval */
	CHECK_KIND(verdicts[1], JUDGE_REGRESSION);
	CHECK(!verdicts[1].is_ratio);
	CHECK_NEAR(verdicts[1].effect, 16.0 / 3, 1e-12);
	CHECK(isnan(verdicts[1].log_ratio));
	CHECK(verdicts[1].interval_95.low > 0 && isfinite(verdicts[1].interval_95.high));
	CHECK_KIND(verdicts[2], JUDGE_MISSING);
	CHECK_TEXT(verdicts[2].reason, "no value in head");
}

static void c05_noisy(void)
{
	/* around 10 with sd 4, around 20 with sd 8 */
	static const double base[] = { 6, 14, 10, 5,  15, 9,  11, 4,  16, 10,
				       7, 13, 3,  17, 8,  12, 6,  14, 10, 10 };
	struct input input = headline("ms");
	struct judge_verdict verdict;

	add_values(&input, false, countof(base), base);
	for (size_t i = 0; i < countof(base); i++) {
		add(&input, true, (struct judge_sample){ .value = 2 * base[i] });
	}
	verdict = judge_alone(&input);
	CHECK_KIND(verdict, JUDGE_REGRESSION);
	CHECK_NEAR(verdict.effect, 1, 1e-12);
	CHECK(verdict.is_noisy);
	CHECK(strstr(verdict.reason, "noisy"));
	CHECK(verdict.interval_95.low > 0.4 && verdict.interval_95.high < 2);
}

static void c01_single_runs(void)
{
	struct input input = headline("bench.ops");
	struct judge_verdict verdict;

	add_values(&input, false, VALUES(1901));
	add_values(&input, true, VALUES(1885));
	verdict = judge_alone(&input);
	CHECK_KIND(verdict, JUDGE_TOO_FEW_RUNS);
	CHECK_INT(verdict.base.nr, 1);
	CHECK(isnan(verdict.base.sd) && isnan(verdict.head.sd) && isnan(verdict.p));
	CHECK_NEAR(verdict.effect, 1885.0 / 1901 - 1, 1e-15);
}

static void c02_intersection(void)
{
	struct input inputs[] = { headline("A"), headline("B") };
	struct judge_verdict verdicts[2];
	size_t nr_left_out;

	add_values(&inputs[0], false, VALUES(100, 100, 100, 100, 100, 100));
	add_values(&inputs[0], true, VALUES(100, 100, 100, 100, 100, 100));
	add_values(&inputs[1], false, VALUES(10000, 10000, 10000, 10000, 10000, 10000));
	judge_all(inputs, 2, 0, verdicts);
	CHECK_NEAR(judge_overall(verdicts, 2, &nr_left_out), 0, 0);
	CHECK_INT(nr_left_out, 1);
	CHECK_KIND(verdicts[0], JUDGE_NO_CHANGE);
	CHECK_KIND(verdicts[1], JUDGE_MISSING);
	CHECK(isnan(judge_overall(verdicts + 1, 1, &nr_left_out)));
}

static void constants_are_rounded(void)
{
	struct input coarse = headline("s");
	struct input fine = headline("s");
	struct judge_verdict verdict;

	/* a clock of whole seconds cannot tell 1 from 2 twice; one of milliseconds can */
	add_values(&coarse, false, VALUES(1, 1));
	add_values(&coarse, true, VALUES(2, 2));
	CHECK_KIND(judge_alone(&coarse), JUDGE_CANNOT_RESOLVE);
	add_values(&fine, false, VALUES(1.001, 1.001));
	add_values(&fine, true, VALUES(2.001, 2.001));
	verdict = judge_alone(&fine);
	CHECK_KIND(verdict, JUDGE_REGRESSION);
	CHECK(verdict.p > 0);
}

/* units */

static void boots_are_units(void)
{
	struct input input = headline("s");
	struct judge_verdict verdict;

	for (uint32_t i = 0; i < 10; i++) {
		add(&input, false, (struct judge_sample){ 10 + 0.01 * i, .boot = 1 });
		add(&input, true, (struct judge_sample){ 12 + 0.01 * i, .boot = 2 });
	}
	verdict = judge_alone(&input);
	CHECK_KIND(verdict, JUDGE_TOO_FEW_RUNS);
	CHECK_INT(verdict.base.nr, 1);
	CHECK_INT(verdict.head.nr, 1);
	CHECK_NEAR(verdict.base.level, 10.045, 1e-12);
}

static void shared_boots_cancel(void)
{
	struct input input = headline("s");
	struct judge_verdict verdict;

	for (uint32_t i = 0; i < 10; i++) {
		add(&input, false, (struct judge_sample){ 10 + 0.01 * i, .boot = 1 });
		add(&input, true, (struct judge_sample){ 12 + 0.01 * i, .boot = 1 });
	}
	verdict = judge_alone(&input);
	CHECK_KIND(verdict, JUDGE_REGRESSION);
	CHECK_INT(verdict.base.nr, 10);
}

static double level_by(enum judge_estimator estimator)
{
	struct input input = headline("s");
	static const double iterations[] = { 40, 60, 60, 1000 };

	input.metric.estimator = estimator;
	for (size_t i = 0; i < countof(iterations); i++) {
		add(&input, false, (struct judge_sample){ iterations[i], .boot = 1 });
	}
	add(&input, true, (struct judge_sample){ 1, .boot = 2 });
	return judge_alone(&input).base.level;
}

static void estimator_folds_iterations(void)
{
	CHECK_NEAR(level_by(JUDGE_MEAN), 290, 1e-12);
	CHECK_NEAR(level_by(JUDGE_PERCENTILE), 290, 1e-12);
	CHECK_NEAR(level_by(JUDGE_MEDIAN), 60, 1e-12);
	CHECK_NEAR(level_by(JUDGE_HMEAN), 4 / (1.0 / 40 + 2.0 / 60 + 1.0 / 1000), 1e-12);
}

/* blocks */

static void level_jumps_do_not_count(void)
{
	struct input calm = headline("s");
	struct input jumping = headline("s");
	static const double base[] = { 100, 101, 99, 100 };
	static const double head[] = { 103, 104, 103, 102 };
	struct judge_verdict a, b;

	for (uint32_t block = 0; block < 2; block++) {
		double level = block == 1 ? 1.15 : 1;

		for (uint32_t i = 2 * block; i < 2 * block + 2; i++) {
			add(&calm, false, (struct judge_sample){ base[i], .block = block });
			add(&calm, true, (struct judge_sample){ head[i], .block = block });
			add(&jumping, false,
			    (struct judge_sample){ level * base[i], .block = block });
			add(&jumping, true,
			    (struct judge_sample){ level * head[i], .block = block });
		}
	}
	a = judge_alone(&calm);
	b = judge_alone(&jumping);
	CHECK_NEAR(a.effect, b.effect, 1e-4);
	CHECK_NEAR(a.p / b.p, 1, 0.05);
	CHECK(b.base.sd > 5 * a.base.sd);
}

static void odd_blocks_are_ignored(void)
{
	struct input input = headline("s");
	struct judge_verdict verdict;

	for (uint32_t i = 0; i < 4; i++) {
		add(&input, false, (struct judge_sample){ 100 + i, .block = 1, .machine = 1 });
		add(&input, true, (struct judge_sample){ 100 + i, .block = 1, .machine = 1 });
		add(&input, false, (struct judge_sample){ 500, .block = 2, .machine = 1 });
		add(&input, false, (struct judge_sample){ 100, .block = 3, .machine = 1 });
		add(&input, true, (struct judge_sample){ 900, .block = 3, .machine = 2 });
	}
	verdict = judge_alone(&input);
	CHECK_INT(verdict.base.nr, 4);
	CHECK_INT(verdict.head.nr, 4);
	CHECK_NEAR(verdict.effect, 0, 1e-15);
	CHECK_INT(verdict.nr_lone, 1);
	CHECK_INT(verdict.nr_moved, 1);
	CHECK(strstr(verdict.reason, "1 block of one side only"));
	CHECK(strstr(verdict.reason, "1 block on more than one machine"));
}

static void other_machine_is_not_comparable(void)
{
	struct input input = headline("s");
	struct judge_verdict verdict;

	for (uint32_t i = 0; i < 4; i++) {
		add(&input, false, (struct judge_sample){ 100 + i, .machine = 1 });
		add(&input, true, (struct judge_sample){ 200 + i, .machine = 2 });
	}
	verdict = judge_alone(&input);
	CHECK_KIND(verdict, JUDGE_NOT_COMPARABLE);
	CHECK(isnan(verdict.effect));
	CHECK(strstr(verdict.reason, "more than one machine"));
}

static void missing_values_are_not_zero(void)
{
	struct input input = headline("s");
	struct judge_verdict verdict;

	add_values(&input, false, VALUES(10, NAN, 10.1, 9.9));
	add_values(&input, true, VALUES(NAN, 10, 10.1, 9.9));
	verdict = judge_alone(&input);
	CHECK_INT(verdict.base.nr, 3);
	CHECK_NEAR(verdict.effect, 0, 1e-15);
}

/* decisions */

static void no_change_is_shown(void)
{
	struct input tight = headline("s");
	struct input loose = headline("s");
	struct judge_verdict verdict;

	add_values(&tight, false, VALUES(100.0, 100.1, 99.9, 100.0));
	add_values(&tight, true, VALUES(100.1, 100.0, 100.0, 99.9));
	verdict = judge_alone(&tight);
	CHECK_KIND(verdict, JUDGE_NO_CHANGE);
	CHECK(verdict.interval_90.low > -0.005 && verdict.interval_90.high < 0.005);
	add_values(&loose, false, VALUES(100, 104, 96, 100));
	add_values(&loose, true, VALUES(101, 99, 103, 97));
	verdict = judge_alone(&loose);
	CHECK_KIND(verdict, JUDGE_CANNOT_RESOLVE);
	CHECK(strstr(verdict.reason, "excluded: below -"));
	/* the smallest effect is half of the pooled sd of 2.94 around 100 */
	CHECK_NEAR(verdict.min_effect, 0.0148, 0.0002);
	CHECK_NEAR(verdict.needs, 17.13 * 2 * 2, 3);
}

static void small_effects_are_not_worth_it(void)
{
	struct input input = headline("s");

	add_values(&input, false, VALUES(100.00, 100.01, 99.99, 100.00));
	add_values(&input, true, VALUES(100.40, 100.41, 100.39, 100.40));
	CHECK(judge_alone(&input).p < 1e-6);
	CHECK_KIND(judge_alone(&input), JUDGE_NO_CHANGE);
	input.metric.nr_head = 0;
	add_values(&input, true, VALUES(100.80, 100.81, 100.79, 100.80));
	CHECK_KIND(judge_alone(&input), JUDGE_REGRESSION);
	input.metric.floor = 0.02;
	CHECK_KIND(judge_alone(&input), JUDGE_NO_CHANGE);
}

static void direction_decides(void)
{
	struct input input = headline("MB/s");

	add_values(&input, false, VALUES(100, 101, 99, 100));
	add_values(&input, true, VALUES(110, 111, 109, 110));
	CHECK_KIND(judge_alone(&input), JUDGE_REGRESSION);
	input.metric.is_higher_better = true;
	CHECK_KIND(judge_alone(&input), JUDGE_IMPROVEMENT);
}

static void families_are_corrected(void)
{
	struct input inputs[6];
	struct judge_verdict verdicts[6];

	for (size_t i = 0; i < 6; i++) {
		double step = (double[]){ 1, 2.2, 0.1, 2, 1.5, 3 }[i];

		inputs[i] = headline("m");
		inputs[i].metric.is_headline = i < 4;
		add_values(&inputs[i], false, VALUES(100, 101, 99, 100));
		add_values(&inputs[i], true, VALUES(100 + step, 101 + step, 99 + step, 100 + step));
	}
	judge_all(inputs, 6, 0, verdicts);
	for (size_t i = 0; i < 6; i++) {
		/* by the definition: the smallest p_j M / rank_j among those not below p_i */
		double q = 1;

		for (size_t j = 0; j < 6; j++) {
			bool is_family = (i < 4) == (j < 4);
			size_t rank = 0;

			for (size_t k = 0; k < 6; k++) {
				rank += (k < 4) == (j < 4) &&
					verdicts[k].p_least <= verdicts[j].p_least;
			}
			if (is_family && verdicts[j].p_least >= verdicts[i].p_least) {
				q = fmin(q, verdicts[j].p_least * (i < 4 ? 4 : 2) / (double)rank);
			}
		}
		CHECK_NEAR(verdicts[i].q, q, 1e-15);
	}
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
	CHECK(strstr(verdicts[1].reason, "its sweep did not change"));
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

		add(&spread, false, (struct judge_sample){ .value = 100 + 0.1 * off });
		add(&spread, true, (struct judge_sample){ .value = 100 + off });
	}
	judge_all(&spread, 1, 0, verdicts);
	CHECK_NEAR(verdicts[0].spread_ratio, 10, 1e-2);
	CHECK(verdicts[0].spread_p < 1e-6);
	CHECK(strstr(verdicts[0].reason, "head varies 10.0 times as much (p "));
	for (size_t i = 0; i < 4; i++) {
		double up = i == 3 ? 1.1 : i == 0 ? 1.0323 : 1; /* 1.1 to the third */

		inputs[i] = headline(names[i]);
		inputs[i].metric.is_headline = i == 0;
		inputs[i].metric.sweep = i == 0 ? NULL : "time";
		add_values(&inputs[i], false, VALUES(100, 100.2, 99.8, 100.1));
		add_values(&inputs[i], true, VALUES(100 * up, 100.2 * up, 99.9 * up, 100.15 * up));
	}
	judge_all(inputs, 4, 0, verdicts);
	CHECK(strstr(verdicts[0].reason, "its points differ, time.4 moved by +6.6 % against"));
}

/* No value of a hostile program makes the judge hang, or say what is not a number. */
static void extremes_are_survived(void)
{
	static const double values[] = { 0,      -1,   1,     5e-324, 1e-310, 1e-200, 1e-16,
					 -1e-16, 1e16, 1e155, 1e200,  1e308,  -1e308, 1.7e308 };
	size_t nr = countof(values);

	for (size_t i = 0; i < nr * nr * nr; i++) {
		double a = values[i % nr];
		double b = values[i / nr % nr];
		double c = values[i / nr / nr];
		struct input input = headline("m");
		struct judge_verdict verdict;

		add_values(&input, false, VALUES(a, a, b));
		add_values(&input, true, VALUES(b, c, c));
		verdict = judge_alone(&input);
		if (verdict.kind != JUDGE_NOT_COMPARABLE) {
			CHECK(verdict.p >= 0 && verdict.p <= 1 && verdict.q <= 1);
		} else {
			CHECK(isnan(verdict.p));
		}
	}
}

static void failures_are_counted(void)
{
	double p;

	CHECK_INT(judge_failures((size_t[]){ 0, 5 }, (size_t[]){ 5, 5 }, &p), JUDGE_REGRESSION);
	CHECK_NEAR(p, 2.0 / 252, 1e-12);
	CHECK_INT(judge_failures((size_t[]){ 8, 0 }, (size_t[]){ 8, 8 }, &p), JUDGE_IMPROVEMENT);
	CHECK_INT(judge_failures((size_t[]){ 0, 1 }, (size_t[]){ 5, 5 }, &p), JUDGE_CANNOT_RESOLVE);
	CHECK_INT(judge_failures((size_t[]){ 0, 3 }, (size_t[]){ 0, 3 }, &p), JUDGE_MISSING);
	CHECK(isnan(p));
}

static const struct t_case cases[] = {
	{ "one block is Welch's test, as SciPy computes it", one_block_is_welch },
	{ "blocks are least squares, as NumPy computes them", blocks_are_least_squares },
	{ "ratios are differences of logarithms", ratios_are_logarithms },
	{ "the worked example of docs/statistics.md", worked_example },
	{ "the worked example, continued with history and builds", worked_example_continued },
	{ "C03: no variance on one side breaks nothing, every sample counts", c03_constant_head },
	{ "C04: zeros have no percentage, and a change from zero is told", c04_zeros },
	{ "C05: a doubling is told however noisy", c05_noisy },
	{ "C01: one run a side is too few, its deviation is unknown", c01_single_runs },
	{ "C02: the overall change is that of the metrics on both sides", c02_intersection },
	{ "values that never vary are known to the last decimal only", constants_are_rounded },
	{ "ten runs of one boot are one unit", boots_are_units },
	{ "runs of a boot that ran both sides are units", shared_boots_cancel },
	{ "iterations of a boot are folded by the estimator", estimator_folds_iterations },
	{ "a level that jumps between blocks changes nothing", level_jumps_do_not_count },
	{ "a block of one side, or of two machines, is ignored and counted",
	  odd_blocks_are_ignored },
	{ "sides of two machines are not comparable", other_machine_is_not_comparable },
	{ "a missing value is not a zero", missing_values_are_not_zero },
	{ "no change is said where it is shown, else what is excluded", no_change_is_shown },
	{ "what is sure but small is no change", small_effects_are_not_worth_it },
	{ "the metric's direction makes a regression", direction_decides },
	{ "history shares its degrees of freedom, as SciPy computes it", history_moderates },
	{ "a day noisier than history widens everything", noisy_days_widen },
	{ "a block that history excludes is void, and counted for repeating",
	  impossible_blocks_are_void },
	{ "the variance between builds is never nothing", unknown_builds_are_not_nothing },
	{ "points of a sweep may change only where their mean has", points_wait_for_their_sweep },
	{ "a changed spread and a sweep's shape are remarked", remarks_stand_in_the_reason },
	{ "extreme values are survived", extremes_are_survived },
	{ "failures are a change where chance alone is below 1 %", failures_are_counted },
	{ "q is corrected within headline and within other metrics", families_are_corrected },
};

T_MAIN(cases)
