/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate.h - does the stated error rate hold?  What comparisons of a commit with itself say.
 *
 *	struct rate rate = rate_of(nr_changed, nr_metrics);	// "0.4 % (0.1 % to 1.0 %) of 1000"
 *	ratios[i] = calibrate_ratio(verdict->t, verdict->df);	// one a metric and comparison
 *	factor = calibrate_factor(ratios, nr);			// what standard errors lack
 */
#ifndef STATS_CALIBRATE_H
#define STATS_CALIBRATE_H

#include "lib/base/base.h"

struct rate {
	double share;     /* hits / nr; NAN where nr is 0 */
	double low, high; /* 95 % interval of Clopper and Pearson, which never promises too much */
};

/* How often it happened, and how often it may on the whole.  nr_hits <= nr. */
struct rate rate_of(size_t nr_hits, size_t nr);

/* |t| over the value that it exceeds by chance once in a hundred times. */
double calibrate_ratio(double t, double df);

/* So many ratios it takes before they count. */
#define CALIBRATE_LEAST 200

/* By how much the standard errors are too small: the 99 % quantile of the ratios, which is 1 where
 * they are right.  At least 1: luck makes no error smaller.  1 with fewer than CALIBRATE_LEAST. */
double calibrate_factor(const double *ratios, size_t nr);

#endif
