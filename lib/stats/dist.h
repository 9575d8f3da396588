/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dist.h - the distributions the tests need, to 12 digits (9 at 100,000 degrees of
 * freedom).
 *
 * Our own, because the usual library for them (GSL) is under a licence that this project cannot
 * take on; checked against SciPy's values (tests/unit/dist_values.h).  Tails are computed as
 * tails, never as one minus the rest, so that a p of 1e-30 is right.
 *
 *	double p = 2 * dist_t_tail(fabs(t), df);
 *	double half_width = dist_t_quantile(0.975, df) * se;
 */
#ifndef STATS_DIST_H
#define STATS_DIST_H

#include "lib/base/base.h"

/* ln of the gamma function of x > 0; safe in threads, unlike lgamma(). */
double dist_lgamma(double x);

/* The first and second derivative of that, x > 0 (Abramowitz and Stegun 6.3.18, 6.4.12); and the
 * x at which the second is y > 0. */
double dist_digamma(double x);
double dist_trigamma(double x);
double dist_trigamma_inverse(double y);

/* The regularised incomplete beta function I_x(a, b): the share of Beta(a, b) below x.
 * a, b > 0; x within 0..1. */
double dist_beta(double a, double b, double x);

/* Student's t with df > 0 degrees of freedom, which need not be whole; INFINITY: the normal law.
 * Half of the work is the same for all questions about one df: ask dist_t() once. */
struct dist_t {
	double df;
	double front; /* 1 / B(df / 2, 1 / 2) */
};

/* What all of them need. */
struct dist_t dist_t(double df);
/* The share above t. */
double dist_t_above(const struct dist_t *dist, double t);
/* The t below which a share of `p` lies; 0 < p < 1. */
double dist_t_below(const struct dist_t *dist, double p);

/* The same for one question. */
double dist_t_tail(double t, double df);
double dist_t_quantile(double p, double df);

/* Fisher's exact test, two-sided: the chance that luck alone spreads so many hits at least as
 * unevenly over two sides.  hits <= nr on each side. */
double dist_fisher(size_t hits_a, size_t nr_a, size_t hits_b, size_t nr_b);

#endif
