/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h - the comparison document: what was measured and what was decided, once.
 *
 * A mail, a page, the command line and the API are made from this document and from nothing else,
 * so they cannot disagree.  view_builder.h makes one, format.h writes it, view_read() takes one
 * from elsewhere:
 *
 *	scoped(view_free) struct view *view = NULL;
 *	if (!view_read(document, &view, err)) ...           // "groups[0].rows[3]: ..."
 *	format_get("lkp")->write(view, &(struct format_options){ 0 }, &out);
 *
 * In memory it is rows of numbers (docs/decisions/0017).  Outside it is JSON, which `patchmeter
 * compare --json` prints as it is.  What does not exist is NaN or NULL here, null there, and has a
 * reason.
 *
 *	{ "schema": 1,
 *	  "reason": text,                                     absent, or why "groups" is empty
 *	  "notes": [text],                                    absent, or what was left out
 *	  "columns": [{ "name", "commit": 40 digits | null, "subject": text | null }],
 *	  "groups": [{
 *	    "axes": [{ "name", "value" }],                      sorted by name
 *	    "failures": [{ "metric", "cells": [{ "fails", "runs" }], "changes": [CHANGE] }],
 *	    "rows": [{ "metric", "unit": text | null, "better": "higher" | "lower",
 *	               "class": "headline" | "supporting" | "monitor", "is_exact",
 *	               "estimator": "mean" | ... | null, "note": text | null,
 *	               "worst": text,                           only of a sweep
 *	               "cells": [{ "value", "stddev", "n", "reason", "samples": [] }],
 *	               "changes": [CHANGE],
 *	               "steps": [CHANGE] }] }],
 *	  "summary": [{ "regressions", "improvements", "unchanged", "unknown", "missing",
 *	                "failures", "monitors",
 *	                "overall": { "percent", "nr", "nr_left_out" } }] }
 *
 *	CHANGE  { "percent", "absolute", "low", "high", "is_ratio", "p", "q", "verdict", "reason" }
 *
 * `cells` has one element a column; `changes` and `summary` one a column but the first, which is
 * the base.  `n` counts boots.  `samples` may be absent, and so may `steps`, which a stack of
 * patches has: as `changes`, but each against the column that its "against" counts from 0, its
 * parent.
 * A sweep's row is the mean of its points, and "worst" the one that moved most: "time.16 +12.3%".
 * `percent` is null where the base is zero; `absolute` then says it all.  `low` and
 * `high` bound the change at 95 %: in percent, or in the metric's unit where `is_ratio` is false.
 * In a failure's change `absolute` is the difference of the rates in percentage points.
 * `overall` is the geometric mean of the headline metrics that both sides have; above zero is
 * better.  The other numbers of `summary` count rows, `monitors` those of monitors that changed.
 *
 * Rows stand headline first, then supporting, then monitors.  Within a class those with a side
 * missing stand last, and, except for headlines, those that changed first.
 */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "lib/base/json.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#define VIEW_SCHEMA         1
#define VIEW_MAX_COLUMNS    129 /* a stack of 128 patches and its base */
#define VIEW_MAX_TEXT_BYTES 300
#define VIEW_TEST           "testcase" /* the axis that says what was run */
#define VIEW_SHORT_DIGITS   10         /* of a commit, as in LKP's mails */

enum view_meaning { VIEW_WORSE, VIEW_BETTER, VIEW_SAME, VIEW_UNKNOWN, VIEW_MISSING };

/* A verdict as it is stored and as people read it. */
struct view_verdict {
	const char *word;  /* "no-change" */
	const char *title; /* "no change" */
	enum view_meaning meaning;
};

/* NULL: no such word. */
const struct view_verdict *view_verdict(const char *word);
/* One character, so that colour is never the only sign. */
const char *view_mark(enum view_meaning meaning);

struct view_column {
	const char *commit;  /* 40 hexadecimal digits; NULL: not a commit */
	const char *name;    /* to view_new() NULL: the commit's first 10 digits */
	const char *subject; /* of the commit; NULL: unknown */
};

struct view_axis {
	const char *name;
	const char *value;
};

enum view_class { VIEW_HEADLINE, VIEW_SUPPORTING, VIEW_MONITOR };

struct view_cell {
	double value;  /* by the metric's estimator; NAN: missing */
	double stddev; /* of a population; NAN for one sample */
	size_t n;      /* 0: missing */
	const double *samples;
	size_t nr_samples;
	const char *reason; /* why it is missing; NULL: unknown, or it is not */
};

struct view_change {
	const struct view_verdict *verdict;
	const char *reason;       /* NULL: none */
	bool is_ratio;            /* percent, low and high are per cent, else in the unit */
	double percent, absolute; /* to view_add_group() percent NAN: from the values */
	double low, high;
	double p, q;
	size_t against; /* of a step: a column before its own */
};

/* Of a failure. */
struct view_rate {
	size_t fails;
	size_t runs; /* never below fails; 0: not run */
};

/* A metric, or a failure: that has `rates`, and of the others metric and changes alone. */
struct view_row {
	const char *metric;
	const char *unit; /* NULL: unknown.  "%": changes show as differences in points */
	const struct view_rate *rates;
	bool is_higher_better;
	bool is_exact;
	enum view_class class;
	const char *estimator; /* "mean", "hmean", "median", "p99"; NULL: unknown */
	const char *note;
	const char *worst;           /* point of a sweep; NULL: not a sweep */
	struct view_cell *cells;     /* one a column */
	struct view_change *changes; /* one a column but the first */
	struct view_change *steps;   /* the same, each against its parent; NULL: no stack */
};

struct view_group {
	const struct view_axis *axes;
	size_t nr_axes;
	struct view_row *rows;
	size_t nr_rows;
	struct view_row *failures;
	size_t nr_failures;
};

struct view_sum {
	int64_t nr[VIEW_MISSING + 1]; /* rows by meaning, without monitors */
	int64_t nr_failures;
	int64_t nr_monitors;
	double percent; /* overall; NAN: of nothing */
	int64_t nr_overall;
	int64_t nr_left_out;
};

struct view {
	struct arena *arena;
	const char *reason; /* NULL: none */
	const char **notes; /* NULL: none can be */
	size_t nr_notes;
	const struct view_column *columns;
	size_t nr_columns;
	VEC(struct view_group) groups;
	struct view_sum *sums; /* one a column but the first; NULL: not summed up */
};

struct view *view_free(struct view *view);
DEFINE_SCOPED(view_free, struct view *)

/* Reads a document that came from elsewhere, checks it, so that every format may trust it, and sums
 * it up anew.  Texts are copied, and cleaned when they are written.  ERR_INPUT
 * "groups[0].rows[3]: ...". */
MUST_CHECK bool view_read(const struct json *document, struct view **ret_view, struct err *err);

/* The document as JSON; the caller owns it.  A change or step alone. */
struct json *view_json(const struct view *view);
struct json *view_change_json(const struct view_change *change);

/* Fills `sums` from the rows. */
void view_sum_up(struct view *view);

/* For pages: adds to what view_json() gave: rows "is_headline", cells "text" and "spread", changes
 * "text", "interval", "title", "mark", "is_worse" and "is_better", groups "title", columns "short",
 * "summary" "text". */
void view_decorate(const struct view *view, struct json *json);

/* The same for a cell and for a change or step of a row. */
void view_decorate_cell(const struct view_row *row, size_t index, struct json *cell);
void view_decorate_change(const struct view_row *row, const struct view_change *change,
			  struct json *json);

/* For people: times and sizes in units in which the smallest value of a row is not below 10
 * (0.00012 s as 120 µs); the samples of such rows go. */
void view_scale(struct view *view);

/* for the formats */

static inline enum view_meaning view_meaning(const struct view_row *row, size_t index)
{
	return row->changes[index].verdict->meaning;
}

static inline bool is_view_headline(const struct view_row *row)
{
	return !row->rates && row->class == VIEW_HEADLINE;
}

/* Whether a row or failure is worse or better in any column. */
bool view_has_changed(const struct view *view, const struct view_row *row);
/* "higher" or "lower"; "headline", "supporting" or "monitor". */
const char *view_better(const struct view_row *row);
const char *view_class(const struct view_row *row);
/* Appends a text on one line, cleaned, of at most VIEW_MAX_TEXT_BYTES; NULL: nothing. */
void view_text(const char *text, struct str *out);
/* The value of an axis of a group; "" where it has no such axis. */
const char *view_axis_value(const struct view_group *group, const char *name);
/* Appends a row's metric without the name of what was run, for tables that have it in their title:
 * "fork" of "bench.fork". */
void view_short_metric(const struct view_group *group, const struct view_row *row, struct str *out);
/* "compiler=gcc-12 test=t1": the axes of a group. */
void view_group_title(const struct view_group *group, struct str *out);
/* Of a row's change or step: "-4.1%", "+0.36 points", "+5.33", "n/a". */
void view_change_text(const struct view_row *row, const struct view_change *change,
		      struct str *out);
/* "-5.0% to -3.2%"; nothing where it is unknown. */
void view_interval_text(const struct view_change *change, struct str *out);
/* "2 regressions, 1 unchanged; ..." of the sum of column `index` + 1. */
void view_summary_text(const struct view *view, size_t index, struct str *out);

/* The numbers of a sum by their names, and what is said of each. */
struct view_count {
	const char *name;
	const char *one;
	const char *many;
};

/* Walks them: 0, 1, ... until NULL. */
const struct view_count *view_count(const struct view_sum *sum, size_t index, int64_t *ret_nr);

#endif
