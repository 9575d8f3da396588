/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "words.h"

#include <errno.h>
#include <stdarg.h>

#include "lib/base/str.h"

bool words_fail(const struct words *words, struct err *err, const char *format, ...)
{
	char text[sizeof(err->message)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return err_set(err, ERR_INPUT, "line %zu: %s", words->line, text);
}

/* False: the end, or a failure that is in *err. */
static bool read_line(struct words *words, struct err *err)
{
	size_t length = 0;
	int byte;

	words->line++;
	while ((byte = getc(words->from)) != EOF && byte != '\n') {
		if (byte == '\0') {
			return words_fail(words, err, "a byte of value 0");
		}
		if (length == WORDS_MOST_BYTES) {
			return words_fail(words, err, "longer than %d bytes", WORDS_MOST_BYTES);
		}
		words->text[length++] = (char)byte;
	}
	words->text[length] = '\0';
	if (ferror(words->from)) {
		return err_set_errno(err, ERR_BROKEN, errno, "line %zu", words->line);
	}
	return length > 0 || byte == '\n';
}

static bool split(struct words *words, struct err *err)
{
	char *rest = words->text;
	const char *word;

	while ((word = strsep(&rest, " \t\r"))) {
		if (*word == '\0') {
			continue;
		}
		if (words->nr == WORDS_MOST) {
			return words_fail(words, err, "more than %d words", WORDS_MOST);
		}
		words->at[words->nr++] = word;
	}
	return true;
}

bool words_read(struct words *words, struct err *err)
{
	struct err failure = ERR_INIT;

	words->nr = 0;
	while (words->nr == 0 && read_line(words, &failure)) {
		if (!split(words, err)) {
			return false;
		}
	}
	return failure.kind == ERR_NONE || err_set(err, failure.kind, "%s", failure.message);
}

bool words_number(const struct words *words, size_t index, const double range[2],
		  double *ret_number, struct err *err)
{
	double number;

	if (index >= words->nr) {
		return words_fail(words, err, "'%s': a number is missing", words->at[0]);
	}
	if (!str_to_double(words->at[index], &number, NULL) || number < range[0] ||
	    number > range[1]) {
		return words_fail(words, err, "'%s': expected a number from %g to %g",
				  words->at[index], range[0], range[1]);
	}
	*ret_number = number;
	return true;
}

bool words_index(const struct words *words, size_t index, size_t most, size_t *ret_number,
		 struct err *err)
{
	int64_t number;

	if (index >= words->nr) {
		return words_fail(words, err, "'%s': a number is missing", words->at[0]);
	}
	if (!str_to_int(words->at[index], 0, (int64_t)most, &number, NULL)) {
		return words_fail(words, err, "'%s': expected a whole number from 0 to %zu",
				  words->at[index], most);
	}
	*ret_number = (size_t)number;
	return true;
}
