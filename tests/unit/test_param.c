/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/spec/param.h"

#include "tests/t.h"

static void percentages_are_of_the_processors(void)
{
	static const struct {
		const char *text;
		int nr_cpus;
		const char *resolved;
	} rows[] = {
		{ "50%", 8, "4" },      { "50%", 6, "3" },  { "200%", 6, "12" },
		{ "12.5%", 6, "1" },                      /* 0.75 */
		{ "12.5%", 4, "1" },                      /* 0.5, halves up */
		{ "12.5%", 12, "2" },                     /* 1.5, halves up */
		{ "12.5%", 64, "8" },   { "1%", 2, "1" }, /* 0.02, but never none */
		{ "33.3333%", 3, "1" }, { "100%", 1, "1" }, { "10000%", 4096, "409600" },
	};
	scoped(arena_free) struct arena *arena = arena_new();

	for (size_t i = 0; i < countof(rows); i++) {
		CHECK(is_percent(rows[i].text));
		CHECK_TEXT(param_resolve(arena, rows[i].text, rows[i].nr_cpus), rows[i].resolved);
	}
}

static void other_values_stay_as_they_are(void)
{
	static const char *const texts[] = { "8", "0.5", "-5", "a b", "", "date +%s%" };
	scoped(arena_free) struct arena *arena = arena_new();

	for (size_t i = 0; i < countof(texts); i++) {
		CHECK(!is_percent(texts[i]));
		CHECK_TEXT(param_resolve(arena, texts[i], 4), texts[i]);
	}
}

static void takes_plain_values(void)
{
	static const char *const texts[] = { "8",        "0",    "-5",  "0.5",  "100%",
					     "12.5%",    "4k",   "2-8", "on",   "true",
					     "10.0.0.1", "1:30", "gcc", "a b%", "64bit" };

	for (size_t i = 0; i < countof(texts); i++) {
		CHECK_TEXT(param_expected(texts[i], false), NULL);
		CHECK_TEXT(param_expected(texts[i], true), NULL);
	}
}

/* These and the resolved ones: practice case C47. */
static void refuses_what_is_no_percentage(void)
{
	static const char *const texts[] = { "-5%",       "abc%",   "%",
					     "0%",        "0.0%",   "1e2%",
					     "+5%",       "5 %%%%", "50%%",
					     "12.34567%", "10001%", ".5%",
					     "5.%",       "0x5%",   "99999999999999999999%" };

	for (size_t i = 0; i < countof(texts); i++) {
		bool is_words = strchr(texts[i], ' ') != NULL;

		CHECK(is_words == !param_expected(texts[i], false));
		CHECK(is_words == !param_expected(texts[i], true));
	}
}

static void refuses_numbers_that_two_readers_read_differently(void)
{
	static const char *const texts[] = { "1e3",  "0x10", "1_000", ".5",   "5.",  "010", "+5",
					     "-0x1", "1E3",  "inf",   ".5e1", "nan", "-inf" };

	for (size_t i = 0; i < countof(texts); i++) {
		CHECK(param_expected(texts[i], false) != NULL);
		CHECK_TEXT(param_expected(texts[i], true), NULL);
	}
}

static void refuses_what_no_environment_carries_well(void)
{
	char giant[5000];

	memset(giant, 'x', sizeof(giant));
	giant[sizeof(giant) - 1] = '\0';
	CHECK(param_expected("a\nb", true) != NULL);
	CHECK(param_expected("a\tb", true) != NULL);
	CHECK(param_expected(giant, true) != NULL);
	CHECK(param_expected("", false) != NULL);
	CHECK_TEXT(param_expected("", true), NULL);
}

static void scripts_see_variables(void)
{
	static const char text[] = "{\"nr\":\"50%\",\"groups\":[\"1\",\"2\"],\"s\":\"$(id) 'x'\"}";
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *params = NULL;
	struct err err = ERR_INIT;
	char **lines;

	CHECK_DONE(json_parse("params", text, strlen(text), &params, &err), &err);
	lines = param_environment(arena, params, NULL, 6);
	CHECK_TEXT(lines[0], "PARAM_nr=3");
	CHECK_TEXT(lines[1], "PARAM_groups=1 2");
	CHECK_TEXT(lines[2], "PARAM_s=$(id) 'x'");
	CHECK(!lines[3]);
	lines = param_environment(arena, params, "make X=${PARAM_s} PARAM_nrx", 6);
	CHECK_TEXT(lines[0], "PARAM_s=$(id) 'x'");
	CHECK(!lines[1]);
}

static void knows_what_a_script_names(void)
{
	CHECK(is_param_used("x $PARAM_groups", "groups"));
	CHECK(is_param_used("${PARAM_groups}x", "groups"));
	CHECK(is_param_used("$PARAM_groupsize $PARAM_groups", "groups"));
	CHECK(!is_param_used("$PARAM_groups_2", "groups"));
	CHECK(!is_param_used("$groups PARAM", "groups"));
	CHECK(!is_param_used("", "groups"));
}

static const struct t_case cases[] = {
	{ "a percentage becomes that share of the processors, rounded, at least 1",
	  percentages_are_of_the_processors },
	{ "any other value reaches the script as it stands", other_values_stay_as_they_are },
	{ "plain numbers and words are values", takes_plain_values },
	{ "what ends in % must be a percentage", refuses_what_is_no_percentage },
	{ "a number in an ambiguous form needs quotes",
	  refuses_numbers_that_two_readers_read_differently },
	{ "a value is one line of bounded length", refuses_what_no_environment_carries_well },
	{ "a script sees parameters as variables, whatever they hold", scripts_see_variables },
	{ "only the whole name in a script uses a parameter", knows_what_a_script_names },
};
T_MAIN(cases)
