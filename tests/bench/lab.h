/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lab.h - a make-believe lab whose truth is known: jobs with many metrics, a history of their
 * noise, and the whole way from the first block to the mail through the judge's own code.
 *
 *	struct lab lab = { .seed = 1, .cv = 0.01, .effect = 0.04 };
 *	struct lab_job *job = lab_run(&lab);    // looks until the judge stops
 *	if (job->verdicts[0].kind == JUDGE_REGRESSION) ...
 *	lab_free(job);
 *
 * Model: value = level (1 + cv (boot + build + noise)).  Noise of ten metrics at a time is
 * correlated by 0.6.  History holds 10 days of 3 runs of one commit; a metric's variance moves from
 * day to day, so that today's ln(variance) is off by a deviation of 0.4 from what history says.
 */
#ifndef BENCH_LAB_H
#define BENCH_LAB_H

#include "lib/stats/judge.h"

#define LAB_BLOCK_RUNS 4
#define LAB_BLOCKS     24 /* at most, repeated ones included */

/* Consecutive residuals of a real benchmark, in units of the cv. */
struct lab_series {
	const double *values;
	size_t nr;
};

struct lab {
	uint64_t seed;
	size_t nr_metrics;       /* 0: 10; the first 10 are headlines, the others support */
	double cv;               /* between runs; 0: of each metric another one, around 1.5 % */
	double effect;           /* of head on the first metric, relative; the truth */
	double times_least;      /* the same in smallest effects worth a mail, where not 0 */
	size_t nr_confirmations; /* of what was named, on two fresh builds a side each */
	double outliers;         /* share of runs that are off by 5 cv, seen by history too */
	double jump;           /* the level rises by this share at a random run, for 1 to 12 runs */
	double boot_sd;        /* in run deviations */
	bool is_boot_shared;   /* all runs of a side in one boot */
	double build_sd;       /* in run deviations; one build a side */
	bool is_build_unknown; /* no rebuilds in history: the judge has to assume something */
	bool is_new;           /* there is no history at all */
	const struct lab_series *series; /* noise that was measured, instead of drawn */
	size_t nr_series;
};

struct lab_job {
	size_t nr_metrics;
	struct judge_metric *metrics;
	struct judge_verdict *verdicts; /* of the last look */
	double *values;                 /* of the metrics: 4 LAB_BLOCKS each, half of them base's */
	struct judge_run runs[2][2 * LAB_BLOCKS]; /* base's and head's */
	size_t nr_runs[2];
	size_t nr_named; /* headline metrics that are a regression or an improvement */
	size_t nr_rows;  /* metrics of any sort that are */
	int look;
	size_t nr_boots; /* a side, repeated blocks included */
	double effect;   /* the true one of the first metric */
	/* The way to a mail, for what was named, gone so often that also rare mails are counted: */
	size_t nr_confirmations;
	size_t nr_mails;   /* confirmations that name a headline metric again */
	size_t nr_right;   /* of them, those that name the first one in its true direction */
	size_t nr_covered; /* of those, the ones whose interval holds the true effect */
};

/* Draws a world and plays the looks in it. */
struct lab_job *lab_run(const struct lab *lab);
struct lab_job *lab_free(struct lab_job *job);

#endif
