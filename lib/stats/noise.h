/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noise.h - what the past knows of a metric's noise, and how much that counts today.
 *
 * Four runs say little about their own spread.  The days before say more, as far as days are alike:
 * so the past counts as many degrees of freedom as the days' variances agree with each other.
 *
 *	struct noise noise = noise_of(&metric);		// of a comparison, once it is done
 *	...						// kept, added up by day
 *	struct noise_prior prior = noise_prior_of(days, nr_days);
 *	metric.prior_variance = prior.variance;
 *
 * Plain variances: outliers are noise that comes again, so they are in them.
 */
#ifndef STATS_NOISE_H
#define STATS_NOISE_H

#include "judge.h"

/* Squared distances from the mean of their group, and their degrees of freedom. */
struct noise {
	double squares;
	double df;
};

/* Of ln(value) between the units of one side in one block.  The change that the comparison is about
 * is not in it.  No degrees of freedom where a value is not above zero. */
struct noise noise_of(const struct judge_metric *metric);

/* Of ln(value) between the builds of one commit that a comparison ran, less what the noise of its
 * runs adds; squares may be below zero.  `is_one_commit`: both sides are of one, and differ by
 * their builds alone; else where one side ran several. */
struct noise noise_of_builds(const struct judge_metric *metric, bool is_one_commit);

struct noise_prior {
	double variance; /* pooled over all days */
	double df;       /* how well it is known: at most 60; 0: not at all, or it hides below the
			  * last decimal place */
	double weight;   /* degrees of freedom that it is worth against today's: 2 to 60 */
};

/* A day without noise says nothing of the spread of days.  Where there are few days, the weight is
 * near 4. */
struct noise_prior noise_prior_of(const struct noise *days, size_t nr);

/* Of builds: from a metric's own rebuilds, from those of all metrics of its benchmark (for an exact
 * metric: none), and from a guess that is right for most. */
struct noise_prior noise_prior_of_builds(const struct noise *own, const struct noise *family);

/* Where the next one of such values lies in 99 of 100 cases; NAN with fewer than 5 of them. */
struct judge_interval noise_predict(const double *values, size_t nr);

#endif
