/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/spec/pattern.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "tests/t.h"

static enum pattern_end last(const char *regex, struct slice text, const char *point,
			     struct slice *ret_value)
{
	scoped(pattern_free) struct pattern *pattern = NULL;
	struct err err = ERR_INIT;
	int64_t steps = PATTERN_STEPS;

	if (!CHECK_DONE(pattern_new(regex, &pattern, &err), &err)) {
		return PATTERN_NONE;
	}
	return pattern_last(pattern, text, point, &steps, ret_value);
}

static void check_last_of(const char *regex, struct slice text, const char *point,
			  const char *expected)
{
	struct slice found = { 0 };
	enum pattern_end end = last(regex, text, point, &found);
	scoped(free) char *copy = end == PATTERN_FOUND ? mem_strndup(found.at, found.length) : NULL;

	CHECK_TEXT(copy, expected);
}

static void check_last(const char *regex, const char *text, const char *expected)
{
	check_last_of(regex, (struct slice){ text, strlen(text) }, NULL, expected);
}

static void the_last_match_counts(void)
{
	check_last("^Time: (?<value>\\S+)$", "Time: 1\nTime: 2\nno Time: 3\n", "2");
	check_last("(?<value>\\d+)", "", NULL);
	check_last("x(?<value>\\d*)", "x1 x", "");
	check_last("(?<value>\\d)?x", "1x x", "1"); /* a match without the group is none */
}

static void empty_matches_come_to_an_end(void)
{
	check_last("(?<value>)", "abc", "");
	check_last("(?<value>a*)", "aab", "");
	check_last("a\\K(?<value>)", "aaa", "");
}

static void lines_end_in_any_way(void)
{
	check_last("^rps=(?<value>[\\d.]+)$", "rps=0.0\rrps=-nan\rrps=12.5\r\n\n", "12.5");
	check_last("^a(?<value>.*)$", "a1\rb\n", "1");
}

static void bytes_are_bytes(void)
{
	static const char text[] = "\xff\xfe\0\x80 v: 1\n\0v: 2\n";

	check_last_of("v: (?<value>\\d)", (struct slice){ text, sizeof(text) - 1 }, NULL, "2");
	check_last("µ: (?<value>\\d)", "µ: 7", "7");
}

static void the_point_selects(void)
{
	static const char text[] = "g1 t=5\ng16 t=6\ng1 t=7\ng x\n";
	struct slice slice = { text, sizeof(text) - 1 };

	check_last_of("g(?<point>\\d+)? (t=)?(?<value>.)$", slice, "1", "7");
	check_last_of("g(?<point>\\d+)? (t=)?(?<value>.)$", slice, "16", "6");
	check_last_of("g(?<point>\\d+)? (t=)?(?<value>.)$", slice, "6", NULL);
	check_last_of("t=(?<value>.)", slice, "1", NULL); /* no such group */
}

static void refuses_bad_patterns(void)
{
	static const struct {
		const char *regex;
		const char *part;
	} rows[] = {
		{ "(?<value>", "offset 9" },
		{ "([0-9]+)", "without the group 'value'" },
		{ "(*UTF)(?<value>x)", "offset" },
		{ "(?<value>\\C)", "offset" },
	};
	scoped(free) char *giant = mem_alloc(3000);
	struct err err = ERR_INIT;

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(pattern_free) struct pattern *pattern = NULL;

		CHECK_FAILS(pattern_new(rows[i].regex, &pattern, &err), &err, ERR_INPUT,
			    rows[i].part);
	}
	memset(giant, 'x', 2999);
	CHECK_FAILS(pattern_new(giant, &(struct pattern *){ NULL }, &err), &err, ERR_INPUT,
		    "2999 bytes");
}

/* Each of these takes hours or for ever without a budget: the first needs 2^n steps, the others
 * n^2 with n = 16 million. */
static void no_output_hangs_a_search(void)
{
	static const char *const regexes[] = {
		"^(a+)+(?<value>\\d)$",    "a*?(?<value>\\d)",     "a+(?<value>\\d)",
		"[\\s\\S]*+(?<value>\\d)", "(?:a|aa)+(?<value>b)", "(?<value>a)(?=[\\s\\S]*\\z)b",
	};
	size_t length = 16 << 20;
	scoped(free) char *text = mem_alloc(length);
	struct mono start = mono_now();

	memset(text, 'a', length);
	for (size_t i = 0; i < countof(regexes); i++) {
		struct slice found;

		CHECK_INT(last(regexes[i], (struct slice){ text, length }, NULL, &found),
			  PATTERN_TOO_DEAR);
	}
	/* a second or two without sanitizers; the bound is for a loaded machine with them */
	CHECK(span_seconds(mono_between(start, mono_now())) < 400);
}

static void a_large_honest_output_is_no_matter(void)
{
	size_t length = 16 << 20;
	scoped(free) char *text = mem_alloc(length);
	int64_t steps = PATTERN_STEPS;
	scoped(pattern_free) struct pattern *pattern = NULL;
	struct slice found = { 0 };
	struct err err = ERR_INIT;

	for (size_t i = 0; i + 32 <= length; i += 32) {
		memcpy(text + i, "progress 12.5 %, rate 1000 op/s\n", 32);
	}
	memcpy(text + length - 32, "Time: 4.393\n                   \n", 32);
	CHECK_DONE(pattern_new("^Time: (?<value>\\S+)$", &pattern, &err), &err);
	CHECK_INT(pattern_last(pattern, (struct slice){ text, length }, NULL, &steps, &found),
		  PATTERN_FOUND);
	CHECK(steps > PATTERN_STEPS * 9 / 10);
	CHECK(found.at == text + length - 32 + 6 && found.length == 5);
}

static const struct t_case cases[] = {
	{ "of several matches the last one counts", the_last_match_counts },
	{ "empty matches come to an end", empty_matches_come_to_an_end },
	{ "a line ends with CR, LF or both", lines_end_in_any_way },
	{ "NULs and bytes that are no UTF-8 are matched like others", bytes_are_bytes },
	{ "the group point selects the match", the_point_selects },
	{ "a pattern that cannot work is refused", refuses_bad_patterns },
	{ "no output hangs a search", no_output_hangs_a_search },
	{ "16 MiB of honest output cost a tenth of the budget at most",
	  a_large_honest_output_is_no_matter },
};
T_MAIN(cases)
