/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - rows of cells as aligned text, Markdown or CSV.
 *
 * What the command line prints and what a mail holds is one table in different clothes.
 *
 *	static const struct table_column columns[] = {
 *		{ "metric", TABLE_LEFT }, { "mean", TABLE_DECIMAL },
 *	};
 *	scoped(table_free) struct table *table = table_new(columns, countof(columns));
 *	table_add(table, (const char *[]){ "fio.iops", "81230" });
 *	table_write(table, TABLE_TEXT, &out);
 *
 * Cells come from anywhere: they are cleaned (lib/base/str.h) and cut at TABLE_MAX_CELL_BYTES.
 * Widths are cells of a terminal, so that UTF-8 lines up.  Lines have no trailing blanks.
 */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include "lib/base/str.h"

#define TABLE_MAX_CELL_BYTES 1024

enum table_align {
	TABLE_LEFT,
	TABLE_RIGHT,
	TABLE_DECIMAL /* decimal points under each other; the number is the first one in the cell */
};

struct table_column {
	const char *title;
	enum table_align align;
};

enum table_form { TABLE_TEXT, TABLE_MARKDOWN, TABLE_CSV };

struct table;

/* Keeps `columns`, which must live as long as the table. */
struct table *table_new(const struct table_column *columns, size_t nr_columns);
struct table *table_free(struct table *table);
DEFINE_SCOPED(table_free, struct table *)

/* Adds a row of one text a column; NULL is an empty cell. */
void table_add(struct table *table, const char *const *cells);
size_t table_nr_rows(const struct table *table);

/* Appends the titles and the rows. */
void table_write(const struct table *table, enum table_form form, struct str *out);

#endif
