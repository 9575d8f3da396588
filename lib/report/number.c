/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "number.h"

#include <math.h>

#include "lib/base/decimal.h"

struct fixed {
	int digits; /* behind the point */
	bool has_plus;
	const char *unit; /* "%" or "": there is room for one byte */
};

static void print_fixed(double value, const struct fixed *how, char text[NUMBER_BYTES])
{
	size_t length = decimal_write(value, how->digits, how->has_plus, text, NUMBER_BYTES - 1);

	memcpy(text + length, how->unit, strlen(how->unit) + 1);
}

void number_value(double value, char text[NUMBER_BYTES])
{
	double size = fabs(value);

	if (!isfinite(value)) {
		snprintf(text, NUMBER_BYTES, "n/a");
	} else if (size > 0 && size < 0.005) {
		snprintf(text, NUMBER_BYTES, "%.2g", value);
	} else if (size < 999.995) {
		print_fixed(value, &(struct fixed){ 2, false, "" }, text);
	} else if (size <= 1e8) {
		print_fixed(value, &(struct fixed){ 0, false, "" }, text);
	} else {
		snprintf(text, NUMBER_BYTES, "%.4g", value);
	}
}

void number_percent(double percent, char text[NUMBER_BYTES])
{
	if (!isfinite(percent)) {
		snprintf(text, NUMBER_BYTES, "n/a");
	} else if (fabs(percent) < 1e5) {
		print_fixed(percent, &(struct fixed){ 1, true, "%" }, text);
	} else {
		snprintf(text, NUMBER_BYTES, "%+.2g%%", percent);
	}
}

void number_difference(double difference, char text[NUMBER_BYTES])
{
	char plain[NUMBER_BYTES - 1];

	number_value(difference, text);
	if (isfinite(difference) && difference >= 0) {
		snprintf(plain, sizeof(plain), "%s", text);
		snprintf(text, NUMBER_BYTES, "+%s", plain);
	}
}

double number_relative(double value, double stddev)
{
	double share = 100 * stddev / fabs(value);

	return isfinite(share) && stddev >= 0 ? share : (double)NAN;
}

void number_spread(double value, double stddev, char text[NUMBER_BYTES])
{
	double share = number_relative(value, stddev);

	if (!isfinite(share)) {
		snprintf(text, NUMBER_BYTES, "-");
	} else if (share < 99.95) {
		print_fixed(share, &(struct fixed){ 1, false, "%" }, text);
	} else {
		snprintf(text, NUMBER_BYTES, "%.0f%%", share);
	}
}

void number_probability(double probability, char text[NUMBER_BYTES])
{
	if (!isfinite(probability)) {
		snprintf(text, NUMBER_BYTES, "-");
	} else if (probability >= 0.001) {
		print_fixed(probability, &(struct fixed){ 3, false, "" }, text);
	} else {
		snprintf(text, NUMBER_BYTES, "%.0e", probability);
	}
}

void number_seconds(double seconds, char text[NUMBER_BYTES])
{
	if (!isfinite(seconds) || fabs(seconds) > 1e15) {
		snprintf(text, NUMBER_BYTES, "n/a");
	} else if (seconds < 9.95) {
		snprintf(text, NUMBER_BYTES, "%.2g s", seconds);
	} else {
		int64_t s = (int64_t)(seconds + 0.5);

		if (s < 60) {
			snprintf(text, NUMBER_BYTES, "%" PRId64 " s", s);
		} else if (s < 3600) {
			snprintf(text, NUMBER_BYTES, "%" PRId64 " min %" PRId64 " s", s / 60,
				 s % 60);
		} else {
			snprintf(text, NUMBER_BYTES, "%" PRId64 " h %" PRId64 " min", s / 3600,
				 s / 60 % 60);
		}
	}
}

void number_size(int64_t bytes, char text[NUMBER_BYTES])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double size = (double)bytes;
	size_t unit = 0;

	while (size >= 1023.5 && unit + 1 < countof(units)) {
		size /= 1024;
		unit++;
	}
	snprintf(text, NUMBER_BYTES, unit > 0 && size < 9.95 ? "%.1f %s" : "%.0f %s", size,
		 units[unit]);
}
