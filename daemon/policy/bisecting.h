/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisecting.h - when a stack is bisected, with how many runs, and what is believed of it.  PURE.
 */
#ifndef POLICY_BISECTING_H
#define POLICY_BISECTING_H

#include "lib/base/base.h"

/* What a bisection of a step that is found late costs: 0 errors in 300 trials of two deviations
 * among 16 to 100 commits needed 28 to 34 on average, and 44 in one of ten. */
#define BISECTING_RUNS 48

/* Machines that work for one bisection: more of them need more runs, since each has its level. */
#define BISECTING_MACHINES 4

/* Of this many comparisons that are over the budget the first looks alone cost more than that. */
size_t bisecting_least_pairs(void);

/* Runs that a bisection may have beside those that are there: what the budget of a stack buys, and
 * never less than a bisection needs. */
int64_t bisecting_runs(double run_s, int64_t budget_s);

/* The noise and the least step that the engine is told. */
struct bisecting_scale {
	double sd, df;
	double smallest; /* in sd */
};

/* `step` is what the ends differ by; `variance` with `df` is what history knows of a run's noise,
 * `spread` the deviation of the ends' own runs: either may be NAN.  An exact metric has none, and
 * is taken to have as much as matters beside the step. */
struct bisecting_scale bisecting_scale(double step, double variance, double df, double spread);

/* Prior weight of a commit. */
double bisecting_weight(bool is_docs_only, bool is_same_binary);

/* Whether `undone`, what the tip did once the commit was taken back, takes back at least half of
 * `step`, what the commit did. */
bool is_bisecting_recovered(double step, double undone);

#endif
