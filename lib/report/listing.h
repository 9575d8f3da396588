/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.h - a comparison as rows with all that is known: text, Markdown and CSV.
 *
 * Text and Markdown have a table a group and later column, so that three commits still fit a
 * terminal; CSV has a line a metric and later column, with every row and every digit.
 */
#ifndef REPORT_LISTING_H
#define REPORT_LISTING_H

#include "format.h"

/* Each appends the whole comparison; the document has passed view_check(). */
void listing_text(const struct view *view, const struct format_options *options, struct str *out);
void listing_markdown(const struct view *view, const struct format_options *options,
		      struct str *out);
void listing_csv(const struct view *view, const struct format_options *options, struct str *out);

#endif
