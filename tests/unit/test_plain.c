/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/text/plain.h"

#include "tests/t.h"

#define GONE "\xef\xbf\xbd"

static const struct {
	const char *raw;
	const char *shown;
} lines[] = {
	{ "plain\ttext\n", "plain\ttext\n" },
	{ "one\r\ntwo\rthree\n\r", "one\ntwo\nthree\n\n" },
	{ "\x1b[1;31mred\x1b[0m", "red" },
	{ "\x1b[?25lhidden cursor\x1b[K", "hidden cursor" },
	{ "\x1b]0;a title\x07"
	  "after",
	  "after" },
	{ "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link" },
	{ "\x1bPdevice\x1b\\\x1b^private\x1b\\\x1b_app\x1b\\x", "x" },
	{ "\x1b(B\x1b=\x1b"
	  "7saved",
	  "saved" },
	{ "\x1b]no end\nnext line", "\nnext line" },
	{ "\x1b[31", "" },
	{ "\x1b", "" },
	{ "\x1b[3\x01m", GONE "m" },
	{ "bell\x07 del\x7f c1\xc2\x9b", "bell" GONE " del" GONE " c1" GONE },
	{ "\xff\xfe half \xe2\x82", GONE GONE " half " GONE GONE },
	{ "<b>&amp;", "<b>&amp;" },
};

static void drops_what_terminals_obey(void)
{
	for (size_t i = 0; i < countof(lines); i++) {
		scoped(str_release) struct str text = STR_INIT;

		plain_append(&text, lines[i].raw, strlen(lines[i].raw));
		CHECK_TEXT(text.at, lines[i].shown);
	}
}

static void keeps_nothing_hidden_of_any_two_bytes(void)
{
	for (int i = 0; i < 256 * 256; i++) {
		scoped(str_release) struct str text = STR_INIT;
		const char raw[] = { '\x1b', (char)(i >> 8), (char)i, 'x' };
		bool is_clean = true;

		plain_append(&text, raw, sizeof(raw));
		for (size_t j = 0; j < text.length; j++) {
			unsigned char byte = (unsigned char)text.at[j];

			is_clean &= (byte >= ' ' || byte == '\n' || byte == '\t') && byte != 0x7f;
		}
		if (!is_clean) {
			CHECK_INT(i, -1);
		}
	}
	CHECK(true);
}

static const struct t_case cases[] = {
	{ "a log loses what terminals obey, and keeps its text and lines",
	  drops_what_terminals_obey },
	{ "nothing behind an escape brings a control character onto the page",
	  keeps_nothing_hidden_of_any_two_bytes },
};
T_MAIN(cases)
