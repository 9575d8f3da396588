/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pull.h"

#include <math.h>
#include <stdarg.h>

#include "decimal.h"
#include "names.h"

/* What may stand next.
 *
 *	VALUE --item--> AFTER --','--> VALUE (array) or NAME (object)
 *	   '['-> FIRST_VALUE   AFTER --']' '}'--> AFTER of the level below, or DONE
 *	   '{'-> FIRST_NAME --name ':'--> VALUE
 */
enum expects { VALUE, FIRST_VALUE, FIRST_NAME, NAME, AFTER, DONE, FAILED };

void pull_init(struct pull *pull, const char *what, const char *bytes, size_t length,
	       size_t first_offset)
{
	*pull = (struct pull){ .what = what,
			       .bytes = bytes,
			       .length = length,
			       .first_offset = first_offset,
			       .expects = VALUE,
			       .text = STR_INIT,
			       .names = STR_INIT };
}

void pull_release(struct pull *pull)
{
	str_release(&pull->text);
	str_release(&pull->names);
	vec_release(&pull->name_list);
}

static bool fail(struct pull *pull, size_t at, struct err *err, const char *fault)
{
	pull->expects = FAILED;
	return err_set(err, ERR_INPUT, "%s: byte %zu: %s", pull->what, pull->first_offset + at,
		       fault);
}

bool pull_is_whole(const struct pull *pull, const struct pull_item *number)
{
	for (size_t at = number->offset - pull->first_offset; at < pull->at; at++) {
		char byte = pull->bytes[at];

		if (byte == '.' || byte == 'e' || byte == 'E') {
			return false;
		}
	}
	return true;
}

bool pull_refuse(const struct pull *pull, const struct pull_item *item, struct err *err,
		 const char *format, ...)
{
	char fault[256];
	va_list args;

	va_start(args, format);
	vsnprintf(fault, sizeof(fault), format, args);
	va_end(args);
	return err_set(err, ERR_INPUT, "%s: byte %zu: %s", pull->what, item->offset, fault);
}

/* The byte at the reader, 0 at the end: a NUL in the input is no part of JSON either. */
static char peek(const struct pull *pull)
{
	return *(pull->at < pull->length ? pull->bytes + pull->at : "");
}

static void skip_blanks(struct pull *pull)
{
	while (peek(pull) == ' ' || peek(pull) == '\n' || peek(pull) == '\t' ||
	       peek(pull) == '\r') {
		pull->at++;
	}
}

static bool is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* texts */

static int hex_value(char digit)
{
	if (is_digit(digit)) {
		return digit - '0';
	}
	digit |= 0x20;
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Four hexadecimal digits; -1: they are not. */
static int32_t read_hex(struct pull *pull)
{
	int32_t code = 0;

	for (int i = 0; i < 4; i++) {
		int value = hex_value(peek(pull));

		if (value < 0) {
			return -1;
		}
		code = code << 4 | value;
		pull->at++;
	}
	return code;
}

static void append_utf8(struct str *str, uint32_t code)
{
	static const uint8_t marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	char bytes[4];

	for (size_t i = length; i-- > 1;) {
		bytes[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	bytes[0] = (char)(marks[length] | code);
	str_append_bytes(str, bytes, length);
}

static bool read_unicode(struct pull *pull, struct err *err)
{
	size_t start = pull->at;
	int32_t code = read_hex(pull);
	int32_t low = 0;

	if (code >= 0xd800 && code < 0xdc00) {
		if (pull->length - pull->at < 2 || memcmp(pull->bytes + pull->at, "\\u", 2) != 0) {
			return fail(pull, start, err, "half a surrogate pair");
		}
		pull->at += 2;
		low = read_hex(pull);
		if (low < 0xdc00 || low > 0xdfff) {
			return fail(pull, start, err, "half a surrogate pair");
		}
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	if (code <= 0 || (code >= 0xd800 && code <= 0xdfff)) {
		return fail(pull, start, err,
			    code == 0 ? "a text must not hold a NUL"
				      : "no character has this code");
	}
	append_utf8(&pull->text, (uint32_t)code);
	return true;
}

static bool read_escape(struct pull *pull, struct err *err)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	char letter;
	const char *found;

	pull->at++;
	letter = peek(pull);
	if (letter == 'u') {
		pull->at++;
		return read_unicode(pull, err);
	}
	found = letter ? strchr(letters, letter) : NULL;
	if (!found) {
		return fail(pull, pull->at, err, "no such escape in a text");
	}
	str_append_char(&pull->text, meanings[found - letters]);
	pull->at++;
	return true;
}

/* A run of plain characters, up to a quote or backslash. */
static bool read_plain(struct pull *pull, struct err *err)
{
	size_t start = pull->at;
	uint32_t code;

	while (pull->at < pull->length && peek(pull) != '"' && peek(pull) != '\\') {
		size_t size = 1;

		code = (unsigned char)peek(pull);
		if (code >= 0x80) {
			size = str_decode(pull->bytes + pull->at, pull->length - pull->at, &code);
		}
		if (size == 0) {
			return fail(pull, pull->at, err, "not UTF-8");
		}
		if (code < 0x20) {
			return fail(pull, pull->at, err, "a control character inside a text");
		}
		pull->at += size;
	}
	str_append_bytes(&pull->text, pull->bytes + start, pull->at - start);
	return true;
}

static bool read_text(struct pull *pull, struct pull_item *item, struct err *err)
{
	size_t start = pull->at++;

	str_truncate(&pull->text, 0);
	while (peek(pull) != '"') {
		if (pull->at >= pull->length) {
			return fail(pull, start, err, "this text does not end");
		}
		if (!(peek(pull) == '\\' ? read_escape(pull, err) : read_plain(pull, err))) {
			return false;
		}
	}
	pull->at++;
	item->kind = PULL_TEXT;
	item->text = pull->text.at;
	item->length = pull->text.length;
	return true;
}

static bool read_number(struct pull *pull, struct pull_item *item, struct err *err)
{
	size_t length =
		decimal_read(pull->bytes + pull->at, pull->length - pull->at, &item->number);

	if (length == 0) {
		return fail(pull, pull->at, err, "not a number");
	}
	if (!isfinite(item->number)) {
		return fail(pull, pull->at, err, "a number too large");
	}
	pull->at += length;
	item->kind = PULL_NUMBER;
	return true;
}

/* structure */

static void push_name(struct pull *pull, const struct pull_item *item)
{
	*vec_push(&pull->name_list) = (struct pull_name){ pull->names.length, item->offset };
	str_append_bytes(&pull->names, item->text, item->length + 1);
}

/* From here on a table of names is faster than a look at each. */
#define FEW_NAMES 16

/* Whether name `index` stands among those from `first` on. */
static bool stands_before(const struct pull *pull, size_t first, size_t index)
{
	const char *name = pull->names.at + pull->name_list.at[index].at;

	for (size_t i = first; i < index; i++) {
		if (strcmp(pull->names.at + pull->name_list.at[i].at, name) == 0) {
			return true;
		}
	}
	return false;
}

/* The first name from `first` on that stands there a second time; name_list.nr: none does. */
static size_t find_twice(const struct pull *pull, size_t first)
{
	size_t nr = pull->name_list.nr;
	struct names *names = nr - first > FEW_NAMES ? names_new() : NULL;
	size_t i;

	for (i = first; i < nr; i++) {
		if (names ? names_number(names, pull->names.at + pull->name_list.at[i].at) !=
				    i - first + 1
			  : stands_before(pull, first, i)) {
			break;
		}
	}
	names_free(names);
	return i;
}

/* Drops the names of the object that ends; false: one stood there twice. */
static bool pop_names(struct pull *pull, struct err *err)
{
	size_t first = pull->levels[pull->level].first_name;
	size_t twice = find_twice(pull, first);

	if (twice < pull->name_list.nr) {
		return fail(pull, pull->name_list.at[twice].offset - pull->first_offset, err,
			    "this name stands in the object twice");
	}
	if (first < pull->name_list.nr) {
		str_truncate(&pull->names, pull->name_list.at[first].at);
		pull->name_list.nr = first;
	}
	return true;
}

static bool open_level(struct pull *pull, bool is_object, struct pull_item *item, struct err *err)
{
	if (pull->level == PULL_LEVELS) {
		return fail(pull, pull->at, err, "nested more than 128 levels deep");
	}
	pull->levels[pull->level].is_object = is_object;
	pull->levels[pull->level].first_name = pull->name_list.nr;
	pull->level++;
	pull->at++;
	pull->expects = is_object ? FIRST_NAME : FIRST_VALUE;
	item->kind = is_object ? PULL_OBJECT : PULL_ARRAY;
	return true;
}

static bool close_level(struct pull *pull, struct pull_item *item, struct err *err)
{
	bool is_object = pull->levels[--pull->level].is_object;

	pull->at++;
	pull->expects = pull->level > 0 ? AFTER : DONE;
	item->kind = is_object ? PULL_OBJECT_END : PULL_ARRAY_END;
	return !is_object || pop_names(pull, err);
}

static bool is_at(const struct pull *pull, const char *word)
{
	size_t length = strlen(word);

	return pull->length - pull->at >= length &&
	       memcmp(pull->bytes + pull->at, word, length) == 0;
}

static bool read_word(struct pull *pull, struct pull_item *item, struct err *err)
{
	static const struct {
		const char *word;
		enum pull_kind kind;
	} words[] = { { "true", PULL_TRUE }, { "false", PULL_FALSE }, { "null", PULL_NULL } };
	static const char *const unreal[] = { "NaN", "nan", "Inf", "inf" };

	for (size_t i = 0; i < countof(words); i++) {
		if (is_at(pull, words[i].word)) {
			pull->at += strlen(words[i].word);
			item->kind = words[i].kind;
			return true;
		}
	}
	for (size_t i = 0; i < countof(unreal); i++) {
		if (is_at(pull, unreal[i])) {
			return fail(pull, pull->at, err,
				    "NaN and infinity are no numbers; what is missing is null");
		}
	}
	return fail(pull, pull->at, err,
		    pull->at < pull->length ? "expected a value" : "the text ends in the middle");
}

static bool read_value(struct pull *pull, struct pull_item *item, struct err *err)
{
	char first = peek(pull);
	bool is_done;

	if (first == '{' || first == '[') {
		return open_level(pull, first == '{', item, err);
	}
	if (first == '"') {
		is_done = read_text(pull, item, err);
	} else if (first == '-' || is_digit(first)) {
		is_done = read_number(pull, item, err);
	} else {
		is_done = read_word(pull, item, err);
	}
	if (is_done) {
		pull->expects = pull->level > 0 ? AFTER : DONE;
	}
	return is_done;
}

static bool read_name(struct pull *pull, struct pull_item *item, struct err *err)
{
	if (peek(pull) != '"') {
		return fail(pull, pull->at, err, "expected a name in quotes");
	}
	if (!read_text(pull, item, err)) {
		return false;
	}
	push_name(pull, item);
	skip_blanks(pull);
	if (peek(pull) != ':') {
		return fail(pull, pull->at, err, "expected ':'");
	}
	pull->at++;
	pull->expects = VALUE;
	item->kind = PULL_NAME;
	return true;
}

/* After a value inside an object or array: a comma takes us to the next, else the level ends. */
static bool pass_comma(struct pull *pull, struct err *err)
{
	bool is_object = pull->levels[pull->level - 1].is_object;

	if (peek(pull) == ',') {
		pull->at++;
		pull->expects = is_object ? NAME : VALUE;
		skip_blanks(pull);
		return true;
	}
	if (peek(pull) != (is_object ? '}' : ']')) {
		return fail(pull, pull->at, err,
			    is_object ? "expected ',' or '}'" : "expected ',' or ']'");
	}
	return true;
}

bool pull_next(struct pull *pull, struct pull_item *ret_item, struct err *err)
{
	struct pull_item item = { 0 };
	bool is_done;

	skip_blanks(pull);
	if (pull->expects == AFTER && !pass_comma(pull, err)) {
		return false;
	}
	item.offset = pull->first_offset + pull->at;
	if (pull->expects == FAILED) {
		return err_set(err, ERR_INPUT, "%s: is not JSON", pull->what);
	}
	if (pull->expects == DONE) {
		if (pull->at < pull->length) {
			return fail(pull, pull->at, err, "something stands behind the value");
		}
		is_done = true;
	} else if (pull->expects == AFTER || (pull->expects == FIRST_NAME && peek(pull) == '}') ||
		   (pull->expects == FIRST_VALUE && peek(pull) == ']')) {
		is_done = close_level(pull, &item, err);
	} else if (pull->expects == NAME || pull->expects == FIRST_NAME) {
		is_done = read_name(pull, &item, err);
	} else {
		is_done = read_value(pull, &item, err);
	}
	if (is_done) {
		*ret_item = item;
	}
	return is_done;
}

/* conveniences */

bool pull_need(struct pull *pull, enum pull_kind kind, struct pull_item *ret_item, struct err *err)
{
	static const char *const names[] = {
		[PULL_END] = "the end",
		[PULL_OBJECT] = "an object",
		[PULL_OBJECT_END] = "the end of the object",
		[PULL_ARRAY] = "an array",
		[PULL_ARRAY_END] = "the end of the array",
		[PULL_NAME] = "a name",
		[PULL_TEXT] = "a text",
		[PULL_NUMBER] = "a number",
		[PULL_TRUE] = "true",
		[PULL_FALSE] = "false",
		[PULL_NULL] = "null",
	};
	struct pull_item item = { 0 };

	if (!pull_next(pull, &item, err)) {
		return false;
	}
	if (item.kind != kind) {
		return pull_refuse(pull, &item, err, "expected %s", names[kind]);
	}
	*ret_item = item;
	return true;
}

bool pull_skip(struct pull *pull, const struct pull_item *item, struct err *err)
{
	size_t level = pull->level;
	struct pull_item next = *item;

	if (item->kind == PULL_NAME) {
		if (!pull_next(pull, &next, err)) {
			return false;
		}
	}
	if (next.kind == PULL_OBJECT || next.kind == PULL_ARRAY) {
		level = item->kind == PULL_NAME ? level : level - 1;
		while (pull->level > level) {
			if (!pull_next(pull, &next, err)) {
				return false;
			}
		}
	}
	return true;
}
