/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rank.h - the same question as fit.h, for a machine that others use too.
 *
 * Internal to lib/stats, for metrics whose estimator is the median.  Only the order of values
 * inside a block counts, so a run that something else held up costs one rank and not the whole
 * test.  The effect is the median of all differences between a head and a base of the same block
 * (Hodges and Lehmann 1963, by strata); it is tested by the sum over blocks of Mann and Whitney's
 * counts, whose distribution is computed exactly, and the interval holds the shifts that this test
 * does not reject.  Ties count one half on each side, which never makes p smaller.
 */
#ifndef STATS_RANK_H
#define STATS_RANK_H

#include "unit.h"

struct rank {
	double effect; /* ln(head / base) where relative, else head - base */
	double level;  /* of base: the median of its units */
	double sd; /* of a unit in its block, from the median distance within a side; NAN: none */
	VEC(double) differences; /* of all pairs, ascending */
	VEC(double) chances;     /* [i]: that i of them are above zero if nothing changed */
};

/* Needs units of both sides in every block; `is_relative`: every value is above zero. */
void rank_init(struct rank *rank, const struct units *units, bool is_relative);
void rank_release(struct rank *rank);

/* The chance that a change of at most `least` >= 0 gives ranks as unequal as these, two-sided. */
double rank_p(const struct rank *rank, double least);

/* That covers the effect with a chance of `level`; may be infinite. */
struct judge_interval rank_interval(const struct rank *rank, double level);

#endif
