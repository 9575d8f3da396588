/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.h - what the units of one block say, before blocks are put together.
 *
 * Internal to lib/stats, for fit.h.
 */
#ifndef STATS_BLOCK_H
#define STATS_BLOCK_H

#include "unit.h"

struct block {
	uint32_t id;
	uint32_t build[2]; /* that the sides ran */
	size_t pair;       /* of builds, see find_pairs() of fit.c */
	size_t nr[2];
	double mean[2];
	double squares[2]; /* of the distances from the mean; relative to it where the fit is */
	double weight;     /* the inverse variance of the difference of its means, in residuals */
	double effect;
};

/* Squared distances of the values from their mean. */
double block_squares(const double *values, size_t nr, double *ret_mean);

/* How many blocks the units are of. */
size_t blocks_count(const struct units *units);
/* Fills so many blocks.  `values`: of the units, or their inverses; `is_relative`: all are above
 * zero. */
void blocks_find(const struct units *units, const double *values, bool is_relative,
		 struct block *ret_blocks);

struct within {
	double variance, df;
};

/* The variance within a side of a block, and its degrees of freedom. */
struct within block_within(const struct block *block, int side);

#endif
