/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fields.h"

#define LIMIT_COLUMNS 4096
#define LIMIT_CELL    ((size_t)64 << 10)

const char *fields_first(const char *text, size_t length)
{
	const char *end = text + length;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
	}
	while (text < end && (*text == '#' || *text == '\n' || *text == '\r')) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		text = stop ? stop + 1 : end;
	}
	return text;
}

char fields_separator(const char *at, const char *end)
{
	for (; at < end && *at != '\n'; at++) {
		if (*at == ',' || *at == ';' || *at == '\t') {
			return *at;
		}
	}
	return '\0';
}

bool fields_refuse(const struct fields *fields, const char *at, struct err *err, const char *what)
{
	/* a quoted field may go over several lines */
	struct line line = { .at = fields->line.at, .number = fields->line.number };

	while (line.at < at && memchr(line.at, '\n', (size_t)(at - line.at))) {
		line.at = (const char *)memchr(line.at, '\n', (size_t)(at - line.at)) + 1;
		line.number++;
	}
	return line_refuse(fields->input, &line, at, err, "%s", what);
}

const char *fields_text(const struct fields *fields, const struct cell *cell)
{
	return fields->text.at + cell->at;
}

static bool is_field_end(const struct fields *fields, const char *at)
{
	return at == fields->end || *at == fields->separator || *at == '\n' ||
	       (*at == '\r' && (at + 1 == fields->end || at[1] == '\n'));
}

static bool read_quoted(struct fields *fields, struct err *err)
{
	const char *first = fields->at++;

	for (; fields->at < fields->end; fields->at++) {
		if (*fields->at == '"') {
			if (fields->at + 1 == fields->end || fields->at[1] != '"') {
				break;
			}
			fields->at++;
		}
		str_append_char(&fields->text, *fields->at);
	}
	if (fields->at == fields->end) {
		return fields_refuse(fields, first, err, "this quote is not closed");
	}
	fields->at++;
	if (!is_field_end(fields, fields->at)) {
		return fields_refuse(
			fields, fields->at, err,
			"expected a separator behind the quote; a quote inside is written "
			"twice");
	}
	return true;
}

static bool read_plain(struct fields *fields, struct err *err)
{
	const char *first = fields->at;
	const char *last;

	while (!is_field_end(fields, fields->at)) {
		if (*fields->at == '"') {
			return fields_refuse(fields, fields->at, err,
					     "a quote inside a field that does not begin with one");
		}
		fields->at++;
	}
	last = fields->at;
	while (first < last && *first == ' ') {
		first++;
	}
	while (last > first && last[-1] == ' ') {
		last--;
	}
	str_append_bytes(&fields->text, first, (size_t)(last - first));
	return true;
}

static bool read_cell(struct fields *fields, struct err *err)
{
	struct cell *cell = vec_push(&fields->cells);
	size_t start = fields->text.length;

	*cell = (struct cell){ .at = start, .place = fields->at };
	if (fields->cells.nr > LIMIT_COLUMNS) {
		return fields_refuse(fields, fields->at, err, "more than 4096 columns");
	}
	if (!(fields->at < fields->end && *fields->at == '"' ? read_quoted(fields, err)
							     : read_plain(fields, err))) {
		return false;
	}
	cell->length = fields->text.length - start;
	str_append_char(&fields->text, '\0');
	if (cell->length > LIMIT_CELL) {
		return fields_refuse(fields, cell->place, err, "a field of more than 64 KiB");
	}
	return true;
}

static void go_to(struct fields *fields, const char *at)
{
	for (; fields->line.at < at; fields->line.number++) {
		const char *stop = memchr(fields->line.at, '\n', (size_t)(at - fields->line.at));

		if (!stop) {
			break;
		}
		fields->line.at = stop + 1;
	}
}

/* Empty lines, and remarks before the names of the columns. */
static void pass_lines(struct fields *fields)
{
	while (fields->at < fields->end) {
		const char *at = fields->at;
		const char *stop = memchr(at, '\n', (size_t)(fields->end - at));

		if (*at == '#' && !fields->has_names) {
			fields->at = stop ? stop + 1 : fields->end;
		} else if (*at == '\n' || (*at == '\r' && stop == at + 1)) {
			fields->at = stop + 1;
		} else {
			break;
		}
		go_to(fields, fields->at);
	}
}

bool fields_next(struct fields *fields, bool *ret_is_row, struct err *err)
{
	str_truncate(&fields->text, 0);
	fields->cells.nr = 0;
	go_to(fields, fields->at);
	pass_lines(fields);
	*ret_is_row = fields->at < fields->end;
	if (!*ret_is_row) {
		return true;
	}
	for (;;) {
		if (!read_cell(fields, err)) {
			return false;
		}
		if (fields->at == fields->end || *fields->at != fields->separator) {
			break;
		}
		fields->at++;
	}
	if (fields->at < fields->end && *fields->at == '\r') {
		fields->at++;
	}
	fields->at += fields->at < fields->end;
	return true;
}

bool fields_open(struct fields *fields, const struct input *input, struct err *err)
{
	*fields = (struct fields){ .input = input,
				   .at = fields_first(input->text, input->length),
				   .end = input->text + input->length,
				   .line = { .at = input->text, .number = 1 },
				   .text = STR_INIT };
	fields->separator = fields_separator(fields->at, fields->end);
	fields->separator = fields->separator ? fields->separator : ',';
	return text_check(input, err);
}

void fields_release(struct fields *fields)
{
	str_release(&fields->text);
	vec_release(&fields->cells);
}
