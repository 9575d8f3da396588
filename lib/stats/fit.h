/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fit.h - how far head is from base, and how much the values vary beside that.
 *
 * Internal to lib/stats.  The two-way layout: each block has a level of its own, and head differs
 * from base by the same effect in all of them.  A level that jumps between blocks costs nothing.
 * One that jumps inside a block, or an effect that differs between blocks, adds to the variance:
 * the order inside a block was drawn by lot, so what the machine did is noise, whatever it did.
 *
 * Levels are the estimator's means of units, so that what is tested is what people compute by
 * hand: arithmetic, or harmonic where the metric says so (then everything is fitted on inverses).
 */
#ifndef STATS_FIT_H
#define STATS_FIT_H

#include "unit.h"

struct fit {
	bool is_relative; /* every value is above zero: effect and variance are of the logarithm */
	bool is_flat;     /* every value is the same */
	size_t nr[2];     /* units: base, head */
	size_t nr_blocks;
	double build_parts; /* the variance of the effect in units of that between builds; 0 where
			     * both sides ran the same ones, each side one where they are unknown */
	double level[2];    /* means over blocks, each block with the same weight on both sides */
	double effect;      /* ln(head / base), else head - base */
	double variance,
		df; /* residual, of a unit in its block; NAN unless both sides have 2 units */
	double side_variance[2]; /* of a unit around its side's mean in its block */
	double side_df[2];
	double parts; /* the variance of the effect in units of `variance` */
	/* Between builds, where blocks ran different ones: what the effect varies by from one pair
	 * of builds to another beyond `variance`, as the variance of one build. */
	double build_variance, build_df;
	double widest, widest_df; /* the largest variance within one side of a block */
	double raw_sd[2];         /* of all units of a side as a population; NAN for fewer than 2 */
};

/* Needs units of both sides.  No variance is below what the last decimal place hides. */
void fit_init(struct fit *fit, const struct units *units, enum judge_estimator estimator);

/* Values that do not vary have been rounded: what is spread evenly over the last decimal place has
 * the variance 1/12 of its square; relative to the least value where that is asked. */
double fit_rounding_variance(const double *values, size_t nr, bool is_relative);

/* Takes out the blocks in which two units of one side are so far apart that history, worth
 * `df` degrees of freedom at `variance` (of logarithms), gives it a chance below 1 in 10,000.  Such
 * a block saw something else than these commits.  Returns how many it were; keeps them all if none
 * would be left. */
size_t fit_drop_wild(struct units *units, double variance, double df);

/* Whether that could find any, told from the fit alone. */
bool fit_may_be_wild(const struct fit *fit, double variance, double df);

#endif
