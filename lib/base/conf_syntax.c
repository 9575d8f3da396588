/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf_syntax.h"

#include <stdarg.h>

#include "mem.h"

#define FILE_LIMIT_BYTES ((size_t)1 << 20)

/* What follows a backslash, and what is meant; a name, which is one line, has the first two. */
#define NR_NAME_ESCAPES 2
static const struct {
	char letter;
	char meaning;
} escapes[] = {
	{ '\\', '\\' },
	{ '"', '"' },
	{ 'n', '\n' },
	{ 't', '\t' },
};

bool conf_read_text(const char *path, struct str *text, struct err *err)
{
	if (!str_read_file(text, path, FILE_LIMIT_BYTES, err)) {
		return false;
	}
	return strlen(text->at) == text->length ||
	       err_set(err, ERR_INPUT, "read '%s': it holds a NUL byte", path);
}

void conf_reader_init(struct conf_reader *reader, const char *file, const char *text)
{
	*reader = (struct conf_reader){ .file = file, .text = text, .at = text };
	str_init(&reader->section);
	str_init(&reader->name);
	str_init(&reader->key);
	str_init(&reader->value);
}

void conf_reader_release(struct conf_reader *reader)
{
	str_release(&reader->section);
	str_release(&reader->name);
	str_release(&reader->key);
	str_release(&reader->value);
}

bool conf_reader_fail(const struct conf_reader *reader, const char *at, struct err *err,
		      const char *format, ...)
{
	scoped(free) char *what = NULL;
	const char *line_start = reader->text;
	int line = 1;
	va_list args;

	va_start(args, format);
	if (vasprintf(&what, format, args) < 0) {
		bug("format '%s'", format);
	}
	va_end(args);
	for (const char *byte = reader->text; byte < at; byte++) {
		if (*byte == '\n') {
			line++;
			line_start = byte + 1;
		}
	}
	return err_set(err, ERR_INPUT, "%s:%d:%d: %s", reader->file, line,
		       (int)(at - line_start) + 1, what);
}

/* Length of the character there; 0 where it may not stand in a file. */
static size_t valid_length(const char *at, size_t left)
{
	uint32_t code = 0;
	size_t length = str_decode(at, left, &code);
	bool is_blank =
		code == '\t' || code == '\n' || (code == '\r' && (at[1] == '\n' || at[1] == '\0'));

	return (code < 0x20 && !is_blank) || code == 0x7f ? 0 : length;
}

static bool check_bytes(const struct conf_reader *reader, struct err *err)
{
	size_t left = strlen(reader->text);

	for (const char *at = reader->text; left > 0;) {
		size_t length = valid_length(at, left);

		if (length == 0) {
			return conf_reader_fail(reader, at, err,
						"byte 0x%02x is a control character or not UTF-8",
						(unsigned)(unsigned char)*at);
		}
		at += length;
		left -= length;
	}
	return true;
}

static void skip_blanks(struct conf_reader *reader)
{
	reader->at += strspn(reader->at, " \t\r");
}

static bool is_line_end(const char *at)
{
	return *at == '\0' || *at == '\n' || *at == '#' || *at == ';';
}

static void skip_line(struct conf_reader *reader)
{
	reader->at += strcspn(reader->at, "\n");
	reader->at += *reader->at == '\n';
}

static bool read_word(struct conf_reader *reader, const char *what, struct str *ret_word,
		      struct err *err)
{
	size_t length = strspn(reader->at, "abcdefghijklmnopqrstuvwxyz0123456789-");

	if (length == 0 || *reader->at < 'a') {
		return conf_reader_fail(
			reader, reader->at, err,
			"expected %s: lower-case letters, digits and '-', a letter first", what);
	}
	str_truncate(ret_word, 0);
	str_append_bytes(ret_word, reader->at, length);
	reader->at += length;
	return true;
}

/* Reads what follows a backslash. */
static bool read_escape(struct conf_reader *reader, struct str *text, size_t nr_escapes,
			struct err *err)
{
	for (size_t i = 0; i < nr_escapes; i++) {
		if (*reader->at == escapes[i].letter) {
			str_append_char(text, escapes[i].meaning);
			reader->at++;
			return true;
		}
	}
	return conf_reader_fail(reader, reader->at - 1, err,
				"unknown escape, expected one of \\\\ \\\"%s",
				nr_escapes > NR_NAME_ESCAPES ? " \\n \\t" : "");
}

/* Reads on from behind the opening quote. */
static bool read_name(struct conf_reader *reader, struct err *err)
{
	while (*reader->at != '"') {
		if (*reader->at == '\0' || *reader->at == '\n') {
			return conf_reader_fail(reader, reader->at, err, "expected a closing '\"'");
		}
		if (*reader->at == '\\') {
			reader->at++;
			if (!read_escape(reader, &reader->name, NR_NAME_ESCAPES, err)) {
				return false;
			}
		} else {
			str_append_char(&reader->name, *reader->at++);
		}
	}
	reader->at++;
	return true;
}

static bool read_header(struct conf_reader *reader, struct conf_entry *entry, struct err *err)
{
	entry->kind = CONF_HEADER;
	reader->at++;
	skip_blanks(reader);
	entry->key_at = reader->at;
	str_truncate(&reader->name, 0);
	if (!read_word(reader, "a section", &reader->section, err)) {
		return false;
	}
	skip_blanks(reader);
	entry->value_at = reader->at;
	if (*reader->at == '"') {
		reader->at++;
		if (!read_name(reader, err)) {
			return false;
		}
		skip_blanks(reader);
	}
	if (*reader->at != ']') {
		return conf_reader_fail(reader, reader->at, err, "expected ']'");
	}
	reader->at++;
	skip_blanks(reader);
	if (!is_line_end(reader->at)) {
		return conf_reader_fail(reader, reader->at, err,
					"expected the end of the line behind ']'");
	}
	skip_line(reader);
	return true;
}

/* Reads up to the end of the line.  Blanks at both ends go, unless they are quoted. */
static bool read_text(struct conf_reader *reader, struct err *err)
{
	struct str *value = &reader->value;
	bool is_quoted = false;
	size_t kept = 0;

	while (is_quoted || !is_line_end(reader->at)) {
		char letter = *reader->at;

		if (letter == '\0' || letter == '\n') {
			return conf_reader_fail(reader, reader->at, err, "expected a closing '\"'");
		}
		reader->at++;
		if (letter == '"') {
			is_quoted = !is_quoted;
		} else if (letter == '\\' && reader->at[strspn(reader->at, "\r")] == '\n') {
			skip_line(reader);
		} else if (letter == '\\') {
			if (!read_escape(reader, value, countof(escapes), err)) {
				return false;
			}
		} else {
			str_append_char(value, letter);
			if (!is_quoted && strchr(" \t\r", letter)) {
				continue;
			}
		}
		kept = value->length;
	}
	str_truncate(value, kept);
	return true;
}

static bool read_value(struct conf_reader *reader, struct conf_entry *entry, struct err *err)
{
	entry->kind = CONF_VALUE;
	entry->key_at = reader->at;
	if (reader->section.length == 0) {
		return conf_reader_fail(reader, reader->at, err, "expected a section: [section]");
	}
	if (!read_word(reader, "a key", &reader->key, err)) {
		return false;
	}
	skip_blanks(reader);
	str_truncate(&reader->value, 0);
	entry->value_at = entry->key_at;
	if (*reader->at == '=') {
		reader->at++;
		skip_blanks(reader);
		entry->value_at = reader->at;
		if (!read_text(reader, err)) {
			return false;
		}
	} else if (is_line_end(reader->at)) {
		str_append(&reader->value, "true");
	} else {
		return conf_reader_fail(reader, reader->at, err, "expected '='");
	}
	skip_line(reader);
	return true;
}

bool conf_reader_next(struct conf_reader *reader, struct conf_entry *ret_entry, struct err *err)
{
	struct conf_entry entry = { .kind = CONF_END };
	bool is_done = true;

	if (reader->at == reader->text && !check_bytes(reader, err)) {
		return false;
	}
	entry.start = reader->at;
	skip_blanks(reader);
	while (*reader->at != '\0' && is_line_end(reader->at)) {
		skip_line(reader);
		entry.start = reader->at;
		skip_blanks(reader);
	}
	if (*reader->at == '[') {
		is_done = read_header(reader, &entry, err);
	} else if (*reader->at != '\0') {
		is_done = read_value(reader, &entry, err);
	}
	if (!is_done) {
		return false;
	}
	entry.section = reader->section.at;
	entry.name = reader->name.at;
	entry.key = reader->key.at;
	entry.value = reader->value.at;
	entry.end = reader->at;
	*ret_entry = entry;
	return true;
}

static bool write_quoted(struct str *str, const char *text, size_t nr_escapes, struct err *err)
{
	size_t left = strlen(text);

	str_append_char(str, '"');
	while (left > 0) {
		size_t length = valid_length(text, left);
		char escape = '\0';

		if (length == 0 || *text == '\r' ||
		    (*text == '\n' && nr_escapes == NR_NAME_ESCAPES)) {
			return err_set(err, ERR_INPUT,
				       "byte 0x%02x is a control character or not UTF-8",
				       (unsigned)(unsigned char)*text);
		}
		for (size_t i = 0; i < nr_escapes; i++) {
			if (*text == escapes[i].meaning) {
				escape = escapes[i].letter;
			}
		}
		if (escape) {
			str_append_char(str, '\\');
			str_append_char(str, escape);
		} else {
			str_append_bytes(str, text, length);
		}
		text += length;
		left -= length;
	}
	str_append_char(str, '"');
	return true;
}

bool conf_write_header(struct str *str, const char *section, const char *name, struct err *err)
{
	str_printf(str, "[%s", section);
	if (*name) {
		str_append_char(str, ' ');
		if (!write_quoted(str, name, NR_NAME_ESCAPES, err)) {
			return err_wrap(err, "a name in [%s]", section);
		}
	}
	str_append(str, "]\n");
	return true;
}

bool conf_write_value(struct str *str, const char *key, const char *value, struct err *err)
{
	scoped(str_release) struct str quoted = STR_INIT;
	bool is_plain;

	if (!write_quoted(&quoted, value, countof(escapes), err)) {
		return err_wrap(err, "value of '%s'", key);
	}
	/* Plain where quotes change nothing: no escapes, no comment signs, no blanks at an end. */
	is_plain = quoted.length == strlen(value) + 2 && *value && !strpbrk(value, "#;") &&
		   *value != ' ' && value[strlen(value) - 1] != ' ';
	str_printf(str, "\t%s = %s\n", key, is_plain ? value : quoted.at);
	return true;
}
