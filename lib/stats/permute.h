/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * permute.h - the same question as fit.h, for numbers that no bell curve fits.
 *
 * Internal to lib/stats, for metrics whose estimator is a percentile: the 99th percentile of a run
 * is the run's number, and such numbers have long tails.  If nothing changed, which two of a block's
 * runs were head's is no more than the lot that drew their order; so the difference of means is
 * held against that of all other lots (Fisher 1935).  All of them where there are few, else a
 * sample that is always the same.  Equal values are no special case: an outcome as large as the
 * observed one counts against a change.
 */
#ifndef STATS_PERMUTE_H
#define STATS_PERMUTE_H

#include "fit.h"

/* The chance that a change of at most `least` >= 0, on the fit's scale, gives means as far apart as
 * these, two-sided. */
double permute_p(const struct units *units, const struct fit *fit, double least);

/* The effects that the test does not reject at `level`, on the fit's scale; may be infinite. */
struct judge_interval permute_interval(const struct units *units, const struct fit *fit,
				       double level);

#endif
