/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_builder.h - a comparison document (view.h) from plain numbers and verdicts.
 *
 *	scoped(json_free) struct json *view = view_new(columns, nr_columns);   // the base first
 *	view_add_group(view, &group);            // one set of parameters: its rows and failures
 *	view_sum_up(view);
 *
 * Whoever judged hands in what it judged: the view computes no estimate and no test of its own,
 * so that what is printed is what was tested.  Texts are copied; NULL and NAN do not exist.
 */
#ifndef REPORT_VIEW_BUILDER_H
#define REPORT_VIEW_BUILDER_H

#include "lib/stats/judge.h"
#include "view.h"

struct view_column {
	const char *commit;  /* 40 hexadecimal digits; NULL: not a commit */
	const char *name;    /* NULL: the commit's first 10 digits */
	const char *subject; /* of the commit */
};

struct view_axis {
	const char *name;
	const char *value;
};

enum view_class { VIEW_HEADLINE, VIEW_SUPPORTING, VIEW_MONITOR };

struct view_cell {
	double value;  /* by the metric's estimator */
	double stddev; /* of a population; NAN for one sample */
	size_t n;      /* 0: missing */
	const double *samples;
	size_t nr_samples;
	const char *reason; /* why it is missing */
};

struct view_change {
	bool is_ratio;            /* effect, low and high are shares (-0.04), else in the unit */
	double effect, low, high; /* effect NAN: from the values */
	double p, q;
	const char *verdict; /* a word of view_verdict() */
	const char *reason;
};

struct view_step {
	struct view_change change;
	size_t against; /* a column before this one */
};

struct view_row {
	const char *metric;
	const char *unit; /* "%": changes show as differences in points */
	bool is_higher_better;
	bool is_exact;
	enum view_class class;
	const char *estimator; /* "mean", "hmean", "median", "p99"; NULL: unknown */
	const char *note;
	const char *worst;                 /* point of a sweep; NULL: not a sweep */
	const struct view_cell *cells;     /* one a column */
	const struct view_change *changes; /* one a column but the first */
	const struct view_step *steps;     /* as changes; NULL: the columns are no stack */
};

struct view_rate {
	size_t fails;
	size_t runs; /* never below fails; 0: not run */
};

struct view_failure {
	const char *metric;
	const struct view_rate *rates;     /* one a column */
	const struct view_change *changes; /* effect, low and high are not used */
};

struct view_group {
	const struct view_axis *axes;
	size_t nr_axes;
	const struct view_row *rows;
	size_t nr_rows;
	const struct view_failure *failures;
	size_t nr_failures;
};

/* At most VIEW_MAX_COLUMNS, at least one. */
struct json *view_new(const struct view_column *columns, size_t nr_columns);

/* Adds a group; sorts its axes by name and its rows as view.h says. */
void view_add_group(struct json *view, const struct view_group *group);

/* A cell of what was measured: the arithmetic mean of the samples that are not NAN and their
 * deviation.  With none left, `reason` says why. */
struct view_cell view_cell_of(const double *samples, size_t nr_samples, const char *reason);

/* What the judge said: a side (`reason` NULL or why it is missing), and the change.  The change
 * points into the verdict. */
struct view_cell view_cell_judged(const struct judge_side *side, const char *reason);
struct view_change view_change_judged(const struct judge_verdict *verdict);

#endif
