/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * percent.h - the plainest table: a line a metric, how it was averaged, and what became of it.
 *
 *	Metric    Variant                     tip    series
 *	Hmean     unixbench-pipe-1          0.00%     1.02%
 *	Amean     unixbench-syscall-512     0.00%     0.13%
 *
 * Above zero is better, whatever the metric's direction; the base is always 0.
 */
#ifndef REPORT_PERCENT_H
#define REPORT_PERCENT_H

#include "format.h"

/* Appends a block for each group, of the rows that are shown, then a line for each failure. */
void percent_write(const struct view *view, const struct format_options *options, struct str *out);

#endif
