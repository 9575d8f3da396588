/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include "csv.h"
#include "lib/base/mem.h"
#include "width.h"

/* Before each cell's text; counted once, as most tables are written once. */
struct cell {
	uint16_t length; /* bytes; a NUL follows them */
	uint16_t width;  /* of a terminal */
	uint16_t before; /* TABLE_DECIMAL: the width up to the point or where one would stand */
};

static_assert(TABLE_MAX_CELL_BYTES <= UINT16_MAX, "a cell's length is counted in 16 bits");

/* The cells of a terminal that a column needs. */
struct layout {
	size_t before;
	size_t after;
};

struct table {
	const struct table_column *columns;
	size_t nr_columns;
	struct arena *arena;
	VEC(const char *) rows; /* each a cell after the other */
	struct str row;         /* of table_add(): the one that is made */
	struct layout layouts[];
};

struct table *table_new(const struct table_column *columns, size_t nr_columns)
{
	struct table *table = mem_alloc(sizeof(*table) + nr_columns * sizeof(table->layouts[0]));

	table->arena = arena_new();
	str_init(&table->row);
	table->columns = columns;
	table->nr_columns = nr_columns;
	return table;
}

struct table *table_free(struct table *table)
{
	if (table) {
		arena_free(table->arena);
		vec_release(&table->rows);
		str_release(&table->row);
		free(table);
	}
	return NULL;
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

static void add_cell(struct table *table, size_t column, const char *text)
{
	struct cell cell = { 0 };
	size_t start = table->row.length;
	struct layout *layout = &table->layouts[column];
	const char *own;

	str_append_bytes(&table->row, &cell, sizeof(cell));
	str_append_clean(&table->row, text, strlen(text), false, TABLE_MAX_CELL_BYTES);
	own = table->row.at + start + sizeof(cell);
	cell.length = (uint16_t)(table->row.length - start - sizeof(cell));
	cell.width = (uint16_t)width_of_bytes(own, cell.length);
	if (table->columns[column].align == TABLE_DECIMAL) {
		cell.before = (uint16_t)before_point(own);
	}
	memcpy(table->row.at + start, &cell, sizeof(cell));
	str_append_char(&table->row, '\0');
	layout->before = cell.before > layout->before ? cell.before : layout->before;
	if (layout->after + cell.before < cell.width) {
		layout->after = cell.width - cell.before;
	}
}

void table_add(struct table *table, const char *const *cells)
{
	str_truncate(&table->row, 0);
	for (size_t i = 0; i < table->nr_columns; i++) {
		add_cell(table, i, cells[i] ? cells[i] : "");
	}
	*vec_push(&table->rows) = arena_strndup(table->arena, table->row.at, table->row.length);
}

size_t table_nr_rows(const struct table *table)
{
	return table->rows.nr;
}

/* The text of the cell at *at, which goes on to the next one. */
static const char *next_cell(const char **at, struct cell *ret_cell)
{
	const char *text = *at + sizeof(*ret_cell);

	memcpy(ret_cell, *at, sizeof(*ret_cell));
	*at = text + ret_cell->length + 1;
	return text;
}

/* As wide as the title at least. */
static struct layout lay_out(const struct table *table, size_t column)
{
	struct layout layout = table->layouts[column];
	size_t title = width_of(table->columns[column].title);

	if (layout.before + layout.after < title) {
		layout.before = title - layout.after;
	}
	return layout;
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

/* The blanks before a cell; those behind it are left to the next one. */
static size_t blanks_before(enum table_align align, const struct layout *layout,
			    const struct cell *cell)
{
	switch (align) {
	case TABLE_LEFT:
		return 0;
	case TABLE_RIGHT:
		return layout->before + layout->after - cell->width;
	case TABLE_DECIMAL:
		return layout->before - cell->before;
	}
	return 0;
}

static void write_row(const struct table *table, const struct layout *layouts, const char *at,
		      struct str *out)
{
	size_t blanks = 0;

	for (size_t i = 0; i < table->nr_columns; i++) {
		struct cell cell;
		const char *text = next_cell(&at, &cell);
		size_t before = blanks_before(table->columns[i].align, &layouts[i], &cell);

		str_append_blanks(out, blanks + before);
		str_append_bytes(out, text, cell.length);
		blanks = 2 + layouts[i].before + layouts[i].after - before - cell.width;
	}
	end_line(out);
}

static void write_text(const struct table *table, struct str *out)
{
	scoped(free) struct layout *layouts = mem_array(table->nr_columns, sizeof(*layouts));

	for (size_t i = 0; i < table->nr_columns; i++) {
		layouts[i] = lay_out(table, i);
		str_append(out, i ? "  " : "");
		width_pad(out, table->columns[i].title, layouts[i].before + layouts[i].after,
			  table->columns[i].align == TABLE_LEFT ? WIDTH_LEFT : WIDTH_RIGHT);
	}
	end_line(out);
	for (size_t row = 0; row < table->rows.nr; row++) {
		write_row(table, layouts, table->rows.at[row], out);
		str_drain(out);
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

static void write_markdown(const struct table *table, struct str *out)
{
	for (size_t i = 0; i < table->nr_columns; i++) {
		str_append(out, "| ");
		append_markdown(out, table->columns[i].title);
		str_append_char(out, ' ');
	}
	str_append(out, "|\n");
	for (size_t i = 0; i < table->nr_columns; i++) {
		str_append(out, table->columns[i].align == TABLE_LEFT ? "| :-- " : "| --: ");
	}
	str_append(out, "|\n");
	for (size_t row = 0; row < table->rows.nr; row++) {
		const char *at = table->rows.at[row];

		for (size_t i = 0; i < table->nr_columns; i++) {
			struct cell cell;

			str_append(out, "| ");
			append_markdown(out, next_cell(&at, &cell));
			str_append_char(out, ' ');
		}
		str_append(out, "|\n");
		str_drain(out);
	}
}

static void write_csv(const struct table *table, struct str *out)
{
	struct csv csv = { .out = out };

	for (size_t i = 0; i < table->nr_columns; i++) {
		csv_text(&csv, table->columns[i].title);
	}
	csv_end(&csv);
	for (size_t row = 0; row < table->rows.nr; row++) {
		const char *at = table->rows.at[row];

		for (size_t i = 0; i < table->nr_columns; i++) {
			struct cell cell;

			csv_text(&csv, next_cell(&at, &cell));
		}
		csv_end(&csv);
		str_drain(out);
	}
}

void table_write(const struct table *table, enum table_form form, struct str *out)
{
	switch (form) {
	case TABLE_TEXT:
		write_text(table, out);
		break;
	case TABLE_MARKDOWN:
		write_markdown(table, out);
		break;
	case TABLE_CSV:
		write_csv(table, out);
		break;
	}
}
