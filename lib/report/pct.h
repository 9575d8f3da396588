/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct.h - the table of scheduler people: normalised value, percent of improvement, variation.
 *
 *	Case:           tip[pct imp](CV)         series[pct imp](CV)
 *	 1-groups     1.00 [ -0.00]( 2.08)     1.01 [ -0.53]( 2.45)
 *
 * A table shows one metric over the parameters that vary, as the points of a sweep; where only one
 * set of parameters was measured, the metrics of one kind.  The value is divided by the base's; the
 * percentage is above zero where it is better, whatever the metric's direction; both come from the
 * values, not from what is printed.  CV is the deviation in percent of the mean.
 */
#ifndef REPORT_PCT_H
#define REPORT_PCT_H

#include "format.h"

/* Appends a table for each metric, of the rows that are shown, then a line for each failure.  With
 * `is_all` the means over the points that all columns have stand below each table. */
void pct_write(const struct view *view, const struct format_options *options, struct str *out);

/* The same with the values themselves instead of those divided by the base's. */
void pct_write_raw(const struct view *view, const struct format_options *options, struct str *out);

/* Appends a line for each failure of a group: its fails of its runs, column by column. */
void pct_write_failures(const struct view *view, const struct view_group *group,
			const struct format_options *options, struct str *out);

#endif
