/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "belief.h"

static int clamp(int g)
{
	return g < 0 ? 0 : g >= BELIEF_GRID ? BELIEF_GRID - 1 : g;
}

static void normalise(float *levels)
{
	float sum = 0;

	for (int g = 0; g < BELIEF_GRID; g++) {
		sum += levels[g];
	}
	for (int g = 0; g < BELIEF_GRID && sum > 0; g++) {
		levels[g] /= sum;
	}
}

/* The level before the next run: it may jump. */
void belief_levels(const struct belief *belief, size_t machine,
		   const struct belief_levels *ret_levels)
{
	size_t nr = belief->classes.nr * BELIEF_GRID;
	float jumps = belief->machines[machine].nr_runs ? (float)belief->options.jumps : 1;

	memset(ret_levels->before, 0, nr * sizeof(float));
	memset(ret_levels->after, 0, nr * sizeof(float));
	memset(ret_levels->none, 0, BELIEF_GRID * sizeof(float));
	for (size_t i = 0; i < belief->hypotheses.nr; i++) {
		const struct belief_hypothesis *hypothesis = &belief->hypotheses.at[i];
		const float *now = hypothesis->chains[machine].now;
		float p = (float)exp(hypothesis->ln_p), flat = p * jumps / BELIEF_GRID;
		size_t at = (size_t)(hypothesis->class < 0 ? 0 : hypothesis->class) * BELIEF_GRID;
		float *before = hypothesis->class < 0 ? ret_levels->none : ret_levels->before + at;

		for (int g = 0; g < BELIEF_GRID; g++) {
			float level = p * (1 - jumps) * now[g] + flat;

			before[g] += level;
			if (hypothesis->class >= 0) {
				ret_levels->after[at + (size_t)clamp(g + hypothesis->step)] +=
					level;
			}
		}
	}
	for (size_t k = 0; k < belief->classes.nr; k++) {
		normalise(ret_levels->before + k * BELIEF_GRID);
		normalise(ret_levels->after + k * BELIEF_GRID);
	}
	normalise(ret_levels->none);
}

/* On the scale of the values: a share of failures is seen by its arc. */
static double value_at(const struct belief *belief, double level)
{
	if (belief->options.values == BISECT_PASS_FAIL) {
		return sin(level) * sin(level);
	}
	return level;
}

struct belief_fit belief_fit(const struct belief *belief)
{
	const struct belief_machine *machine = &belief->machines[0];
	struct belief_fit fit = { .before = NAN, .after = NAN };
	double change = 0, before = 0, after = 0, step = 0, square = 0;

	for (size_t i = 0; i < belief->hypotheses.nr; i++) {
		const struct belief_hypothesis *hypothesis = &belief->hypotheses.at[i];
		double p = exp(hypothesis->ln_p), mean = 0;
		double height = hypothesis->step * belief->width;

		fit.sd += p * belief->noises.at[hypothesis->noise].sd;
		fit.share += p * belief->noises.at[hypothesis->noise].share;
		if (hypothesis->class < 0) {
			continue;
		}
		for (int g = 0; g < BELIEF_GRID; g++) {
			mean += (double)hypothesis->chains[0].now[g] *
				(machine->low + g * belief->width);
		}
		change += p;
		before += p * value_at(belief, mean);
		after += p * value_at(belief, mean + height);
		step += p * height;
		square += p * height * height;
		fit.size += p * fabs(height);
		fit.p_worse += hypothesis->step > 0 ? p : 0;
	}
	if (change > 0) {
		fit.before = machine->nr_runs ? before / change : (double)NAN;
		fit.after = machine->nr_runs ? after / change : (double)NAN;
		step /= change;
		fit.step_sd = sqrt(fmax(square / change - step * step, 0));
		fit.size /= change;
		fit.p_worse /= change;
	}
	return fit;
}
