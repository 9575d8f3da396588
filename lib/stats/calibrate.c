/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calibrate.h"

#include <math.h>

#include "dist.h"
#include "lib/base/mem.h"
#include "summary.h"

/* The x below which Beta(a, b) has a share of p: dist_beta() grows with x. */
static double beta_quantile(double p, double a, double b)
{
	double low = 0;
	double high = 1;

	for (int i = 0; i < 64; i++) {
		double middle = (low + high) / 2;

		if (dist_beta(a, b, middle) < p) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return (low + high) / 2;
}

struct rate rate_of(size_t nr_hits, size_t nr)
{
	double hits = (double)nr_hits;
	double misses = (double)(nr - nr_hits);

	assert(nr_hits <= nr);
	if (nr == 0) {
		return (struct rate){ NAN, NAN, NAN };
	}
	return (struct rate){ .share = hits / (double)nr,
			      .low = nr_hits > 0 ? beta_quantile(0.025, hits, misses + 1) : 0,
			      .high = nr_hits < nr ? beta_quantile(0.975, hits + 1, misses) : 1 };
}

double calibrate_ratio(double t, double df)
{
	return fabs(t) / dist_t_quantile(0.995, df);
}

double calibrate_factor(const double *ratios, size_t nr)
{
	scoped(free) double *sorted = mem_array(nr, sizeof(*sorted));

	if (nr < CALIBRATE_LEAST) {
		return 1;
	}
	memcpy(sorted, ratios, nr * sizeof(*sorted));
	summary_sort(sorted, nr);
	return fmax(1, summary_quantile(sorted, nr, 0.99));
}
