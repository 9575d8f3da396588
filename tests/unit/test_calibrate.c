/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comparisons of a commit with itself say.  Expected values: SciPy's beta and t. */
#include <math.h>

#include "lib/stats/calibrate.h"
#include "lib/stats/dist.h"
#include "tests/t.h"

static void rates_have_the_interval_of_clopper_and_pearson(void)
{
	struct rate rate = rate_of(3, 200);

	CHECK_NEAR(rate.share, 0.015, 1e-15);
	CHECK_NEAR(rate.low, 0.003104107621553509, 1e-12);
	CHECK_NEAR(rate.high, 0.0432082819177126, 1e-12);
	rate = rate_of(10, 1000);
	CHECK_NEAR(rate.low, 0.004805510691049308, 1e-12);
	CHECK_NEAR(rate.high, 0.01831324305511245, 1e-12);
}

static void none_and_all_are_not_certain(void)
{
	CHECK_NEAR(rate_of(0, 200).low, 0, 0);
	CHECK_NEAR(rate_of(0, 200).high, 0.018275340355136237, 1e-12);
	CHECK_NEAR(rate_of(200, 200).low, 0.9817246596448638, 1e-12);
	CHECK_NEAR(rate_of(1, 1).low, 0.025, 1e-12);
	CHECK_NEAR(rate_of(1, 1).high, 1, 0);
	CHECK(isnan(rate_of(0, 0).share));
}

static void a_ratio_counts_degrees_of_freedom(void)
{
	CHECK_NEAR(calibrate_ratio(-3, 5), 0.744021234423864, 1e-9);
	CHECK_NEAR(calibrate_ratio(2.5, 100), 0.9520579705820242, 1e-9);
}

/* The t values that `nr` comparisons give on the whole, with standard errors `lack` times too
 * small; of them half on 3 and half on 20 degrees of freedom. */
static void fill(double *ratios, size_t nr, double lack)
{
	for (size_t i = 0; i < nr; i++) {
		double p = ((double)(i / 2) + 0.5) / ((double)nr / 2);
		double df = i % 2 ? 3 : 20;

		ratios[i] = calibrate_ratio(lack * dist_t_quantile(p, df), df);
	}
}

static void the_factor_is_what_standard_errors_lack(void)
{
	double ratios[4000];

	fill(ratios, countof(ratios), 1.5);
	CHECK_NEAR(calibrate_factor(ratios, countof(ratios)), 1.5, 0.02);
	fill(ratios, countof(ratios), 1);
	CHECK_NEAR(calibrate_factor(ratios, countof(ratios)), 1, 0.02);
}

static void nothing_makes_an_error_smaller(void)
{
	double ratios[CALIBRATE_LEAST];

	fill(ratios, countof(ratios), 0.5);
	CHECK_NEAR(calibrate_factor(ratios, countof(ratios)), 1, 0);
	fill(ratios, countof(ratios), 3);
	CHECK_NEAR(calibrate_factor(ratios, countof(ratios) - 1), 1, 0);
	CHECK(calibrate_factor(ratios, countof(ratios)) > 2);
}

static const struct t_case cases[] = {
	{ "rates have the interval of Clopper and Pearson",
	  rates_have_the_interval_of_clopper_and_pearson },
	{ "none and all are not certain", none_and_all_are_not_certain },
	{ "a ratio counts degrees of freedom", a_ratio_counts_degrees_of_freedom },
	{ "the factor is what standard errors lack", the_factor_is_what_standard_errors_lack },
	{ "nothing makes an error smaller, and few comparisons change nothing",
	  nothing_makes_an_error_smaller },
};
T_MAIN(cases)
