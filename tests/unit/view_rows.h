/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_rows.h - small documents, for tests of the view.
 */
#ifndef UNIT_VIEW_ROWS_H
#define UNIT_VIEW_ROWS_H

#include "lib/base/mem.h"
#include "lib/report/format.h"
#include "lib/report/number.h"
#include "lib/report/view_builder.h"
#include "tests/t.h"
#include <math.h>

static const struct view_column two_columns[] = {
	{ "1f2e3d4c5b6a79880123456789abcdef01234567", NULL, "mm: prepare" },
	{ "5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f", NULL, "mm: batch" },
};

static const struct view_axis axes[] = { { "test", "randrw" }, { "compiler", "gcc-12" } };

/* A row of two columns, in the order it is written in. */
struct pair {
	const char *metric;
	enum view_class class;
	bool is_higher_better;
	double base[6];
	double head[6];
	size_t nr_base, nr_head;
	const char *verdict;
	const char *reason;
};

/* The document of these rows. */
static inline struct json *view_of(const struct pair *pairs, size_t nr_pairs)
{
	scoped(view_free) struct view *view = view_new(two_columns, 2);
	scoped(free) struct view_row *rows = mem_array(nr_pairs, sizeof(*rows));
	scoped(free) struct view_cell *cells = mem_array(2 * nr_pairs, sizeof(*cells));
	scoped(free) struct view_change *changes = mem_array(nr_pairs, sizeof(*changes));
	struct view_group group = { .axes = axes, .nr_axes = 2, .rows = rows, .nr_rows = nr_pairs };

	for (size_t i = 0; i < nr_pairs; i++) {
		const struct pair *pair = &pairs[i];

		cells[2 * i] = view_cell_of(pair->base, pair->nr_base, "not printed");
		cells[2 * i + 1] = view_cell_of(pair->head, pair->nr_head, "not printed");
		changes[i] = view_change_bare(pair->verdict, pair->reason);
		rows[i] = (struct view_row){ .metric = pair->metric,
					     .unit = "ops",
					     .is_higher_better = pair->is_higher_better,
					     .class = pair->class,
					     .cells = &cells[2 * i],
					     .changes = &changes[i] };
	}
	view_add_group(view, &group);
	view_sum_up(view);
	return view_json(view);
}

/* What a format makes of a document, once it is read. */
static inline char *written(const char *format, const struct json *document)
{
	scoped(view_free) struct view *view = NULL;
	scoped(str_release) struct str out = STR_INIT;
	struct err err = ERR_INIT;

	if (CHECK_DONE(view_read(document, &view, &err), &err)) {
		format_get(format)->write(view, &(struct format_options){ .is_all = true }, &out);
	}
	return str_detach(&out);
}

static inline const struct json *row_at(const struct json *view, size_t row)
{
	return json_at(json_get(json_at(json_get(view, "groups"), 0), "rows"), row);
}

static inline const struct json *cell_at(const struct json *view, size_t row, size_t column)
{
	return json_at(json_get(row_at(view, row), "cells"), column);
}

static inline const struct json *change_at(const struct json *view, size_t row)
{
	return json_at(json_get(row_at(view, row), "changes"), 0);
}

/* No output has a number that is none. */
static inline void check_finite(const struct json *view)
{
	const struct format *format;

	for (size_t i = 0; (format = format_at(i)); i++) {
		scoped(free) char *text = written(format->name, view);

		CHECK(*text != '\0');
		CHECK(strcasestr(text, "nan") == NULL);
		CHECK(strcasestr(text, "inf") == NULL);
	}
}

#endif
