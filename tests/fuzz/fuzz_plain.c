/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing that steers a terminal is left of any bytes, no line is lost, and plain text stays. */
#include "lib/text/plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static bool is_steering(uint32_t code)
{
	return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static size_t count(const char *bytes, size_t length, char wanted)
{
	size_t nr = 0;

	for (size_t i = 0; i < length; i++) {
		nr += bytes[i] == wanted;
	}
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(str_release) struct str once = STR_INIT;
	scoped(str_release) struct str twice = STR_INIT;

	plain_append(&once, (const char *)bytes, length);
	for (size_t at = 0; at < once.length;) {
		uint32_t code = 0;
		size_t size = str_decode(once.at + at, once.length - at, &code);

		if (size == 0 || is_steering(code)) {
			bug("U+%04x at %zu of %zu", code, at, once.length);
		}
		at += size;
	}
	if (count(once.at, once.length, '\n') < count((const char *)bytes, length, '\n')) {
		bug("a line was lost");
	}
	plain_append(&twice, once.at, once.length);
	if (twice.length != once.length || memcmp(twice.at, once.at, once.length) != 0) {
		bug("what is plain was changed");
	}
	return 0;
}
