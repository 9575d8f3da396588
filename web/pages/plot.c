/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plot.h"

#include <math.h>

#include "lib/report/number.h"

/* More dots than this are a line; the last ones are left out. */
#define MAX_DOTS 200

/* In units of the picture. */
#define LEFT   10.0
#define WIDTH  380.0
#define TOP    14
#define HEIGHT 20

struct range {
	double low, high;
	bool is_empty;
};

static void widen(struct range *range, double value)
{
	if (!isfinite(value)) {
		return;
	}
	if (range->is_empty || value < range->low) {
		range->low = value;
	}
	if (range->is_empty || value > range->high) {
		range->high = value;
	}
	range->is_empty = false;
}

static struct range range_of(const struct json *cells)
{
	struct range range = { .is_empty = true };

	for (size_t i = 0; i < json_size(cells); i++) {
		const struct json *samples = json_get(json_at(cells, i), "samples");

		widen(&range, json_number(json_get(json_at(cells, i), "value"), (double)NAN));
		for (size_t j = 0; j < json_size(samples) && j < MAX_DOTS; j++) {
			widen(&range, json_number(json_at(samples, j), (double)NAN));
		}
	}
	return range;
}

/* Rounded, so that pages are small and equal. */
static double place(const struct range *range, double value)
{
	double span = range->high - range->low;
	double share = span > 0 ? (value - range->low) / span : 0.5;

	return round((LEFT + WIDTH * share) * 10) / 10;
}

static struct json *side_of(const struct json *cell, const struct range *range, size_t index)
{
	const struct json *samples = json_get(cell, "samples");
	double value = json_number(json_get(cell, "value"), (double)NAN);
	struct json *side = json_new_object();
	struct json *dots = json_new_array();

	for (size_t i = 0; i < json_size(samples) && i < MAX_DOTS; i++) {
		double sample = json_number(json_at(samples, i), (double)NAN);

		if (isfinite(sample)) {
			struct json *dot = json_new_object();

			json_put_number(dot, "x", place(range, sample));
			json_append(dots, dot);
		}
	}
	json_put_text(side, "name", index ? "head" : "base");
	json_put_bool(side, "is_head", index > 0);
	json_put_int(side, "y", TOP + HEIGHT * (int64_t)index);
	json_put(side, "dots", dots);
	json_put_number(side, "mean", isfinite(value) ? place(range, value) : (double)NAN);
	return side;
}

static void add(struct json *row)
{
	const struct json *cells = json_get(row, "cells");
	struct range range = range_of(cells);
	struct json *plot = json_new_object();
	struct json *sides = json_new_array();
	char text[NUMBER_BYTES];

	if (range.is_empty) {
		json_free(plot);
		json_free(sides);
		return;
	}
	for (size_t i = 0; i < json_size(cells); i++) {
		json_append(sides, side_of(json_at(cells, i), &range, i));
	}
	json_put(plot, "sides", sides);
	number_value(range.low, text);
	json_put_text(plot, "low", text);
	number_value(range.high, text);
	json_put_text(plot, "high", text);
	json_put(row, "plot", plot);
}

void plot_add(struct json *view)
{
	struct json *groups = json_get(view, "groups");

	for (size_t i = 0; i < json_size(groups); i++) {
		struct json *rows = json_get(json_at(groups, i), "rows");

		for (size_t j = 0; j < json_size(rows); j++) {
			if (json_bool(json_get(json_at(rows, j), "is_headline"), false)) {
				add(json_at(rows, j));
			}
		}
	}
}
