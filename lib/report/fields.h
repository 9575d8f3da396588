/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields.h - the fields of CSV (RFC 4180), for results_csv.c alone.
 *
 *	if (!fields_open(&fields, input, err) || !fields_next(&fields, &is_row, err)) ...
 *	for (size_t i = 0; i < fields.cells.nr; i++)
 *		puts(fields_text(&fields, &fields.cells.at[i]));
 *
 * The separator is ',', ';' or a tab, whichever stands in the first line first.  Blanks around a
 * field without quotes are no part of it; empty lines are passed over, and so are lines that begin
 * with '#' before the names of the columns.
 */
#ifndef REPORT_FIELDS_H
#define REPORT_FIELDS_H

#include "results_build.h"

struct cell {
	size_t at; /* in the text of the row */
	size_t length;
	const char *place; /* in the file, for messages */
};

struct fields {
	const struct input *input;
	const char *at; /* where the next row begins */
	const char *end;
	struct line line; /* where the row begins, for messages */
	char separator;
	bool has_names; /* the first row has been read: set it */
	struct str text;
	VEC(struct cell) cells; /* of the row */
};

/* ERR_INPUT: no text. */
MUST_CHECK bool fields_open(struct fields *fields, const struct input *input, struct err *err);
void fields_release(struct fields *fields);
DEFINE_SCOPED_EMBEDDED(fields_release, struct fields)

/* The next row; *ret_is_row false: there is none.  ERR_INPUT. */
MUST_CHECK bool fields_next(struct fields *fields, bool *ret_is_row, struct err *err);
const char *fields_text(const struct fields *fields, const struct cell *cell);

/* ERR_INPUT "FILE:LINE:COLUMN: ..."; `at` lies in the row. */
bool fields_refuse(const struct fields *fields, const char *at, struct err *err, const char *what);

/* for telling what a file is */

/* Where the first row begins, and the separator in it; 0: none. */
const char *fields_first(const char *text, size_t length);
char fields_separator(const char *at, const char *end);

#endif
