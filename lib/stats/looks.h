/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * looks.h - what each look at a comparison may spend.
 *
 * Internal to lib/stats.  Looking again until something shows multiplies the false alarms, so the
 * looks share every risk by a union bound: the sums over a column are the promise.  Since each
 * interval is as wide as its look's share asks, all of them hold whenever one stops looking.
 */
#ifndef STATS_LOOKS_H
#define STATS_LOOKS_H

#include "lib/base/base.h"

struct look {
	size_t nr_blocks;
	/* Of q: naming a change that is no larger than the smallest effect; together 5 %.  Where
	 * nothing changed the chance is below 1 %, for then half a deviation is missing. */
	double q_limit;
	/* Of a time to follow an exact change by noise alone, one-sided; together 5 %. */
	double follow_limit;
	/* Of the "95 %" interval, both sides together, to miss; together 5 %.  The "90 %" interval
	 * misses twice as often. */
	double miss;
	/* There is no point in going on where the smallest p of all headline metrics is one that as
	 * many idle metrics have on their own in this share of all cases, or a larger one. */
	double hopeless;
};

/* At look 1..JUDGE_LOOKS; 0: one look at a number of runs that was fixed before. */
const struct look *look_at(int look);

#endif
