/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bisecting.h"

#include <math.h>

#include "lib/stats/judge.h"
#include "pairing.h"

#define MOST_RUNS     600
#define MOST_SDS      8.0  /* of noise below a step's eighth nothing is left to gain */
#define GUESS         0.25 /* of a step, where nothing is known of the noise */
#define DOCS_WEIGHT   0.01
#define LEAST_SDS     0.3
#define SMALLEST_PART 0.5

size_t bisecting_least_pairs(void)
{
	return BISECTING_RUNS / (BLOCK_RUNS * judge_look_blocks(1)) + 1;
}

int64_t bisecting_runs(double run_s, int64_t budget_s)
{
	double runs = run_s > 0 ? (double)budget_s / run_s : 0;

	return runs < BISECTING_RUNS ? BISECTING_RUNS
	       : runs > MOST_RUNS    ? MOST_RUNS
				     : (int64_t)runs;
}

struct bisecting_scale bisecting_scale(double step, double variance, double df, double spread)
{
	struct bisecting_scale scale = { .sd = GUESS * fabs(step) };

	if (df > 0 && variance > 0) {
		scale.sd = sqrt(variance);
		scale.df = df;
	} else if (spread > 0) { /* not NAN */
		scale.sd = spread;
	}
	if (scale.sd < fabs(step) / MOST_SDS) {
		scale.sd = fabs(step) / MOST_SDS;
	}
	scale.smallest = SMALLEST_PART * fabs(step) / scale.sd;
	if (scale.smallest < LEAST_SDS) {
		scale.smallest = LEAST_SDS;
	}
	return scale;
}

double bisecting_weight(bool is_docs_only, bool is_same_binary)
{
	return is_same_binary ? 0 : is_docs_only ? DOCS_WEIGHT : 1;
}

bool is_bisecting_recovered(double step, double undone)
{
	return step * undone < 0 && fabs(undone) >= fabs(step) / 2;
}
