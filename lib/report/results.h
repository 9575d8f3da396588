/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.h - the measurements of one side of a comparison, read from files.
 *
 * Three forms, told apart by what they hold:
 *	a folder    DIR/result.json {schema, benchmark, params, commit, machine} and DIR/runs.jsonl,
 *	            a line a run: {run, boot, build, block, order, warmup, outcome, reason,
 *	            metrics: {name: number | null}}; either may be absent
 *	a file of such lines
 *	a matrix    {"metric": [samples...], ...}, without runs: each sample is one of its own; its
 *	            member "stats_source", if there, has an element a run
 *
 *	scoped(names_free) struct names *ids = names_new();
 *	scoped(results_free) struct results *base = NULL;
 *	if (!results_read("out/base", ids, &base, err)) ...
 *
 * Warm-up runs are dropped, and of runs that failed only the reason is kept.  null is missing.
 * What is compared is read with the same `ids`: a text that stands for a boot, build or machine in
 * two files is the same one there, while a number is that file's own.
 */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "lib/base/names.h"
#include "lib/base/str.h"
#include "lib/stats/judge.h"

struct results_metric {
	const char *name;
	VEC(struct judge_sample) samples; /* as the judge takes them; NAN: missing */
	bool has_fractions;               /* one is written as such, be it 5.0 */
};

struct results_param {
	const char *name;
	const char *value; /* a number or truth as JSON writes it */
};

struct results_failure {
	const char *reason;
	size_t nr;
};

struct results {
	struct arena *arena;
	const char *path;
	const char *benchmark; /* this and the next two: NULL where the files do not say it */
	const char *commit;
	const char *machine;
	VEC(struct results_param) params; /* sorted by name */
	VEC(struct results_metric) metrics;
	VEC(struct results_failure) failures;
	size_t nr_runs; /* that ended well; 0 in a matrix that does not say */
	size_t nr_failed;
};

/* An empty folder gives results without metrics.  Blocks.  ERR_ABSENT: no such path; ERR_BROKEN:
 * unreadable; ERR_TOO_BIG: over a GiB; ERR_INPUT "FILE: byte N: ...". */
MUST_CHECK bool results_read(const char *path, struct names *ids, struct results **ret_results,
			     struct err *err);

/* The same for the text of a file; `what` stands for its path.  ERR_INPUT. */
MUST_CHECK bool results_parse(const char *what, const struct str *text, struct names *ids,
			      struct results **ret_results, struct err *err);
struct results *results_free(struct results *results);
DEFINE_SCOPED(results_free, struct results *)

#endif
