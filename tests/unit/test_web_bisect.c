/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"
#include "lib/base/mem.h"
#include "web/pages/bisect_plot.h"
#include "web/pages/bisect_words.h"

static struct json *read(const char *text)
{
	struct json *json = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(json_parse("test", text, strlen(text), &json, &err), &err);
	return json;
}

static const char *text_at(const struct json *object, const char *name)
{
	const char *text = json_text(json_get(object, name));

	return text ? text : "-";
}

static void every_state_of_the_schema_has_a_meaning_of_its_own(void)
{
	/* schema/README.md */
	static const char *const states[] = { "open",         "confirming", "concluded",
					      "inconclusive", "unchanged",  "unmeasurable",
					      "stopped",      "invalidated" };
	const char *last = "";

	for (size_t i = 0; i < countof(states); i++) {
		scoped(json_free) struct json *document = json_new_object();

		CHECK(is_bisect_state(states[i]));
		json_put_text(document, "state", states[i]);
		bisect_words(document);
		CHECK(strlen(text_at(document, "meaning")) > 10);
		CHECK(strcmp(text_at(document, "meaning"), last) != 0);
		last = states[i];
	}
	CHECK(!is_bisect_state("done"));
	CHECK(!is_bisect_state(""));
}

static void only_a_revert_that_recovers_makes_a_cause(void)
{
	static const struct {
		const char *document;
		bool is_cause;
	} rows[] = {
		{ "{\"state\":\"concluded\",\"revert\":\"recovered\"}", true },
		{ "{\"state\":\"concluded\",\"revert\":\"not-recovered\"}", false },
		{ "{\"state\":\"concluded\",\"revert\":\"not-applied\"}", false },
		{ "{\"state\":\"concluded\",\"revert\":\"not-measured\"}", false },
		{ "{\"state\":\"concluded\",\"revert\":\"recovered\",\"nr_suspects\":2}", false },
		{ "{\"state\":\"concluded\",\"revert\":null}", false },
		{ "{\"state\":\"invalidated\",\"revert\":\"recovered\"}", false },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(json_free) struct json *document = read(rows[i].document);

		bisect_words(document);
		CHECK_INT(strstr(text_at(document, "meaning"), "It is the cause") != NULL,
			  rows[i].is_cause);
	}
}

static void a_posterior_is_never_said_to_be_certain(void)
{
	static const struct {
		const char *p, *text;
	} rows[] = {
		{ "0.9964", "0.996" },       { "0.9994", "0.999" },  { "0.99951", "over 0.999" },
		{ "1", "over 0.999" },       { "0.5", "0.500" },     { "0.0006", "0.001" },
		{ "0.0004", "under 0.001" }, { "0", "under 0.001" }, { "null", "-" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(free) char *text = mem_printf("{\"p\":%s}", rows[i].p);
		scoped(json_free) struct json *document = read(text);

		bisect_words_short(document);
		CHECK_TEXT(text_at(document, "p_text"), rows[i].text);
	}
}

static void worse_is_what_the_metric_calls_worse(void)
{
	static const struct {
		const char *better, *is_log, *before, *after;
		const char *change, *flag;
	} rows[] = {
		{ "lower", "true", "10", "10.7", "+7.0%", "is_worse" },
		{ "higher", "true", "10", "10.7", "+7.0%", "is_better" },
		{ "lower", "true", "200", "150", "-25.0%", "is_better" },
		{ "higher", "false", "-3", "-5", "-2.00", "is_worse" },
		{ "lower", "true", "10", "10", "-", "-" },
		{ "lower", "true", "null", "10", "-", "-" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(free) char *text =
			mem_printf("{\"better\":\"%s\",\"is_log\":%s,\"before\":%s,\"after\":%s}",
				   rows[i].better, rows[i].is_log, rows[i].before, rows[i].after);
		scoped(json_free) struct json *document = read(text);

		bisect_words(document);
		CHECK_TEXT(text_at(document, "change"), rows[i].change);
		CHECK(!json_get(document, "is_worse") || !json_get(document, "is_better"));
		CHECK(rows[i].flag[0] == '-' || json_get(document, rows[i].flag));
	}
}

static void a_row_says_why_it_has_no_runs(void)
{
	scoped(json_free) struct json *document = read(
		"{\"p\":0.9,\"rows\":[{\"p\":null,\"skipped\":\"build-failed: x\",\"by\":null},"
		"{\"p\":0.1,\"skipped\":\"hangs\",\"by\":\"ada\"},{\"under_way\":\"build\"},"
		"{\"under_way\":\"measure\",\"mean\":2.5},{\"is_fold\":true,\"position\":4,"
		"\"last\":17},{\"is_fold\":true,\"position\":20,\"last\":20}]}");
	const struct json *rows = json_get(document, "rows");

	bisect_words(document);
	CHECK_TEXT(text_at(json_at(rows, 0), "why"), "build-failed: x");
	CHECK(json_kind(json_get(json_at(rows, 0), "p_text")) == KIND_NULL);
	CHECK_TEXT(text_at(json_at(rows, 1), "why"), "skipped by ada: hangs");
	CHECK_TEXT(text_at(json_at(rows, 2), "why"), "being built");
	CHECK_TEXT(text_at(json_at(rows, 3), "why"), "runs now");
	CHECK_TEXT(text_at(json_at(rows, 3), "mean_text"), "2.50");
	CHECK_TEXT(text_at(json_at(rows, 4), "range"), "4 to 17");
	CHECK_TEXT(text_at(json_at(rows, 5), "range"), "20");
}

/* Four rows of 154 units each; values from 10 to 20 between y = 168 and 28. */
static const char picture[] =
	"{\"before\":10,\"after\":20,\"rows\":["
	"{\"position\":0,\"p\":null,\"runs\":[{\"value\":10,\"machine\":0}]},"
	"{\"position\":1,\"last\":7,\"is_fold\":true,\"p\":0.1},"
	"{\"position\":8,\"p\":0.8,\"is_suspect\":true,\"runs\":[{\"value\":20,\"machine\":0},"
	"{\"value\":15,\"machine\":1}]},"
	"{\"position\":9,\"p\":0.1,\"skipped\":\"x\",\"runs\":[]}]}";

static void dots_bars_and_levels_stand_where_their_numbers_are(void)
{
	scoped(json_free) struct json *document = read(picture);
	const struct json *plot;
	const struct json *dots;

	bisect_plot_add(document);
	plot = json_get(document, "plot");
	dots = json_get(plot, "dots");
	CHECK_INT(json_size(dots), 3);
	CHECK_NEAR(json_number(json_get(json_at(dots, 0), "x"), 0), 89, 1e-9);
	CHECK_NEAR(json_number(json_get(json_at(dots, 0), "y"), 0), 168, 1e-9);
	CHECK_NEAR(json_number(json_get(json_at(dots, 1), "x"), 0), 397, 1e-9);
	CHECK_NEAR(json_number(json_get(json_at(dots, 1), "y"), 0), 28, 1e-9);
	CHECK_NEAR(json_number(json_get(json_at(dots, 2), "y"), 0), 98, 1e-9);
	CHECK(!json_bool(json_get(json_at(dots, 1), "is_other"), true));
	CHECK(json_bool(json_get(json_at(dots, 2), "is_other"), false));
	CHECK_TEXT(text_at(plot, "step"), "M12 168H320V28H628");
	CHECK_TEXT(text_at(plot, "bars"), "M231 266h24v-7.5h-24zM385 266h24v-60h-24z"
					  "M539 266h24v-7.5h-24z");
	CHECK_TEXT(text_at(plot, "set"), "M320 20h154v156h-154z");
	CHECK_TEXT(text_at(plot, "skips"), "M547 172l8 8m0 -8l-8 8");
	CHECK_TEXT(text_at(plot, "folds"), "M243 28v140");
	CHECK_TEXT(text_at(plot, "low"), "10.00");
	CHECK_TEXT(text_at(plot, "high"), "20.00");
	CHECK_TEXT(text_at(json_at(json_get(plot, "labels"), 1), "text"), "8");
}

static void without_runs_and_posterior_there_is_still_a_picture(void)
{
	scoped(json_free) struct json *document =
		read("{\"rows\":[{\"position\":0,\"runs\":[]},{\"position\":1,\"p\":null}]}");
	scoped(json_free) struct json *nothing = read("{\"rows\":[]}");
	const struct json *plot;

	bisect_plot_add(document);
	bisect_plot_add(nothing);
	plot = json_get(document, "plot");
	CHECK_TEXT(text_at(plot, "step"), "");
	CHECK_TEXT(text_at(plot, "bars"), "");
	CHECK_TEXT(text_at(plot, "low"), "");
	CHECK_INT(json_size(json_get(plot, "dots")), 0);
	CHECK(!json_get(nothing, "plot"));
}

static const struct t_case cases[] = {
	{ "every state of the schema has a meaning of its own",
	  every_state_of_the_schema_has_a_meaning_of_its_own },
	{ "only a revert that recovers makes a cause", only_a_revert_that_recovers_makes_a_cause },
	{ "a posterior is never said to be certain", a_posterior_is_never_said_to_be_certain },
	{ "worse is what the metric calls worse", worse_is_what_the_metric_calls_worse },
	{ "a row says why it has no runs", a_row_says_why_it_has_no_runs },
	{ "dots bars and levels stand where their numbers are",
	  dots_bars_and_levels_stand_where_their_numbers_are },
	{ "without runs and posterior there is still a picture",
	  without_runs_and_posterior_there_is_still_a_picture },
};
T_MAIN(cases)
