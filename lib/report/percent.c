/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "percent.h"

#include <math.h>

#include "lib/text/width.h"
#include "pct.h"
#include "view.h"

#define STATISTIC_WIDTH 10
#define FIRST_WIDTH     9
#define LATER_WIDTH     10

static const char *statistic_of(const struct json *row)
{
	static const struct {
		const char *estimator;
		const char *title;
	} names[] = { { "mean", "Amean" }, { "hmean", "Hmean" }, { "median", "Median" } };
	const char *estimator = json_text(json_get(row, "estimator"));

	for (size_t i = 0; estimator && i < countof(names); i++) {
		if (strcmp(estimator, names[i].estimator) == 0) {
			return names[i].title;
		}
	}
	return estimator ? estimator : "-";
}

static double improvement_of(const struct json *row, size_t column)
{
	const struct json *cells = json_get(row, "cells");
	double base = json_number(json_get(json_at(cells, 0), "value"), NAN);
	double value = json_number(json_get(json_at(cells, column), "value"), NAN);
	double sign = strcmp(json_text(json_get(row, "better")), "lower") == 0 ? -1 : 1;

	return column == 0 ? 0 * base : sign * 100 * (value - base) / base;
}

static size_t metric_width(const struct json *group, const struct format_options *options)
{
	const struct json *rows = json_get(group, "rows");
	size_t width = 0;

	for (size_t i = 0; i < json_size(rows); i++) {
		scoped(str_release) struct str metric = STR_INIT;

		if (format_is_shown(json_at(rows, i), options)) {
			view_short_metric(group, json_at(rows, i), &metric);
			width = width_of(metric.at) > width ? width_of(metric.at) : width;
		}
	}
	return width;
}

static size_t column_width(size_t column)
{
	return column == 0 ? FIRST_WIDTH : LATER_WIDTH;
}

static void write_heads(const struct json *columns, size_t width, struct str *out)
{
	width_pad(out, "Metric", STATISTIC_WIDTH, WIDTH_LEFT);
	width_pad(out, "Variant", width, WIDTH_LEFT);
	for (size_t i = 0; i < json_size(columns); i++) {
		scoped(str_release) struct str head = STR_INIT;

		view_text(json_at(columns, i), "name", &head);
		/* A name that fills its column still needs a blank before it. */
		str_append_char(out, ' ');
		width_pad(out, head.at, column_width(i) - 1, WIDTH_RIGHT);
	}
	str_append_char(out, '\n');
}

static void write_row(const struct json *group, const struct json *row, size_t width,
		      size_t nr_columns, struct str *out)
{
	scoped(str_release) struct str metric = STR_INIT;

	view_short_metric(group, row, &metric);
	width_pad(out, statistic_of(row), STATISTIC_WIDTH, WIDTH_LEFT);
	width_pad(out, metric.at, width, WIDTH_LEFT);
	for (size_t i = 0; i < nr_columns; i++) {
		double improvement = improvement_of(row, i);

		if (isfinite(improvement)) {
			str_printf(out, "%*.2f%%", (int)column_width(i) - 1, improvement);
		} else {
			str_printf(out, "%*s", (int)column_width(i), "n/a");
		}
	}
	str_append_char(out, '\n');
}

static void write_group(const struct json *view, const struct json *group,
			const struct format_options *options, struct str *out)
{
	const struct json *columns = json_get(view, "columns");
	const struct json *rows = json_get(group, "rows");
	size_t width = metric_width(group, options);

	if (width == 0) {
		return;
	}
	if (json_size(json_get(group, "axes")) > 0) {
		view_group_title(group, out);
		str_append_char(out, '\n');
	}
	write_heads(columns, width, out);
	for (size_t i = 0; i < json_size(rows); i++) {
		if (format_is_shown(json_at(rows, i), options)) {
			write_row(group, json_at(rows, i), width, json_size(columns), out);
		}
	}
	str_append_char(out, '\n');
}

void percent_write(const struct json *view, const struct format_options *options, struct str *out)
{
	const struct json *groups = json_get(view, "groups");

	for (size_t i = 0; i < json_size(groups); i++) {
		write_group(view, json_at(groups, i), options, out);
	}
	for (size_t i = 0; i < json_size(groups); i++) {
		pct_write_failures(json_at(groups, i), options, out);
	}
}
