/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csv.h - comma-separated values as RFC 4180 has them, with '\n' for line ends.
 *
 *	struct csv csv = { .out = &out };
 *	csv_text(&csv, "metric, mean");    // quoted where it must be
 *	csv_number(&csv, NAN);             // an empty cell, never "nan"
 *	csv_end(&csv);
 *
 * Nothing is altered for spreadsheets: one that takes "=1+1" for a formula must import as text.
 */
#ifndef TEXT_CSV_H
#define TEXT_CSV_H

#include "lib/base/str.h"

struct csv {
	struct str *out;
	bool is_in_row;
};

/* Append a cell to the row.  A text that is NULL and a number that is not finite are empty. */
void csv_text(struct csv *csv, const char *text);
void csv_number(struct csv *csv, double value);

/* Ends the row. */
void csv_end(struct csv *csv);

#endif
