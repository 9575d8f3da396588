/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The [pct imp](CV) table and its sisters against tables written by hand; seeds.py has those of
 * public mails.
 */
#include "tests/t.h"

#include <math.h>

#include "lib/report/format.h"
#include "lib/report/view_builder.h"

/* by hand: a sweep of two metrics over three points, and a set of parameters alone */

static const struct view_column columns[] = { { .name = "tip" },
					      { .name = "series" },
					      { .name = "a-name-that-is-wider" } };

static void add_point(struct view *view, const char *groups, const double values[6])
{
	struct view_axis axes[] = { { "groups", groups }, { "machine", "box-a" } };
	struct view_change *changes = arena_array(view->arena, 4, sizeof(*changes));
	struct view_cell *cells = arena_array(view->arena, 6, sizeof(*cells));
	struct view_row rows[] = {
		{ .metric = "hackbench.seconds",
		  .unit = "s",
		  .estimator = "mean",
		  .class = VIEW_HEADLINE,
		  .cells = cells,
		  .changes = changes },
		{ .metric = "hackbench.messages",
		  .unit = "1/s",
		  .is_higher_better = true,
		  .estimator = "hmean",
		  .class = VIEW_HEADLINE,
		  .cells = cells + 3,
		  .changes = changes + 2 },
	};
	struct view_group group = { .axes = axes, .nr_axes = 2, .rows = rows, .nr_rows = 2 };

	for (size_t i = 0; i < 4; i++) {
		changes[i] = view_change_bare("not-judged", NULL);
	}
	for (size_t i = 0; i < 6; i++) {
		cells[i] = (struct view_cell){ .value = values[i],
					       .stddev = i % 3 == 2 ? (double)NAN : values[i] / 50,
					       .n = isfinite(values[i]) ? 4 : 0 };
	}
	view_add_group(view, &group);
}

static void check_file(const struct view *view, const char *format, bool is_all, const char *name)
{
	scoped(free) char *path = t_source(name);
	scoped(str_release) struct str expected = STR_INIT;
	scoped(str_release) struct str out = STR_INIT;
	struct err err = ERR_INIT;

	format_get(format)->write(view, &(struct format_options){ .is_all = is_all }, &out);
	if (CHECK_DONE(str_read_file(&expected, path, 1 << 20, &err), &err)) {
		CHECK_TEXT(out.at, expected.at);
	}
}

static void shows_a_sweep(void)
{
	scoped(view_free) struct view *view = view_new(columns, 3);

	add_point(view, "1", (double[]){ 10, 10.1, 8, 200, 210, NAN });
	add_point(view, "2", (double[]){ 20, 20, 41, 0, 5, 5 });
	add_point(view, "16", (double[]){ 160, 158.4, 160, 100, 99, 100 });
	check_file(view, "pct", false, "tests/golden/pct_sweep.txt");
}

static void means_are_of_what_all_have(void)
{
	scoped(view_free) struct view *view = view_new(columns, 3);

	add_point(view, "1", (double[]){ 10, 10.1, 8, 200, 210, NAN });
	add_point(view, "2", (double[]){ 20, 20, 41, 0, 5, 5 });
	add_point(view, "16", (double[]){ 160, 158.4, 160, 100, 99, 100 });
	add_point(view, "32", (double[]){ 160, NAN, 160, 100, 50, 25 });
	check_file(view, "pct", true, "tests/golden/pct_means.txt");
	check_file(view, "pct-raw", true, "tests/golden/pct_raw.txt");
}

static void says_nothing_but_the_improvement(void)
{
	scoped(view_free) struct view *view = view_new(columns, 3);

	add_point(view, "1", (double[]){ 10, 10.1, 8, 0, 5, NAN });
	check_file(view, "percent", false, "tests/golden/percent.txt");
}

static void shows_one_set(void)
{
	scoped(view_free) struct view *view = view_new(columns, 3);

	add_point(view, "1", (double[]){ 10, 10.1, 8, 200, 210, NAN });
	check_file(view, "pct", false, "tests/golden/pct_one.txt");
}

static const struct t_case cases[] = {
	{ "a sweep is a table a metric", shows_a_sweep },
	{ "means are over the points that all columns have", means_are_of_what_all_have },
	{ "the percent block says nothing but the improvement", says_nothing_but_the_improvement },
	{ "one set of parameters is a table a kind of metric", shows_one_set },
};

T_MAIN(cases)
