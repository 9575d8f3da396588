/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.h - the measurements of one side of a comparison, read from files.
 *
 * The forms are told apart by what they hold, never by a name; docs/compare.md shows each:
 *	a folder    DIR/result.json {schema, benchmark, params, commit, machine, env} and
 *	            DIR/runs.jsonl, either may be absent; or a folder of such folders
 *	runs        a line a run: {run, boot, build, block, order, warmup, outcome, reason,
 *	            metrics: {name: number | null}}
 *	a matrix    {"metric": [samples...], ...}: each sample is a run of its own; its member
 *	            "stats_source", if there, has an element a run
 *	hyperfine   what its --export-json writes
 *	Go          what `go test -bench` prints
 *	CSV         with named columns: a row a run, or a row a value
 *
 *	scoped(names_free) struct names *ids = names_new();
 *	struct results_options options = { .ids = ids };
 *	scoped(results_free) struct results *base = NULL;
 *	if (!results_read("out/base", &options, &base, err)) ...
 *
 * A side has a part for each benchmark and set of parameters.  Warm-up runs are dropped, and of
 * runs that failed only the reason is kept.  null is missing.  What is compared is read with the
 * same `ids`: a text that stands for a boot, build or machine in two files is the same one there,
 * while a number is that file's own.
 */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "lib/base/names.h"
#include "lib/base/str.h"
#include "lib/stats/judge.h"

/* A metric with more samples than this, of which no boot and no block is known, keeps the averages
 * of neighbours instead: ten million samples take the memory of these. */
#define RESULTS_MOST_SAMPLES 65536

enum results_better { BETTER_UNKNOWN, BETTER_HIGHER, BETTER_LOWER };

struct results_metric {
	const char *name;
	const char *unit; /* NULL: unknown */
	enum results_better better;
	bool is_exact;              /* the file says so */
	bool has_places;            /* some sample tells its boot, build or block */
	bool has_fractions;         /* one is written as such, be it 5.0 */
	VEC(double) values;         /* as the judge takes them; NAN: missing */
	VEC(struct judge_run) runs; /* one a value; none: of no value anything is known */
	size_t nr_samples;          /* that the file has */
	double pending_sum;         /* of the neighbours that are no sample yet */
	uint32_t nr_pending;
	uint32_t fold; /* so many neighbours are one sample; 1: none are */
};

struct results_param {
	const char *name;
	const char *value; /* a number or truth as JSON writes it */
};

struct results_failure {
	const char *reason;
	size_t nr;
};

/* One benchmark with one set of parameters. */
struct results_part {
	const char *benchmark;            /* NULL: the file does not say it */
	bool is_job;                      /* the benchmark is that of a job file */
	VEC(struct results_param) params; /* sorted by name */
	VEC(struct results_metric) metrics;
	struct names *metric_names; /* metrics has them in the same order; NULL: they are few */
	VEC(struct results_failure) failures;
	size_t nr_runs; /* that ended well; 0 where the file does not say */
	size_t nr_failed;
	size_t nr_warmups;
};

struct results {
	struct arena *arena;
	const char *path;
	const char *commit; /* this and the next: NULL where the files do not say it */
	const char *machine;
	VEC(struct results_param) env;    /* what else is known of where it ran */
	VEC(struct results_part *) parts; /* at least one */
	VEC(const char *) notes;          /* what was passed over, and why: the first of it */
	size_t nr_notes;                  /* how often that was so */
};

struct results_options {
	struct names *ids; /* of boots, builds and machines in everything that is compared */
	const char *by;    /* this column of a CSV file is a parameter; NULL: none */
};

/* An empty folder gives one part without metrics.  Blocks.  ERR_ABSENT: no such path; ERR_BROKEN:
 * unreadable; ERR_TOO_BIG: over two GiB; ERR_INPUT "FILE: byte N: ..." in JSON, else
 * "FILE:LINE:COLUMN: ...". */
MUST_CHECK bool results_read(const char *path, const struct results_options *options,
			     struct results **ret_results, struct err *err);

/* The same for the text of a file; `what` stands for its path.  ERR_INPUT. */
MUST_CHECK bool results_parse(const char *what, const struct str *text,
			      const struct results_options *options, struct results **ret_results,
			      struct err *err);
/* Frees the metrics, but not their names. */
void results_forget_metrics(struct results *results);
struct results *results_free(struct results *results);
DEFINE_SCOPED(results_free, struct results *)

static inline struct judge_samples results_samples(const struct results_metric *metric)
{
	return (struct judge_samples){ metric->values.at, metric->runs.nr ? metric->runs.at : NULL,
				       metric->values.nr };
}

/* Whether there is a comparison document (view.h) and no results; a pipe, which can be read once
 * only, is taken for one.  Blocks, never fails. */
bool is_results_document(const char *path);

/* A parameter's value, or the benchmark for "benchmark"; NULL: the part has none. */
const char *results_param(const struct results_part *part, const char *name);

#endif
