/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lkp.h"

#include <math.h>

#include "lib/text/width.h"
#include "number.h"
#include "view.h"

#define FIRST_WIDTH  16 /* of the head of the base's column */
#define LATER_WIDTH  27
#define VALUE_WIDTH  10
#define SPREAD_WIDTH 6
#define SPREAD_FLOOR 2 /* percent; up to it a deviation is not worth ink */

static double number_at(const struct json *object, const char *name)
{
	return json_number(json_get(object, name), NAN);
}

/* header */

static void write_axes(const struct json *group, const char *member, struct str *out)
{
	const struct json *axes = json_get(group, "axes");

	for (size_t i = 0; i < json_size(axes); i++) {
		str_append(out, i ? "/" : "");
		view_text(json_at(axes, i), member, out);
	}
}

static void write_commit(const struct json *column, struct str *out)
{
	const char *commit = json_text(json_get(column, "commit"));

	if (commit && json_text(json_get(column, "subject"))) {
		str_printf(out, "  %.*s (\"", VIEW_SHORT_DIGITS, commit);
		view_text(column, "subject", out);
		str_append(out, "\")\n");
		return;
	}
	str_append(out, "  ");
	view_text(column, commit ? "commit" : "name", out);
	str_append_char(out, '\n');
}

/* A commit fills the head of its column; a name is set to the right of it. */
static void write_head(const struct json *column, size_t width, struct str *out)
{
	scoped(str_release) struct str head = STR_INIT;
	bool is_commit = json_text(json_get(column, "commit")) != NULL;

	view_text(column, is_commit ? "commit" : "name", &head);
	str_truncate(&head, width_cut(head.at, width));
	width_pad(out, head.at, width, WIDTH_RIGHT);
	str_append_char(out, ' ');
}

void lkp_write_header(const struct json *view, size_t index, struct str *out)
{
	const struct json *group = json_at(json_get(view, "groups"), index);
	const struct json *columns = json_get(view, "columns");

	for (int i = 0; i < 89; i++) {
		str_append_char(out, '=');
	}
	str_append_char(out, '\n');
	if (json_size(json_get(group, "axes")) > 0) {
		write_axes(group, "name", out);
		str_append(out, ":\n  ");
		write_axes(group, "value", out);
		str_append(out, "\n\n");
	}
	str_append(out, "commit: \n");
	for (size_t i = 0; i < json_size(columns); i++) {
		write_commit(json_at(columns, i), out);
	}
	str_append_char(out, '\n');
	for (size_t i = 0; i < json_size(columns); i++) {
		write_head(json_at(columns, i), i ? LATER_WIDTH : FIRST_WIDTH, out);
	}
	str_append_char(out, '\n');
	for (size_t i = 0; i < json_size(columns); i++) {
		str_append(out, i ? "--------------------------- " : "---------------- ");
	}
	str_append_char(out, '\n');
}

/* "first" for the base, "later" for each other column */
static void write_line(const char *first, const char *later, size_t nr_columns, struct str *out)
{
	str_append(out, first);
	for (size_t i = 1; i < nr_columns; i++) {
		str_append(out, later);
	}
	str_append_char(out, '\n');
}

void lkp_write_heads(bool is_failure, size_t nr_columns, struct str *out)
{
	if (is_failure) {
		write_line("       fail:runs", "  %reproduction    fail:runs", nr_columns, out);
		write_line("           |    ", "         |             |    ", nr_columns, out);
	} else {
		write_line("         %stddev", "     %change         %stddev", nr_columns, out);
		write_line("             \\  ", "        |                \\  ", nr_columns, out);
	}
}

/* failures */

static void write_rate(const struct json *cell, struct str *out)
{
	int64_t fails = json_int(json_get(cell, "fails"), 0);
	int64_t runs = json_int(json_get(cell, "runs"), 0);

	if (fails > 0) {
		str_printf(out, "%11" PRId64, fails);
	} else {
		str_printf(out, "%11s", "");
	}
	str_printf(out, ":%-4" PRId64, runs);
}

static void write_failure(const struct json *failure, struct str *out)
{
	const struct json *cells = json_get(failure, "cells");

	for (size_t i = 0; i < json_size(cells); i++) {
		const struct json *change = json_at(json_get(failure, "changes"), i - 1);
		double points = number_at(change, "absolute");

		if (i > 0 && isfinite(points)) {
			str_printf(out, "%10.0f%% ", points);
		} else if (i > 0) {
			str_printf(out, "%10s  ", "n/a");
		}
		write_rate(json_at(cells, i), out);
	}
	str_append(out, "  ");
	view_text(failure, "metric", out);
	str_append_char(out, '\n');
}

/* performance */

static void write_value(double value, struct str *out)
{
	char text[NUMBER_BYTES];

	number_value(value, text);
	str_printf(out, "%*s", VALUE_WIDTH, text);
}

static void write_spread(const struct json *cell, struct str *out)
{
	double share = number_relative(number_at(cell, "value"), number_at(cell, "stddev"));

	if (share > SPREAD_FLOOR && share < 999.5) {
		str_printf(out, " \xc2\xb1%3.0f%%", share);
	} else if (share > SPREAD_FLOOR) {
		str_append(out, " \xc2\xb1>1k%");
	} else if (json_int(json_get(cell, "n"), 0) == 1) {
		str_append(out, " \xc2\xb1  - ");
	} else {
		str_printf(out, "%*s", SPREAD_WIDTH, "");
	}
}

static void write_change(const struct json *row, size_t index, struct str *out)
{
	const struct json *cells = json_get(row, "cells");
	const struct json *change = json_at(json_get(row, "changes"), index);
	const char *unit = json_text(json_get(row, "unit"));
	double percent = number_at(change, "percent");
	double base = number_at(json_at(cells, 0), "value");
	double absolute = number_at(json_at(cells, index + 1), "value") - base;
	char text[NUMBER_BYTES];

	if (unit && strcmp(unit, "%") == 0 && isfinite(absolute)) {
		number_percent(absolute, text);
		*strchr(text, '%') = '\0';
		str_printf(out, "%*s  ", VALUE_WIDTH, text);
	} else if (isfinite(percent)) {
		number_percent(percent, text);
		str_printf(out, "%*s ", VALUE_WIDTH + 1, text);
	} else {
		/* From zero, or from nothing. */
		str_printf(out, "%*s  ", VALUE_WIDTH, fabs(absolute) > 0 ? "new" : "n/a");
	}
}

static void write_row(const struct json *row, struct str *out)
{
	const struct json *cells = json_get(row, "cells");

	for (size_t i = 0; i < json_size(cells); i++) {
		const struct json *cell = json_at(cells, i);

		if (i > 0) {
			write_change(row, i - 1, out);
		}
		write_value(number_at(cell, "value"), out);
		write_spread(cell, out);
	}
	str_append(out, "  ");
	view_text(row, "metric", out);
	str_append_char(out, '\n');
}

/* blocks */

/* The rows of a block so far. */
struct block {
	const struct json *view;
	const struct format_options *options;
	struct str *out;
	size_t nr;
	size_t nr_left_out;
};

static bool takes(struct block *block, const struct json *row, size_t limit)
{
	if (!format_is_shown(row, block->options)) {
		return false;
	}
	if (limit && block->nr >= limit) {
		block->nr_left_out++;
		return false;
	}
	block->nr++;
	return true;
}

static void write_failures(struct block *block, const struct json *failures, size_t limit)
{
	bool is_begun = false;

	for (size_t i = 0; i < json_size(failures); i++) {
		if (!takes(block, json_at(failures, i), limit)) {
			continue;
		}
		if (!is_begun) {
			lkp_write_heads(true, json_size(json_get(block->view, "columns")),
					block->out);
		}
		is_begun = true;
		write_failure(json_at(failures, i), block->out);
	}
}

static void write_rows(struct block *block, const struct json *rows, size_t limit)
{
	bool is_begun = false;

	for (size_t i = 0; i < json_size(rows); i++) {
		if (!takes(block, json_at(rows, i), limit)) {
			continue;
		}
		if (!is_begun) {
			lkp_write_heads(false, json_size(json_get(block->view, "columns")),
					block->out);
		}
		is_begun = true;
		write_row(json_at(rows, i), block->out);
	}
}

size_t lkp_write_group(const struct json *view, size_t group, const struct format_options *options,
		       struct str *out, size_t *nr_left_out)
{
	const struct json *object = json_at(json_get(view, "groups"), group);
	const struct json *rows = json_get(object, "rows");
	struct block block = { .view = view, .options = options, .out = out };
	size_t before = out->length;
	size_t limit = options->limit_rows;

	lkp_write_header(view, group, out);
	/* Failures come first in the layout; they must not push the headlines out. */
	write_failures(&block, json_get(object, "failures"),
		       limit > 1 && json_size(rows) > 0 ? limit / 2 : limit);
	write_rows(&block, rows, limit);
	str_append_char(out, '\n');
	if (block.nr == 0) {
		str_truncate(out, before);
	}
	if (nr_left_out) {
		*nr_left_out += block.nr_left_out;
	}
	return block.nr;
}

void lkp_write(const struct json *view, const struct format_options *options, struct str *out)
{
	struct format_options rest = *options;

	for (size_t i = 0; i < json_size(json_get(view, "groups")); i++) {
		size_t nr = lkp_write_group(view, i, &rest, out, NULL);

		if (options->limit_rows) {
			if (nr >= rest.limit_rows) {
				return;
			}
			rest.limit_rows -= nr;
		}
	}
}
