/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"

#include <math.h>

#include "lib/report/finding.h"
#include "lib/report/view_builder.h"

/* A metric that goes from 100 (or from zero) to `head`. */
struct metric {
	const char *name;
	enum view_class class;
	double base;
	double head;
	const char *verdict;
};

#define MAX_METRICS 4

/* The finding of these metrics and, if `failing` is not NULL, of a failure with that verdict. */
static char *found(const struct metric *metrics, const char *failing)
{
	struct view_column columns[] = { { .name = "base" }, { .name = "head" } };
	struct view_change changes[MAX_METRICS + 1];
	struct view_cell cells[MAX_METRICS][2];
	struct view_row rows[MAX_METRICS];
	struct view_rate rates[] = { { 0, 6 }, { 3, 6 } };
	struct view_row failure = { .metric = "dmesg.oops",
				    .rates = rates,
				    .changes = &changes[MAX_METRICS] };
	struct view_group group = { .rows = rows, .failures = &failure };
	scoped(view_free) struct view *view = view_new(columns, 2);
	scoped(str_release) struct str out = STR_INIT;
	struct finding finding;

	for (size_t i = 0; i <= MAX_METRICS; i++) {
		const char *verdict = i < MAX_METRICS ? metrics[i].verdict : failing;

		changes[i] = view_change_bare(verdict ? verdict : "missing", NULL);
		changes[i].q = i < MAX_METRICS ? 0.001 : (double)NAN;
	}
	for (size_t i = 0; i < MAX_METRICS && metrics[i].name; i++) {
		cells[i][0] = (struct view_cell){ .value = metrics[i].base, .stddev = 1, .n = 4 };
		cells[i][1] = (struct view_cell){ .value = metrics[i].head, .stddev = 1, .n = 5 };
		rows[i] = (struct view_row){ .metric = metrics[i].name,
					     .unit = "s",
					     .worst = strcmp(metrics[i].name, "sweep") == 0
							      ? "sweep.16 +30.1%"
							      : NULL,
					     .class = metrics[i].class,
					     .cells = cells[i],
					     .changes = &changes[i] };
		group.nr_rows++;
	}
	group.nr_failures = failing != NULL;
	view_add_group(view, &group);
	if (!finding_of(view, &finding)) {
		return NULL;
	}
	str_printf(&out, "%s: ", finding_verdict(&finding));
	finding_write(view, &finding, &out);
	str_append(&out, " | ");
	finding_title(&finding, &out);
	return str_detach(&out);
}

static void check(const struct metric *metrics, const char *failing, const char *expected)
{
	scoped(free) char *actual = found(metrics, failing);

	CHECK_TEXT(actual, expected);
}

static void a_sweep_names_its_worst_point(void)
{
	static const struct metric metrics[MAX_METRICS] = {
		{ "sweep", VIEW_HEADLINE, 100, 110, "regression" },
	};

	check(metrics, NULL,
	      "regression: sweep +10.0%, 4+5 boots, q = 0.001, most at sweep.16 +30.1% | "
	      "sweep 10.0% regression, most at sweep.16 +30.1%");
}

static void worse_comes_first(void)
{
	static const struct metric metrics[MAX_METRICS] = {
		{ "much better", VIEW_HEADLINE, 100, 10, "improvement" },
		{ "worse", VIEW_HEADLINE, 100, 101, "regression" },
		{ "more so", VIEW_HEADLINE, 100, 103, "regression" },
	};

	check(metrics, "regression",
	      "regression: more so +3.0%, 4+5 boots, q = 0.001 | more so 3.0% regression");
}

static void failures_come_before_improvements(void)
{
	static const struct metric metrics[MAX_METRICS] = {
		{ "better", VIEW_HEADLINE, 100, 10, "improvement" },
	};

	check(metrics, "regression",
	      "regression: dmesg.oops in 3 of 6 runs, in 0 of 6 before | "
	      "dmesg.oops 50 points regression");
	check(metrics, "improvement",
	      "improvement: better -90.0%, 4+5 boots, q = 0.001 | better 90.0% improvement");
}

static void from_zero_is_most(void)
{
	static const struct metric metrics[MAX_METRICS] = {
		{ "tenfold", VIEW_HEADLINE, 100, 1000, "regression" },
		{ "drops", VIEW_HEADLINE, 0, 5, "regression" },
	};

	check(metrics, NULL,
	      "regression: drops +5.00, 4+5 boots, q = 0.001 | drops 5.00 regression");
}

static void only_headlines_speak(void)
{
	static const struct metric metrics[MAX_METRICS] = {
		{ "supporting", VIEW_SUPPORTING, 100, 200, "regression" },
		{ "monitor", VIEW_MONITOR, 100, 200, "regression" },
		{ "headline", VIEW_HEADLINE, 100, 200, "cannot-resolve" },
		{ "absent", VIEW_HEADLINE, 100, 200, "missing" },
	};

	check(metrics, "cannot-resolve", NULL);
}

static const struct t_case cases[] = {
	{ "a sweep names its worst point", a_sweep_names_its_worst_point },
	{ "the worst regression is the finding", worse_comes_first },
	{ "a new failure is worse than an improvement is good", failures_come_before_improvements },
	{ "a change from zero is larger than any percentage", from_zero_is_most },
	{ "supporting metrics, monitors and the undecided are never it", only_headlines_speak },
};

T_MAIN(cases)
