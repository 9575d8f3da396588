/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lkp_compat_parts.h - between the two halves of lkp_compat.h: what was decided, and its table.
 */
#ifndef REPORT_LKP_COMPAT_PARTS_H
#define REPORT_LKP_COMPAT_PARTS_H

#include "lib/base/mem.h"
#include "lib/base/names.h"
#include "lkp_compat.h"

/* A metric in all columns. */
struct lkp_row {
	const char *name;
	struct lkp_class class;
	const struct lkp_metric **metrics; /* one a column; NULL: it is not there */
	struct lkp_change **changes; /* one a column; NULL: unchanged, and always of the base */
	bool has_changed;            /* in some column */
	bool is_listed;              /* for the table: nearly the same, see decide() */
};

struct lkp_compat {
	struct arena *arena;
	struct names *names; /* of rows, from 1 */
	const struct lkp_input *input;
	struct lkp_compat_options options;
	size_t *nr_runs; /* one a column */
	VEC(struct lkp_row) rows;
	VEC(size_t) listed; /* rows, in the order in which they were found */
};

/* What the table shows of a metric: a failure of all runs, else of the complete ones. */
struct lkp_side lkp_compat_side(const struct lkp_compat *compat, size_t row, size_t column);

/* Appends "[ 9.1        - 9.25       ]". */
void lkp_append_range(double min, double max, struct str *out);

#endif
