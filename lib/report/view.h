/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h - the comparison document: what was measured and what was decided, once.
 *
 * A mail, a page, the command line and the API are made from this document and from nothing else,
 * so they cannot disagree.  It is JSON; `patchmeter compare --json` prints it as it is.
 * view_builder.h makes one, format.h writes it, view_check() accepts one from elsewhere.
 *
 * Nothing in it is NaN: what does not exist is null, and has a reason.
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

/* Checks a document that came from elsewhere and sums it up anew, so that every format may trust
 * it.  Texts are cleaned when they are written.  ERR_INPUT "groups[0].rows[3]: ...". */
MUST_CHECK bool view_check(struct json *view, struct err *err);

/* Writes "summary" from the rows. */
void view_sum_up(struct json *view);

/* For pages: adds to rows "is_headline", to cells "text" and "spread", to changes "text",
 * "interval", "title", "mark", "is_worse" and "is_better", to groups "title", to columns "short",
 * to "summary" "text". */
void view_decorate(struct json *view);

/* The same for one row. */
void view_decorate_row(struct json *row);

/* For people: times and sizes in units in which the smallest value of a row is not below 10
 * (0.00012 s as 120 µs); the samples go. */
void view_scale(struct json *view);

/* for the formats */

/* What the verdict of change `index` (0 is the second column) of a row or failure means. */
enum view_meaning view_meaning(const struct json *row, size_t index);
/* Whether a row or failure is worse or better in any column. */
bool view_has_changed(const struct json *row);
bool is_view_headline(const struct json *row);
/* Appends a text member on one line, cleaned, of at most VIEW_MAX_TEXT_BYTES; null: nothing. */
void view_text(const struct json *object, const char *name, struct str *out);
/* The value of an axis of a group; "" where it has no such axis. */
const char *view_axis_value(const struct json *group, const char *name);
/* Appends a row's metric without the name of what was run, for tables that have it in their title:
 * "fork" of "bench.fork". */
void view_short_metric(const struct json *group, const struct json *row, struct str *out);
/* "compiler=gcc-12 test=t1": the axes of a group. */
void view_group_title(const struct json *group, struct str *out);
/* "-4.1%", "+0.36 points", "+5.33", "n/a". */
void view_change_text(const struct json *row, size_t index, struct str *out);
/* "-5.0% to -3.2%"; nothing where it is unknown. */
void view_interval_text(const struct json *row, size_t index, struct str *out);
/* "2 regressions, 1 unchanged; ..." of summary `index`. */
void view_summary_text(const struct json *view, size_t index, struct str *out);

#endif
