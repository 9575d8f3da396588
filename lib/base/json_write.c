/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own writer, because jansson prints 4.393 as 4.3929999999999998: true to the bit, and unfit
 * for people.  Here a number is the shortest decimal text that reads back as the same.
 */
#include "json.h"

#include "mem.h"
#include "str.h"

struct writer {
	struct str text;
	enum json_form form;
	int depth;
};

static void write_value(struct writer *writer, const struct json *json);

static void write_break(struct writer *writer)
{
	if (writer->form != FORM_PRETTY) {
		return;
	}
	str_printf(&writer->text, "\n%*s", 2 * writer->depth, "");
}

/* What stands before element number `index` of an array or object. */
static void write_separator(struct writer *writer, size_t index)
{
	if (index > 0) {
		str_append_char(&writer->text, ',');
	}
	write_break(writer);
}

static void write_escaped(struct writer *writer, char character)
{
	static const char letters[][2] = { { '"', '"' },  { '\\', '\\' }, { '\b', 'b' },
					   { '\f', 'f' }, { '\n', 'n' },  { '\r', 'r' },
					   { '\t', 't' } };

	for (size_t i = 0; i < countof(letters); i++) {
		if (letters[i][0] == character) {
			str_append_char(&writer->text, '\\');
			str_append_char(&writer->text, letters[i][1]);
			return;
		}
	}
	str_printf(&writer->text, "\\u%04x", character);
}

static void write_text(struct writer *writer, const char *text)
{
	str_append_char(&writer->text, '"');
	while (*text) {
		size_t run = 0;

		while ((unsigned char)text[run] >= ' ' && text[run] != '"' && text[run] != '\\') {
			run++;
		}
		str_append_bytes(&writer->text, text, run);
		text += run;
		if (*text) {
			write_escaped(writer, *text++);
		}
	}
	str_append_char(&writer->text, '"');
}

static void write_array(struct writer *writer, const struct json *array)
{
	size_t nr = json_size(array);

	str_append_char(&writer->text, '[');
	writer->depth++;
	for (size_t i = 0; i < nr; i++) {
		write_separator(writer, i);
		write_value(writer, json_at(array, i));
	}
	writer->depth--;
	if (nr > 0) {
		write_break(writer);
	}
	str_append_char(&writer->text, ']');
}

static int by_name(const void *a, const void *b)
{
	return strcmp(json_member_name(*(void *const *)a), json_member_name(*(void *const *)b));
}

static void write_object(struct writer *writer, const struct json *object)
{
	size_t nr = 0;
	scoped(free) void **members = mem_array(json_size(object), sizeof(*members));

	for (void *it = json_first(object); it; it = json_next(object, it)) {
		members[nr++] = it;
	}
	if (writer->form == FORM_CANONICAL) {
		qsort(members, nr, sizeof(*members), by_name);
	}
	str_append_char(&writer->text, '{');
	writer->depth++;
	for (size_t i = 0; i < nr; i++) {
		write_separator(writer, i);
		write_text(writer, json_member_name(members[i]));
		str_append(&writer->text, writer->form == FORM_PRETTY ? ": " : ":");
		write_value(writer, json_member_value(members[i]));
	}
	writer->depth--;
	if (nr > 0) {
		write_break(writer);
	}
	str_append_char(&writer->text, '}');
}

static void write_value(struct writer *writer, const struct json *json)
{
	switch (json_kind(json)) {
	case KIND_NULL:
		str_append(&writer->text, "null");
		return;
	case KIND_BOOL:
		str_append(&writer->text, json_bool(json, false) ? "true" : "false");
		return;
	case KIND_NUMBER:
		if (is_json_int(json)) {
			str_printf(&writer->text, "%" PRId64, json_int(json, 0));
		} else {
			str_append_number(&writer->text, json_number(json, 0));
		}
		return;
	case KIND_TEXT:
		write_text(writer, json_text(json));
		return;
	case KIND_ARRAY:
		write_array(writer, json);
		return;
	case KIND_OBJECT:
		write_object(writer, json);
		return;
	}
	bug("kind %d", json_kind(json));
}

char *json_write(const struct json *json, enum json_form form)
{
	struct writer writer = { .text = STR_INIT, .form = form };

	write_value(&writer, json);
	return str_detach(&writer.text);
}
