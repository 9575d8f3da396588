/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quantile.h - one quantile of Student's t for thousands of degrees of freedom.
 *
 * Internal to lib/stats.  Every metric has an interval, and its own df, since its builds and runs
 * add up to it.  But as a function of 1 / df a quantile is smooth: a polynomial through a few of
 * them is all of them, to 12 digits.
 *
 *	struct quantile quantile;
 *	quantile_init(&quantile, 0.975);
 *	half_width = quantile_at(&quantile, df) * se;
 */
#ifndef STATS_QUANTILE_H
#define STATS_QUANTILE_H

#include "lib/base/base.h"

#define QUANTILE_NODES 18

struct quantile {
	double p;
	double parts[QUANTILE_NODES]; /* of Chebyshev's polynomials */
};

/* Costs as much as QUANTILE_NODES quantiles.  0.5 < p < 1. */
void quantile_init(struct quantile *quantile, double p);

/* dist_t_quantile(p, df). */
double quantile_at(const struct quantile *quantile, double df);

#endif
