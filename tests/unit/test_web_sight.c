/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"
#include "web/pages/page.h"
#include "web/pages/sight.h"

static struct json *read(const char *text)
{
	struct json *json = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(json_parse("test", text, strlen(text), &json, &err), &err);
	return json;
}

/* Expected: what the words of the page's legend say. */
static const struct {
	const char *facts;
	const char *stack;
	const char *seen; /* mark, word, text, why, flag */
} cells[] = {
	{ "{}", "new", "\xe2\x97\x8b|not planned yet|-|-|is_open" },
	{ "{}", "done", "\xe2\x97\x8b|not planned|-|-|is_missing" },
	{ "{}", "superseded", "\xe2\x97\x8b|superseded|-|-|is_missing" },
	{ "{'build':{'state':'wanted'}}", "building", "\xe2\x97\x8b|being built|-|-|is_open" },
	{ "{'build':{'state':'done'}}", "building", "\xe2\x97\x8b|built|-|-|is_open" },
	{ "{'build':{'state':'failed','reason':'build-failed: x','run_url':'/run/1'}}", "measuring",
	  "\xe2\x9c\x97|build failed|-|x|is_failed" },
	{ "{'state':'wanted'}", "measuring", "\xe2\x97\x8b|queued|-|-|is_open" },
	{ "{'state':'waiting'}", "measuring",
	  "\xe2\x97\x8b|waits for tip against base|-|-|is_open" },
	{ "{'state':'measuring','runs':{'nr_ended':0,'nr_running':0,'nr':4}}", "measuring",
	  "\xe2\x97\x8b|queued|-|-|is_open" },
	{ "{'state':'measuring','runs':{'nr_ended':3,'nr_running':1,'nr':8}}", "measuring",
	  "\xe2\x97\x8b|running 3/8|-|-|is_open" },
	{ "{'state':'deciding','verdicts':[{'metric':'m','verdict':'regression','is_headline':true,"
	  "'percent':5}]}",
	  "measuring", "\xe2\x97\x8b|being decided|-|-|is_open" },
	{ "{'state':'cancelled','reason':'superseded'}", "done",
	  "\xe2\x97\x8b|cancelled|-|superseded|is_missing" },
	{ "{'state':'done','reason':'same binary','verdicts':[]}", "done",
	  "\xe2\x97\x8f|same binary|-|-|is_same" },
	{ "{'state':'done','reason':'missing: lost','verdicts':[]}", "done",
	  "\xe2\x97\x8b|missing|-|lost|is_missing" },
	{ "{'state':'done','verdicts':[{'metric':'m','verdict':'no-change','is_headline':true,"
	  "'percent':0.1}]}",
	  "done", "\xe2\x97\x8f|within noise|+0.1%|-|is_same" },
	{ "{'state':'done','verdicts':[{'metric':'m','verdict':'cannot-resolve','is_headline':true,"
	  "'percent':3,'reason':'needs 40 runs'}]}",
	  "done", "?|cannot resolve|-|needs 40 runs|is_open" },
	{ "{'state':'done','verdicts':[{'metric':'a','verdict':'improvement','is_headline':true,"
	  "'percent':-30},{'metric':'b','verdict':'regression','is_headline':true,'percent':2},"
	  "{'metric':'c','verdict':'regression','is_headline':true,'percent':-4},"
	  "{'metric':'d','verdict':'regression','is_headline':false,'percent':90}]}",
	  "done", "\xe2\x96\xb2|worse|-4.0%|-|is_worse" },
	{ "{'state':'done','verdicts':[{'metric':'time','verdict':'regression','is_headline':true,"
	  "'percent':9.4},{'metric':'count','verdict':'regression','is_headline':true,"
	  "'is_exact':true,'percent':10}]}",
	  "done", "\xe2\x96\xb2|worse|+9.4%|-|is_worse" },
	{ "{'state':'done','verdicts':[{'metric':'a','verdict':'improvement','is_headline':true,"
	  "'percent':-30},{'metric':'b','verdict':'cannot-resolve','is_headline':true}]}",
	  "done", "\xe2\x96\xbc|better|-30.0%|-|is_better" },
	{ "{'state':'done','verdicts':[{'metric':'a','verdict':'regression','is_headline':false,"
	  "'percent':90}]}",
	  "done", "\xe2\x97\x8b|missing|-|-|is_missing" },
};

static const char *or_dash(const struct json *object, const char *name)
{
	const char *text = json_text(json_get(object, name));

	return text ? text : "-";
}

/* JSON with single quotes, for people. */
static struct json *read_loose(const char *text)
{
	scoped(str_release) struct str strict = STR_INIT;

	for (const char *at = text; *at; at++) {
		str_append_char(&strict, *at == '\'' ? '"' : *at);
	}
	return read(strict.at);
}

static void says_what_a_cell_is(void)
{
	static const char *const flags[] = { "is_worse", "is_better",  "is_same",   "is_failed",
					     "is_open",  "is_missing", "is_nothing" };

	for (size_t i = 0; i < countof(cells); i++) {
		scoped(json_free) struct json *facts = read_loose(cells[i].facts);
		scoped(str_release) struct str seen = STR_INIT;

		sight_add(facts, cells[i].stack, false);
		str_printf(&seen, "%s|%s|%s|%s|", or_dash(facts, "mark"), or_dash(facts, "word"),
			   or_dash(facts, "text"), or_dash(facts, "why"));
		for (size_t j = 0; j < countof(flags); j++) {
			str_append(&seen,
				   json_bool(json_get(facts, flags[j]), false) ? flags[j] : "");
		}
		CHECK_TEXT(seen.at, cells[i].seen);
	}
}

static void leaves_the_base_alone(void)
{
	scoped(json_free) struct json *built = read_loose("{'build':{'state':'done'}}");
	scoped(json_free) struct json *failed = read_loose("{'build':{'state':'failed'}}");

	sight_add(built, "measuring", true);
	CHECK_TEXT(or_dash(built, "word"), "base");
	CHECK_TEXT(or_dash(built, "mark"), "");
	sight_add(failed, "measuring", true);
	CHECK_TEXT(or_dash(failed, "word"), "build failed");
}

static void names_every_member_that_a_template_asks_for(void)
{
	static const char *const names[] = { "url", "text", "metric", "why", "log_url" };
	scoped(json_free) struct json *facts = json_new_object();

	sight_add(facts, NULL, false);
	for (size_t i = 0; i < countof(names); i++) {
		CHECK(json_get(facts, names[i]) != NULL);
	}
}

static void decorates_verdicts_wherever_they_are(void)
{
	scoped(json_free) struct json *document = read_loose(
		"{'a':[{'b':{'verdict':'regression','percent':7.44}}],'verdict':'bad word'}");
	const struct json *inner = json_get(json_at(json_get(document, "a"), 0), "b");

	sight_decorate(document);
	CHECK_TEXT(or_dash(inner, "mark"), "\xe2\x96\xb2");
	CHECK_TEXT(or_dash(inner, "word"), "regression");
	CHECK_TEXT(or_dash(inner, "text"), "+7.4%");
	CHECK(json_bool(json_get(inner, "is_worse"), false));
	CHECK(json_get(document, "mark") == NULL);
}

static void dresses_numbers_and_times(void)
{
	scoped(json_free) struct json *document = read_loose(
		"{'size_bytes':1023,'big_bytes':3355443,'list':[{'at':'2026-11-30T22:29:54Z',"
		"'word':'2026-11-30'}],'empty':[],'count':5,'wall_s':80}");
	const struct json *inner = json_at(json_get(document, "list"), 0);

	page_dress(document);
	CHECK_TEXT(or_dash(document, "size_bytes_text"), "1023 B");
	CHECK_TEXT(or_dash(document, "big_bytes_text"), "3.2 MiB");
	CHECK_TEXT(or_dash(inner, "at_text"), "2026-11-30 22:29:54");
	CHECK(json_get(inner, "word_text") == NULL);
	CHECK(json_bool(json_get(document, "has_list"), false));
	CHECK(json_get(document, "has_empty") == NULL);
	CHECK(json_get(document, "count_text") == NULL);
	CHECK_TEXT(or_dash(document, "wall_s_text"), "1 min 20 s");
}

static const struct t_case cases[] = {
	{ "a cell shows its verdict, or says why it has none", says_what_a_cell_is },
	{ "the base is compared with nothing, and its build may fail", leaves_the_base_alone },
	{ "no member of a cell is looked for in what surrounds it",
	  names_every_member_that_a_template_asks_for },
	{ "a verdict gets mark, word and number wherever it stands",
	  decorates_verdicts_wherever_they_are },
	{ "sizes, durations and times are written for people", dresses_numbers_and_times },
};
T_MAIN(cases)
