/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changepoint.h - where did a long history move for good?
 *
 * A second opinion, never an alarm: before a patch is blamed for a jump, look whether main made the
 * same jump by itself.  Pure, and the same series gives the same points each time.
 *
 *	struct changepoints found = { 0 };
 *	changepoint_find(values, nr, 0.01, &found);
 *	for (size_t i = 0; i < found.points.nr; i++)
 *		... found.points.at[i].at, .before, .after, .p
 *	changepoint_release(&found);
 *
 * Only the order of values makes a point (the sums of ranks of Mann, Whitney and Pettitt 1979),
 * so one value costs one rank however far out it lies, and p holds for any noise.  Intervals of
 * 16, 32, 64, ... values, each half over the next (the seeded ones of Kovacs and others 2020),
 * are split where their two parts differ most.  The shortest one whose split is significant
 * wins, for it hardly ever holds two changes (Baranowski and others 2019).  What is found cuts
 * the series, the pieces are looked at again, and at last each point has to stand between its
 * neighbours, against noise that remembers (`memory`), and goes where distances from both levels
 * are least.  Takes O(n log n), about 1 us a value.
 */
#ifndef STATS_CHANGEPOINT_H
#define STATS_CHANGEPOINT_H

#include "lib/base/mem.h"

/* What lasts for fewer values is a burst of outliers and not a level. */
#define CHANGEPOINT_LEAST 6

struct changepoint {
	size_t at;            /* the first value of the new level */
	double before, after; /* medians, from the point before and up to the next one */
	double p; /* that a series of this length which never changes shows such a point */
};

struct changepoints {
	VEC(struct changepoint) points; /* by `at`, ascending */
	/* The variance of a mean of many values over the one it had if values did not know of their
	 * neighbours; 1 or more. */
	double memory;
};

/* All points with p <= level.  `values`: finite, in the order of the history, missing ones left
 * out.  Fewer than 2 CHANGEPOINT_LEAST of them have no point. */
void changepoint_find(const double *values, size_t nr, double level,
		      struct changepoints *ret_found);
void changepoint_release(struct changepoints *found);

struct changepoint_question {
	double before, after; /* the levels of the jump in question */
	size_t near, reach;   /* its new level began at near - reach .. near + reach */
};

/* Was that jump there already?  *ret_point is the likeliest jump in its direction, there and
 * between the points `found` of the same series further off; `at` is 0 where there is none.  Its p
 * is for this one question.  Yes is p <= 0.01 and at least half of the size in question: a ratio
 * where all levels are above zero, else a difference. */
MUST_CHECK bool changepoint_was_there(const double *values, size_t nr,
				      const struct changepoints *found,
				      const struct changepoint_question *question,
				      struct changepoint *ret_point);

#endif
