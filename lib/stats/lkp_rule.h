/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lkp_rule.h - when lkp-tests calls a metric changed, its defects included.
 *
 *	struct lkp_change change;
 *	if (lkp_rule_decide("vmstat.system.cs", &class, &base, &head, &options, &change)) ...
 *
 * It compares ranges with medians and makes no test: on pure noise the rule fires for 20 % of
 * metrics with three runs a side and for 0.1 % with ten, and the more runs there are the less it
 * sees.  It is here so that a person who is used to it can look at the same data both ways
 * (`compare --lkp-compat`); nothing else may use it.
 */
#ifndef STATS_LKP_RULE_H
#define STATS_LKP_RULE_H

#include "lkp_class.h"

struct lkp_rule_options {
	bool has_noise;   /* also what is on its list of noise */
	double gap;       /* above 0: ranges apart by this share of the difference of the medians */
	double profile;   /* above 0: perf-profile.* counts from this value on, changed or not, */
	bool is_fraction; /* if both it and the median are fractions, or both whole (D13) */
};

/* The samples of one side, in the order of the runs.  A run without a sample counts as 0 (D7), one
 * of -1 as missing (D6). */
struct lkp_side {
	const double *samples;
	size_t nr;
	size_t nr_runs;
	bool has_fractions; /* the samples are not all written as whole numbers */
};

/* In the peer's words: a is the later commit, b the base, a "mean" is the upper median. */
struct lkp_change {
	double min_a, mean_a, max_a;
	double min_b, mean_b, max_b;
	double max, delta, ratio;
	double x, y, z; /* the ranges of a and b, and the gap between them */
};

/* Whether the metric changed; *ret_change is set then.  What the name decides against other names
 * (a fail needs a pass in the base, a new metric needs a base) is the caller's. */
bool lkp_rule_decide(const char *name, const struct lkp_class *class, const struct lkp_side *base,
		     const struct lkp_side *head, const struct lkp_rule_options *options,
		     struct lkp_change *ret_change);

#endif
