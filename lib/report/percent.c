/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "percent.h"

#include <math.h>

#include "lib/text/width.h"
#include "pct.h"

#define STATISTIC_WIDTH 10
#define FIRST_WIDTH     9
#define LATER_WIDTH     10

static const char *statistic_of(const struct view_row *row)
{
	static const struct {
		const char *estimator;
		const char *title;
	} names[] = { { "mean", "Amean" }, { "hmean", "Hmean" }, { "median", "Median" } };

	for (size_t i = 0; row->estimator && i < countof(names); i++) {
		if (strcmp(row->estimator, names[i].estimator) == 0) {
			return names[i].title;
		}
	}
	return row->estimator ? row->estimator : "-";
}

static double improvement_of(const struct view_row *row, size_t column)
{
	double base = row->cells[0].value;
	double value = row->cells[column].value;
	double sign = row->is_higher_better ? 1 : -1;

	return column == 0 ? 0 * base : sign * 100 * (value - base) / base;
}

static size_t metric_width(const struct view *view, const struct view_group *group,
			   const struct format_options *options)
{
	size_t width = 0;

	for (size_t i = 0; i < group->nr_rows; i++) {
		scoped(str_release) struct str metric = STR_INIT;

		if (format_is_shown(view, &group->rows[i], options)) {
			view_short_metric(group, &group->rows[i], &metric);
			width = width_of(metric.at) > width ? width_of(metric.at) : width;
		}
	}
	return width;
}

static size_t column_width(size_t column)
{
	return column == 0 ? FIRST_WIDTH : LATER_WIDTH;
}

static void write_heads(const struct view *view, size_t width, struct str *out)
{
	width_pad(out, "Metric", STATISTIC_WIDTH, WIDTH_LEFT);
	width_pad(out, "Variant", width, WIDTH_LEFT);
	for (size_t i = 0; i < view->nr_columns; i++) {
		scoped(str_release) struct str head = STR_INIT;

		view_text(view->columns[i].name, &head);
		/* A name that fills its column still needs a blank before it. */
		str_append_char(out, ' ');
		width_pad(out, head.at, column_width(i) - 1, WIDTH_RIGHT);
	}
	str_append_char(out, '\n');
}

static void write_row(const struct view_group *group, const struct view_row *row, size_t width,
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

static void write_group(const struct view *view, const struct view_group *group,
			const struct format_options *options, struct str *out)
{
	size_t width = metric_width(view, group, options);

	if (width == 0) {
		return;
	}
	if (group->nr_axes > 0) {
		view_group_title(group, out);
		str_append_char(out, '\n');
	}
	write_heads(view, width, out);
	for (size_t i = 0; i < group->nr_rows; i++) {
		if (format_is_shown(view, &group->rows[i], options)) {
			write_row(group, &group->rows[i], width, view->nr_columns, out);
		}
	}
	str_append_char(out, '\n');
}

void percent_write(const struct view *view, const struct format_options *options, struct str *out)
{
	for (size_t i = 0; i < view->groups.nr; i++) {
		write_group(view, &view->groups.at[i], options, out);
	}
	for (size_t i = 0; i < view->groups.nr; i++) {
		pct_write_failures(view, &view->groups.at[i], options, out);
	}
}
