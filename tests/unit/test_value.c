/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/spec/value.h"

#include "tests/t.h"

static struct slice slice(const char *text)
{
	return (struct slice){ text, strlen(text) };
}

static void reads_numbers_of_tools(void)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {
		{ "4.393", 4.393 },
		{ "  12\t", 12 },
		{ "0", 0 },
		{ "0.000", 0 },
		{ "0e5", 0 },
		{ "-3.5", -3.5 },
		{ "+7", 7 },
		{ "1e3", 1000 },
		{ "1.5E-3", 0.0015 },
		{ ".5", 0.5 },
		{ "5.", 5 },
		{ "132,071", 132071 },
		{ "1,234,567.25", 1234567.25 },
		{ "12,345", 12345 },
		{ "007", 7 },
		{ "9007199254740993", 9007199254740992.0 },
		{ "2.2250738585072014e-308", 0x1p-1022 },
		{ "1.7976931348623157e308", 0x1.fffffffffffffp+1023 },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		double value = -1;

		CHECK_INT(value_of_text(slice(rows[i].text), &value), VALUE_FOUND);
		CHECK_NEAR(value, rows[i].value, 0);
	}
}

static void refuses_what_is_no_number(void)
{
	static const char *const texts[] = { "",
					     " ",
					     "-",
					     "x",
					     "12x",
					     "1 2",
					     "1e",
					     "1e+",
					     ".",
					     "..5",
					     "0x10",
					     "1,2",
					     "1,23",
					     ",123",
					     "1234,567",
					     "1,234,56",
					     "1,234.5,6",
					     "--1",
					     "<not supported>",
					     "1.2.3",
					     "nanx",
					     "5%",
					     "1e5.5",
					     "10.2k" };
	double value = 42;

	for (size_t i = 0; i < countof(texts); i++) {
		CHECK_INT(value_of_text(slice(texts[i]), &value), VALUE_NONE);
	}
	CHECK_INT(value_of_text((struct slice){ "1\0002", 3 }, &value), VALUE_NONE);
	CHECK_NEAR(value, 42, 0);
}

static void refuses_what_is_not_finite(void)
{
	static const char *const texts[] = { "nan",   "-nan",   "NaN",    "inf", "-INF", "Infinity",
					     "1e999", "-1e999", "1e-999", "-0",  "-0.0", "-0e7" };
	double value = 42;

	for (size_t i = 0; i < countof(texts); i++) {
		CHECK_INT(value_of_text(slice(texts[i]), &value), VALUE_NOT_FINITE);
	}
	CHECK_NEAR(value, 42, 0);
}

static void a_giant_of_digits_is_no_number(void)
{
	char digits[100000];
	double value;

	memset(digits, '1', sizeof(digits));
	CHECK_INT(value_of_text((struct slice){ digits, sizeof(digits) }, &value), VALUE_NONE);
}

/* The examples of RFC 6901, section 5, with numbers for values. */
static void follows_pointers(void)
{
	static const char text[] = "{\"foo\":[7,8],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
				   "\"i\\\\j\":5,\"k\\\"l\":6,\" \":17,\"m~n\":18,\"~1\":19,"
				   "\"t\":\"5\",\"z\":-0.0}";
	static const struct {
		const char *pointer;
		double value;
	} rows[] = {
		{ "/foo/0", 7 }, { "/foo/1", 8 }, { "/", 0 },      { "/a~1b", 1 },
		{ "/c%d", 2 },   { "/e^f", 3 },   { "/g|h", 4 },   { "/i\\j", 5 },
		{ "/k\"l", 6 },  { "/ ", 17 },    { "/m~0n", 18 }, { "/~01", 19 },
	};
	static const char *const wrong[] = { "/foo",     "/foo/2", "/foo/01",
					     "/foo/-1",  "/foo/-", "/foo/x",
					     "/foo/0/0", "/bar",   "/t",
					     "/a/b",     "",       "/foo/18446744073709551616" };
	scoped(json_free) struct json *document = NULL;
	struct err err = ERR_INIT;
	double value;

	CHECK_DONE(json_parse("text", text, strlen(text), &document, &err), &err);
	for (size_t i = 0; i < countof(rows); i++) {
		CHECK_INT(value_of_pointer(document, rows[i].pointer, &value), VALUE_FOUND);
		CHECK_NEAR(value, rows[i].value, 0);
	}
	for (size_t i = 0; i < countof(wrong); i++) {
		CHECK_INT(value_of_pointer(document, wrong[i], &value), VALUE_NONE);
	}
	CHECK_INT(value_of_pointer(document, "/z", &value), VALUE_NOT_FINITE);
}

static void reads_the_last_line_of_a_name(void)
{
	static const char text[] = "speed: 1\r\nspeed: 2\n xspeed: 3\nspeedy: 4\nspeed.8: 5\n"
				   "progress speed: 6\rspeed: \t7.5 \rspeed.16: 8\nbad: 1 s";
	double value;

	CHECK_INT(value_of_line(slice(text), "speed", NULL, &value), VALUE_FOUND);
	CHECK_NEAR(value, 7.5, 0);
	CHECK_INT(value_of_line(slice(text), "speed", "8", &value), VALUE_FOUND);
	CHECK_NEAR(value, 5, 0);
	CHECK_INT(value_of_line(slice(text), "speed", "1", &value), VALUE_NONE);
	CHECK_INT(value_of_line(slice(text), "spee", NULL, &value), VALUE_NONE);
	CHECK_INT(value_of_line(slice(text), "bad", NULL, &value), VALUE_NONE);
	CHECK_INT(value_of_line(slice("speed: 1\nspeed: "), "speed", NULL, &value), VALUE_NONE);
	CHECK_INT(value_of_line(slice(""), "speed", NULL, &value), VALUE_NONE);
}

static const struct t_case cases[] = {
	{ "numbers as tools print them are read to the last bit", reads_numbers_of_tools },
	{ "a text that is no number is none", refuses_what_is_no_number },
	{ "nan, infinity, negative zero, over- and underflow are no numbers",
	  refuses_what_is_not_finite },
	{ "a hundred thousand digits are no number", a_giant_of_digits_is_no_number },
	{ "a JSON pointer leads where RFC 6901 says, to numbers only", follows_pointers },
	{ "of the lines with a name the last whole one counts", reads_the_last_line_of_a_name },
};
T_MAIN(cases)
