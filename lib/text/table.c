/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include "csv.h"
#include "lib/base/mem.h"
#include "width.h"

struct table {
	struct arena *arena;
	const struct table_column *columns;
	size_t nr_columns;
	VEC(const char *) cells; /* row after row */
	size_t nr_rows;
	struct str clean; /* of table_add(): one cell */
};

/* The cells of a terminal that a column needs. */
struct layout {
	size_t width;
	size_t before_point; /* TABLE_DECIMAL: up to the point or where one would stand */
};

struct table *table_new(const struct table_column *columns, size_t nr_columns)
{
	struct table *table = mem_alloc(sizeof(*table));

	table->arena = arena_new();
	str_init(&table->clean);
	table->columns = columns;
	table->nr_columns = nr_columns;
	return table;
}

struct table *table_free(struct table *table)
{
	if (table) {
		arena_free(table->arena);
		vec_release(&table->cells);
		str_release(&table->clean);
		free(table);
	}
	return NULL;
}

void table_add(struct table *table, const char *const *cells)
{
	for (size_t i = 0; i < table->nr_columns; i++) {
		const char *cell = cells[i] ? cells[i] : "";

		str_truncate(&table->clean, 0);
		str_append_clean(&table->clean, cell, strlen(cell), false, TABLE_MAX_CELL_BYTES);
		*vec_push(&table->cells) =
			arena_strndup(table->arena, table->clean.at, table->clean.length);
	}
	table->nr_rows++;
}

size_t table_nr_rows(const struct table *table)
{
	return table->nr_rows;
}

static const char *cell_at(const struct table *table, size_t row, size_t column)
{
	return table->cells.at[row * table->nr_columns + column];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The cells before the decimal point of the first number, or before what follows its digits. */
static size_t before_point(const char *cell)
{
	size_t length = 0;

	while (cell[length] && !is_digit(cell[length])) {
		length++;
	}
	while (is_digit(cell[length])) {
		length++;
	}
	return width_of_bytes(cell, length);
}

static struct layout lay_out(const struct table *table, size_t column)
{
	bool is_decimal = table->columns[column].align == TABLE_DECIMAL;
	struct layout layout = { 0 };
	size_t after = 0;
	size_t title = width_of(table->columns[column].title);

	for (size_t row = 0; row < table->nr_rows; row++) {
		const char *cell = cell_at(table, row, column);
		size_t before = is_decimal ? before_point(cell) : 0;
		size_t rest = width_of(cell) - before;

		layout.before_point = before > layout.before_point ? before : layout.before_point;
		after = rest > after ? rest : after;
	}
	layout.width = layout.before_point + after;
	if (layout.width < title) {
		layout.before_point += title - layout.width;
		layout.width = title;
	}
	return layout;
}

static void write_cell(struct str *out, enum table_align align, const struct layout *layout,
		       const char *cell)
{
	size_t blanks = 0;

	if (align == TABLE_DECIMAL && *cell) {
		blanks = layout->before_point - before_point(cell);
		str_append_blanks(out, blanks);
	}
	width_pad(out, cell, layout->width - blanks,
		  align == TABLE_RIGHT ? WIDTH_RIGHT : WIDTH_LEFT);
}

static void end_line(struct str *out)
{
	size_t length = out->length;

	while (length > 0 && out->at[length - 1] == ' ') {
		length--;
	}
	str_truncate(out, length);
	str_append_char(out, '\n');
}

static void write_text(const struct table *table, const struct layout *layouts, struct str *out)
{
	for (size_t i = 0; i < table->nr_columns; i++) {
		enum table_align align = table->columns[i].align;

		str_append(out, i ? "  " : "");
		width_pad(out, table->columns[i].title, layouts[i].width,
			  align == TABLE_LEFT ? WIDTH_LEFT : WIDTH_RIGHT);
	}
	end_line(out);
	for (size_t row = 0; row < table->nr_rows; row++) {
		for (size_t i = 0; i < table->nr_columns; i++) {
			str_append(out, i ? "  " : "");
			write_cell(out, table->columns[i].align, &layouts[i],
				   cell_at(table, row, i));
		}
		end_line(out);
	}
}

static bool is_word_char(char c)
{
	return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* A metric's name is full of '_', which Markdown leaves alone within words. */
static void append_markdown(struct str *out, const char *text)
{
	for (const char *at = text; *at; at++) {
		bool is_in_word = at > text && is_word_char(at[-1]) && is_word_char(at[1]);

		if (strchr("\\`*[]<>|~&", *at) || (*at == '_' && !is_in_word)) {
			str_append_char(out, '\\');
		}
		str_append_char(out, *at);
	}
}

static void write_markdown_row(const struct table *table, const char *const *cells, struct str *out)
{
	for (size_t i = 0; i < table->nr_columns; i++) {
		str_append(out, "| ");
		append_markdown(out, cells[i]);
		str_append_char(out, ' ');
	}
	str_append(out, "|\n");
}

static void write_markdown(const struct table *table, struct str *out)
{
	scoped(free) const char **titles = mem_array(table->nr_columns, sizeof(*titles));

	for (size_t i = 0; i < table->nr_columns; i++) {
		titles[i] = table->columns[i].title;
	}
	write_markdown_row(table, titles, out);
	for (size_t i = 0; i < table->nr_columns; i++) {
		str_append(out, table->columns[i].align == TABLE_LEFT ? "| :-- " : "| --: ");
	}
	str_append(out, "|\n");
	for (size_t row = 0; row < table->nr_rows; row++) {
		write_markdown_row(table, &table->cells.at[row * table->nr_columns], out);
	}
}

static void write_csv(const struct table *table, struct str *out)
{
	struct csv csv = { .out = out };

	for (size_t i = 0; i < table->nr_columns; i++) {
		csv_text(&csv, table->columns[i].title);
	}
	csv_end(&csv);
	for (size_t row = 0; row < table->nr_rows; row++) {
		for (size_t i = 0; i < table->nr_columns; i++) {
			csv_text(&csv, cell_at(table, row, i));
		}
		csv_end(&csv);
	}
}

void table_write(const struct table *table, enum table_form form, struct str *out)
{
	scoped(free) struct layout *layouts = NULL;

	switch (form) {
	case TABLE_TEXT:
		layouts = mem_array(table->nr_columns, sizeof(*layouts));
		for (size_t i = 0; i < table->nr_columns; i++) {
			layouts[i] = lay_out(table, i);
		}
		write_text(table, layouts, out);
		break;
	case TABLE_MARKDOWN:
		write_markdown(table, out);
		break;
	case TABLE_CSV:
		write_csv(table, out);
		break;
	}
}
