/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/report/number.h"

#include <math.h>

#include "tests/t.h"

static void tells_times(void)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {
		{ 0, "0 s" },           { 0.25, "0.25 s" },      { 9.94, "9.9 s" },
		{ 9.96, "10 s" },       { 59.4, "59 s" },        { 59.6, "1 min 0 s" },
		{ 185, "3 min 5 s" },   { 3599, "59 min 59 s" }, { 3600, "1 h 0 min" },
		{ 7859, "2 h 10 min" }, { (double)NAN, "n/a" },  { 1e300, "n/a" },
	};
	char text[NUMBER_BYTES];

	for (size_t i = 0; i < countof(rows); i++) {
		number_seconds(rows[i].seconds, text);
		CHECK_TEXT(text, rows[i].text);
	}
}

static void tells_sizes(void)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} rows[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1.0 KiB" },
		{ 1536, "1.5 KiB" },
		{ 10240, "10 KiB" },
		{ 1048575, "1.0 MiB" }, /* never "1024 KiB" */
		{ 67108864, "64 MiB" },
		{ INT64_C(1) << 40, "1.0 TiB" },
		{ INT64_MAX, "8388608 TiB" },
	};
	char text[NUMBER_BYTES];

	for (size_t i = 0; i < countof(rows); i++) {
		number_size(rows[i].bytes, text);
		CHECK_TEXT(text, rows[i].text);
	}
}

/* A value of any size, often one that is a tie or next to it. */
static double draw(uint64_t *state)
{
	static const double sizes[] = { 1e-3, 1, 1e2, 1e5, 1e8, 1e11, 1e13 };
	double value;

	*state = *state * 6364136223846793005 + 1442695040888963407;
	value = (double)(int64_t)(*state >> 20) / 8796093022208.0 - 1;
	value *= sizes[*state >> 33 & 3 ? *state >> 40 & 3 : *state % countof(sizes)];
	if (*state >> 45 & 1) {
		value = (floor(value * 1000) + 0.5) / 1000;
	}
	return *state >> 46 & 1 ? value : nextafter(value, 1e300);
}

static void numbers_round_as_printf_does(void)
{
	uint64_t state = 1;

	for (int i = 0; i < 300000; i++) {
		double value = draw(&state);
		double size = fabs(value);
		char text[NUMBER_BYTES];
		char expected[NUMBER_BYTES];

		if ((size >= 0.005 && size < 999.995) || size <= 0) {
			snprintf(expected, sizeof(expected), "%.2f", value);
		} else if (size >= 999.995 && size <= 1e8) {
			snprintf(expected, sizeof(expected), "%.0f", value);
		} else {
			snprintf(expected, sizeof(expected), size < 1 ? "%.2g" : "%.4g", value);
		}
		number_value(value, text);
		CHECK_TEXT(text, expected);
		if (size < 1e5) {
			snprintf(expected, sizeof(expected), "%+.1f%%", value);
			number_percent(value, text);
			CHECK_TEXT(text, expected);
		}
	}
}

static const struct t_case cases[] = {
	{ "numbers round as printf rounds them", numbers_round_as_printf_does },
	{ "a time has two digits or two units", tells_times },
	{ "a size has the largest unit that leaves a digit before the point", tells_sizes },
};
T_MAIN(cases)
