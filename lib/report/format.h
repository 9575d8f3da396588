/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - the clothes that a comparison document (view.h) can wear.
 *
 *	const struct format *format = format_get("lkp");          // NULL: no such format
 *	format->write(view, &(struct format_options){ 0 }, &out);
 *	header("Content-Type", format->content_type);
 *
 * A row is shown if it is a headline, or changed, or lost a side; `is_all` shows every row.
 */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include "view.h"

struct format_options {
	bool is_all;
	size_t limit_rows; /* lkp alone: at most so many in a document; 0: no limit */
};

struct format {
	const char *name;
	const char *content_type;
	const char *doc; /* one line for --help */
	void (*write)(const struct view *view, const struct format_options *options,
		      struct str *out);
};

/* NULL where no format has the name. */
const struct format *format_get(const char *name);
/* Walks them: 0, 1, ... until NULL. */
const struct format *format_at(size_t index);

/* Whether a row or failure is shown. */
bool format_is_shown(const struct view *view, const struct view_row *row,
		     const struct format_options *options);

#endif
