/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/report/number.h"
#include "lib/text/table.h"

const struct json *layout_at(const struct json *document, const char *path)
{
	while (document && *path) {
		size_t length = strcspn(path, ".");
		scoped(free) char *name = mem_strndup(path, length);

		document = json_get(document, name);
		path += length + (path[length] == '.');
	}
	return document;
}

/* values */

static void append_number(struct str *out, const char *name, const struct json *value)
{
	char text[NUMBER_BYTES];

	if (str_has_suffix(name, "_s")) {
		number_seconds(json_number(value, 0), text);
	} else if (str_has_suffix(name, "_bytes")) {
		number_size(json_int(value, 0), text);
	} else if (is_json_int(value)) {
		snprintf(text, sizeof(text), "%" PRId64, json_int(value, 0));
	} else {
		number_value(json_number(value, 0), text);
	}
	str_append(out, text);
}

/* Lists and objects are at most a level deep in what is shown; documents are bounded anyway. */
static void append_value(struct str *out, const char *name, const struct json *value)
{
	switch (json_kind(value)) {
	case KIND_NULL:
		break;
	case KIND_BOOL:
		str_append(out, json_bool(value, false) ? "yes" : "no");
		break;
	case KIND_NUMBER:
		append_number(out, name, value);
		break;
	case KIND_TEXT:
		str_append(out, json_text(value));
		break;
	case KIND_ARRAY:
		for (size_t i = 0; i < json_size(value); i++) {
			str_append(out, i > 0 ? " " : "");
			append_value(out, name, json_at(value, i));
		}
		break;
	case KIND_OBJECT:
		for (void *it = json_first(value); it; it = json_next(value, it)) {
			str_printf(out, "%s%s=", it == json_first(value) ? "" : " ",
				   json_member_name(it));
			append_value(out, json_member_name(it), json_member_value(it));
		}
		break;
	}
}

static char *value_text(const struct json *object, const struct field *field)
{
	struct str text = STR_INIT;

	append_value(&text, field->path, layout_at(object, field->path));
	return str_detach(&text);
}

/* tones */

static enum tone tone_of(const struct json *object)
{
	static const struct {
		const char *flag;
		enum tone tone;
	} rows[] = {
		{ "is_worse", TONE_BAD },       { "is_failed", TONE_BAD },
		{ "is_warning", TONE_BAD },     { "is_unreachable", TONE_BAD },
		{ "is_better", TONE_GOOD },     { "is_missing", TONE_FAINT },
		{ "is_away", TONE_FAINT },      { "is_suppressed", TONE_FAINT },
		{ "is_cancelled", TONE_FAINT },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		if (json_bool(json_get(object, rows[i].flag), false)) {
			return rows[i].tone;
		}
	}
	return TONE_PLAIN;
}

/* parts */

struct values {
	char **at;
	size_t nr;
};

static void values_release(struct values *values)
{
	for (size_t i = 0; i < values->nr; i++) {
		free(values->at[i]);
	}
	free(values->at);
}
DEFINE_SCOPED_EMBEDDED(values_release, struct values)

static void print_lines(const struct part *part, const struct json *object,
			const struct screen *screen)
{
	scoped(values_release) struct values values = { .nr = part->nr_fields };
	size_t width = 0;

	values.at = mem_array(values.nr, sizeof(*values.at));
	for (size_t i = 0; i < values.nr; i++) {
		size_t length = strlen(part->fields[i].title);

		values.at[i] = value_text(object, &part->fields[i]);
		width = *values.at[i] && length > width ? length : width;
	}
	for (size_t i = 0; i < values.nr; i++) {
		scoped(str_release) struct str line = STR_INIT;

		if (*values.at[i]) {
			str_printf(&line, "%-*s  ", (int)width, part->fields[i].title);
			str_append_clean(&line, values.at[i], strlen(values.at[i]), false,
					 SIZE_MAX);
			screen_line(screen, TONE_PLAIN, line.at, line.length);
		}
	}
}

/* The columns with something in them; gives their number.  The cells stand row after row. */
static size_t choose_columns(const struct values *cells, size_t nr_columns, size_t *chosen)
{
	size_t nr = 0;

	for (size_t column = 0; column < nr_columns; column++) {
		size_t i = column;

		while (i < cells->nr && *cells->at[i] == '\0') {
			i += nr_columns;
		}
		if (i < cells->nr) {
			chosen[nr++] = column;
		}
	}
	return nr;
}

/* Whether the first value that is there is a number. */
static bool is_number(const struct json *array, const struct field *field)
{
	for (size_t i = 0; i < json_size(array); i++) {
		enum json_kind kind = json_kind(layout_at(json_at(array, i), field->path));

		if (kind != KIND_NULL) {
			return kind == KIND_NUMBER;
		}
	}
	return false;
}

static void print_table_text(const char *text, const struct json *array,
			     const struct screen *screen)
{
	for (size_t line = 0; *text; line++) {
		size_t length = strcspn(text, "\n");

		screen_line(screen, line == 0 ? TONE_TITLE : tone_of(json_at(array, line - 1)),
			    text, length);
		text += length + (text[length] == '\n');
	}
}

static void print_table(const struct part *part, const struct json *array,
			const struct screen *screen)
{
	size_t nr = part->nr_fields;
	scoped(values_release) struct values cells = { .nr = json_size(array) * nr };
	scoped(free) size_t *chosen = mem_array(nr, sizeof(*chosen));
	scoped(free) struct table_column *columns = mem_array(nr, sizeof(*columns));
	scoped(free) const char **row = mem_array(nr, sizeof(*row));
	scoped(table_free) struct table *table = NULL;
	scoped(str_release) struct str text = STR_INIT;
	size_t nr_chosen;

	cells.at = mem_array(cells.nr, sizeof(*cells.at));
	for (size_t i = 0; i < cells.nr; i++) {
		cells.at[i] = value_text(json_at(array, i / nr), &part->fields[i % nr]);
	}
	nr_chosen = choose_columns(&cells, nr, chosen);
	if (nr_chosen == 0) {
		return;
	}
	for (size_t i = 0; i < nr_chosen; i++) {
		columns[i].title = part->fields[chosen[i]].title;
		columns[i].align =
			is_number(array, &part->fields[chosen[i]]) ? TABLE_RIGHT : TABLE_LEFT;
	}
	table = table_new(columns, nr_chosen);
	for (size_t i = 0; i < cells.nr; i += nr) {
		for (size_t j = 0; j < nr_chosen; j++) {
			row[j] = cells.at[i + chosen[j]];
		}
		table_add(table, row);
	}
	table_write(table, TABLE_TEXT, &text);
	print_table_text(text.at, array, screen);
}

static void print_text(const char *text, const struct screen *screen)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, text, strlen(text), true, SIZE_MAX);
	screen_print(screen, clean.at, clean.length);
	if (!str_has_suffix(clean.at, "\n")) {
		putchar('\n');
	}
}

static bool is_empty(const struct json *value)
{
	const char *text = json_text(value);

	return text ? *text == '\0' : json_size(value) == 0;
}

void layout_print(const struct part *parts, size_t nr_parts, const struct json *document,
		  const struct screen *screen)
{
	bool is_first = true;

	for (size_t i = 0; i < nr_parts; i++) {
		const struct part *part = &parts[i];
		const struct json *value = layout_at(document, part->path);

		if (is_empty(value)) {
			continue;
		}
		if (!is_first) {
			putchar('\n');
		}
		is_first = false;
		if (part->title) {
			screen_line(screen, TONE_TITLE, part->title, strlen(part->title));
		}
		if (json_kind(value) == KIND_ARRAY) {
			print_table(part, value, screen);
		} else if (json_kind(value) == KIND_TEXT) {
			print_text(json_text(value), screen);
		} else {
			print_lines(part, value, screen);
		}
	}
}
