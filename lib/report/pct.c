/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pct.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/stats/summary.h"
#include "lib/text/width.h"
#include "number.h"

#define RULE       "==================================================================\n"
#define CELL_WIDTH 20
#define RAW_WIDTH  6 /* that a value has more than a ratio */
#define GAP        5
#define TITLE      "[pct imp](CV)"

struct item {
	const struct view_group *group;
	const struct view_row *row;
	bool is_written;
};

struct items {
	VEC(struct item) list;
	bool has_groups; /* more than one set of parameters */
};

/* The rows of one table. */
struct sweep {
	const struct view *view;
	bool has_groups;
	bool is_raw;
	struct item first; /* of the points */
	VEC(struct item) points;
};

static bool is_same_text(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

/* Whether two rows stand in one table. */
static bool is_alike(const struct items *items, const struct view_row *a, const struct view_row *b)
{
	if (items->has_groups) {
		return is_same_text(a->metric, b->metric);
	}
	return is_same_text(a->unit, b->unit) && a->is_higher_better == b->is_higher_better &&
	       is_same_text(a->estimator, b->estimator) && a->class == b->class;
}

/* labels */

static bool does_vary(const struct sweep *sweep, const char *name)
{
	const char *first = view_axis_value(sweep->first.group, name);

	for (size_t i = 1; i < sweep->points.nr; i++) {
		if (strcmp(view_axis_value(sweep->points.at[i].group, name), first) != 0) {
			return true;
		}
	}
	return false;
}

/* Appends the axes of a group that vary over the sweep, "16-groups", or those that do not,
 * "compiler=gcc-12". */
static void append_axes(const struct sweep *sweep, const struct view_group *group, bool is_varying,
			struct str *out)
{
	size_t before = out->length;

	for (size_t i = 0; i < group->nr_axes; i++) {
		const struct view_axis *axis = &group->axes[i];

		if (does_vary(sweep, axis->name) != is_varying ||
		    (!sweep->has_groups && strcmp(axis->name, VIEW_TEST) == 0)) {
			continue;
		}
		str_append(out, out->length == before ? "" : is_varying ? "/" : " ");
		view_text(is_varying ? axis->value : axis->name, out);
		str_append_char(out, is_varying ? '-' : '=');
		view_text(is_varying ? axis->name : axis->value, out);
	}
}

static void append_label(const struct sweep *sweep, const struct item *item, struct str *out)
{
	size_t before = out->length;

	append_axes(sweep, item->group, true, out);
	if (out->length == before) {
		view_short_metric(item->group, item->row, out);
	}
}

static size_t label_width(const struct sweep *sweep)
{
	size_t width = 0;

	for (size_t i = 0; i < sweep->points.nr; i++) {
		scoped(str_release) struct str label = STR_INIT;
		size_t cells;

		append_label(sweep, &sweep->points.at[i], &label);
		cells = width_of(label.at);
		width = cells > width ? cells : width;
	}
	return width;
}

/* cells */

/* "1.01 [ -0.53]( 2.45)"; `before` and `value` are what the percentage is of. */
static void append_numbers(const struct sweep *sweep, const struct view_row *row, double before,
			   double value, struct str *out)
{
	double improvement = (value - before) / before * 100;
	char text[NUMBER_BYTES];

	if (!row->is_higher_better) {
		improvement = -improvement;
	}
	if (sweep->is_raw) {
		number_value(value, text);
		str_printf(out, "%10s", text);
	} else if (isfinite(improvement)) {
		str_printf(out, "%4.2f", value / before);
	} else {
		str_printf(out, "%4s", isfinite(value) && fabs(value) > 0 ? "new" : "n/a");
	}
	if (isfinite(improvement)) {
		str_printf(out, " [%6.2f]", improvement);
	} else {
		str_printf(out, " [%6s]", "n/a");
	}
}

static void append_cell(const struct sweep *sweep, const struct view_row *row, size_t column,
			struct str *out)
{
	const struct view_cell *cell = &row->cells[column];
	double variation = number_relative(cell->value, cell->stddev);

	append_numbers(sweep, row, row->cells[0].value, cell->value, out);
	if (isfinite(variation)) {
		str_printf(out, "(%5.2f)", variation);
	} else {
		str_printf(out, "(%5s)", "-");
	}
}

/* tables */

static const char *statistic(const struct view_row *row)
{
	static const struct {
		const char *estimator;
		const char *title;
	} names[] = { { "mean", "AMean" }, { "hmean", "HMean" }, { "median", "Median" } };

	for (size_t i = 0; row->estimator && i < countof(names); i++) {
		if (strcmp(row->estimator, names[i].estimator) == 0) {
			return names[i].title;
		}
	}
	return row->estimator;
}

static void write_title(const struct sweep *sweep, struct str *out)
{
	const struct view_row *row = sweep->first.row;
	const char *test = view_axis_value(sweep->first.group, VIEW_TEST);
	scoped(str_release) struct str fixed = STR_INIT;

	append_axes(sweep, sweep->first.group, false, &fixed);
	str_append(out, RULE);
	if (sweep->has_groups || *test) {
		str_append(out, "Test          : ");
		if (sweep->has_groups) {
			view_text(row->metric, out);
		} else {
			view_text(test, out);
		}
		str_append_char(out, '\n');
	}
	if (fixed.length > 0) {
		str_printf(out, "Parameters    : %s\n", fixed.at);
	}
	str_printf(out, "Units         : %s", sweep->is_raw ? "" : "Normalized ");
	view_text(row->unit ? row->unit : row->metric, out);
	str_printf(out, "\nInterpretation: %s is better\n",
		   row->is_higher_better ? "Higher" : "Lower");
	if (statistic(row)) {
		str_printf(out, "Statistic     : %s\n", statistic(row));
	}
	str_append(out, RULE);
}

/* Each name stands two cells right of its column. */
static void write_heads(const struct sweep *sweep, size_t width, struct str *out)
{
	size_t nr_columns = sweep->view->nr_columns;

	width_pad(out, "Case:", width + GAP + 2, WIDTH_LEFT);
	for (size_t i = 0; i < nr_columns; i++) {
		scoped(str_release) struct str head = STR_INIT;
		bool is_last = i + 1 == nr_columns;

		view_text(sweep->view->columns[i].name, &head);
		str_append(&head, TITLE);
		width_pad(out, head.at,
			  is_last ? 0 : CELL_WIDTH + (sweep->is_raw ? RAW_WIDTH : 0) + GAP - 1,
			  WIDTH_LEFT);
		str_append(out, is_last ? "\n" : " ");
	}
}

/* means over the points that all columns have */

static double value_of(const struct sweep *sweep, size_t point, size_t column)
{
	return sweep->points.at[point].row->cells[column].value;
}

static bool has_all(const struct sweep *sweep, size_t point, size_t nr_columns)
{
	for (size_t i = 0; i < nr_columns; i++) {
		if (!isfinite(value_of(sweep, point, i) / value_of(sweep, point, 0))) {
			return false;
		}
	}
	return true;
}

static double median_of(const double *values, size_t nr)
{
	scoped(free) double *sorted = mem_array(nr, sizeof(*sorted));

	memcpy(sorted, values, nr * sizeof(*sorted));
	summary_sort(sorted, nr);
	return summary_median(sorted, nr);
}

static void write_means(const struct sweep *sweep, size_t width, struct str *out)
{
	static const struct {
		const char *name;
		double (*of)(const double *values, size_t nr);
	} means[] = { { "AMean", summary_mean },
		      { "HMean", summary_hmean },
		      { "Median", median_of },
		      { "GMean", summary_gmean } };
	size_t nr_columns = sweep->view->nr_columns;
	scoped(free) double *values = mem_array(nr_columns * sweep->points.nr, sizeof(*values));
	size_t nr = 0;

	for (size_t i = 0; i < sweep->points.nr; i++) {
		if (!has_all(sweep, i, nr_columns)) {
			continue;
		}
		for (size_t j = 0; j < nr_columns; j++) {
			values[j * sweep->points.nr + nr] =
				value_of(sweep, i, j) / (sweep->is_raw ? 1 : value_of(sweep, i, 0));
		}
		nr++;
	}
	for (size_t i = 0; nr > 1 && i < countof(means); i++) {
		width_pad(out, means[i].name, width, WIDTH_RIGHT);
		for (size_t j = 0; j < nr_columns; j++) {
			str_printf(out, "%*s", GAP, "");
			append_numbers(sweep, sweep->first.row, means[i].of(values, nr),
				       means[i].of(values + j * sweep->points.nr, nr), out);
			str_printf(out, "(%5s)", "-");
		}
		str_append_char(out, '\n');
	}
	if (nr > 1 && nr < sweep->points.nr) {
		str_printf(out, "(means of %zu; %zu left out, not on all sides)\n", nr,
			   sweep->points.nr - nr);
	}
}

static void write_sweep(const struct sweep *sweep, bool has_means, struct str *out)
{
	size_t nr_columns = sweep->view->nr_columns;
	size_t width = label_width(sweep);

	has_means = has_means && sweep->points.nr > 1;
	if (has_means && width < strlen("Median")) {
		width = strlen("Median");
	}
	write_title(sweep, out);
	write_heads(sweep, width, out);
	for (size_t i = 0; i < sweep->points.nr; i++) {
		scoped(str_release) struct str label = STR_INIT;

		append_label(sweep, &sweep->points.at[i], &label);
		width_pad(out, label.at, width, WIDTH_RIGHT);
		for (size_t j = 0; j < nr_columns; j++) {
			str_printf(out, "%*s", GAP, "");
			append_cell(sweep, sweep->points.at[i].row, j, out);
		}
		str_append_char(out, '\n');
	}
	if (has_means) {
		write_means(sweep, width, out);
	}
	str_append_char(out, '\n');
}

/* A failure has no mean to be normalised: its fails of its runs, column by column. */
void pct_write_failures(const struct view *view, const struct view_group *group,
			const struct format_options *options, struct str *out)
{
	for (size_t i = 0; i < group->nr_failures; i++) {
		const struct view_row *failure = &group->failures[i];

		if (!format_is_shown(view, failure, options)) {
			continue;
		}
		str_append(out, "fail:runs ");
		for (size_t j = 0; j < view->nr_columns; j++) {
			str_printf(out, " %zu:%zu", failure->rates[j].fails,
				   failure->rates[j].runs);
		}
		str_append(out, "  ");
		view_text(failure->metric, out);
		str_append_char(out, '\n');
	}
}

static void collect(struct items *items, const struct view *view, const struct view_group *group,
		    const struct format_options *options)
{
	for (size_t i = 0; i < group->nr_rows; i++) {
		if (format_is_shown(view, &group->rows[i], options)) {
			*vec_push(&items->list) =
				(struct item){ .group = group, .row = &group->rows[i] };
		}
	}
}

static void add_point(struct sweep *sweep, struct item *item)
{
	item->is_written = true;
	*vec_push(&sweep->points) = *item;
}

/* The table that begins with item `first`. */
static void write_table(struct items *items, size_t first, struct sweep sweep, bool has_means,
			struct str *out)
{
	sweep.first = items->list.at[first];
	sweep.has_groups = items->has_groups;

	for (size_t i = first; i < items->list.nr; i++) {
		if (is_alike(items, sweep.first.row, items->list.at[i].row)) {
			add_point(&sweep, &items->list.at[i]);
		}
	}
	write_sweep(&sweep, has_means, out);
	vec_release(&sweep.points);
}

static void write_tables(const struct view *view, const struct format_options *options, bool is_raw,
			 struct str *out)
{
	struct items items = { .has_groups = view->groups.nr > 1 };

	for (size_t i = 0; i < view->groups.nr; i++) {
		collect(&items, view, &view->groups.at[i], options);
	}
	for (size_t i = 0; i < items.list.nr; i++) {
		if (!items.list.at[i].is_written) {
			write_table(&items, i, (struct sweep){ .view = view, .is_raw = is_raw },
				    options->is_all, out);
		}
	}
	vec_release(&items.list);
	for (size_t i = 0; i < view->groups.nr; i++) {
		pct_write_failures(view, &view->groups.at[i], options, out);
	}
}

void pct_write(const struct view *view, const struct format_options *options, struct str *out)
{
	write_tables(view, options, false, out);
}

void pct_write_raw(const struct view *view, const struct format_options *options, struct str *out)
{
	write_tables(view, options, true, out);
}
