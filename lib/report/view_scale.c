/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

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
static double smallest_value(const struct view_row *row, size_t nr_columns)
{
	double smallest = NAN;

	for (size_t i = 0; i < nr_columns; i++) {
		double value = fabs(row->cells[i].value);

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

static void multiply_changes(struct view_change *changes, size_t nr, double factor)
{
	for (size_t i = 0; changes && i < nr; i++) {
		changes[i].absolute *= factor;
		if (!changes[i].is_ratio) {
			changes[i].low *= factor;
			changes[i].high *= factor;
		}
	}
}

static void multiply_row(struct view_row *row, size_t nr_columns, double factor)
{
	for (size_t i = 0; i < nr_columns; i++) {
		struct view_cell *cell = &row->cells[i];

		cell->value *= factor;
		cell->stddev *= factor;
		cell->samples = NULL;
	}
	multiply_changes(row->changes, nr_columns - 1, factor);
	multiply_changes(row->steps, nr_columns - 1, factor);
}

static void scale_row(struct view *view, struct view_row *row)
{
	const struct step *from = row->unit ? find_step(row->unit) : NULL;
	double smallest = from ? smallest_value(row, view->nr_columns) : (double)NAN;
	const struct step *to;

	if (!from || isnan(smallest)) {
		return;
	}
	to = best_step(scale_of(from, row->unit), smallest * from->size);
	if (!to || fabs(to->size / from->size - 1) < 1e-9) {
		return;
	}
	row->unit =
		arena_printf(view->arena, "%s%s", to->name, row->unit + strcspn(row->unit, "/"));
	multiply_row(row, view->nr_columns, from->size / to->size);
}

void view_scale(struct view *view)
{
	for (size_t i = 0; i < view->groups.nr; i++) {
		for (size_t j = 0; j < view->groups.at[i].nr_rows; j++) {
			scale_row(view, &view->groups.at[i].rows[j]);
		}
	}
}
