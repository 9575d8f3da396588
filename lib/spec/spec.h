/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec.h - what a job file (jobs/NAME/job.yaml) says, checked.
 *
 * C code knows no benchmark by name: all it knows of one is this struct.  Every fault of a job file
 * is told as FILE:LINE:COLUMN: what is there; what was expected.  docs/jobs.md explains the keys,
 * the tables in spec.c list them.
 *
 *	scoped(spec_free) struct spec *spec = NULL;
 *	if (!spec_read("jobs/hackbench/job.yaml", &spec, err)) ...
 *	for (size_t i = 0; i < spec->nr_metrics; i++)
 *		puts(spec->metrics[i].name);
 *
 * A lease carries the part of it that a worker needs, the recipe: spec_recipe() on one end,
 * spec_from_recipe() on the other.  A spec is read-only once made; use it from any thread.
 */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/mem.h"

#define SPEC_LIMIT_METRICS 1000

/* One name of `params`: a list is an axis of the matrix. */
struct param {
	const char *name; /* a script sees it as PARAM_name */
	const char **values;
	size_t nr;
};

/* One row of `metrics`.  In a sweep a row stands once for the whole, as the geometric mean of its
 * points, and once for each point as "name.point", which explains the mean and decides nothing. */
struct metric {
	const char *name;
	const char *unit;   /* as a person reads it: "s", "ops/s" */
	const char *better; /* "lower" or "higher" */
	const char
		*estimator; /* "mean", "hmean", "median", "p99": how iterations become one number */
	const char *noise;  /* a note for the reader; NULL: none */
	double floor_pct;   /* smallest relative change worth a mail; 0: the judge's default */
	bool is_headline;   /* decides; others explain */
	bool is_exact;      /* a count without noise of its own */
	const char *from;   /* "stdout", "stderr" or "file" */
	const char *regex;  /* exactly one of the three is there */
	const char *pointer; /* JSON pointer */
	const char *lines;   /* the word before ':' on a line of its own */
	const char *point;   /* of a sweep; NULL: none */
	int64_t nr_points;   /* that follow, of which this one is the mean; 0: none */
};

struct texts {
	const char **at;
	size_t nr;
};

struct spec {
	struct arena *arena;
	const char *name; /* of the benchmark; NULL in a spec made of a recipe */
	const char *summary;
	struct texts commands; /* needs: programs on the box */
	struct texts packages; /* needs: Debian packages */
	const char *url;       /* needs: upstream's address of what Debian lacks; NULL: none */
	struct param *params;
	size_t nr_params;
	const char *sweep; /* the parameter whose values one run goes through; NULL: none */
	const char *build; /* shell texts; NULL where there is nothing to do */
	const char *setup;
	const char *run;
	const char *teardown;
	int64_t timeout_s;
	int64_t repeat; /* runs of `run` within one boot */
	int64_t warmup; /* runs before them that do not count */
	struct metric *metrics;
	size_t nr_metrics;
};

/* Reads a job file and what it includes.  Blocks.  ERR_ABSENT, ERR_TOO_BIG, ERR_INPUT. */
MUST_CHECK bool spec_read(const char *path, struct spec **ret_spec, struct err *err);

/* The same for a text that comes from elsewhere; `include` is refused. */
MUST_CHECK bool spec_parse(const char *what, const char *bytes, size_t length,
			   struct spec **ret_spec, struct err *err);

struct spec *spec_free(struct spec *spec);
DEFINE_SCOPED(spec_free, struct spec *)

/* Gives a parameter one value in place of those in the file: "groups=4".  ERR_INPUT: no such
 * parameter, or no such value of any. */
MUST_CHECK bool spec_set_param(struct spec *spec, const char *assignment, struct err *err);

/* spec_read(), then spec_set_param() with each of the assignments. */
MUST_CHECK bool spec_read_with(const char *path, const char *const *assignments, size_t nr,
			       struct spec **ret_spec, struct err *err);

/* The parameter of that name; NULL: there is none. */
const struct param *spec_param(const struct spec *spec, const char *name);

/* The recipe of a lease: {build, setup, run, teardown, timeout_s, repeat, warmup, needs, metrics}
 * with the keys of job.yaml; what a job does not have is absent. */
struct json *spec_recipe(const struct spec *spec);

/* Reads a recipe back; the spec has no name, summary or params. ERR_INPUT. */
MUST_CHECK bool spec_from_recipe(const struct json *recipe, struct spec **ret_spec,
				 struct err *err);

#endif
