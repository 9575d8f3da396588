/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known.h - what is known of a metric of a result file: what its job says, else the file, else its
 * unit or name.
 *
 * Files of results carry numbers, seldom meanings.  Where the benchmark's job file is at hand it
 * tells direction, unit and the rest.  Else every metric decides, and a unit like `MB/s` or a name
 * like `ops_per_sec` tells that higher is better; what tells nothing is taken for a time or a
 * count, where lower is better.
 */
#ifndef CLI_KNOWN_H
#define CLI_KNOWN_H

#include "lib/report/results.h"
#include "lib/spec/spec.h"
#include "lib/stats/judge.h"

struct known {
	const char *unit;  /* NULL: unknown */
	const char *note;  /* for the reader; NULL: none */
	const char *sweep; /* the metric that is the mean of its sweep; NULL: of none */
	bool is_higher_better;
	bool is_headline;
	bool is_exact;
	enum judge_estimator estimator;
	const char *estimator_word; /* NULL: nobody said */
	double floor;               /* as the judge takes it */
};

/* `spec` may be NULL; `name` is without the benchmark's.  Texts are the spec's or the metric's, or
 * last forever. */
struct known known_metric(const struct spec *spec, const char *name,
			  const struct results_metric *metric);

#endif
