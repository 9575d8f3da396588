/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/option.h"

#include "lib/base/mem.h"
#include "tests/t.h"

/* What one command line sets, and what it leaves. */
struct result {
	bool is_all;
	bool is_quiet;
	const char *format;
	int64_t seed;
	struct option_list settings;
	struct err err;
	char operands[256]; /* each followed by a blank */
};

static void result_release(struct result *result)
{
	option_list_release(&result->settings);
}
DEFINE_SCOPED_EMBEDDED(result_release, struct result)

#define NR_ROWS 5

static void fill_rows(struct option_row rows[NR_ROWS], struct result *result)
{
	const struct option_row filled[NR_ROWS] = {
		{ "all", 'a', NULL, "every metric", OPTION_FLAG, &result->is_all },
		{ "quiet", 'q', NULL, "no progress bar", OPTION_FLAG, &result->is_quiet },
		{ "format", 'f', "FORMAT", "text or lkp", OPTION_TEXT, &result->format },
		{ "seed", 0, "N", "start of the random numbers", OPTION_INT, &result->seed },
		{ NULL, 'c', "KEY=VALUE", "one setting", OPTION_LIST, &result->settings },
	};

	memcpy(rows, filled, sizeof(filled));
}

/* Parses a line of words separated by blanks; `_` stands for an empty word. */
static bool parse(const char *line, bool stop_at_operand, struct result *result)
{
	static char words[256];
	struct option_row rows[NR_ROWS];
	char *argv[32] = { words };
	char *state = NULL;
	int argc = 0;
	bool is_done;

	*result = (struct result){ 0 };
	fill_rows(rows, result);
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok_r(words, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		argv[argc++] = strcmp(word, "_") == 0 ? word + 1 : word;
	}
	is_done = option_parse(rows, NR_ROWS, stop_at_operand, &argc, argv, &result->err);
	for (int i = 1; is_done && i < argc; i++) {
		strncat(result->operands, argv[i], 64);
		strncat(result->operands, " ", 2);
	}
	return is_done && CHECK(argv[argc] == NULL);
}

static void reads_every_spelling(void)
{
	static const char *const lines[] = {
		"x --format lkp", "x --format=lkp", "x -f lkp",
		"x -flkp",        "x -aqflkp",      "x -f text -f lkp"
	};

	for (size_t i = 0; i < countof(lines); i++) {
		scoped(result_release) struct result got;

		CHECK(parse(lines[i], false, &got));
		CHECK_TEXT(got.format, "lkp");
		CHECK_TEXT(got.operands, "");
	}
}

static void leaves_operands(void)
{
	static const struct {
		const char *line;
		bool stop;
		const char *operands;
		bool is_all;
	} rows[] = {
		{ "x", false, "", false },
		{ "x a --all b", false, "a b ", true },
		{ "x a -- --all b", false, "a --all b ", false },
		{ "x -a -- -- b", false, "-- b ", true },
		{ "x - -a", false, "- ", true },
		{ "x _ -a", false, " ", true },
		{ "x run -a b", true, "run -a b ", false },
		{ "x -a run -q", true, "run -q ", true },
		{ "x -a -- run", true, "run ", true },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(result_release) struct result got;

		CHECK(parse(rows[i].line, rows[i].stop, &got));
		CHECK_TEXT(got.operands, rows[i].operands);
		CHECK_INT(got.is_all, rows[i].is_all);
		CHECK(!got.is_quiet);
	}
}

static void takes_values_of_any_look(void)
{
	scoped(result_release) struct result got;

	CHECK(parse("x --seed -5 --format --all --format= -c -a -ca.b=c", false, &got));
	CHECK_INT(got.seed, -5);
	CHECK_TEXT(got.format, "");
	CHECK(!got.is_all);
	if (CHECK_INT((int64_t)got.settings.nr, 2)) {
		CHECK_TEXT(got.settings.at[0], "-a");
		CHECK_TEXT(got.settings.at[1], "a.b=c");
	}
}

static void refuses(void)
{
	static const struct {
		const char *line;
		const char *why;
	} rows[] = {
		{ "x --fromat lkp", "unknown option '--fromat', did you mean '--format'" },
		{ "x --zzzzzzzz=3", "unknown option '--zzzzzzzz'" },
		{ "x -x", "unknown option '-x' in '-x'" },
		{ "x -ax", "unknown option '-x' in '-ax'" },
		{ "x --all=yes", "option '--all' takes no value" },
		{ "x --format", "option '--format' needs a value, FORMAT" },
		{ "x -af", "option '-f' needs a value, FORMAT" },
		{ "x --seed 1x", "option '--seed': '1x' is not a whole number" },
		{ "x --c 1", "unknown option '--c'" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(result_release) struct result got;
		bool is_done = parse(rows[i].line, false, &got);

		CHECK_FAILS(is_done, &got.err, ERR_INPUT, rows[i].why);
		CHECK_TEXT(got.err.message, rows[i].why);
	}
}

static void describes(void)
{
	struct result result;
	struct option_row rows[NR_ROWS];
	scoped(str_release) struct str text = STR_INIT;

	fill_rows(rows, &result);
	option_describe(rows, NR_ROWS, &text);
	CHECK_TEXT(text.at, "  -a, --all            every metric\n"
			    "  -q, --quiet          no progress bar\n"
			    "  -f, --format FORMAT  text or lkp\n"
			    "      --seed N         start of the random numbers\n"
			    "  -c KEY=VALUE         one setting\n");
}

static const struct t_case cases[] = {
	{ "a value may stand in the next word or in the same", reads_every_spelling },
	{ "operands keep their order and may follow --", leaves_operands },
	{ "a value may look like an option", takes_values_of_any_look },
	{ "a wrong option is named, with the one that was meant", refuses },
	{ "the help has an aligned line for each row", describes },
};

T_MAIN(cases)
