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

static const struct t_case cases[] = {
	{ "a time has two digits or two units", tells_times },
	{ "a size has the largest unit that leaves a digit before the point", tells_sizes },
};
T_MAIN(cases)
