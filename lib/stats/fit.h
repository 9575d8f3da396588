/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fit.h - how far head is from base, and how well that is known.
 *
 * Internal to lib/stats.  The two-way layout: each block has a level of its own, and head differs
 * from base by the same effect in all of them.  A level that jumps between blocks costs nothing.
 * One that jumps inside a block, or an effect that differs between blocks, widens `se`: the order
 * inside a block was drawn by lot, so what the machine did is noise, whatever it did.  One block
 * alone is Welch's case: nothing says that both sides vary alike.
 *
 * Levels are arithmetic means of units, so that what is tested is what people compute by hand.
 */
#ifndef STATS_FIT_H
#define STATS_FIT_H

#include "unit.h"

struct fit {
	bool is_relative; /* every value is above zero: effect, se and sd are of the logarithm */
	bool is_flat;     /* every value is the same */
	size_t nr[2];     /* units: base, head */
	size_t nr_blocks;
	double level[2];  /* means over blocks, each block with the same weight on both sides */
	double effect;    /* ln(head / base), else head - base */
	double se, df;    /* NAN unless both sides have 2 units */
	double sd;        /* residual, of a unit in its block; NAN as se */
	double raw_sd[2]; /* of all units of a side as a population; NAN for fewer than 2 */
};

/* Needs units of both sides.  No variance is taken to be below `least_variance` (where the fit is
 * relative) or below what the last decimal place hides. */
void fit_init(struct fit *fit, const struct units *units, double least_variance);

#endif
