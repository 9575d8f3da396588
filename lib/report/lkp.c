/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lkp.h"

#include <math.h>

#include "lib/text/width.h"
#include "number.h"

#define FIRST_WIDTH  16 /* of the head of the base's column */
#define LATER_WIDTH  27
#define VALUE_WIDTH  10
#define SPREAD_WIDTH 6
#define SPREAD_FLOOR 2 /* percent; up to it a deviation is not worth ink */

/* header */

static void write_commit(const struct view_column *column, struct str *out)
{
	str_append(out, "  ");
	if (column->commit && column->subject) {
		str_printf(out, "%.*s (\"", VIEW_SHORT_DIGITS, column->commit);
		view_text(column->subject, out);
		str_append(out, "\")");
	} else {
		view_text(column->commit ? column->commit : column->name, out);
	}
	str_append_char(out, '\n');
}

/* A commit fills the head of its column; a name is set to the right of it. */
static void write_head(const struct view_column *column, size_t width, struct str *out)
{
	scoped(str_release) struct str head = STR_INIT;

	view_text(column->commit ? column->commit : column->name, &head);
	str_truncate(&head, width_cut(head.at, width));
	width_pad(out, head.at, width, WIDTH_RIGHT);
	str_append_char(out, ' ');
}

static void write_axes(const struct view_group *group, struct str *out)
{
	for (size_t i = 0; i < group->nr_axes; i++) {
		str_append(out, i ? "/" : "");
		view_text(group->axes[i].name, out);
	}
	str_append(out, ":\n  ");
	for (size_t i = 0; i < group->nr_axes; i++) {
		str_append(out, i ? "/" : "");
		view_text(group->axes[i].value, out);
	}
	str_append(out, "\n\n");
}

void lkp_write_header(const struct view *view, size_t index, struct str *out)
{
	const struct view_group *group = &view->groups.at[index];

	for (int i = 0; i < 89; i++) {
		str_append_char(out, '=');
	}
	str_append_char(out, '\n');
	if (group->nr_axes > 0) {
		write_axes(group, out);
	}
	str_append(out, "commit: \n");
	for (size_t i = 0; i < view->nr_columns; i++) {
		write_commit(&view->columns[i], out);
	}
	str_append_char(out, '\n');
	for (size_t i = 0; i < view->nr_columns; i++) {
		write_head(&view->columns[i], i ? LATER_WIDTH : FIRST_WIDTH, out);
	}
	str_append_char(out, '\n');
	for (size_t i = 0; i < view->nr_columns; i++) {
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

static void write_rate(const struct view_rate *rate, struct str *out)
{
	if (rate->fails > 0) {
		str_printf(out, "%11zu", rate->fails);
	} else {
		str_printf(out, "%11s", "");
	}
	str_printf(out, ":%-4zu", rate->runs);
}

static void write_failure(const struct view_row *failure, size_t nr_columns, struct str *out)
{
	write_rate(&failure->rates[0], out);
	for (size_t i = 1; i < nr_columns; i++) {
		double points = failure->changes[i - 1].absolute;

		if (isfinite(points)) {
			str_printf(out, "%10.0f%% ", points);
		} else {
			str_printf(out, "%10s  ", "n/a");
		}
		write_rate(&failure->rates[i], out);
	}
}

/* performance */

/* Set to the right of its column; texts are ASCII. */
static void write_right(const char *text, size_t width, struct str *out)
{
	size_t length = strlen(text);

	str_append_blanks(out, length < width ? width - length : 0);
	str_append_bytes(out, text, length);
}

static void write_spread(const struct view_cell *cell, struct str *out)
{
	double share = number_relative(cell->value, cell->stddev);

	if (share > SPREAD_FLOOR && share < 999.5) {
		str_printf(out, " \xc2\xb1%3.0f%%", share);
	} else if (share > SPREAD_FLOOR) {
		str_append(out, " \xc2\xb1>1k%");
	} else if (cell->n == 1) {
		str_append(out, " \xc2\xb1  - ");
	} else {
		str_append_blanks(out, SPREAD_WIDTH);
	}
}

static void write_cell(const struct view_cell *cell, struct str *out)
{
	char text[NUMBER_BYTES];

	number_value(cell->value, text);
	write_right(text, VALUE_WIDTH, out);
	write_spread(cell, out);
}

static void write_change(const struct view_row *row, size_t index, struct str *out)
{
	double percent = row->changes[index].percent;
	double absolute = row->cells[index + 1].value - row->cells[0].value;
	char text[NUMBER_BYTES];

	if (row->unit && strcmp(row->unit, "%") == 0 && isfinite(absolute)) {
		number_percent(absolute, text);
		*strchr(text, '%') = '\0';
		write_right(text, VALUE_WIDTH, out);
		str_append(out, "  ");
	} else if (isfinite(percent)) {
		number_percent(percent, text);
		write_right(text, VALUE_WIDTH + 1, out);
		str_append_char(out, ' ');
	} else {
		/* From zero, or from nothing. */
		write_right(fabs(absolute) > 0 ? "new" : "n/a", VALUE_WIDTH, out);
		str_append(out, "  ");
	}
}

static void write_row(const struct view_row *row, size_t nr_columns, struct str *out)
{
	write_cell(&row->cells[0], out);
	for (size_t i = 1; i < nr_columns; i++) {
		write_change(row, i - 1, out);
		write_cell(&row->cells[i], out);
	}
}

/* blocks */

/* The rows of a block so far. */
struct block {
	const struct view *view;
	const struct format_options *options;
	struct str *out;
	size_t nr;
	size_t nr_left_out;
};

static bool takes(struct block *block, const struct view_row *row, size_t limit)
{
	if (!format_is_shown(block->view, row, block->options)) {
		return false;
	}
	if (limit && block->nr >= limit) {
		block->nr_left_out++;
		return false;
	}
	block->nr++;
	return true;
}

/* Rows or failures. */
static void write_rows(struct block *block, const struct view_row *rows, size_t nr, size_t limit)
{
	size_t nr_columns = block->view->nr_columns;
	bool is_begun = false;

	for (size_t i = 0; i < nr; i++) {
		if (!takes(block, &rows[i], limit)) {
			continue;
		}
		if (!is_begun) {
			lkp_write_heads(rows[i].rates, nr_columns, block->out);
		}
		is_begun = true;
		if (rows[i].rates) {
			write_failure(&rows[i], nr_columns, block->out);
		} else {
			write_row(&rows[i], nr_columns, block->out);
		}
		str_append(block->out, "  ");
		view_text(rows[i].metric, block->out);
		str_append_char(block->out, '\n');
		str_drain(block->out);
	}
}

size_t lkp_write_group(const struct view *view, size_t index, const struct format_options *options,
		       struct str *out, size_t *nr_left_out)
{
	const struct view_group *group = &view->groups.at[index];
	struct block block = { .view = view, .options = options, .out = out };
	size_t before = out->length;
	size_t limit = options->limit_rows;

	lkp_write_header(view, index, out);
	/* Failures come first in the layout; they must not push the headlines out. */
	write_rows(&block, group->failures, group->nr_failures,
		   limit > 1 && group->nr_rows > 0 ? limit / 2 : limit);
	write_rows(&block, group->rows, group->nr_rows, limit);
	str_append_char(out, '\n');
	if (block.nr == 0) {
		str_truncate(out, before);
	}
	if (nr_left_out) {
		*nr_left_out += block.nr_left_out;
	}
	return block.nr;
}

void lkp_write(const struct view *view, const struct format_options *options, struct str *out)
{
	struct format_options rest = *options;

	for (size_t i = 0; i < view->groups.nr; i++) {
		size_t nr = lkp_write_group(view, i, &rest, out, NULL);

		if (options->limit_rows) {
			if (nr >= rest.limit_rows) {
				return;
			}
			rest.limit_rows -= nr;
		}
	}
}
