/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "value.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

#include "lib/base/str.h"

#define NUMBER_LIMIT_BYTES 200

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

static struct slice trim(struct slice text)
{
	while (text.length > 0 && is_blank(*text.at)) {
		text.at++;
		text.length--;
	}
	while (text.length > 0 && is_blank(text.at[text.length - 1])) {
		text.length--;
	}
	return text;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Whether the commas, if any, part the whole part into threes, and stand nowhere else. */
static bool is_grouped(const char *text)
{
	size_t digits = 0;
	bool has_comma = false;

	for (; is_digit(*text) || *text == ','; text++) {
		if (is_digit(*text)) {
			digits++;
			continue;
		}
		if (digits == 0 || digits > 3 || (has_comma && digits != 3)) {
			return false;
		}
		has_comma = true;
		digits = 0;
	}
	return (!has_comma || digits == 3) && !strchr(text, ',');
}

static bool is_word_not_finite(const char *text)
{
	static const char *const words[] = { "nan", "inf", "infinity" };

	text += *text == '-' || *text == '+';
	for (size_t i = 0; i < countof(words); i++) {
		if (strcasecmp(text, words[i]) == 0) {
			return true;
		}
	}
	return false;
}

/* [0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)? or \.[0-9]+..., which strtod() reads as we mean it */
static bool is_number(const char *text)
{
	size_t whole = strspn(text, "0123456789");
	size_t decimals = 0;
	size_t exponent;

	text += whole;
	if (*text == '.') {
		decimals = strspn(++text, "0123456789");
		text += decimals;
	}
	if (*text == 'e' || *text == 'E') {
		text += text[1] == '+' || text[1] == '-' ? 2 : 1;
		exponent = strspn(text, "0123456789");
		if (exponent == 0) {
			return false;
		}
		text += exponent;
	}
	return whole + decimals > 0 && *text == '\0';
}

/* Zero is a number where every digit of the mantissa says so: else it is too small for a double. */
static bool is_true_zero(const char *text)
{
	return text[strspn(text, "0.")] == '\0' || strchr("eE", text[strspn(text, "0.")]);
}

static enum value_end value_of_double(double value, double *ret_value)
{
	if (!isfinite(value) || (signbit(value) && !(value < 0))) {
		return VALUE_NOT_FINITE;
	}
	*ret_value = value;
	return VALUE_FOUND;
}

enum value_end value_of_text(struct slice text, double *ret_value)
{
	char bare[NUMBER_LIMIT_BYTES + 1];
	const char *digits;
	size_t length = 0;
	double value;

	text = trim(text);
	if (text.length == 0 || text.length > NUMBER_LIMIT_BYTES) {
		return VALUE_NONE;
	}
	memcpy(bare, text.at, text.length);
	bare[text.length] = '\0';
	if (strlen(bare) < text.length) {
		return VALUE_NONE; /* a NUL within */
	}
	if (is_word_not_finite(bare)) {
		return VALUE_NOT_FINITE;
	}
	digits = bare + (*bare == '-' || *bare == '+');
	if (!is_grouped(digits)) {
		return VALUE_NONE;
	}
	for (size_t i = 0; i < text.length; i++) {
		if (text.at[i] != ',') {
			bare[length++] = text.at[i];
		}
	}
	bare[length] = '\0';
	if (!is_number(digits)) {
		return VALUE_NONE;
	}
	value = strtod(bare, NULL);
	if (fpclassify(value) == FP_ZERO && !is_true_zero(digits)) {
		return VALUE_NOT_FINITE;
	}
	return value_of_double(value, ret_value);
}

/* One reference token with ~1 and ~0 put back. */
static void unescape(struct str *token, const char *from, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (from[i] == '~' && i + 1 < length) {
			str_append_char(token, from[++i] == '1' ? '/' : '~');
		} else {
			str_append_char(token, from[i]);
		}
	}
}

static const struct json *step_into(const struct json *json, const char *token)
{
	int64_t index;

	if (json_kind(json) == KIND_OBJECT) {
		return json_get(json, token);
	}
	if (json_kind(json) != KIND_ARRAY || (token[0] == '0' && token[1] != '\0') ||
	    !is_digit(token[0]) || !str_to_int(token, 0, INT32_MAX, &index, NULL)) {
		return NULL;
	}
	return json_at(json, (size_t)index);
}

enum value_end value_of_pointer(const struct json *document, const char *pointer, double *ret_value)
{
	const struct json *json = document;

	while (*pointer == '/' && json) {
		scoped(str_release) struct str token = STR_INIT;
		size_t length = strcspn(pointer + 1, "/");

		unescape(&token, pointer + 1, length);
		json = step_into(json, token.at);
		pointer += 1 + length;
	}
	if (json_kind(json) != KIND_NUMBER) {
		return VALUE_NONE;
	}
	return value_of_double(json_number(json, 0), ret_value);
}

static bool is_line_end(char byte)
{
	return byte == '\n' || byte == '\r';
}

enum value_end value_of_line(struct slice text, const char *name, const char *point,
			     double *ret_value)
{
	scoped(str_release) struct str head = STR_INIT;
	const char *end = text.at + text.length;
	struct slice last = { 0 };
	const char *at = text.at;

	str_printf(&head, "%s%s%s:", name, point ? "." : "", point ? point : "");
	while (at && (at = memmem(at, (size_t)(end - at), head.at, head.length)) != NULL) {
		const char *value = at + head.length;

		if (at == text.at || is_line_end(at[-1])) {
			last.at = value;
			while (value < end && !is_line_end(*value)) {
				value++;
			}
			last.length = (size_t)(value - last.at);
		}
		at = value;
	}
	return last.at ? value_of_text(last, ret_value) : VALUE_NONE;
}
