/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h - where in an interval the values before and after differ most, by their ranks.
 *
 * Internal to lib/stats; changepoint.h tells what for.  An interval knows its values in ascending
 * order, so that two intervals side by side become one in linear time.
 *
 *	struct interval interval = { first, nr, order };
 *	split_sort(values, &interval, spare);
 *	struct split split = split_best(values, &interval, &limits, ranks);
 *	double ln_p = split_ln_p(&split);
 */
#ifndef STATS_SPLIT_H
#define STATS_SPLIT_H

#include "lib/base/base.h"

struct interval {
	size_t first, nr; /* of the series */
	uint32_t *order;  /* nr indexes into the series */
};

struct split_limits {
	size_t least, most; /* where the second part may begin, in the series */
	int direction;      /* 1: only upwards, -1: only downwards, 0: both */
};

struct split {
	size_t at;       /* where the second part begins, in the series; 0: there is none */
	size_t a, b;     /* values before and after */
	double excess;   /* pairs whose second value is the greater one, over half of all pairs */
	double distance; /* the same, in its deviations if nothing changed; >= 0 */
};

/* Ascending; equal values by index.  `spare`: room for as many indexes. */
void split_sort(const double *values, struct interval *interval, uint32_t *spare);
/* `ret_whole` covers both; its order is elsewhere. */
void split_merge(const double *values, const struct interval *a, const struct interval *b,
		 struct interval *ret_whole);

/* `ranks`: room for interval->nr numbers. */
struct split split_best(const double *values, const struct interval *interval,
			const struct split_limits *limits, double *ranks);

/* Ranks know that a level has moved but not how far: of three levels in a row they may name either
 * step.  So this gives the place where the values before are nearest to the level `before`, and
 * those after to `after`, by the sum of distances. */
size_t split_place(const double *values, const struct split_limits *limits, double before,
		   double after);

/* The logarithm of the chance that a split in this place is as uneven either way if nothing
 * changed: never too small. */
double split_ln_p(const struct split *split);

#endif
