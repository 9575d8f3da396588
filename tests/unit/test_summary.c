/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/stats/summary.h"

#include <math.h>

#include "tests/t.h"

static const double textbook[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

static void textbook_numbers(void)
{
	/* the standard example: mean 5, population sd 2 */
	CHECK_NEAR(summary_mean(textbook, 8), 5, 0);
	CHECK_NEAR(summary_population_sd(textbook, 8), 2, 1e-15);
	CHECK_NEAR(summary_sample_sd(textbook, 8), 2.138089935299395, 1e-15);
	CHECK_NEAR(summary_median(textbook, 8), 4.5, 0);
}

static void means_of_rates(void)
{
	static const double speeds[] = { 40, 60 };
	static const double powers[] = { 1, 10, 100 };

	CHECK_NEAR(summary_hmean(speeds, 2), 48, 1e-14);
	CHECK_NEAR(summary_gmean(powers, 3), 10, 1e-14);
}

static void quantiles_as_numpy(void)
{
	/* numpy.quantile([15, 20, 35, 40, 50], q) */
	static const double sorted[] = { 15, 20, 35, 40, 50 };

	CHECK_NEAR(summary_quantile(sorted, 5, 0), 15, 0);
	CHECK_NEAR(summary_quantile(sorted, 5, 0.05), 16, 1e-13);
	CHECK_NEAR(summary_quantile(sorted, 5, 0.4), 29, 1e-13);
	CHECK_NEAR(summary_quantile(sorted, 5, 0.95), 48, 1e-13);
	CHECK_NEAR(summary_quantile(sorted, 5, 1), 50, 0);
}

static void estimates_by_word(void)
{
	double values[] = { 40, 60, 20 };
	double with_missing[] = { 40, NAN };

	CHECK_NEAR(summary_estimate("mean", values, 3), 40, 0);
	CHECK_NEAR(summary_estimate("p99", values, 3), 40, 0);
	CHECK_NEAR(summary_estimate("median", values, 3), 40, 0);
	CHECK_NEAR(summary_estimate("hmean", (double[]){ 40, 60 }, 2), 48, 1e-14);
	CHECK(isnan(summary_estimate("median", with_missing, 2)));
	CHECK(isnan(summary_estimate("mean", values, 0)));
}

static void sorts(void)
{
	double values[] = { 3, -1, 2, 2, -7 };

	summary_sort(values, countof(values));
	for (size_t i = 1; i < countof(values); i++) {
		CHECK(values[i - 1] <= values[i]);
	}
	CHECK_NEAR(values[0], -7, 0);
	summary_sort(NULL, 0);
}

static void nothing_has_no_mean(void)
{
	CHECK(isnan(summary_mean(NULL, 0)));
	CHECK(isnan(summary_hmean(NULL, 0)));
	CHECK(isnan(summary_gmean(NULL, 0)));
	CHECK(isnan(summary_median(NULL, 0)));
	CHECK(isnan(summary_population_sd(NULL, 0)));
	CHECK(isnan(summary_sample_sd(NULL, 0)));
}

static void one_has_no_deviation(void)
{
	static const double one[] = { 1901 };

	CHECK_NEAR(summary_mean(one, 1), 1901, 0);
	CHECK_NEAR(summary_median(one, 1), 1901, 0);
	CHECK_NEAR(summary_quantile(one, 1, 0.99), 1901, 0);
	CHECK_NEAR(summary_population_sd(one, 1), 0, 0);
	CHECK(isnan(summary_sample_sd(one, 1)));
}

static void zero_has_no_rate(void)
{
	static const double values[] = { 0, 4 };

	CHECK(isnan(summary_hmean(values, 2)));
	CHECK(isnan(summary_gmean(values, 2)));
}

static void keeps_digits(void)
{
	static const double offset[] = { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 };
	static const double cancel[] = { 1, 1e100, 1, -1e100 };
	static const double huge[] = { 1.5e308, 1.6e308, 1.7e308 };
	static const double tiny[] = { 1e-310, 3e-310 };
	static const double same[] = { 0.1, 0.1, 0.1 };

	CHECK_NEAR(summary_sample_sd(offset, 4), sqrt(30), 1e-12);
	CHECK_NEAR(summary_mean(cancel, 4), 0.5, 0);
	CHECK_NEAR(summary_mean(huge, 3) / 1.6e308, 1, 1e-15);
	CHECK_NEAR(summary_sample_sd(huge, 3) / 1e307, 1, 1e-12);
	CHECK_NEAR(summary_gmean(huge, 3) / 1.5979e308, 1, 1e-4);
	CHECK_NEAR(summary_mean(tiny, 2) / 2e-310, 1, 1e-10);
	CHECK_NEAR(summary_sample_sd(same, 3), 0, 0);
}

/* Lists of all lengths, with and without equal values. */
static void parts(void)
{
	uint64_t state = 1;

	for (size_t nr = 0; nr < 200; nr++) {
		size_t nr_least = nr / 20 + nr % 7 * (nr / 9);
		double values[200];

		for (size_t i = 0; i < nr; i++) {
			state = state * 6364136223846793005 + 1442695040888963407;
			values[i] = (double)(state >> 33 & (nr % 3 ? 0xffff : 3));
		}
		summary_part(values, nr, nr_least);
		for (size_t i = 0; i < nr_least; i++) {
			for (size_t j = nr_least; j < nr; j++) {
				CHECK(values[i] <= values[j]);
			}
		}
	}
}

static const struct t_case cases[] = {
	{ "iterations become one number by the word of their estimator", estimates_by_word },
	{ "mean, deviations and median of a textbook's numbers", textbook_numbers },
	{ "harmonic and geometric means", means_of_rates },
	{ "quantiles are NumPy's", quantiles_as_numpy },
	{ "sorting is ascending", sorts },
	{ "the smallest values go to the front", parts },
	{ "nothing has no mean", nothing_has_no_mean },
	{ "one value has a mean and no sample deviation", one_has_no_deviation },
	{ "harmonic and geometric means refuse zero", zero_has_no_rate },
	{ "large offsets, huge and tiny values keep their digits", keeps_digits },
};

T_MAIN(cases)
