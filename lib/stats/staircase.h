/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * staircase.h - along a line of commits, where does the level step?  Any number of times.
 *
 * Internal to lib/stats; culprits.h tells what for.  Between two neighbouring treads the level
 * stays, or steps by anything from `smallest` on; all ways to do so are summed over, and the noise
 * is integrated over (forward and backward on a grid of levels).  docs/bisecting.md explains it.
 */
#ifndef STATS_STAIRCASE_H
#define STATS_STAIRCASE_H

#include "lib/base/base.h"

/* A commit that was run. */
struct tread {
	const double *values; /* of machines that were made alike */
	size_t nr;            /* > 0 */
	double expected;      /* steps between the tread before and this one, by the prior */

	/* filled in */
	double p_step; /* that there was one */
	double level;
};

struct staircase {
	struct tread *treads;
	size_t nr;       /* > 0 */
	double sd;       /* of a value, known from */
	double sd_df;    /* degrees of freedom */
	double smallest; /* step, in sd; > 0 */

	/* filled in */
	double p_none; /* that the level never stepped */
	double fitted_sd;
};

/* Fills in what the values say; work grows with treads, and with the square of some 100 levels. */
void staircase_climb(struct staircase *stairs);

#endif
