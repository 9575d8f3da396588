/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The [pct imp](CV) table against two public mails (seeds/ of the shared material), cell by cell,
 * and against one written by hand.
 */
#include "tests/t.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/report/format.h"
#include "lib/report/view_builder.h"

static const struct view_change unjudged = {
	.effect = NAN, .low = NAN, .high = NAN, .p = NAN, .q = NAN, .verdict = "not-judged"
};

/* The cells of a row of a mail. */
struct row {
	double improvement[2];
	double variation[2];
};

/* "16-groups  1.00 [ -0.00]( 1.60)  1.00 [ -0.27]( 1.86)": true for a line of that form. */
static bool read_row(const char *line, struct row *ret_row)
{
	double values[2];
	char label[32];

	return sscanf(line, "%31s %lf [%lf](%lf) %lf [%lf](%lf)", label, &values[0],
		      &ret_row->improvement[0], &ret_row->variation[0], &values[1],
		      &ret_row->improvement[1], &ret_row->variation[1]) == 7;
}

/* The row as our format writes it, from values that have these improvements and variations. */
static char *written(const struct row *row, bool is_higher_better)
{
	double sign = is_higher_better ? 1 : -1;
	double head = 1000 * (1 + sign * row->improvement[1] / 100);
	struct view_cell cells[] = {
		{ .value = 1000, .stddev = 10 * row->variation[0], .n = 5 },
		{ .value = head, .stddev = head * row->variation[1] / 100, .n = 5 },
	};
	struct view_column columns[] = { { .name = "tip" }, { .name = "series" } };
	struct view_row ours = { .metric = "m",
				 .unit = "s",
				 .is_higher_better = is_higher_better,
				 .cells = cells,
				 .changes = &unjudged };
	struct view_group group = { .rows = &ours, .nr_rows = 1 };
	scoped(json_free) struct json *view = view_new(columns, 2);
	scoped(str_release) struct str out = STR_INIT;
	const char *line;

	view_add_group(view, &group);
	format_get("pct")->write(view, &(struct format_options){ .is_all = true }, &out);
	line = strstr(out.at, "\nm     ");
	return line ? mem_strndup(line + 7, strcspn(line + 7, "\n")) : NULL;
}

/* Makes one blank of several, and of those in front none. */
static void squeeze(char *text)
{
	char *end = text;

	for (const char *at = text; *at; at++) {
		if (*at != ' ' || (end > text && end[-1] != ' ')) {
			*end++ = *at;
		}
	}
	*end = '\0';
}

/* Checks every row of a mail.  A mail whose archive kept its blanks is compared with them. */
static void reproduce(const char *name, bool has_blanks, int nr_expected)
{
	scoped(free) char *path = t_shared(name);
	scoped(str_release) struct str mail = STR_INIT;
	struct err err = ERR_INIT;
	bool is_higher_better = false;
	int nr = 0;

	if (!path) {
		T_SKIP("no %s beside the checkout", name);
	}
	if (!CHECK_DONE(str_read_file(&mail, path, 1 << 20, &err), &err)) {
		return;
	}
	for (const char *at = mail.at; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		scoped(free) char *line = mem_strndup(at, strcspn(at, "\n"));
		scoped(free) char *ours = NULL;
		scoped(free) char *expected = NULL;
		struct row row;

		if (strncmp(line, "Interpretation:", 15) == 0) {
			is_higher_better = strstr(line, "Higher") != NULL;
		}
		if (!read_row(line, &row)) {
			continue;
		}
		nr++;
		ours = written(&row, is_higher_better);
		expected = mem_strdup(strchr(line, '[') - 5);
		if (!has_blanks) {
			squeeze(ours);
			squeeze(expected);
		}
		CHECK_TEXT(ours, expected);
	}
	CHECK_INT(nr, nr_expected);
}

static void reproduces_the_first_mail(void)
{
	reproduce("seeds/000_3aaf88c31caff870.txt", true, 44);
}

static void reproduces_the_second_mail(void)
{
	reproduce("seeds/001_abf17ad6de44b891.txt", false, 44);
}

/* by hand: a sweep of two metrics over three points, and a set of parameters alone */

static const struct view_column columns[] = { { .name = "tip" },
					      { .name = "series" },
					      { .name = "a-name-that-is-wider" } };

static void add_point(struct json *view, const char *groups, const double values[6])
{
	struct view_axis axes[] = { { "groups", groups }, { "machine", "box-a" } };
	struct view_change changes[] = { unjudged, unjudged };
	struct view_cell cells[2][3];
	struct view_row rows[] = {
		{ .metric = "hackbench.seconds",
		  .unit = "s",
		  .estimator = "mean",
		  .class = VIEW_HEADLINE,
		  .cells = cells[0],
		  .changes = changes },
		{ .metric = "hackbench.messages",
		  .unit = "1/s",
		  .is_higher_better = true,
		  .estimator = "hmean",
		  .class = VIEW_HEADLINE,
		  .cells = cells[1],
		  .changes = changes },
	};
	struct view_group group = { .axes = axes, .nr_axes = 2, .rows = rows, .nr_rows = 2 };

	for (size_t i = 0; i < 6; i++) {
		cells[i / 3][i % 3] =
			(struct view_cell){ .value = values[i],
					    .stddev = i % 3 == 2 ? (double)NAN : values[i] / 50,
					    .n = isfinite(values[i]) ? 4 : 0 };
	}
	view_add_group(view, &group);
}

static void check_file(const struct json *view, const char *name)
{
	scoped(free) char *path = t_source(name);
	scoped(str_release) struct str expected = STR_INIT;
	scoped(str_release) struct str out = STR_INIT;
	struct err err = ERR_INIT;

	format_get("pct")->write(view, &(struct format_options){ 0 }, &out);
	if (CHECK_DONE(str_read_file(&expected, path, 1 << 20, &err), &err)) {
		CHECK_TEXT(out.at, expected.at);
	}
}

static void shows_a_sweep(void)
{
	scoped(json_free) struct json *view = view_new(columns, 3);

	add_point(view, "1", (double[]){ 10, 10.1, 8, 200, 210, NAN });
	add_point(view, "2", (double[]){ 20, 20, 41, 0, 5, 5 });
	add_point(view, "16", (double[]){ 160, 158.4, 160, 100, 99, 100 });
	check_file(view, "tests/golden/pct_sweep.txt");
}

static void shows_one_set(void)
{
	scoped(json_free) struct json *view = view_new(columns, 3);

	add_point(view, "1", (double[]){ 10, 10.1, 8, 200, 210, NAN });
	check_file(view, "tests/golden/pct_one.txt");
}

static const struct t_case cases[] = {
	{ "all 44 rows of the first mail come out as they were sent", reproduces_the_first_mail },
	{ "all 44 rows of the second mail come out, but for its lost blanks",
	  reproduces_the_second_mail },
	{ "a sweep is a table a metric", shows_a_sweep },
	{ "one set of parameters is a table a kind of metric", shows_one_set },
};

T_MAIN(cases)
