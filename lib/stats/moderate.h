/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moderate.h - what a variance is likely to be before today's few boots have told theirs.
 *
 * Internal to lib/stats.  Four boots a side know their variance badly: a small one by luck makes
 * noise look like a change.  History, or the other metrics of the same runs, knows better; how much
 * better is measured on how far today's variances lie from it (Smyth 2004, "Linear models and
 * empirical Bayes methods": d0 and s0 of the moderated t; here with a prior of its own for each
 * metric, and the moments of the middle 90 % so that single wild metrics do not count).  A day that
 * is noisier than history as a whole widens everything.
 */
#ifndef STATS_MODERATE_H
#define STATS_MODERATE_H

#include "fit.h"
#include "judge.h"

/* A variance of ln(value), and the degrees of freedom that it is worth; 0: nothing is known. */
struct prior {
	double variance, df;
};

/* For each of the `nr` metrics of one comparison, which were fitted without one. */
void moderate(const struct judge_metric *metrics, const struct fit *fits, size_t nr,
	      struct prior *ret_priors);

/* What a metric's own history is worth, where the other metrics are not asked. */
struct prior prior_of_history(const struct judge_metric *metric);

/* The prior and the residual variance together. */
struct prior moderate_with(struct prior prior, double variance, double df);

#endif
