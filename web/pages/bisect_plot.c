/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bisect_plot.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/report/number.h"

/* More dots of one commit are a line. */
#define MAX_DOTS 60

/* In units of the picture. */
#define LEFT       12.0
#define WIDTH      616.0
#define TOP        28.0
#define HEIGHT     140.0
#define BARS_TOP   206.0
#define BARS       60.0
#define LABEL_ROOM 70.0

struct picture {
	const struct json *rows;
	double low, high; /* of the values; NAN: there are none */
	double p_high;    /* of the posterior of a row; 0: there is none */
	double slot;      /* width of a row */
};

static double number_of(const struct json *object, const char *name)
{
	return json_number(json_get(object, name), (double)NAN);
}

/* Rounded, so that pages are small and equal. */
static double place(double number)
{
	return round(number * 10) / 10;
}

static double x_of(const struct picture *picture, size_t row)
{
	return place(LEFT + picture->slot * ((double)row + 0.5));
}

static double y_of(const struct picture *picture, double value)
{
	double span = picture->high - picture->low;
	double share = span > 0 ? (value - picture->low) / span : 0.5;

	return place(TOP + HEIGHT * (1 - share));
}

static void measure(struct picture *picture)
{
	for (size_t i = 0; i < json_size(picture->rows); i++) {
		const struct json *row = json_at(picture->rows, i);
		const struct json *runs = json_get(row, "runs");

		picture->p_high = fmax(picture->p_high, number_of(row, "p"));
		for (size_t j = 0; j < json_size(runs); j++) {
			double value = number_of(json_at(runs, j), "value");

			picture->low = fmin(picture->low, value);
			picture->high = fmax(picture->high, value);
		}
	}
	picture->slot = WIDTH / (double)json_size(picture->rows);
}

static void add_dots(const struct picture *picture, struct json *dots, size_t row)
{
	const struct json *runs = json_get(json_at(picture->rows, row), "runs");
	size_t nr = json_size(runs);

	for (size_t i = nr > MAX_DOTS ? nr - MAX_DOTS : 0; i < nr; i++) {
		const struct json *run = json_at(runs, i);
		double value = number_of(run, "value");
		struct json *dot;

		if (!isfinite(value)) {
			continue;
		}
		dot = json_new_object();
		json_put_number(dot, "x", x_of(picture, row));
		json_put_number(dot, "y", y_of(picture, value));
		json_put_bool(dot, "is_other", json_int(json_get(run, "machine"), 0) > 0);
		json_append(dots, dot);
	}
}

static struct json *dots_of(const struct picture *picture)
{
	struct json *dots = json_new_array();

	for (size_t i = 0; i < json_size(picture->rows); i++) {
		add_dots(picture, dots, i);
	}
	return dots;
}

/* The row that is shown for what the engine holds most probable; the last of equals. */
static size_t likely_row(const struct picture *picture)
{
	size_t likely = 0;
	double most = 0;

	for (size_t i = 0; i < json_size(picture->rows); i++) {
		double p = number_of(json_at(picture->rows, i), "p");

		if (p > 0 && p >= most) {
			most = p;
			likely = i;
		}
	}
	return likely;
}

/* Both levels, where one commit is more probable than all others. */
static void add_step(const struct picture *picture, const struct json *document, struct str *path)
{
	size_t row = likely_row(picture);
	double p = number_of(json_at(picture->rows, row), "p");
	double before = number_of(document, "before");
	double after = number_of(document, "after");

	if (row == 0 || !(p > 0.5) || !isfinite(before) || !isfinite(after)) {
		return;
	}
	/* levels lie among the values; a fit of few runs may put one outside */
	before = fmin(fmax(before, picture->low), picture->high);
	after = fmin(fmax(after, picture->low), picture->high);
	str_printf(path, "M%g %gH%gV%gH%g", LEFT, y_of(picture, before),
		   place(LEFT + picture->slot * (double)row), y_of(picture, after), LEFT + WIDTH);
}

static void add_bar(const struct picture *picture, size_t row, struct str *path)
{
	double p = number_of(json_at(picture->rows, row), "p");
	double width = place(fmin(picture->slot * 0.8, 24));
	double height = place(BARS * p / picture->p_high);

	if (p > 0 && height > 0) {
		str_printf(path, "M%g %gh%gv-%gh-%gz", place(x_of(picture, row) - width / 2),
			   BARS_TOP + BARS, width, height, width);
	}
}

static void add_box(const struct picture *picture, size_t row, struct str *path)
{
	double width = place(picture->slot);

	str_printf(path, "M%g %gh%gv%gh-%gz", place(LEFT + picture->slot * (double)row), TOP - 8,
		   width, HEIGHT + 16, width);
}

static void put_paths(const struct picture *picture, const struct json *document, struct json *plot)
{
	scoped(str_release) struct str step = STR_INIT;
	scoped(str_release) struct str bars = STR_INIT;
	scoped(str_release) struct str set = STR_INIT;
	scoped(str_release) struct str skips = STR_INIT;
	scoped(str_release) struct str folds = STR_INIT;

	for (size_t i = 0; i < json_size(picture->rows); i++) {
		const struct json *row = json_at(picture->rows, i);

		add_bar(picture, i, &bars);
		if (json_bool(json_get(row, "is_suspect"), false)) {
			add_box(picture, i, &set);
		}
		if (json_text(json_get(row, "skipped"))) {
			str_printf(&skips, "M%g %gl8 8m0 -8l-8 8", place(x_of(picture, i) - 4),
				   TOP + HEIGHT + 4);
		}
		if (json_bool(json_get(row, "is_fold"), false)) {
			str_printf(&folds, "M%g %gv%g", x_of(picture, i), TOP, HEIGHT);
		}
	}
	add_step(picture, document, &step);
	json_put_text(plot, "step", step.at);
	json_put_text(plot, "bars", bars.at);
	json_put_text(plot, "set", set.at);
	json_put_text(plot, "skips", skips.at);
	json_put_text(plot, "folds", folds.at);
}

static void add_label(struct json *labels, double x, const char *text, const char *anchor)
{
	struct json *label = json_new_object();

	json_put_number(label, "x", x);
	json_put_text(label, "text", text);
	json_put_text(label, "anchor", anchor);
	json_append(labels, label);
}

/* The suspect's stands only where it does not touch those at the ends. */
static struct json *labels_of(const struct picture *picture)
{
	struct json *labels = json_new_array();
	size_t row = likely_row(picture);
	double x = x_of(picture, row);
	const struct json *suspect = json_at(picture->rows, row);

	add_label(labels, LEFT, "base", "start");
	if (x > LEFT + LABEL_ROOM && x < LEFT + WIDTH - LABEL_ROOM &&
	    !json_get(suspect, "is_fold")) {
		scoped(free) char *text =
			mem_printf("%" PRId64, json_int(json_get(suspect, "position"), 0));

		add_label(labels, x, text, "middle");
	}
	add_label(labels, LEFT + WIDTH, "tip", "end");
	return labels;
}

static void put_axes(const struct picture *picture, struct json *plot)
{
	char text[NUMBER_BYTES];

	number_value(picture->low, text);
	json_put_text(plot, "low", isfinite(picture->low) ? text : "");
	number_value(picture->high, text);
	json_put_text(plot, "high", isfinite(picture->high) ? text : "");
	snprintf(text, sizeof(text), "%.3g", picture->p_high);
	json_put_text(plot, "p_high", text);
}

void bisect_plot_add(struct json *document)
{
	struct picture picture = { .rows = json_get(document, "rows"),
				   .low = (double)NAN,
				   .high = (double)NAN };
	struct json *plot;

	if (json_size(picture.rows) == 0) {
		return;
	}
	measure(&picture);
	plot = json_new_object();
	put_paths(&picture, document, plot);
	json_put(plot, "dots", dots_of(&picture));
	json_put(plot, "labels", labels_of(&picture));
	put_axes(&picture, plot);
	json_put(document, "plot", plot);
}
