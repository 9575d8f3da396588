/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/str.h"

#include <float.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/t.h"

static void ends_in_nul(void)
{
	scoped(str_release) struct str text = STR_INIT;

	CHECK_TEXT(text.at, "");
	for (int i = 0; i < 1000; i++) {
		str_append_char(&text, 'x');
		if (!CHECK_INT((int64_t)strlen(text.at), i + 1)) {
			return;
		}
	}
	str_truncate(&text, 2);
	str_truncate(&text, 5);
	str_append(&text, "");
	str_printf(&text, "-%s-%d", "y", 7);
	CHECK_TEXT(text.at, "xx-y-7");
	CHECK_INT((int64_t)text.length, 6);
}

static void quotes_for_a_shell(void)
{
	scoped(str_release) struct str text = STR_INIT;

	str_append_quoted(&text, "it's $HOME; `rm` \\");
	CHECK_TEXT(text.at, "'it'\\''s $HOME; `rm` \\'");
}

static void hands_itself_over(void)
{
	struct str text = STR_INIT;
	scoped(free) char *empty = str_detach(&text);
	scoped(free) char *full = NULL;

	str_append_bytes(&text, "a\0b", 3);
	full = str_detach(&text);
	CHECK_TEXT(empty, "");
	CHECK(memcmp(full, "a\0b", 4) == 0);
	CHECK_TEXT(text.at, "");
	CHECK_INT((int64_t)text.length, 0);
}

static void files_come_back_whole(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = mem_printf("%s/file", folder);
	scoped(str_release) struct str bytes = STR_INIT;
	scoped(str_release) struct str back = STR_INIT;
	struct err err = ERR_INIT;
	struct stat status;

	for (int i = 0; i < 200000; i++) {
		str_append_char(&bytes, (char)(i * 7));
	}
	CHECK_DONE(str_write_file(path, "old", 3, 0600, &err), &err);
	CHECK_DONE(str_write_file(path, bytes.at, bytes.length, 0640, &err), &err);
	CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640);
	CHECK_DONE(str_read_file(&back, path, bytes.length, &err), &err);
	CHECK_INT((int64_t)back.length, (int64_t)bytes.length);
	CHECK(memcmp(back.at, bytes.at, bytes.length) == 0);
}

static void files_fail_with_their_kind(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = mem_printf("%s/file", folder);
	scoped(free) char *nowhere = mem_printf("%s/no/file", folder);
	scoped(str_release) struct str text = STR_INIT;
	struct err err = ERR_INIT;

	str_append(&text, "kept");
	CHECK_FAILS(str_read_file(&text, path, 10, &err), &err, ERR_ABSENT, path);
	CHECK_FAILS(str_read_file(&text, folder, 10, &err), &err, ERR_BROKEN, folder);
	CHECK_FAILS(str_write_file(nowhere, "x", 1, 0600, &err), &err, ERR_BROKEN, nowhere);
	CHECK_DONE(str_write_file(path, "0123456789a", 11, 0600, &err), &err);
	CHECK_FAILS(str_read_file(&text, path, 10, &err), &err, ERR_TOO_BIG, "10 bytes");
	CHECK_TEXT(text.at, "kept");
	/* A failed write leaves no temporary file behind: the folder holds the one file. */
	CHECK_FAILS(str_write_file(folder, "x", 1, 0600, &err), &err, ERR_BROKEN, folder);
	CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

static void reads_whole_numbers(void)
{
	static const char *const wrong[] = { "",    " 1",  "1 ",  "+1",  "-",   "--1",
					     "1.0", "1e3", "0x1", "one", "12a", "\t3" };
	struct err err = ERR_INIT;
	int64_t value = 42;

	for (size_t i = 0; i < countof(wrong); i++) {
		CHECK_FAILS(str_to_int(wrong[i], INT64_MIN, INT64_MAX, &value, &err), &err,
			    ERR_INPUT, "is not a whole number");
	}
	CHECK_FAILS(str_to_int("9223372036854775808", 0, INT64_MAX, &value, &err), &err, ERR_INPUT,
		    "is outside 0 to 9223372036854775807");
	CHECK_FAILS(str_to_int("101", 1, 100, &value, &err), &err, ERR_INPUT, "outside 1 to 100");
	CHECK_FAILS(str_to_int("0", 1, 100, &value, &err), &err, ERR_INPUT, "outside 1 to 100");
	CHECK_INT(value, 42);
	CHECK_DONE(str_to_int("-9223372036854775808", INT64_MIN, 0, &value, &err), &err);
	CHECK_INT(value, INT64_MIN);
	CHECK_DONE(str_to_int("007", 0, 100, &value, &err), &err);
	CHECK_INT(value, 7);
}

/* What printf() and strtod() say, of decimals with none to seven digits behind the point. */
static void writes_the_shortest_number(void)
{
	static const double others[] = { 0,    -0.0,   0.1,  1e-4,      9.99e-5, 1e15,
					 1e22, 1e-300, 1e14, 0.1 + 0.2, DBL_MAX, -12.5 };
	uint64_t state = 1;

	for (size_t i = 0; i < 20000 + countof(others); i++) {
		double value = (double)(int64_t)(state >> (14 + i % 40)) / pow(10, (double)(i % 8));
		scoped(str_release) struct str text = STR_INIT;
		char expected[40];
		double back = NAN;

		state = state * 6364136223846793005 + 1442695040888963407;
		value = i < countof(others) ? others[i] : i % 3 ? value : -value;
		for (int digits = 15; digits <= 17 && memcmp(&back, &value, sizeof(back)) != 0;
		     digits++) {
			snprintf(expected, sizeof(expected), "%.*g", digits, value);
			back = strtod(expected, NULL);
		}
		str_append_number(&text, value);
		if (!CHECK_TEXT(text.at, expected)) {
			return;
		}
	}
}

static void reads_numbers(void)
{
	static const struct {
		const char *text;
		double value;
	} right[] = {
		{ "0", 0 },
		{ "-1.5", -1.5 },
		{ ".5", 0.5 },
		{ "5.", 5 },
		{ "+1e3", 1000 },
		{ "0.1", 0.1 },
		{ "1E-2", 0.01 },
		{ "1.7976931348623157e308", DBL_MAX },
		{ "4.9e-324", 0x1p-1074 },
	};
	static const char *const wrong[] = { "",   " 1", "1 ", "nan", "inf", "-inf", "0x10",
					     "1e", ".",  "-",  "1,5", "--1", "1e5.5" };
	struct err err = ERR_INIT;
	double value = 42;

	for (size_t i = 0; i < countof(wrong); i++) {
		CHECK_FAILS(str_to_double(wrong[i], &value, &err), &err, ERR_INPUT,
			    "is not a number");
	}
	CHECK_FAILS(str_to_double("1e309", &value, &err), &err, ERR_INPUT, "is too large");
	CHECK_NEAR(value, 42, 0);
	for (size_t i = 0; i < countof(right); i++) {
		CHECK_DONE(str_to_double(right[i].text, &value, &err), &err);
		CHECK_NEAR(value, right[i].value, 0);
	}
}

static void knows_both_ends(void)
{
	CHECK(str_has_prefix("abc", "ab") && str_has_prefix("abc", "") &&
	      str_has_prefix("abc", "abc"));
	CHECK(!str_has_prefix("abc", "abcd") && !str_has_prefix("abc", "b"));
	CHECK(str_has_suffix("abc", "bc") && str_has_suffix("abc", "") &&
	      str_has_suffix("abc", "abc"));
	CHECK(!str_has_suffix("abc", "zabc") && !str_has_suffix("abc", "b"));
}

static void matches_globs(void)
{
	static const struct {
		const char *glob;
		const char *text;
		bool is_match;
	} rows[] = {
		{ "main", "main", true },
		{ "main", "main2", false },
		{ "topic/*", "topic/a/b", true },
		{ "topic/*", "topic/", true },
		{ "topic/*", "topic", false },
		{ "*", "", true },
		{ "", "", true },
		{ "", "a", false },
		{ "v?.?", "v6.1", true },
		{ "v?.?", "v6.12", false },
		{ "*-rc*", "v6.1-rc", true },
		{ "a*b*c", "a-b-b-c-c", true },
		{ "a*b*c", "a-b-b-c-d", false },
		{ "[a]", "a", false },
		{ "[a]", "[a]", true },
		{ "**a", "bca", true },
	};
	scoped(str_release) struct str hostile = STR_INIT;

	for (size_t i = 0; i < countof(rows); i++) {
		if (str_matches(rows[i].glob, rows[i].text) != rows[i].is_match) {
			CHECK_TEXT(rows[i].glob, rows[i].text);
		}
	}
	/* Exponential for a matcher that tries every split. */
	for (int i = 0; i < 50000; i++) {
		str_append_char(&hostile, 'a');
	}
	CHECK(!str_matches("*a*a*a*a*a*a*a*a*a*a*b", hostile.at));
}

/* Expected texts are spelt from the Unicode standard's tables 3-6, 3-7 and UAX 9. */
#define BAD "\xef\xbf\xbd"

static const struct {
	const char *bytes;
	const char *clean;
} hostile_texts[] = {
	{ "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
	  "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7" },
	{ "a\x1b[31mb\x7f", "a" BAD "[31mb" BAD },
	{ "\xc2\x80\xc2\x9f\xc2\xa0", BAD BAD "\xc2\xa0" }, /* C1; then a no-break space */
	{ "\x80\xbf", BAD BAD },                            /* continuations alone */
	{ "\xc3", BAD },                                    /* cut at the end */
	{ "\xe2\x82", BAD BAD },                            /* the same, of three */
	{ "\xf0\x9f\x90", BAD BAD BAD },                    /* the same, of four */
	{ "\xc3(", BAD "(" },                               /* no continuation */
	{ "\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf",
	  BAD BAD BAD BAD BAD BAD BAD BAD BAD },                    /* overlong '/' */
	{ "\xed\xa0\x80\xed\xbf\xbf", BAD BAD BAD BAD BAD BAD },    /* surrogates */
	{ "\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80" }, /* their neighbours */
	{ "\xf4\x8f\xbf\xbd\xf4\x90\x80\x80",
	  "\xf4\x8f\xbf\xbd" BAD BAD BAD BAD }, /* above U+10FFFF */
	{ "\xf8\x88\x80\x80\x80\xfe\xff", BAD BAD BAD BAD BAD BAD BAD },
	{ "a\xe2\x80\xae"
	  "b\xe2\x81\xa6"
	  "c\xd8\x9c",
	  "a" BAD "b" BAD "c" BAD }, /* U+202E 2066 061C */
	{ "\xe2\x80\x8b\xe2\x80\xa8\xef\xbb\xbf",
	  BAD BAD BAD }, /* zero width, line separator, BOM */
};

static void cleans_hostile_texts(void)
{
	for (size_t i = 0; i < countof(hostile_texts); i++) {
		scoped(str_release) struct str clean = STR_INIT;
		const char *bytes = hostile_texts[i].bytes;

		str_append_clean(&clean, bytes, strlen(bytes), true, SIZE_MAX);
		CHECK_TEXT(clean.at, hostile_texts[i].clean);
	}
}

static void keeps_lines_where_told(void)
{
	scoped(str_release) struct str kept = STR_INIT;
	scoped(str_release) struct str not_kept = STR_INIT;

	str_append_clean(&kept, "a\n\tb\r\0", 6, true, 100);
	str_append_clean(&not_kept, "a\n\tb\r\0", 6, false, 100);
	CHECK_TEXT(kept.at, "a\n\tb" BAD BAD);
	CHECK_TEXT(not_kept.at, "a" BAD BAD "b" BAD BAD);
}

static void cuts_between_characters(void)
{
	static const char *const expected[] = { "-",
						"-a",
						"-a",
						"-a",
						"-a\xe2\x82\xac",
						"-a\xe2\x82\xac",
						"-a\xe2\x82\xac",
						"-a\xe2\x82\xac" BAD };

	for (size_t limit = 0; limit < countof(expected); limit++) {
		scoped(str_release) struct str clean = STR_INIT;

		str_append(&clean, "-");
		str_append_clean(&clean, "a\xe2\x82\xac\x01z", 6, false, limit);
		CHECK_TEXT(clean.at, expected[limit]);
	}
}

static const struct t_case cases[] = {
	{ "a string always ends in NUL while it grows and shrinks", ends_in_nul },
	{ "a detached string is the caller's and leaves an empty one", hands_itself_over },
	{ "a text becomes one word of a shell", quotes_for_a_shell },
	{ "a written file comes back whole, with its mode", files_come_back_whole },
	{ "file errors have their kind, name the path and spare the string",
	  files_fail_with_their_kind },
	{ "a whole number is read whole, in its range, or not at all", reads_whole_numbers },
	{ "a number is read whole and finite or not at all", reads_numbers },
	{ "a number is written as short as it can be read back", writes_the_shortest_number },
	{ "prefixes and suffixes are the whole ends", knows_both_ends },
	{ "a glob's star matches anything, in bounded time", matches_globs },
	{ "hostile text comes out as clean UTF-8", cleans_hostile_texts },
	{ "lines and tabs stay only where they are wanted", keeps_lines_where_told },
	{ "cleaned text is cut between characters", cuts_between_characters },
};

T_MAIN(cases)
