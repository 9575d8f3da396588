/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h - a bisection as a table for people: each commit with its values and its posterior.
 *
 *	      commit        mean         runs  posterior                        subject
 *	base  aa3e4a1b9c  101.32  ±0.41     4                                   lz4: ...
 *	1..5                                   0.00                             (5 commits)
 *	   6  2dd9c9d797  107.30  ±0.52     5  0.9961     ####################  lz4: ...
 */
#ifndef CLI_BISECT_PICTURE_H
#define CLI_BISECT_PICTURE_H

#include "evidence.h"
#include "lib/base/str.h"
#include "lib/report/number.h"

/* Appends the table, of at most `most_rows` below its titles (at least 8; 0: as many as there are).
 * Commits of which there is nothing to say are counted. */
void picture_table(const struct range *range, const struct evidence *evidence, size_t most_rows,
		   struct str *out);

/* "0.93", "0.9961", "over 0.9999" */
#define PICTURE_P_BYTES 32
void picture_p(double p, char text[PICTURE_P_BYTES]);

/* As number_value(), but with three digits where the values are of a `size` below 1: two decimals
 * say little of a time in seconds.  Size 0: unknown. */
void picture_number(double value, double size, char text[NUMBER_BYTES]);

/* "31 runs on 9 commits; 2dd9c9d797 with 0.93; about 6 more" */
void picture_line(const struct range *range, const struct evidence *evidence, struct str *out);

/* "4 runs 101.3 ±0.4", or "2 of 7 runs failed" */
void picture_values(const struct evidence *evidence, size_t commit, struct str *out);

#endif
