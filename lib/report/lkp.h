/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lkp.h - the table of LKP's mails, to the byte, without what is wrong in it.
 *
 *	      327.42 ± 2%      -1.1%     323.83 ±  3%  autonuma-benchmark.numa01.seconds
 *
 * Kernel people have read this layout for fifteen years, so it stays: 89 '=', the axes, the
 * commits, then a value in 10 cells and its deviation in 6 for the base; a change in 12, a value
 * in 10 and a deviation in 6 for each later column; two blanks and the metric.  A deviation up to
 * 2 % of the value is left blank.
 *
 * What differs from the peer, inside the same widths: numbers are rounded; a missing side is
 * "n/a", a change from zero is "n/a" or "new"; the deviation of one sample is "-"; a negative mean
 * turns no sign; the rate of a failure is over that column's own runs; headlines come first.
 */
#ifndef REPORT_LKP_H
#define REPORT_LKP_H

#include "format.h"

/* Appends a block for each group that has a row to show. */
void lkp_write(const struct view *view, const struct format_options *options, struct str *out);

/* Appends the block of one group, of at most `limit_rows` rows.  Gives the rows that are shown;
 * adds those that the limit left out to *nr_left_out, which may be NULL. */
size_t lkp_write_group(const struct view *view, size_t group, const struct format_options *options,
		       struct str *out, size_t *nr_left_out);

/* The parts that lkp_compat.h shares: the block's first lines down to the dashes under the columns,
 * and the two lines over the failures or over the rest. */
void lkp_write_header(const struct view *view, size_t group, struct str *out);
void lkp_write_heads(bool is_failure, size_t nr_columns, struct str *out);

#endif
