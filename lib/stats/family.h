/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * family.h - p values of many tests, corrected for there being many.
 *
 * Pure functions over arrays; a p that is NAN was not tested: it counts for nothing and stays NAN.
 * Both correct a p so that it can be held against the limit that one test alone would have.
 *
 *	family_bh(p, nr, q);	// of those with q <= 5 %, 5 % are expected to be false
 *	family_holm(p, nr, q);	// that any with q <= 5 % is false has a chance of 5 %
 */
#ifndef STATS_FAMILY_H
#define STATS_FAMILY_H

#include "lib/base/base.h"

/* Benjamini and Hochberg 1995: the smallest p_j M / rank_j among those not below p_i. */
void family_bh(const double *p, size_t nr, double *ret_q);

/* Holm 1979: the largest p_j (M + 1 - rank_j) among those not above p_i, at most 1. */
void family_holm(const double *p, size_t nr, double *ret_q);

#endif
