/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/text/template.h"
#include "lib/text/template_set.h"

/* What the template gives for the document; free() it.  NULL, with *err set, where it fails. */
static char *rendered(const char *text, enum template_mode mode, const char *document,
		      struct err *err)
{
	scoped(template_free) struct template *template = NULL;
	scoped(json_free) struct json *json = NULL;
	scoped(str_release) struct str out = STR_INIT;

	if (!json_parse("document", document, strlen(document), &json, err) ||
	    !template_parse("page", text, strlen(text), mode, &template, err) ||
	    !template_render(template, NULL, json, &out, err)) {
		return NULL;
	}
	return str_detach(&out);
}

static void check(const char *text, enum template_mode mode, const char *document,
		  const char *expected)
{
	struct err err = ERR_INIT;
	scoped(free) char *actual = rendered(text, mode, document, &err);

	t_check_text(__FILE__, __LINE__, text, actual ? actual : err.message, expected);
}

static void check_refused(const char *text, enum template_mode mode, const char *message)
{
	struct err err = ERR_INIT;
	scoped(free) char *actual = rendered(text, mode, "{}", &err);

	t_check_text(__FILE__, __LINE__, text, actual ? actual : err.message, message);
}

static void shows_values(void)
{
	check("{{a}} {{b.c}} {{d}} {{e}}|", TEMPLATE_PLAIN,
	      "{\"a\": \"x\", \"b\": {\"c\": 1.5}, \"d\": true, \"e\": null}", "x 1.5 true |");
	check("{{n}} {{m}} {{k}} {{l}}", TEMPLATE_PLAIN,
	      "{\"n\": 0, \"m\": -9007199254740993, \"k\": 0.1, \"l\": 1e300}",
	      "0 -9007199254740993 0.1 1e+300");
}

static void knows_falsy(void)
{
	const char *document = "{\"no\": false, \"empty\": \"\", \"none\": [], \"zero\": 0}";

	check("{{^no}}1{{/no}}{{^empty}}2{{/empty}}{{^none}}3{{/none}}{{^away}}4{{/away}}",
	      TEMPLATE_PLAIN, document, "1234");
	check("{{#zero}}[{{zero}}]{{/zero}}{{^zero}}none{{/zero}}", TEMPLATE_PLAIN, document,
	      "[0]");
}

static void walks_lists(void)
{
	check("{{#rows}}\n- {{name}} of {{tree}}\n{{/rows}}\nend\n", TEMPLATE_PLAIN,
	      "{\"tree\": \"linux\", \"rows\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}",
	      "- a of linux\n- b of linux\nend\n");
}

static void escapes_in_pages(void)
{
	check("<p title=\"{{x}}\">{{x}}</p>", TEMPLATE_HTML, "{\"x\": \"\\\"'><script>&\"}",
	      "<p title=\"&quot;&#39;&gt;&lt;script&gt;&amp;\">"
	      "&quot;&#39;&gt;&lt;script&gt;&amp;</p>");
	check("{{x}}", TEMPLATE_PLAIN, "{\"x\": \"\\\"'><&\"}", "\"'><&");
}

static void refuses_raw_in_pages(void)
{
	check_refused("a\n{{{x}}}", TEMPLATE_HTML,
		      "page:2: a page must not print 'x' raw, write {{x}}");
	check_refused("{{& x}}", TEMPLATE_HTML,
		      "page:1: a page must not print 'x' raw, write {{x}}");
	check("{{{x}}}", TEMPLATE_STANDARD, "{\"x\": \"<b>\"}", "<b>");
}

/* ESC, a right-to-left override, and a line end that may stay. */
static void cleans_values(void)
{
	check("{{x}}", TEMPLATE_HTML, "{\"x\": \"a\\u001b[31m\\u202eb\\n\\u00e9\\t<\"}",
	      "a\xef\xbf\xbd[31m\xef\xbf\xbd"
	      "b\n\xc3\xa9\t&lt;");
	check("{{x}}", TEMPLATE_PLAIN, "{\"x\": \"\\u0007\\u2028\\r.\"}",
	      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd.");
}

static void names_the_place(void)
{
	check_refused("a\nb {{x\n", TEMPLATE_HTML,
		      "page:2: the tag that begins here is never closed by '}}'");
	check_refused("{{{x}} }", TEMPLATE_PLAIN,
		      "page:1: the tag that begins here is never closed by '}}}'");
	check_refused("\n\n{{#a}}\n{{#b}}{{/b}}", TEMPLATE_HTML,
		      "page:3: the section that begins here is never closed");
	check_refused("{{#a}}\n{{/b}}", TEMPLATE_HTML,
		      "page:2: '/b' does not close the section of line 1");
	check_refused("{{! x\n\n}}{{/b}}", TEMPLATE_HTML,
		      "page:3: '/b' closes a section that is not open");
	check_refused("{{}}", TEMPLATE_HTML, "page:1: expected a name in the tag");
	check_refused("{{a b}}", TEMPLATE_HTML, "page:1: 'a b' is not a name");
	check_refused("{{$ a}}", TEMPLATE_HTML, "page:1: '$ a' is not a name");
	check_refused("{{a..b}}", TEMPLATE_HTML, "page:1: 'a..b' has an empty name in it");
	check_refused("{{=<% =}}", TEMPLATE_HTML,
		      "page:1: expected two delimiters of at most 16 bytes");
	check_refused("{{=< > !=}}", TEMPLATE_HTML, "page:1: expected two delimiters, found more");
}

static void bounds_nesting(void)
{
	scoped(str_release) struct str text = STR_INIT;

	for (int i = 0; i < 65; i++) {
		str_append(&text, "{{#a}}");
	}
	check_refused(text.at, TEMPLATE_PLAIN, "page:1: sections are nested more than 64 deep");
}

static void ends_recursion(void)
{
	scoped(template_set_free) struct template_set *set = template_set_new();
	scoped(json_free) struct json *document = json_new_object();
	scoped(str_release) struct str out = STR_INIT;
	struct err err = ERR_INIT;

	str_append(&out, "kept");
	if (CHECK_DONE(template_set_add(set, "loop", "\n{{>loop}}", 10, TEMPLATE_HTML, &err),
		       &err)) {
		CHECK_FAILS(
			template_render(template_set_get(set, "loop"), set, document, &out, &err),
			&err, ERR_TOO_BIG, "loop:2: partials are nested too deep");
	}
	CHECK_TEXT(out.at, "kept");
}

/* 2 ^ 32 renderings of nothing: only the count of steps can end it. */
static void ends_explosions(void)
{
	scoped(template_set_free) struct template_set *set = template_set_new();
	scoped(json_free) struct json *document = json_new_object();
	scoped(str_release) struct str out = STR_INIT;
	struct err err = ERR_INIT;
	bool is_added = true;

	for (int i = 0; i < 30; i++) {
		scoped(free) char *name = mem_printf("p%d", i);
		scoped(free) char *text = mem_printf("{{>p%d}}{{>p%d}}", i + 1, i + 1);

		is_added = is_added &&
			   template_set_add(set, name, text, strlen(text), TEMPLATE_HTML, &err);
	}
	if (CHECK_DONE(is_added, &err)) {
		CHECK_FAILS(template_render(template_set_get(set, "p0"), set, document, &out, &err),
			    &err, ERR_TOO_BIG, "rendering takes too many steps");
	}
}

/* A text and its length, as embed.py writes them. */
#define TEXT(text) text, sizeof(text) - 1

static void tells_pages_from_plain_text(void)
{
	static const struct template_file files[] = {
		{ "page.html", TEXT("<ul>\n  {{> item}}\n</ul>\n") },
		{ "item.html", TEXT("<li>{{x}}</li>\n") },
		{ "mail.txt", TEXT("{{{x}}}\n") },
		{ "notes.md", TEXT("{{") },
	};
	scoped(template_set_free) struct template_set *set = template_set_new();
	scoped(json_free) struct json *document = json_new_object();
	scoped(str_release) struct str out = STR_INIT;
	struct err err = ERR_INIT;

	json_put_text(document, "x", "<&");
	if (!CHECK_DONE(template_set_add_files(set, files, countof(files), &err), &err) ||
	    !CHECK_DONE(template_set_check(set, &err), &err)) {
		return;
	}
	CHECK(template_set_get(set, "notes") == NULL);
	CHECK_DONE(template_render(template_set_get(set, "page"), set, document, &out, &err), &err);
	CHECK_DONE(template_render(template_set_get(set, "mail"), set, document, &out, &err), &err);
	CHECK_TEXT(out.at, "<ul>\n  <li>&lt;&amp;</li>\n</ul>\n<&\n");
}

static void refuses_bad_sets(void)
{
	scoped(template_set_free) struct template_set *set = template_set_new();
	struct err err = ERR_INIT;

	CHECK_DONE(template_set_add(set, "a", "{{>b}}", 6, TEMPLATE_HTML, &err), &err);
	CHECK_FAILS(template_set_add(set, "a", "", 0, TEMPLATE_HTML, &err), &err, ERR_CONFLICT,
		    "there are two templates called 'a'");
	CHECK_FAILS(template_set_check(set, &err), &err, ERR_ABSENT,
		    "template 'a': there is no partial 'b' in the set");
	CHECK_DONE(template_set_add(set, "b", "{{x}}", 5, TEMPLATE_PLAIN, &err), &err);
	CHECK_FAILS(template_set_check(set, &err), &err, ERR_ABSENT,
		    "template 'a': there is no partial 'b' of its mode");
}

static struct json *big_document(int nr_rows)
{
	struct json *document = json_new_object();
	struct json *rows = json_new_array();

	for (int i = 0; i < nr_rows; i++) {
		struct json *row = json_new_object();

		json_put_text(row, "metric", "autonuma-benchmark.numa01_THREAD_ALLOC.seconds");
		json_put_number(row, "mean", 327.42 + i);
		json_put_number(row, "change", -4.1);
		json_put_text(row, "verdict", "improvement");
		json_append(rows, row);
	}
	json_put_text(document, "base", "/compare?base=af46f3c9ca");
	json_put(document, "rows", rows);
	return document;
}

/* Ten times the rows must cost about ten times the time, not a hundred; 40 leaves room for noise,
 * and the best of several runs is taken. */
static void is_linear(void)
{
	static const char text[] =
		"{{#rows}}\n<tr><td><a href=\"{{base}}&amp;metric={{metric}}\">{{metric}}</a></td>\n"
		"{{#verdict}}<td>{{verdict}}</td>{{/verdict}}<td>{{mean}}</td><td>{{change}}</td>\n"
		"{{^reason}}<td></td>{{/reason}}</tr>\n{{/rows}}\n";
	scoped(template_free) struct template *template = NULL;
	struct err err = ERR_INIT;
	double seconds[2] = { 1e9, 1e9 };

	if (!CHECK_DONE(
		    template_parse("rows", text, sizeof(text) - 1, TEMPLATE_HTML, &template, &err),
		    &err)) {
		return;
	}
	for (int size = 0; size < 2; size++) {
		scoped(json_free) struct json *document = big_document(size ? 20000 : 2000);

		for (int i = 0; i < 5; i++) {
			scoped(str_release) struct str out = STR_INIT;
			struct mono begin = mono_now();
			double took;

			CHECK_DONE(template_render(template, NULL, document, &out, &err), &err);
			took = span_seconds(mono_between(begin, mono_now()));
			seconds[size] = took < seconds[size] ? took : seconds[size];
			CHECK(out.length > 200000);
		}
	}
	printf("# 2000 rows: %.2f ms, 20000 rows: %.2f ms\n", 1e3 * seconds[0], 1e3 * seconds[1]);
	CHECK(seconds[1] < 40 * seconds[0]);
}

static const struct t_case cases[] = {
	{ "values show as they are in the document", shows_values },
	{ "empty is falsy, zero is not", knows_falsy },
	{ "a section walks a list and sees what is around it", walks_lists },
	{ "a page escapes its values, a plain text does not", escapes_in_pages },
	{ "a page cannot print raw", refuses_raw_in_pages },
	{ "a value's control characters do not come through", cleans_values },
	{ "an error names the template, the line and the fault", names_the_place },
	{ "sections nest 64 deep and no deeper", bounds_nesting },
	{ "a partial that calls itself for ever is an error, and leaves no output",
	  ends_recursion },
	{ "partials that call two each end before the heat death", ends_explosions },
	{ "the suffix tells pages from plain text, and other files are passed over",
	  tells_pages_from_plain_text },
	{ "a set with a hole is refused", refuses_bad_sets },
	{ "the time to render grows with the rows, not with their square", is_linear },
};

T_MAIN(cases)
