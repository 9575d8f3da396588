/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C01, C02, C04, C09: cases of data/practice-cases.tsv in the shared material. */
#include "view_rows.h"

static void one_run_has_no_deviation(void)
{
	static const struct pair pairs[] = {
		{ "bench.ops",
		  VIEW_HEADLINE,
		  true,
		  { 1901 },
		  { 1885 },
		  1,
		  1,
		  "too-few-runs",
		  NULL },
	};
	scoped(json_free) struct json *view = view_of(pairs, countof(pairs));
	scoped(free) char *text = written("text", view);
	scoped(free) char *lkp = written("lkp", view);

	CHECK_INT(json_int(json_get(cell_at(view, 0, 0), "n"), 0), 1);
	CHECK_INT(json_kind(json_get(cell_at(view, 0, 0), "stddev")), KIND_NULL);
	CHECK(strstr(text, "?  bench.ops  ops   1901   -  1885   -   -0.8%  -              -  1+1  "
			   "too few runs\n") != NULL);
	CHECK(strstr(lkp,
		     "      1901 \xc2\xb1  -       -0.8%       1885 \xc2\xb1  -   bench.ops\n") !=
	      NULL);
	check_finite(view);
}

static void overall_is_over_both_sides(void)
{
	static const struct pair pairs[] = {
		{ "bench.B",
		  VIEW_HEADLINE,
		  false,
		  { 10000, 10000, 10000, 10000, 10000, 10000 },
		  { 0 },
		  6,
		  0,
		  "missing",
		  NULL },
		{ "bench.A",
		  VIEW_HEADLINE,
		  false,
		  { 100, 100, 100, 100, 100, 100 },
		  { 100, 100, 100, 100, 100, 100 },
		  6,
		  6,
		  "no-change",
		  NULL },
	};
	scoped(json_free) struct json *view = view_of(pairs, countof(pairs));
	const struct json *summary = json_at(json_get(view, "summary"), 0);
	const struct json *overall = json_get(summary, "overall");
	scoped(free) char *text = written("text", view);

	CHECK_NEAR(json_number(json_get(overall, "percent"), NAN), 0, 1e-9);
	CHECK_INT(json_int(json_get(overall, "nr"), 0), 1);
	CHECK_INT(json_int(json_get(overall, "nr_left_out"), 0), 1);
	CHECK_INT(json_int(json_get(summary, "missing"), 0), 1);
	CHECK(strstr(text,
		     "1 without a change, 1 missing; overall +0.0% (geometric mean of 1 headline "
		     "metric, above zero is better, 1 left out)\n") != NULL);
	CHECK(strstr(text, "missing; head: not printed\n") != NULL);
	CHECK_TEXT(json_text(json_get(row_at(view, 1), "metric")), "bench.B");
	check_finite(view);
}

/* Twice as fast and half as fast cancel; the better direction of each counts. */
static void overall_is_a_geometric_mean(void)
{
	static const struct pair pairs[] = {
		{ "a", VIEW_HEADLINE, true, { 100 }, { 200 }, 1, 1, "improvement", NULL },
		{ "b", VIEW_HEADLINE, false, { 10 }, { 20 }, 1, 1, "regression", NULL },
		{ "c", VIEW_HEADLINE, false, { 10 }, { 5 }, 1, 1, "improvement", NULL },
		{ "d", VIEW_SUPPORTING, true, { 1 }, { 100 }, 1, 1, "improvement", NULL },
	};
	scoped(json_free) struct json *view = view_of(pairs, countof(pairs));
	const struct json *overall = json_get(json_at(json_get(view, "summary"), 0), "overall");

	CHECK_NEAR(json_number(json_get(overall, "percent"), NAN), 25.992104989487316, 1e-9);
	CHECK_INT(json_int(json_get(overall, "nr"), 0), 3);
}

static void zero_is_no_base(void)
{
	static const struct pair pairs[] = {
		{ "bench.errors",
		  VIEW_HEADLINE,
		  false,
		  { 0, 0, 0 },
		  { 0, 0, 0 },
		  3,
		  3,
		  "no-change",
		  NULL },
		{ "bench.drops",
		  VIEW_HEADLINE,
		  false,
		  { 0, 0, 0 },
		  { 5, 5, 6 },
		  3,
		  3,
		  "regression",
		  NULL },
		{ "bench.lat",
		  VIEW_HEADLINE,
		  false,
		  { 7 },
		  { 7, 7, 8 },
		  1,
		  3,
		  "too-few-runs",
		  NULL },
	};
	scoped(json_free) struct json *view = view_of(pairs, countof(pairs));
	scoped(free) char *text = written("text", view);

	CHECK_INT(json_kind(json_get(change_at(view, 1), "percent")), KIND_NULL);
	CHECK_NEAR(json_number(json_get(change_at(view, 1), "absolute"), NAN), 16.0 / 3, 1e-12);
	CHECK(strstr(text, "+5.33  ") != NULL);
	CHECK_INT(json_int(json_get(json_at(json_get(view, "summary"), 0), "regressions"), 0), 1);
	CHECK_INT(json_kind(json_get(cell_at(view, 2, 0), "stddev")), KIND_NULL);
	check_finite(view);
}

static void monitors_are_counted(void)
{
	static const struct pair pairs[] = {
		{ "vmstat.cs",
		  VIEW_MONITOR,
		  false,
		  { 100, 100 },
		  { 200, 200 },
		  2,
		  2,
		  "regression",
		  NULL },
		{ "bench.ops",
		  VIEW_HEADLINE,
		  true,
		  { 50, 50 },
		  { 50, 50 },
		  2,
		  2,
		  "no-change",
		  NULL },
	};
	scoped(json_free) struct json *view = view_of(pairs, countof(pairs));
	scoped(free) char *text = written("text", view);
	scoped(free) char *lkp = written("lkp", view);
	scoped(free) char *markdown = written("md", view);
	scoped(free) char *csv = written("csv", view);

	CHECK_TEXT(json_text(json_get(row_at(view, 0), "metric")), "bench.ops");
	CHECK(strstr(text, ": 1 without a change, 1 change in monitors\n") != NULL);
	CHECK(strstr(markdown, ": 1 without a change, 1 change in monitors\n") != NULL);
	CHECK_NEAR(json_number(json_get(change_at(view, 1), "percent"), NAN), 100, 1e-9);
	CHECK(strstr(text, "+100.0%") != NULL);
	CHECK(strstr(lkp, "    100.00          +100.0%     200.00        vmstat.cs\n") != NULL);
	CHECK(strstr(markdown, "| +100.0% |") != NULL);
	CHECK(strstr(csv, "compiler=gcc-12 test=randrw,monitor,vmstat.cs,ops,lower,1f2e3d4c5b,"
			  "5e4f3a2b1c,100,0,2,200,0,2,100,100,,,,,regression,\n") != NULL);
}

static void rows_have_their_places(void)
{
	static const struct pair pairs[] = {
		{ "monitor", VIEW_MONITOR, true, { 1 }, { 2 }, 1, 1, "improvement", NULL },
		{ "quiet", VIEW_SUPPORTING, true, { 1 }, { 1 }, 1, 1, "no-change", NULL },
		{ "lost", VIEW_SUPPORTING, true, { 1 }, { 1 }, 1, 0, "missing", NULL },
		{ "changed", VIEW_SUPPORTING, true, { 1 }, { 2 }, 1, 1, "improvement", NULL },
		{ "quiet headline",
		  VIEW_HEADLINE,
		  true,
		  { 1 },
		  { 1 },
		  1,
		  1,
		  "cannot-resolve",
		  NULL },
		{ "loud headline", VIEW_HEADLINE, true, { 1 }, { 2 }, 1, 1, "improvement", NULL },
	};
	static const char *const order[] = { "quiet headline", "loud headline", "changed",
					     "quiet",          "lost",          "monitor" };
	scoped(json_free) struct json *view = view_of(pairs, countof(pairs));

	for (size_t i = 0; i < countof(order); i++) {
		CHECK_TEXT(json_text(json_get(row_at(view, i), "metric")), order[i]);
	}
	CHECK_TEXT(json_text(json_get(
			   json_at(json_get(json_at(json_get(view, "groups"), 0), "axes"), 0),
			   "name")),
		   "compiler");
}

static void shows_what_matters(void)
{
	static const struct pair pairs[] = {
		{ "headline", VIEW_HEADLINE, true, { 1 }, { 1 }, 1, 1, "no-change", NULL },
		{ "changed", VIEW_SUPPORTING, true, { 1 }, { 2 }, 1, 1, "improvement", NULL },
		{ "quiet", VIEW_SUPPORTING, true, { 1 }, { 1 }, 1, 1, "no-change", NULL },
		{ "lost", VIEW_SUPPORTING, true, { 1 }, { 1 }, 1, 0, "missing", NULL },
		{ "never", VIEW_MONITOR, true, { 1 }, { 1 }, 0, 0, "missing", NULL },
	};
	static const bool is_shown[] = { true, true, false, true, false };
	scoped(json_free) struct json *document = view_of(pairs, countof(pairs));
	scoped(view_free) struct view *view = NULL;
	scoped(str_release) struct str out = STR_INIT;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(view_read(document, &view, &err), &err)) {
		return;
	}
	for (size_t i = 0; i < countof(pairs); i++) {
		const struct view_row *row = &view->groups.at[0].rows[i];

		for (size_t j = 0; j < countof(pairs); j++) {
			if (strcmp(row->metric, pairs[j].metric) == 0) {
				CHECK_INT(format_is_shown(view, row, &(struct format_options){ 0 }),
					  is_shown[j]);
			}
		}
		CHECK(format_is_shown(view, row, &(struct format_options){ .is_all = true }));
	}
	format_get("text")->write(view, &(struct format_options){ 0 }, &out);
	CHECK(strstr(out.at, "\n2 rows without a change not shown\n") != NULL);
}

static void takes_the_judge_at_its_word(void)
{
	struct view_cell cells[] = { { .value = 100, .stddev = 2, .n = 6 },
				     { .value = 90, .stddev = 1, .n = 6 } };
	struct view_change change = { .is_ratio = true,
				      .percent = -10,
				      .low = -11.3,
				      .high = -8.7,
				      .p = 1e-9,
				      .q = 2e-9,
				      .verdict = view_verdict("regression") };
	struct view_row row = { .metric = "fio.iops",
				.unit = "1/s",
				.is_higher_better = true,
				.cells = cells,
				.changes = &change };
	struct view_group group = { .rows = &row, .nr_rows = 1 };
	scoped(json_free) struct json *view = NULL;
	scoped(view_free) struct view *own = view_new(two_columns, 2);
	scoped(free) char *text = NULL;

	view_add_group(own, &group);
	view_sum_up(own);
	view = view_json(own);
	text = written("text", view);
	CHECK(strstr(text, "-10.0%  -11.3% to -8.7%  2e-09  6+6  regression\n") != NULL);
	view_decorate(own, view);
	CHECK_TEXT(json_text(json_get(change_at(view, 0), "interval")), "-11.3% to -8.7%");
	CHECK_TEXT(json_text(json_get(change_at(view, 0), "text")), "-10.0%");
	CHECK_TEXT(json_text(json_get(cell_at(view, 0, 1), "spread")), "1.1%");
	CHECK(json_bool(json_get(change_at(view, 0), "is_worse"), false));
	CHECK(!json_bool(json_get(change_at(view, 0), "is_better"), true));
	CHECK(json_bool(json_get(row_at(view, 0), "is_headline"), false));
	CHECK_TEXT(json_text(json_get(json_at(json_get(view, "summary"), 0), "text")),
		   "1 regression");
}

/* From samples to the table: what the judge decides is what stands there. */
static void shows_the_judge(void)
{
	double values[2][6] = { 0 };
	struct judge_run runs[2][6] = { 0 };
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct judge_metric metric = { .name = "fio.iops",
				       .is_higher_better = true,
				       .is_headline = true,
				       .base = { values[0], runs[0], 6 },
				       .head = { values[1], runs[1], 6 } };
	struct judge_verdict verdict;
	struct view_cell cells[2];
	struct view_change change;
	struct view_row row = { .metric = metric.name,
				.is_higher_better = true,
				.unit = "1/s",
				.cells = cells,
				.changes = &change };
	struct view_group group = { .rows = &row, .nr_rows = 1 };
	scoped(json_free) struct json *view = NULL;
	scoped(view_free) struct view *own = view_new(two_columns, 2);
	scoped(free) char *text = NULL;

	for (uint32_t i = 0; i < 12; i++) {
		uint32_t pair = i / 2;

		values[i % 2][pair] = (i % 2 ? 90 : 100) + 0.1 * pair;
		runs[i % 2][pair] = (struct judge_run){
			.block = i / 4, .boot = i + 1, .machine = 1, .order = i
		};
	}
	judge(&metric, 1, &options, &verdict);
	cells[0] = view_cell_judged(&verdict.base, NULL);
	cells[1] = view_cell_judged(&verdict.head, NULL);
	change = view_change_judged(&verdict, own->arena);
	view_add_group(own, &group);
	view_sum_up(own);
	view = view_json(own);
	text = written("text", view);
	CHECK(strstr(text, "fio.iops  1/s   100.25  0.2%  90.25  0.2%  -10.0%  ") != NULL);
	CHECK(strstr(text, "  6+6  regression") != NULL);
	for (int kind = 0; kind < JUDGE_KINDS; kind++) {
		CHECK(view_verdict(judge_word(kind)) != NULL);
	}
}

static void failures_are_rates(void)
{
	struct view_rate rates[2][2] = { { { 1, 4 }, { 0, 0 } }, { { 1, 4 }, { 5, 5 } } };
	struct view_change changes[] = { view_change_bare("missing", NULL),
					 view_change_bare("regression", NULL) };
	scoped(json_free) struct json *view = NULL;
	scoped(view_free) struct view *own = view_new(two_columns, 2);
	scoped(free) char *text = NULL;

	for (size_t i = 0; i < countof(changes); i++) {
		struct view_row failure = { .metric = "dmesg.oops",
					    .rates = rates[i],
					    .changes = &changes[i] };

		view_add_group(own, &(struct view_group){ .failures = &failure, .nr_failures = 1 });
	}
	view_sum_up(own);
	view = view_json(own);
	text = written("text", view);
	CHECK(strstr(text, "dmesg.oops  fails  1 of 4      0 of 0         n/a  -") != NULL);
	CHECK(strstr(text, "dmesg.oops  fails  1 of 4      5 of 5      +75 points  -") != NULL);
	CHECK(strstr(text, ": 1 failure rate changed\n") != NULL);
	free(move(&text));
	text = written("pct", view);
	CHECK_TEXT(text, "fail:runs  1:4 0:0  dmesg.oops\nfail:runs  1:4 5:5  dmesg.oops\n");
	view_decorate(own, view);
	check_finite(view);
}

static const struct t_case cases[] = {
	{ "samples, judge and table say the same", shows_the_judge },
	{ "a failure is a rate of its own column's runs", failures_are_rates },
	{ "C01: the deviation of one run is unknown, not zero", one_run_has_no_deviation },
	{ "C02: the overall change is over what both sides have", overall_is_over_both_sides },
	{ "the overall change is a geometric mean of what is better", overall_is_a_geometric_mean },
	{ "C04: a base of zero gives a difference and no percentage", zero_is_no_base },
	{ "C09: every output says the same, and counts the monitors", monitors_are_counted },
	{ "rows stand by class, change and absence", rows_have_their_places },
	{ "headlines, changes and losses are shown, the rest is counted", shows_what_matters },
	{ "effect, interval and q are the judge's", takes_the_judge_at_its_word },
};

T_MAIN(cases)
