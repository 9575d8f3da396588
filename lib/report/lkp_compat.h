/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lkp_compat.h - a comparison as lkp-tests decides and prints it, its defects D1 to D13 included.
 *
 *	scoped(lkp_compat_free) struct lkp_compat *compat = lkp_compat_new(&input, &options);
 *	lkp_compat_text(compat, &out);
 *	scoped(json_free) struct json *json = lkp_compat_json(compat);
 *
 * For looking at the same results both ways; nothing else is decided by it.  What it inherits: the
 * rate of a failure is over the runs of the column before (D1), a failure counts once or never
 * (D2), a change from zero is 1e+102 % (D3), a negative mean turns signs (D4), the table shows
 * other samples than were decided on (D5, D6), a lost sample is a zero (D7), digits are cut (D8),
 * nothing tells direction, unit or confidence (D9), floors go by loose patterns (D10), one run a
 * side may do (D11), and profiles are never too small (D13).  D12 is one of a parser.
 */
#ifndef REPORT_LKP_COMPAT_H
#define REPORT_LKP_COMPAT_H

#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/stats/lkp_rule.h"
#include "results.h"
#include "view_builder.h"

struct lkp_metric {
	const char *name;
	const double *samples;
	size_t nr;
	bool has_fractions;
};

/* A matrix of the peer: what was measured of one commit. */
struct lkp_column {
	struct view_column head;
	const struct lkp_metric *metrics; /* in the order of the file */
	size_t nr_metrics;
	size_t nr_runs; /* 0: not known, as many as its first or last metric has samples */
};

struct lkp_input {
	const struct view_axis *axes;
	size_t nr_axes;
	const struct lkp_column *columns; /* the base first */
	size_t nr_columns;
};

/* The input of what was read, all in the arena but for the texts. */
struct lkp_input lkp_input_of(struct arena *arena, const struct results *const *sides,
			      size_t nr_sides);

struct lkp_compat_options {
	struct lkp_rule_options rule;
	bool is_all; /* the table shows every metric */
};

/* The rule as the peer's command line has it: its profile threshold is the whole number 5. */
#define LKP_COMPAT_DEFAULTS ((struct lkp_compat_options){ .rule = { .profile = 5 } })

struct lkp_compat;

/* Decides.  Keeps pointers into the input. */
struct lkp_compat *lkp_compat_new(const struct lkp_input *input,
				  const struct lkp_compat_options *options);
struct lkp_compat *lkp_compat_free(struct lkp_compat *compat);
DEFINE_SCOPED(lkp_compat_free, struct lkp_compat *)

/* Appends its table; nothing where nothing changed. */
void lkp_compat_text(const struct lkp_compat *compat, struct str *out);

/* {"changed": {METRIC: {COLUMN: {ratio, delta, ...}}}, "class": {METRIC: {...}}, "error": null} */
struct json *lkp_compat_json(const struct lkp_compat *compat);

#endif
