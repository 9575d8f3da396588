/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/stats/judge.h"

#include <math.h>

#include "judge_input.h"

/* against SciPy */

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

	CHECK_NEAR(log1p(verdict.effect), ratios_answer[0], 1e-7);
	CHECK_NEAR(verdict.p / ratios_answer[1], 1, 0.002);
	CHECK_NEAR(log1p(verdict.interval_95.low), ratios_answer[2], 1e-6);
	CHECK_NEAR(log1p(verdict.interval_95.high), ratios_answer[3], 1e-6);
	CHECK_NEAR(verdict.head.level / verdict.base.level - 1, verdict.effect, 1e-15);
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
	CHECK_NEAR(log1p(verdict.effect), -0.0966936248024711, 1e-14);
	CHECK_NEAR(verdict.p, 0.00011261557954403206, 1e-14);
	CHECK_NEAR(verdict.interval_95.low, -0.11262206675256699, 1e-9);
	CHECK_NEAR(verdict.interval_95.high, -0.07123816724080748, 1e-9);
	CHECK_NEAR(verdict.interval_90.low, -0.10824064858407437, 1e-9);
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
	CHECK(verdicts[1].interval_95.low > 0 && isfinite(verdicts[1].interval_95.high));
	CHECK_KIND(verdicts[2], JUDGE_MISSING);
	CHECK(says(&verdicts[2], "no value in head"));
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
		add(&input, true, 2 * base[i], (struct judge_run){ 0 });
	}
	verdict = judge_alone(&input);
	CHECK_KIND(verdict, JUDGE_REGRESSION);
	CHECK_NEAR(verdict.effect, 1, 1e-12);
	CHECK(verdict.is_noisy);
	CHECK(says(&verdict, "noisy"));
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

	add_values(&inputs[0], false, VALUES(100, 100, 100, 100, 100, 100));
	add_values(&inputs[0], true, VALUES(100, 100, 100, 100, 100, 100));
	add_values(&inputs[1], false, VALUES(10000, 10000, 10000, 10000, 10000, 10000));
	judge_all(inputs, 2, 0, verdicts);
	CHECK_KIND(verdicts[0], JUDGE_NO_CHANGE);
	CHECK_KIND(verdicts[1], JUDGE_MISSING);
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
		add(&input, false, 10 + 0.01 * i, (struct judge_run){ .boot = 1 });
		add(&input, true, 12 + 0.01 * i, (struct judge_run){ .boot = 2 });
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
		add(&input, false, 10 + 0.01 * i, (struct judge_run){ .boot = 1 });
		add(&input, true, 12 + 0.01 * i, (struct judge_run){ .boot = 1 });
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
		add(&input, false, iterations[i], (struct judge_run){ .boot = 1 });
	}
	add(&input, true, 1, (struct judge_run){ .boot = 2 });
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
			add(&calm, false, base[i], (struct judge_run){ .block = block });
			add(&calm, true, head[i], (struct judge_run){ .block = block });
			add(&jumping, false, level * base[i], (struct judge_run){ .block = block });
			add(&jumping, true, level * head[i], (struct judge_run){ .block = block });
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
		add(&input, false, 100 + i, (struct judge_run){ .block = 1, .machine = 1 });
		add(&input, true, 100 + i, (struct judge_run){ .block = 1, .machine = 1 });
		add(&input, false, 500, (struct judge_run){ .block = 2, .machine = 1 });
		add(&input, false, 100, (struct judge_run){ .block = 3, .machine = 1 });
		add(&input, true, 900, (struct judge_run){ .block = 3, .machine = 2 });
	}
	verdict = judge_alone(&input);
	CHECK_INT(verdict.base.nr, 4);
	CHECK_INT(verdict.head.nr, 4);
	CHECK_NEAR(verdict.effect, 0, 1e-15);
	CHECK_INT(verdict.nr_lone, 1);
	CHECK_INT(verdict.nr_moved, 1);
	CHECK(says(&verdict, "1 block of one side only"));
	CHECK(says(&verdict, "1 block on more than one machine"));
}

static void other_machine_is_not_comparable(void)
{
	struct input input = headline("s");
	struct judge_verdict verdict;

	for (uint32_t i = 0; i < 4; i++) {
		add(&input, false, 100 + i, (struct judge_run){ .machine = 1 });
		add(&input, true, 200 + i, (struct judge_run){ .machine = 2 });
	}
	verdict = judge_alone(&input);
	CHECK_KIND(verdict, JUDGE_NOT_COMPARABLE);
	CHECK(isnan(verdict.effect));
	CHECK(says(&verdict, "more than one machine"));
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
	CHECK(says(&verdict, "excluded: below -"));
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
	input.metric.head.nr = 0;
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

static const struct t_case cases[] = {
	{ "one block is Welch's test, as SciPy computes it", one_block_is_welch },
	{ "blocks are least squares, as NumPy computes them", blocks_are_least_squares },
	{ "ratios are differences of logarithms", ratios_are_logarithms },
	{ "the worked example of docs/statistics.md", worked_example },
	{ "C03: no variance on one side breaks nothing, every sample counts", c03_constant_head },
	{ "C04: zeros have no percentage, and a change from zero is told", c04_zeros },
	{ "C05: a doubling is told however noisy", c05_noisy },
	{ "C01: one run a side is too few, its deviation is unknown", c01_single_runs },
	{ "C02: a metric of one side only is missing, and disturbs no other", c02_intersection },
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
	{ "extreme values are survived", extremes_are_survived },
	{ "q is corrected within headline and within other metrics", families_are_corrected },
};

T_MAIN(cases)
