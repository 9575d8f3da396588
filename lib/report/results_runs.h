/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results_runs.h - lines of runs, for results.c alone.
 */
#ifndef REPORT_RESULTS_RUNS_H
#define REPORT_RESULTS_RUNS_H

#include "lib/base/pull.h"
#include "lib/base/str.h"
#include "results.h"

/* Adds the runs of a file's lines; empty lines are passed over.  ERR_INPUT. */
MUST_CHECK bool results_add_runs(struct results *results, const char *file, const struct str *text,
				 struct names *ids, struct err *err);

/* Notes whether a sample that was just read is written as a fraction. */
static inline void results_note_form(struct results_metric *metric, const struct pull *pull,
				     const struct pull_item *item)
{
	metric->has_fractions =
		metric->has_fractions || (item->kind == PULL_NUMBER && !pull_is_whole(pull, item));
}

#endif
