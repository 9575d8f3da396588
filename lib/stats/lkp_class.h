/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lkp_class.h - what lkp-tests takes a metric for, by its name alone.
 *
 *	struct lkp_class class = lkp_class_of("proc-vmstat.pgfault");
 *	if (!lkp_class_is_large(name, delta, max)) ...      // below its table of floors
 *
 * Only `compare --lkp-compat` asks; patchmeter itself has a registry (job.yaml) instead of guesses.
 * The peer's patterns are unescaped regular expressions of which the first match counts (defect
 * D10), so a '.' of theirs is a '?' of ours.  Two things it knows and we do not: its own list of
 * programs (here every name is one that is no monitor's and no log's), and its list of some 200
 * kernel messages that are noise on its machines.
 */
#ifndef STATS_LKP_CLASS_H
#define STATS_LKP_CLASS_H

#include "lib/base/base.h"

struct lkp_class {
	bool is_failure;     /* fails or passes of runs: counted, not averaged */
	bool is_performance; /* a change of 1 % is enough, not 5 % */
	bool is_shown;       /* on no list of noise */
	bool is_reported;    /* on that list, but excepted from it for reports */
	bool is_absolute;    /* a change is a difference, not a ratio */
	bool is_profile;     /* perf-profile.*: never too small (defect D13) */
	bool is_kpi;         /* of a test program itself */
	int direction;       /* of a KPI: 1 higher is better, -1 lower, 0 not known */
};

/* Of a metric as lkp-tests spells it: "vmstat.system.cs". */
struct lkp_class lkp_class_of(const char *name);

/* Whether a change of the medians by `delta`, with `max` the largest sample, is above the floor
 * of the metric. */
bool lkp_class_is_large(const char *name, double delta, double max);

/* Whether the first dotted part of the name is that of a test program. */
bool lkp_class_is_test(const char *name);

#endif
