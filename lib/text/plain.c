/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plain.h"

#define ESC '\x1b'
#define BEL '\x07'

static bool is_between(char character, char first, char last)
{
	return character >= first && character <= last;
}

/* "ESC [ parameters intermediates final": a byte that fits none of them ends it and stays. */
static const char *skip_control(const char *at, const char *end)
{
	while (at < end && is_between(*at, ' ', '?')) {
		at++;
	}
	return at < end && is_between(*at, '@', '~') ? at + 1 : at;
}

/* "ESC ] text BEL" or "ESC ] text ESC \", and its relatives; without an end it is one line long. */
static const char *skip_string(const char *at, const char *end)
{
	while (at < end && *at != '\n') {
		if (*at == BEL) {
			return at + 1;
		}
		if (*at == ESC) {
			return end - at > 1 && at[1] == '\\' ? at + 2 : at;
		}
		at++;
	}
	return at;
}

/* `at` is behind ESC. */
static const char *skip_sequence(const char *at, const char *end)
{
	if (at == end) {
		return at;
	}
	if (*at == '[') {
		return skip_control(at + 1, end);
	}
	if (*at != '\0' && strchr("]PX^_", *at)) {
		return skip_string(at + 1, end);
	}
	while (at < end && is_between(*at, ' ', '/')) {
		at++;
	}
	return at < end && is_between(*at, '0', '~') ? at + 1 : at;
}

void plain_append(struct str *str, const char *bytes, size_t length)
{
	scoped(str_release) struct str plain = STR_INIT;
	const char *end = bytes + length;

	for (const char *at = bytes; at < end;) {
		char character = *at++;

		if (character == ESC) {
			at = skip_sequence(at, end);
		} else if (character == '\r') {
			str_append_char(&plain, '\n');
			at += at < end && *at == '\n';
		} else {
			str_append_char(&plain, character);
		}
	}
	/* U+FFFD takes three bytes */
	str_append_clean(str, plain.at, plain.length, true, 3 * plain.length);
}
