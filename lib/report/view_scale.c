/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "lib/base/mem.h"
#include "view.h"

/* Units in steps, each with its size in the first one of its kind; a unit may go on with '/'. */
enum scale { SCALE_TIME, SCALE_SIZE, SCALE_BINARY };

static const struct step {
	const char *name;
	enum scale scale;
	double size;
	bool is_shown; /* else it is another name of one that is */
} steps[] = { { "ns", SCALE_TIME, 1e-9, true },
	      { "us", SCALE_TIME, 1e-6, false },
	      { "\u00b5s", SCALE_TIME, 1e-6, true },
	      { "ms", SCALE_TIME, 1e-3, true },
	      { "s", SCALE_TIME, 1, true },
	      { "sec", SCALE_TIME, 1, false },
	      { "B", SCALE_SIZE, 1, true },
	      { "kB", SCALE_SIZE, 1e3, true },
	      { "KB", SCALE_SIZE, 1e3, false },
	      { "MB", SCALE_SIZE, 1e6, true },
	      { "GB", SCALE_SIZE, 1e9, true },
	      { "B", SCALE_BINARY, 1, true },
	      { "KiB", SCALE_BINARY, 1024, true },
	      { "MiB", SCALE_BINARY, 1048576, true },
	      { "GiB", SCALE_BINARY, 1073741824, true } };

static const struct step *find_step(const char *unit)
{
	size_t length = strcspn(unit, "/");

	for (size_t i = 0; i < countof(steps); i++) {
		if (strlen(steps[i].name) == length && strncmp(steps[i].name, unit, length) == 0) {
			return &steps[i];
		}
	}
	return NULL;
}

/* Sizes of memory go by 1024, rates by 1000. */
static enum scale scale_of(const struct step *from, const char *unit)
{
	bool is_rate = strcmp(unit + strcspn(unit, "/"), "/s") == 0;

	return strcmp(from->name, "B") == 0 && !is_rate ? SCALE_BINARY : from->scale;
}

/* The smallest value of a row but zero; NAN: there is none. */
static double smallest_value(const struct json *row)
{
	const struct json *cells = json_get(row, "cells");
	double smallest = NAN;

	for (size_t i = 0; i < json_size(cells); i++) {
		double value = fabs(json_number(json_get(json_at(cells, i), "value"), NAN));

		if (value > 0 && !(smallest <= value)) {
			smallest = value;
		}
	}
	return smallest;
}

/* The largest step in which `size`, a number of the first one, is not below 10: two decimals are
 * shown, and make four digits. */
static const struct step *best_step(enum scale scale, double size)
{
	const struct step *best = NULL;

	for (size_t i = 0; i < countof(steps); i++) {
		const struct step *step = &steps[i];

		if (step->scale == scale && step->is_shown && (!best || size >= 10 * step->size)) {
			best = step;
		}
	}
	return best;
}

static void multiply(struct json *object, const char *name, double factor)
{
	const struct json *value = json_get(object, name);

	if (json_kind(value) == KIND_NUMBER) {
		json_put_number(object, name, json_number(value, 0) * factor);
	}
}

static void multiply_changes(const struct json *changes, double factor)
{
	for (size_t i = 0; i < json_size(changes); i++) {
		struct json *change = json_at(changes, i);

		multiply(change, "absolute", factor);
		if (!json_bool(json_get(change, "is_ratio"), true)) {
			multiply(change, "low", factor);
			multiply(change, "high", factor);
		}
	}
}

static void multiply_row(struct json *row, double factor)
{
	const struct json *cells = json_get(row, "cells");

	for (size_t i = 0; i < json_size(cells); i++) {
		struct json *cell = json_at(cells, i);

		multiply(cell, "value", factor);
		multiply(cell, "stddev", factor);
		json_remove(cell, "samples");
	}
	multiply_changes(json_get(row, "changes"), factor);
	multiply_changes(json_get(row, "steps"), factor);
}

static void scale_row(struct json *row)
{
	const char *unit = json_text(json_get(row, "unit"));
	const struct step *from = unit ? find_step(unit) : NULL;
	double smallest = from ? smallest_value(row) : (double)NAN;
	const struct step *to;
	scoped(free) char *name = NULL;

	if (!from || isnan(smallest)) {
		return;
	}
	to = best_step(scale_of(from, unit), smallest * from->size);
	if (!to || fabs(to->size / from->size - 1) < 1e-9) {
		return;
	}
	name = mem_printf("%s%s", to->name, unit + strcspn(unit, "/"));
	json_put_text(row, "unit", name);
	multiply_row(row, from->size / to->size);
}

void view_scale(struct json *view)
{
	const struct json *groups = json_get(view, "groups");

	for (size_t i = 0; i < json_size(groups); i++) {
		const struct json *rows = json_get(json_at(groups, i), "rows");

		for (size_t j = 0; j < json_size(rows); j++) {
			scale_row(json_at(rows, j));
		}
	}
}
