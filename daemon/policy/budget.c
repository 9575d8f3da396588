/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "budget.h"

#include "lib/stats/judge.h"
#include "pairing.h"

double budget_first_look_s(double run_s)
{
	return run_s * BLOCK_RUNS * (double)judge_look_blocks(1);
}

bool is_within_budget(double run_s, size_t nr_pairs, int64_t budget_s)
{
	return budget_first_look_s(run_s) * (double)nr_pairs <= (double)budget_s;
}
