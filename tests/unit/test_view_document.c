/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A document from elsewhere, and its numbers. */
#include "view_rows.h"

/* What was written is read again, checked, and gives the same outputs. */
static void survives_a_file(void)
{
	static const struct pair pairs[] = {
		{ "a|b, \"c\"",
		  VIEW_HEADLINE,
		  true,
		  { 1, 2 },
		  { 3, 4 },
		  2,
		  2,
		  "improvement",
		  "x\ny" },
		{ "lost", VIEW_HEADLINE, true, { 1 }, { 1 }, 1, 0, "missing", NULL },
	};
	scoped(json_free) struct json *view = view_of(pairs, countof(pairs));
	scoped(json_free) struct json *again = NULL;
	scoped(free) char *text = written("json", view);
	struct err err = ERR_INIT;
	const struct format *format;

	if (!CHECK_DONE(json_parse("document", text, strlen(text), &again, &err), &err)) {
		return;
	}
	json_remove(again, "summary");
	for (size_t i = 0; (format = format_at(i)); i++) {
		scoped(free) char *before = written(format->name, view);
		scoped(free) char *after = written(format->name, again);

		CHECK_TEXT(after, before);
	}
}

/* The document with one piece of its text replaced. */
static void check_refused(const char *piece, const char *other, const char *message)
{
	static const struct pair pairs[] = {
		{ "a", VIEW_HEADLINE, true, { 1, 2 }, { 3, 4 }, 2, 2, "improvement", NULL },
	};
	scoped(json_free) struct json *view = view_of(pairs, countof(pairs));
	scoped(json_free) struct json *changed = NULL;
	scoped(view_free) struct view *read = NULL;
	scoped(free) char *text = json_write(view, FORM_COMPACT);
	scoped(str_release) struct str edited = STR_INIT;
	const char *at = strstr(text, piece);
	struct err err = ERR_INIT;

	if (!CHECK(at != NULL)) {
		return;
	}
	str_append_bytes(&edited, text, (size_t)(at - text));
	str_append(&edited, other);
	str_append(&edited, at + strlen(piece));
	if (CHECK_DONE(json_parse("document", edited.at, edited.length, &changed, &err), &err)) {
		CHECK_FAILS(view_read(changed, &read, &err), &err, ERR_INPUT, message);
	}
}

static void refuses_other_documents(void)
{
	check_refused("\"schema\":1", "\"schema\":2", "not a comparison document of schema 1");
	check_refused("\"groups\":[", "\"other\":[", "'groups': expected a list");
	check_refused("improvement", "success", "groups[0].rows[0]: 'success' is not a verdict");
	check_refused("\"class\":\"headline\"", "\"class\":\"main\"",
		      "groups[0].rows[0]: 'class': expected headline");
	check_refused("\"n\":2", "\"n\":-2", "groups[0].rows[0]: 'n': expected a whole number");
	check_refused("\"stddev\":0.5", "\"stddev\":\"x\"",
		      "groups[0].rows[0]: 'stddev': expected a number or null");
	check_refused("\"commit\":\"1f2e3d4c", "\"commit\":\"1F2e3d4c",
		      "columns[0]: 'commit': expected 40 digits");
	check_refused("\"changes\":[{", "\"changes\":[{},{",
		      "groups[0].rows[0]: 'changes': expected a list of 1");
	check_refused("{\"name\":\"compiler\"", "{\"name\":7",
		      "groups[0]: 'name': expected a text");
}

static void check_number(double value, const char *expected)
{
	char text[NUMBER_BYTES];

	number_value(value, text);
	CHECK_TEXT(text, expected);
}

static void numbers_are_rounded(void)
{
	char text[NUMBER_BYTES];

	check_number(0, "0.00");
	check_number(0.0012, "0.0012");
	check_number(-0.0049, "-0.0049");
	check_number(0.005, "0.01");
	check_number(999.994, "999.99");
	check_number(999.996, "1000");
	check_number(1999.9, "2000");
	check_number(1e8, "100000000");
	check_number(1.926e8, "1.926e+08");
	check_number(NAN, "n/a");
	check_number(INFINITY, "n/a");
	number_difference(3, text);
	CHECK_TEXT(text, "+3.00");
	number_percent(123456, text);
	CHECK_TEXT(text, "+1.2e+05%");
	number_spread(0, 0, text);
	CHECK_TEXT(text, "-");
	number_spread(-10, 1, text);
	CHECK_TEXT(text, "10.0%");
	number_probability(2e-7, text);
	CHECK_TEXT(text, "2e-07");
}

static const struct t_case cases[] = {
	{ "a document read from a file gives the same outputs", survives_a_file },
	{ "a document that is not one of ours is refused with the place", refuses_other_documents },
	{ "numbers are rounded, never cut, and never look like zero", numbers_are_rounded },
};

T_MAIN(cases)
