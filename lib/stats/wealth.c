/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wealth.h"

#include <math.h>

/* Half of the rate is there before anything was discovered, the first discovery brings the rest. */
#define WEALTH_AT_FIRST (WEALTH_RATE / 2)

/* How a risk is spread over the tests to come: 1 / n^1.6, which adds up to one. */
static double share(size_t n)
{
	const double zeta = 2.28576566568013; /* of 1.6 */

	return pow((double)n, -1.6) / zeta;
}

double wealth_next(const size_t *discoveries, size_t nr_discoveries, size_t nr_tests)
{
	double level = WEALTH_AT_FIRST * share(nr_tests + 1);

	for (size_t i = 0; i < nr_discoveries; i++) {
		double earned = i == 0 ? WEALTH_RATE - WEALTH_AT_FIRST : WEALTH_RATE;

		level += earned * share(nr_tests + 1 - discoveries[i]);
	}
	return level;
}

size_t wealth_holm(const double *p, size_t nr, size_t nr_family, double level)
{
	size_t nr_kept = 0;

	while (nr_kept < nr && p[nr_kept] * (double)(nr_family - nr_kept) <= level) {
		nr_kept++;
	}
	return nr_kept;
}
