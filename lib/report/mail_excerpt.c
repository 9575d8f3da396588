/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mail.h"

#define LINES_BEFORE    10
#define LINES_SHOWN     30
#define MAX_SHOWN_BYTES 200 /* of a line */

/* What compilers, make, linkers, test runners and the kernel begin a complaint with. */
static const char *const complaints[] = {
	": error:", "error: ", "fatal error", "undefined reference",
	"*** [",    "BUG: ",   "Oops",        "panic",
};

static bool is_complaint(const char *line, size_t length)
{
	for (size_t i = 0; i < countof(complaints); i++) {
		if (memmem(line, length, complaints[i], strlen(complaints[i]))) {
			return true;
		}
	}
	return false;
}

static size_t line_length(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return (size_t)((newline ? newline : end) - at);
}

/* The start of the line that is `nr` lines before the one at `at`. */
static const char *lines_back(const char *begin, const char *at, int nr)
{
	while (nr-- > 0 && at > begin) {
		at--;
		while (at > begin && at[-1] != '\n') {
			at--;
		}
	}
	return at;
}

size_t mail_excerpt(const char *bytes, size_t length, struct str *out)
{
	const char *end = bytes + length;
	const char *at = bytes;
	size_t nr = 0;
	bool is_found = false;

	while (at < end && !is_found) {
		size_t size = line_length(at, end);

		nr++;
		is_found = is_complaint(at, size);
		at += is_found ? 0 : size + (at + size < end);
	}
	at = lines_back(bytes, at, is_found ? LINES_BEFORE : LINES_SHOWN);
	for (int i = 0; i < LINES_SHOWN && at < end; i++) {
		size_t size = line_length(at, end);

		str_append_clean(out, at, size - (size > 0 && at[size - 1] == '\r'), true,
				 MAX_SHOWN_BYTES);
		str_append_char(out, '\n');
		at += size + (at + size < end);
	}
	return is_found ? nr : 0;
}
