/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/json.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "tests/t.h"

static struct json *parse(const char *text)
{
	struct json *json = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(json_parse("text", text, strlen(text), &json, &err), &err);
	return json;
}

static void refuses(const char *text, size_t length, const char *why)
{
	struct json *json = NULL;
	struct err err = ERR_INIT;

	CHECK_FAILS(json_parse("upload.json", text, length, &json, &err), &err, ERR_INPUT, why);
	CHECK(strncmp(err.message, "upload.json: ", 13) == 0);
	CHECK(json == NULL);
}

static void reads_values(void)
{
	scoped(json_free) struct json *doc = parse(
		"{\"n\":null,\"b\":true,\"i\":-7,\"d\":3.0,\"f\":1.5,\"t\":\"\\u20ac\",\"a\":[1,2]}");

	CHECK_INT(json_kind(doc), KIND_OBJECT);
	CHECK_INT((int64_t)json_size(doc), 7);
	CHECK_INT(json_kind(json_get(doc, "n")), KIND_NULL);
	CHECK(json_bool(json_get(doc, "b"), false));
	CHECK_INT(json_int(json_get(doc, "i"), 0), -7);
	CHECK_INT(json_int(json_get(doc, "d"), 0), 3);
	CHECK(!is_json_int(json_get(doc, "f")));
	CHECK_NEAR(json_number(json_get(doc, "f"), 0), 1.5, 0);
	CHECK_TEXT(json_text(json_get(doc, "t")), "\xe2\x82\xac");
	CHECK_INT(json_int(json_at(json_get(doc, "a"), 1), 0), 2);
}

static void gives_defaults(void)
{
	scoped(json_free) struct json *doc = parse("{\"a\":[],\"t\":\"x\"}");

	CHECK(json_get(json_get(json_get(NULL, "a"), "b"), "c") == NULL);
	CHECK(json_get(json_get(doc, "t"), "x") == NULL);
	CHECK(json_at(json_get(doc, "a"), 0) == NULL);
	CHECK(json_text(json_get(doc, "a")) == NULL);
	CHECK_INT(json_int(json_get(doc, "t"), 9), 9);
	CHECK_NEAR(json_number(NULL, 2.5), 2.5, 0);
	CHECK(json_bool(json_get(doc, "t"), true));
	CHECK_INT(json_kind(NULL), KIND_NULL);
	CHECK_INT((int64_t)json_size(NULL), 0);
	CHECK(json_first(NULL) == NULL);
	CHECK(json_free(NULL) == NULL);
}

/* RFC 8259's grammar and what it leaves to us. */
static void refuses_what_it_must(void)
{
	static const struct {
		const char *text;
		const char *why;
	} rows[] = {
		{ "", "byte 0" },
		{ "[1,]", "byte 4" },
		{ "{\"a\":1} x", "byte 9" },
		{ "[NaN]", "byte" },
		{ "[Infinity]", "byte" },
		{ "[1e999]", "byte" },
		{ "[-1e999]", "byte" },
		{ "[99999999999999999999]", "byte" },
		{ "{\"a\":1,\"a\":2}", "duplicate" },
		{ "[\"\\u0000\"]", "byte" },
		{ "[\"\xff\"]", "byte" },
		{ "[\"\xed\xa0\x80\"]", "byte" },
		{ "[\"\\ud800\"]", "byte" },
		{ "[\"a\nb\"]", "byte" },
		{ "[01]", "byte" },
		{ "[.5]", "byte" },
		{ "[+1]", "byte" },
		{ "{a:1}", "byte" },
		{ "['a']", "byte" },
		{ "[1] // comment", "byte" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		refuses(rows[i].text, strlen(rows[i].text), rows[i].why);
	}
	refuses("[1]\0", 4, "byte");
	refuses("[1\0,2]", 6, "byte 2");
}

static void refuses_depth(void)
{
	scoped(str_release) struct str text = STR_INIT;

	for (int levels = 127; levels <= 128; levels++) {
		str_truncate(&text, 0);
		for (int i = 0; i < levels; i++) {
			str_append_char(&text, '[');
		}
		str_append_char(&text, '1');
		for (int i = 0; i < levels; i++) {
			str_append_char(&text, ']');
		}
		if (levels == 127) {
			json_free(parse(text.at));
		} else {
			refuses(text.at, text.length, "128 levels");
		}
	}
	str_truncate(&text, 0);
	for (int i = 0; i < 1000000; i++) {
		str_append_char(&text, '[');
	}
	refuses(text.at, text.length, "depth");
}

static void writes_three_forms(void)
{
	scoped(json_free) struct json *doc = json_new_object();
	struct json *array = json_new_array();
	scoped(free) char *compact = NULL;
	scoped(free) char *canonical = NULL;
	scoped(free) char *pretty = NULL;

	json_put_text(doc, "z", "a\"b");
	json_put_int(doc, "a", INT64_MIN);
	json_append(array, json_new_bool(true));
	json_append(array, json_new_null());
	json_put(doc, "m", array);
	json_put_text(doc, "gone", "x");
	json_remove(doc, "gone");
	compact = json_write(doc, FORM_COMPACT);
	canonical = json_write(doc, FORM_CANONICAL);
	pretty = json_write(doc, FORM_PRETTY);
	CHECK_TEXT(compact, "{\"z\":\"a\\\"b\",\"a\":-9223372036854775808,\"m\":[true,null]}");
	CHECK_TEXT(canonical, "{\"a\":-9223372036854775808,\"m\":[true,null],\"z\":\"a\\\"b\"}");
	CHECK_TEXT(pretty, "{\n  \"z\": \"a\\\"b\",\n  \"a\": -9223372036854775808,\n"
			   "  \"m\": [\n    true,\n    null\n  ]\n}");
}

static void numbers_survive(void)
{
	static const double values[] = { 0.1, 1.0 / 3, 1e-308, 1.7976931348623157e308, -0.5, 1e15 };

	for (size_t i = 0; i < countof(values); i++) {
		scoped(json_free) struct json *number = json_new_number(values[i]);
		scoped(free) char *text = json_write(number, FORM_COMPACT);
		scoped(json_free) struct json *back = parse(text);

		CHECK_NEAR(json_number(back, NAN), values[i], 0);
	}
}

static void numbers_are_short(void)
{
	scoped(json_free) struct json *doc =
		parse("[4.393, 1136.0, 0.1, 1e-7, 9007199254740993, 1e300, -0.5]");
	scoped(free) char *text = json_write(doc, FORM_COMPACT);

	CHECK_TEXT(text, "[4.393,1136,0.1,1e-07,9007199254740993,1e+300,-0.5]");
}

static void writes_what_it_reads(void)
{
	static const char text[] = "{\"\":{},\"a\":[],\"b\":[[1],{\"c\":[{}]}],"
				   "\"q\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/\":\"\x7f\u00e9\"}";
	scoped(json_free) struct json *doc = parse(text);
	scoped(free) char *compact = json_write(doc, FORM_COMPACT);
	scoped(free) char *pretty = json_write(doc, FORM_PRETTY);
	scoped(json_free) struct json *back = parse(pretty);
	scoped(free) char *again = json_write(back, FORM_CANONICAL);

	CHECK_TEXT(compact, text);
	CHECK_TEXT(again, text);
	CHECK(strstr(pretty, "\"a\": [],\n") && strstr(pretty, "\"\": {},\n"));
}

static void missing_is_null(void)
{
	scoped(json_free) struct json *doc = json_new_object();
	scoped(free) char *text = NULL;

	json_put_number(doc, "nan", NAN);
	json_put_number(doc, "inf", -INFINITY);
	json_put_text(doc, "text", NULL);
	text = json_write(doc, FORM_COMPACT);
	CHECK_TEXT(text, "{\"nan\":null,\"inf\":null,\"text\":null}");
}

static void cleans_what_is_put(void)
{
	scoped(json_free) struct json *doc = json_new_object();
	scoped(free) char *text = NULL;

	json_put_text(doc, "x",
		      "a\xff"
		      "b");
	json_put_int(doc, "na\xc3me", 1);
	text = json_write(doc, FORM_COMPACT);
	CHECK_TEXT(text, "{\"x\":\"a\xef\xbf\xbd"
			 "b\",\"na\xef\xbf\xbdme\":1}");
}

static void clones_deeply(void)
{
	scoped(json_free) struct json *doc = parse("{\"a\":{\"b\":1}}");
	scoped(json_free) struct json *copy = json_clone(doc);

	json_put_int(json_get(copy, "a"), "b", 2);
	CHECK_INT(json_int(json_get(json_get(doc, "a"), "b"), 0), 1);
	CHECK_INT(json_int(json_get(json_get(copy, "a"), "b"), 0), 2);
}

static void walks_in_order(void)
{
	scoped(json_free) struct json *doc = parse("{\"b\":1,\"a\":2}");
	scoped(str_release) struct str seen = STR_INIT;

	for (void *it = json_first(doc); it; it = json_next(doc, it)) {
		str_printf(&seen, "%s=%d ", json_member_name(it),
			   (int)json_int(json_member_value(it), 0));
	}
	CHECK_TEXT(seen.at, "b=1 a=2 ");
}

/* Enough members for an index, with a name of every length up to beyond what one byte counts. */
static void finds_among_many(void)
{
	scoped(json_free) struct json *doc = json_new_object();
	char name[1001] = "";
	int64_t at = 0;

	for (int64_t i = 0; i < 1000; i++) {
		json_put_int(doc, name, i);
		name[i] = (char)('a' + i % 26);
	}
	for (size_t length = 0; length < 1000; length += 3) {
		char *prefix = mem_strndup(name, length);

		json_put_text(doc, prefix, "replaced");
		free(prefix);
	}
	for (size_t length = 1; length < 1000; length += 3) {
		char *prefix = mem_strndup(name, length);

		json_remove(doc, prefix);
		json_remove(doc, prefix);
		CHECK(json_get(doc, prefix) == NULL);
		free(prefix);
	}
	CHECK_INT((int64_t)json_size(doc), 667);
	for (void *it = json_first(doc); it; it = json_next(doc, it)) {
		CHECK_INT((int64_t)strlen(json_member_name(it)), at);
		CHECK_INT(json_int(json_member_value(it), -1), at % 3 == 0 ? -1 : at);
		CHECK(json_get(doc, json_member_name(it)) == json_member_value(it));
		at += at % 3 == 0 ? 2 : 1;
	}
	CHECK_INT(at, 1001);
}

static void whole_numbers_keep_every_bit(void)
{
	for (int bits = 0; bits < 63; bits++) {
		for (int64_t more = -1; more <= 1; more++) {
			int64_t value = ((int64_t)1 << bits) + more;
			scoped(json_free) struct json *number = json_new_int(value);
			scoped(json_free) struct json *negative = json_new_int(-value);
			scoped(json_free) struct json *copy = json_clone(negative);

			CHECK_INT(json_int(number, 0), value);
			CHECK_INT(json_int(negative, 0), -value);
			CHECK_INT(json_int(copy, 0), -value);
			CHECK_NEAR(json_number(number, NAN), (double)value, 0);
			CHECK_INT(json_kind(number), KIND_NUMBER);
			CHECK(is_json_int(number));
		}
	}
}

static void words_are_texts(void)
{
	static const char word[] = "higher";
	scoped(json_free) struct json *doc = json_new_object();
	scoped(json_free) struct json *copy = NULL;
	scoped(free) char *text = NULL;

	json_put_word(doc, "better", word);
	json_put_word(doc, "none", NULL);
	copy = json_clone(doc);
	json_put_word(doc, "better", "lower");
	text = json_write(copy, FORM_COMPACT);
	CHECK_TEXT(text, "{\"better\":\"higher\",\"none\":null}");
	CHECK_INT(json_kind(json_get(copy, "better")), KIND_TEXT);
	CHECK_INT((int64_t)json_size(json_get(copy, "better")), 0);
	CHECK_NEAR(json_number(json_get(copy, "better"), 7), 7, 0);
	CHECK(!is_json_int(json_get(copy, "better")) && json_bool(json_get(copy, "better"), true));
}

static void checks_messages(void)
{
	scoped(json_free) struct json *doc = parse("{\"n\":7,\"name\":\"x\"}");
	struct err err = ERR_INIT;
	const char *text = NULL;

	CHECK_FAILS(json_need_text(doc, "n", &text, &err), &err, ERR_INPUT, "'n': expected a text");
	CHECK_DONE(json_need_text(doc, "name", &text, &err), &err);
	CHECK_TEXT(text, "x");
}

static void reads_files(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = mem_printf("%s/x.json", folder);
	scoped(json_free) struct json *doc = NULL;
	struct err err = ERR_INIT;

	CHECK_FAILS(json_read_file(path, 100, &doc, &err), &err, ERR_ABSENT, path);
	CHECK_DONE(str_write_file(path, "[1,2", 4, 0600, &err), &err);
	CHECK_FAILS(json_read_file(path, 100, &doc, &err), &err, ERR_INPUT, "x.json: byte 4");
	CHECK_FAILS(json_read_file(path, 3, &doc, &err), &err, ERR_TOO_BIG, path);
	CHECK_DONE(str_write_file(path, "[1,2]", 5, 0600, &err), &err);
	CHECK_DONE(json_read_file(path, 100, &doc, &err), &err);
	CHECK_INT((int64_t)json_size(doc), 2);
}

static const struct t_case cases[] = {
	{ "each kind of value is read as itself", reads_values },
	{ "absent and wrongly typed values give the default", gives_defaults },
	{ "bad documents are refused with the document and the byte", refuses_what_it_must },
	{ "documents nest 128 levels and no further", refuses_depth },
	{ "the three forms are exact, the canonical one sorted", writes_three_forms },
	{ "every finite number survives a round trip", numbers_survive },
	{ "a number is written as the shortest text that reads back the same", numbers_are_short },
	{ "what was read is written the same, in every form", writes_what_it_reads },
	{ "a missing number or text is null", missing_is_null },
	{ "hostile texts and names are cleaned when put", cleans_what_is_put },
	{ "a clone shares nothing", clones_deeply },
	{ "members are walked in the order they were put", walks_in_order },
	{ "a large object keeps its order, and finds, replaces and removes", finds_among_many },
	{ "a whole number keeps every bit", whole_numbers_keep_every_bit },
	{ "a word is a text like any other", words_are_texts },
	{ "a message's field is checked for type and range", checks_messages },
	{ "a file is read with a limit, its faults named by its path", reads_files },
};

T_MAIN(cases)
