/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/pull.h"

#include <math.h>

#include "lib/base/decimal.h"
#include "tests/t.h"

/* The kinds of all items of a text as letters, then the error. */
static bool kinds_of(const char *text, struct str *ret_kinds, struct err *err)
{
	static const char letters[] = {
		[PULL_END] = '.',   [PULL_OBJECT] = '{',    [PULL_OBJECT_END] = '}',
		[PULL_ARRAY] = '[', [PULL_ARRAY_END] = ']', [PULL_NAME] = 'n',
		[PULL_TEXT] = 't',  [PULL_NUMBER] = '1',    [PULL_TRUE] = 'T',
		[PULL_FALSE] = 'F', [PULL_NULL] = '0'
	};
	scoped(pull_release) struct pull pull;
	struct pull_item item;

	pull_init(&pull, "file", text, strlen(text), 0);
	do {
		if (!pull_next(&pull, &item, err)) {
			return false;
		}
		str_append_char(ret_kinds, letters[item.kind]);
	} while (item.kind != PULL_END);
	return true;
}

static void items_in_order(void)
{
	scoped(str_release) struct str kinds = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_DONE(kinds_of(" {\"a\": [1, \"x\", {}], \"b\":{\"a\":null,\"c\":[true,false,[]]}}\n",
			    &kinds, &err),
		   &err);
	CHECK_TEXT(kinds.at, "{n[1t{}]n{n0n[TF[]]}}.");
}

static void scalars_are_documents(void)
{
	scoped(str_release) struct str kinds = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_DONE(kinds_of("-0.5", &kinds, &err), &err);
	CHECK_DONE(kinds_of("null", &kinds, &err), &err);
	CHECK_TEXT(kinds.at, "1.0.");
}

static void texts_are_decoded(void)
{
	static const char text[] = "\"\\u00e9\\ud83d\\ude00 \xc3\xa9\\n\\t\\\"\\\\\\/\"";
	scoped(pull_release) struct pull pull;
	struct pull_item item;
	struct err err = ERR_INIT;

	pull_init(&pull, "file", text, sizeof(text) - 1, 0);
	CHECK_DONE(pull_next(&pull, &item, &err), &err);
	CHECK_TEXT(item.text, "\xc3\xa9\xf0\x9f\x98\x80 \xc3\xa9\n\t\"\\/");
	CHECK_INT(item.length, strlen(item.text));
}

static void faults_have_places(void)
{
	static const struct {
		const char *text;
		const char *fault;
	} rows[] = {
		{ "", "file: byte 0: the text ends in the middle" },
		{ "[1,2", "file: byte 4: expected ',' or ']'" },
		{ "[1,]", "file: byte 3: expected a value" },
		{ "{\"a\":1,}", "file: byte 7: expected a name in quotes" },
		{ "{\"a\" 1}", "file: byte 5: expected ':'" },
		{ "{\"a\":1 \"b\":2}", "file: byte 7: expected ',' or '}'" },
		{ "[1] x", "file: byte 4: something stands behind the value" },
		{ "[NaN]", "file: byte 1: NaN and infinity are no numbers" },
		{ "[Infinity]", "file: byte 1: NaN and infinity are no numbers" },
		{ "[-Infinity]", "file: byte 1: not a number" },
		{ "[1e309]", "file: byte 1: a number too large" },
		{ "[-1e400]", "file: byte 1: a number too large" },
		{ "[01]", "file: byte 2: expected ',' or ']'" },
		{ "[.5]", "file: byte 1: expected a value" },
		{ "[1.]", "file: byte 1: not a number" },
		{ "[1e]", "file: byte 1: not a number" },
		{ "[+1]", "file: byte 1: expected a value" },
		{ "{\"a\":1,\"b\":2,\"a\":3}",
		  "file: byte 13: this name stands in the object twice" },
		{ "{\"a\":1,\"\\u0061\":3}", "file: byte 7: this name stands in the object twice" },
		{ "\"abc", "file: byte 0: this text does not end" },
		{ "\"a\tb\"", "file: byte 2: a control character inside a text" },
		{ "\"a\xff\"", "file: byte 2: not UTF-8" },
		{ "\"\\x\"", "file: byte 2: no such escape" },
		{ "\"\\ud800x\"", "file: byte 3: half a surrogate pair" },
		{ "\"\\udc00\"", "file: byte 3: no character has this code" },
		{ "\"\\u0000\"", "file: byte 3: a text must not hold a NUL" },
		{ "nul", "file: byte 0: expected a value" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(str_release) struct str kinds = STR_INIT;
		struct err err = ERR_INIT;

		CHECK_FAILS(kinds_of(rows[i].text, &kinds, &err), &err, ERR_INPUT, rows[i].fault);
	}
}

static void names_may_repeat_elsewhere(void)
{
	scoped(str_release) struct str kinds = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_DONE(kinds_of("{\"a\":{\"a\":1,\"b\":{\"a\":1}},\"b\":[{\"a\":1},{\"a\":1}]}", &kinds,
			    &err),
		   &err);
	CHECK_FAILS(kinds_of("{\"b\":1,\"a\":{\"x\":1},\"b\":1}", &kinds, &err), &err, ERR_INPUT,
		    "byte 19");
}

static void levels_end(void)
{
	char text[2 * 129 + 1];
	scoped(str_release) struct str kinds = STR_INIT;
	struct err err = ERR_INIT;

	memset(text, '[', 128);
	memset(text + 128, ']', 128);
	text[256] = '\0';
	CHECK_DONE(kinds_of(text, &kinds, &err), &err);
	memset(text, '[', 129);
	CHECK_FAILS(kinds_of(text, &kinds, &err), &err, ERR_INPUT,
		    "byte 128: nested more than 128");
}

static void skips_and_needs(void)
{
	static const char text[] = "{\"x\":[[1],{\"y\":2}],\"n\":5}";
	scoped(pull_release) struct pull pull;
	struct pull_item item;
	struct err err = ERR_INIT;

	pull_init(&pull, "file", text, sizeof(text) - 1, 100);
	CHECK_DONE(pull_need(&pull, PULL_OBJECT, &item, &err), &err);
	CHECK_DONE(pull_need(&pull, PULL_NAME, &item, &err), &err);
	CHECK_DONE(pull_skip(&pull, &item, &err), &err);
	CHECK_DONE(pull_need(&pull, PULL_NAME, &item, &err), &err);
	CHECK_TEXT(item.text, "n");
	CHECK_INT(item.offset, 119);
	CHECK_FAILS(pull_need(&pull, PULL_TEXT, &item, &err), &err, ERR_INPUT,
		    "file: byte 123: expected a text");
}

/* Numbers of many forms against strtod(), which is correctly rounded. */
static void numbers_are_exact(void)
{
	uint64_t state = 1;

	for (int i = 0; i < 200000; i++) {
		char text[64];
		double ours = NAN;
		double theirs;
		size_t length;

		state = state * 6364136223846793005 + 1442695040888963407;
		switch (i % 4) {
		case 0:
			snprintf(text, sizeof(text), "%.*g", (int)(state >> 60) + 2,
				 (double)(state >> 20) / 1e6);
			break;
		case 1:
			snprintf(text, sizeof(text), "%" PRIu64 "e%d", state >> (state >> 58),
				 (int)(state % 640) - 330);
			break;
		case 2:
			snprintf(text, sizeof(text), "-0.%" PRIu64, state >> 3);
			break;
		default:
			memcpy(&theirs, &state, sizeof(theirs));
			snprintf(text, sizeof(text), "%.17g", isfinite(theirs) ? theirs : 1.0);
			break;
		}
		length = strspn(text, "+-0123456789.eE");
		theirs = strtod(text, NULL);
		if (decimal_read(text, length, &ours) != length ||
		    !(ours <= theirs && ours >= theirs && !signbit(ours) == !signbit(theirs))) {
			printf("# '%s': %.17g, strtod %.17g\n", text, ours, theirs);
			CHECK(false);
		}
	}
	CHECK(state != 1);
}

static const struct t_case cases[] = {
	{ "items come in the order of the text", items_in_order },
	{ "a number or null alone is a document", scalars_are_documents },
	{ "texts are decoded to UTF-8", texts_are_decoded },
	{ "each fault is named with its byte", faults_have_places },
	{ "a name may stand again in another object", names_may_repeat_elsewhere },
	{ "128 levels and no more", levels_end },
	{ "what is not wanted is skipped, what is needed is asked for", skips_and_needs },
	{ "200,000 numbers are strtod's to the last bit", numbers_are_exact },
};

T_MAIN(cases)
