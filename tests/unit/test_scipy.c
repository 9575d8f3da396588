/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statistics that others have, too, agree with theirs to nine digits: scipy_values.py asked
 * SciPy and worked out R's p.adjust.  Student's t and Fisher's test are in test_dist.c. */
#include "scipy_values.h"

#include <math.h>

#include "lib/stats/calibrate.h"
#include "lib/stats/dist.h"
#include "lib/stats/family.h"
#include "lib/stats/rank.h"
#include "tests/t.h"

#define DIGITS 1e-9

static void check_digits(double actual, double expected)
{
	CHECK_NEAR(actual, expected, DIGITS * fmax(fabs(expected), 1e-300));
}

static void gammas_agree(void)
{
	for (size_t i = 0; i < countof(digammas); i++) {
		/* 0 at x = 1.46: no digit there is a relative one */
		CHECK_NEAR(dist_digamma(digammas[i][0]), digammas[i][1],
			   DIGITS * fmax(fabs(digammas[i][1]), 1));
		check_digits(dist_trigamma(trigammas[i][0]), trigammas[i][1]);
	}
	for (size_t i = 0; i < countof(trigamma_inverses); i++) {
		check_digits(dist_trigamma_inverse(trigamma_inverses[i][0]),
			     trigamma_inverses[i][1]);
	}
}

static void binomial_intervals_agree(void)
{
	for (size_t i = 0; i < countof(rates); i++) {
		struct rate rate = rate_of((size_t)rates[i][0], (size_t)rates[i][1]);

		check_digits(rate.low, rates[i][2]);
		check_digits(rate.high, rates[i][3]);
	}
}

static void ranks_agree(void)
{
	for (size_t i = 0; i < countof(mann_whitneys); i++) {
		struct units units = { 0 };
		struct rank rank;

		for (int side = 0; side < 2; side++) {
			for (size_t j = 0; j < mann_whitneys[i].nr[side]; j++) {
				*vec_push(&units.units) =
					(struct unit){ .is_head = side,
						       .value = mann_whitneys[i].values[side][j] };
			}
		}
		rank_init(&rank, &units, false);
		check_digits(rank_p(&rank, 0), mann_whitneys[i].p);
		rank_release(&rank);
		units_release(&units);
	}
}

static void families_agree(void)
{
	for (size_t i = 0; i < countof(families); i++) {
		double q[countof(families[0][0])];

		family_bh(families[i][0], countof(q), q);
		for (size_t j = 0; j < countof(q); j++) {
			check_digits(q[j], families[i][1][j]);
		}
		family_holm(families[i][0], countof(q), q);
		for (size_t j = 0; j < countof(q); j++) {
			check_digits(q[j], families[i][2][j]);
		}
	}
}

static void what_was_not_tested_counts_for_nothing(void)
{
	const double p[] = { 0.01, NAN, 0.02 };
	double q[3];

	family_holm(p, countof(p), q);
	CHECK_NEAR(q[0], 0.02, 1e-15);
	CHECK(isnan(q[1]));
	CHECK_NEAR(q[2], 0.02, 1e-15);
	family_bh(p, countof(p), q);
	CHECK_NEAR(q[0], 0.02, 1e-15);
	CHECK(isnan(q[1]));
}

static const struct t_case cases[] = {
	{ "digamma, trigamma and its inverse agree with SciPy", gammas_agree },
	{ "binomial intervals agree with SciPy", binomial_intervals_agree },
	{ "Mann-Whitney agrees with SciPy, with ties and without", ranks_agree },
	{ "Benjamini-Hochberg and Holm agree with R's formulas", families_agree },
	{ "what was not tested counts for nothing", what_was_not_tested_counts_for_nothing },
};

T_MAIN(cases)
