/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/clock.h"

#include <limits.h>

#include "tests/t.h"

/* Expected texts are from `date -u -d @SECONDS`. */
static void formats_as_utc(void)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00Z" },
		{ 951782400, "2000-02-29T00:00:00Z" },
		{ 1795991394, "2026-11-29T22:29:54Z" },
		{ 4102444799, "2099-12-31T23:59:59Z" },
	};

	setenv("TZ", "Asia/Tokyo", 1);
	for (size_t i = 0; i < countof(rows); i++) {
		char text[WALL_TEXT_BYTES];

		wall_format((struct wall){ rows[i].seconds * 1000000000 + 999999999 }, text);
		CHECK_TEXT(text, rows[i].text);
	}
}

static void bounds_what_is_left(void)
{
	struct mono now = mono_now();
	int left_ms = mono_left_ms(mono_after(now, SPAN_S(10)));

	CHECK(left_ms > 9000 && left_ms <= 10000);
	CHECK_INT(mono_left_ms(now), 0);
	CHECK_INT(mono_left_ms((struct mono){ 0 }), 0);
	CHECK_INT(mono_left_ms(mono_after(now, SPAN_S(INT64_C(3000000)))), INT_MAX);
}

static void sleeps_its_whole_span(void)
{
	struct mono start = mono_now();
	struct mono deadline = mono_after(start, SPAN_MS(20));

	CHECK(!mono_is_past(deadline));
	span_sleep(SPAN_MS(20));
	CHECK(mono_is_past(deadline));
	CHECK(span_seconds(mono_between(start, mono_now())) >= 0.020);
	span_sleep((struct span){ -1 });
}

static void counts_seconds(void)
{
	CHECK_NEAR(span_seconds(SPAN_MS(1500)), 1.5, 0);
	CHECK_NEAR(span_seconds(mono_between((struct mono){ 5 }, (struct mono){ 4 })), -1e-9, 0);
}

static void walls_are_of_this_century(void)
{
	CHECK(wall_now().ns > INT64_C(1600000000) * 1000000000);
}

static const struct t_case cases[] = {
	{ "a wall time is written in UTC whatever the time zone", formats_as_utc },
	{ "what is left of a deadline is never negative and never overflows", bounds_what_is_left },
	{ "a sleep lasts its whole span", sleeps_its_whole_span },
	{ "a span is read in seconds", counts_seconds },
	{ "the wall clock is the system's", walls_are_of_this_century },
};

T_MAIN(cases)
