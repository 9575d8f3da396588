/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h - what a comparison costs, and whether a stack may have all of its own at once.  PURE.
 */
#ifndef POLICY_BUDGET_H
#define POLICY_BUDGET_H

#include "lib/base/base.h"

/* Machine seconds of a comparison's first look, for runs of `run_s` seconds. */
double budget_first_look_s(double run_s);

/* Whether the first looks of all pairs fit; else the ends go first and the others wait for a
 * sign. */
bool is_within_budget(double run_s, size_t nr_pairs, int64_t budget_s);

#endif
