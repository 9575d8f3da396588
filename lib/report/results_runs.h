/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results_runs.h - lines of runs, for results.c alone.
 */
#ifndef REPORT_RESULTS_RUNS_H
#define REPORT_RESULTS_RUNS_H

#include "lib/base/str.h"
#include "results.h"

/* Adds the runs of a file's lines; empty lines are passed over.  ERR_INPUT. */
MUST_CHECK bool results_add_runs(struct results *results, const char *file, const struct str *text,
				 struct names *ids, struct err *err);

#endif
