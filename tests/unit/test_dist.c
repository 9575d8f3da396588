/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/stats/dist.h"
#include "lib/stats/quantile.h"

#include <math.h>

#include "dist_values.h"
#include "tests/t.h"

/* Our value agrees to `digits` of the value itself; where it is below 1e-290, that both are. */
static bool is_close(double ours, double theirs, double relative)
{
	return fabs(ours - theirs) <= relative * fabs(theirs) + 1e-290;
}

static void tails_agree(void)
{
	for (size_t i = 0; i < countof(t_tails); i++) {
		double ours = dist_t_tail(t_tails[i][0], t_tails[i][1]);

		if (!CHECK(is_close(ours, t_tails[i][2], 2e-12 + 1e-14 * t_tails[i][1]))) {
			printf("# t %g df %g: %.17g, SciPy %.17g\n", t_tails[i][0], t_tails[i][1],
			       ours, t_tails[i][2]);
		}
	}
	for (size_t i = 0; i < countof(normal_tails); i++) {
		CHECK(is_close(dist_t_tail(normal_tails[i][0], INFINITY), normal_tails[i][1],
			       1e-13));
	}
}

static void quantiles_agree(void)
{
	for (size_t i = 0; i < countof(t_quantiles); i++) {
		double ours = dist_t_quantile(t_quantiles[i][0], t_quantiles[i][1]);

		if (!CHECK(is_close(ours, t_quantiles[i][2], 1e-11 + 1e-14 * t_quantiles[i][1]))) {
			printf("# p %g df %g: %.17g, SciPy %.17g\n", t_quantiles[i][0],
			       t_quantiles[i][1], ours, t_quantiles[i][2]);
		}
	}
}

static void betas_agree(void)
{
	for (size_t i = 0; i < countof(betas); i++) {
		const double *row = betas[i];
		double ours = dist_beta(row[0], row[1], row[2]);

		if (!CHECK(fabs(ours - row[3]) <= 1e-11 * row[3] + 1e-14)) {
			printf("# a %g b %g x %g: %.17g, SciPy %.17g\n", row[0], row[1], row[2],
			       ours, row[3]);
		}
	}
}

static void gammas_agree(void)
{
	for (size_t i = 0; i < countof(lgammas); i++) {
		CHECK_NEAR(dist_lgamma(lgammas[i][0]), lgammas[i][1],
			   1e-14 * (1 + fabs(lgammas[i][1])));
	}
}

static void fishers_agree(void)
{
	for (size_t i = 0; i < countof(fishers); i++) {
		const double *row = fishers[i];

		CHECK_NEAR(
			dist_fisher((size_t)row[0], (size_t)row[1], (size_t)row[2], (size_t)row[3]),
			row[4], 1e-12);
	}
}

static void is_symmetric(void)
{
	CHECK_NEAR(dist_t_tail(1.3, 4) + dist_t_tail(-1.3, 4), 1, 1e-15);
	CHECK_NEAR(dist_t_tail(0, 9), 0.5, 0);
	CHECK_NEAR(dist_t_quantile(0.5, 9), 0, 0);
	CHECK_NEAR(dist_t_quantile(0.025, 9) + dist_t_quantile(0.975, 9), 0, 1e-13);
	CHECK_NEAR(dist_t_tail(INFINITY, 3), 0, 0);
	CHECK_NEAR(dist_t_tail(-(double)INFINITY, 3), 1, 0);
}

static void polynomials_agree(void)
{
	size_t nr = 0;

	for (size_t i = 0; i < countof(t_quantiles); i++) {
		double p = t_quantiles[i][0];
		double df = t_quantiles[i][1];
		struct quantile quantile;

		if (p > 0.9 && p < 0.9999) {
			quantile_init(&quantile, p);
			CHECK(is_close(quantile_at(&quantile, df), t_quantiles[i][2],
				       1e-11 + 1e-14 * df));
			nr++;
		}
	}
	CHECK(nr > 20);
}

static void quantile_undoes_cdf(void)
{
	static const double dfs[] = { 1, 1.7, 3, 8.2, 41, 190 };

	for (size_t i = 0; i < countof(dfs); i++) {
		for (int j = 0; j < 27; j++) {
			double p = 0.0001 + 0.0371 * j;

			CHECK_NEAR(1 - dist_t_tail(dist_t_quantile(p, dfs[i]), dfs[i]), p, 1e-12);
		}
	}
}

static const struct t_case cases[] = {
	{ "tails of t agree with SciPy, also the far ones", tails_agree },
	{ "quantiles of t agree with SciPy", quantiles_agree },
	{ "the incomplete beta function agrees with SciPy", betas_agree },
	{ "ln gamma agrees with Python's", gammas_agree },
	{ "Fisher's exact test agrees with SciPy", fishers_agree },
	{ "t is symmetric and ends at infinity", is_symmetric },
	{ "one polynomial has a quantile for any degrees of freedom", polynomials_agree },
	{ "a quantile is where its share of t lies", quantile_undoes_cdf },
};

T_MAIN(cases)
