/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "staircase.h"

#include <math.h>

#include "lib/base/mem.h"

#define MOST_LEVELS 160

/* A few values are outliers: so many, so much wider. */
#define OUTLIERS      0.05
#define OUTLIER_WIDTH 5.0

#define HIGHEST_STEP 12.0 /* in sd */
#define WIDEST_RANGE 60.0 /* of levels around their middle, in sd */

/* Noises around the fitted one, by their logarithm. */
#define NOISE_STEP 0.15
#define NR_NOISES  7

/* The likelihood of a value by its deviation, in a table. */
#define Z_PER_SD 32
#define NR_Z     (40 * Z_PER_SD)

struct grid {
	size_t nr;
	double low, width;
	float ln_of_z[NR_Z + 1];
	float kernel[2 * MOST_LEVELS]; /* prior of a step by its height; [MOST_LEVELS] is 0 */
};

/* What one noise says; rooms of [treads][MOST_LEVELS]. */
struct climb {
	float *likelihood, *forward, *backward, *stepped;
	double *p_step, *level;
	double ln_evidence, ln_none;
};

/* From the deviations within treads, which outliers lengthen by little; and from what is known. */
static double fit_sd(const struct staircase *stairs)
{
	double sum = 0, df = 0, nr = 0, within;

	for (size_t k = 0; k < stairs->nr; k++) {
		const struct tread *tread = &stairs->treads[k];
		double n = (double)tread->nr, mean = 0;

		for (size_t i = 0; i < tread->nr; i++) {
			mean += tread->values[i] / n;
		}
		for (size_t i = 0; i < tread->nr && tread->nr > 1; i++) {
			sum += fabs(tread->values[i] - mean) * sqrt(n / (n - 1));
		}
		nr += tread->nr > 1 ? n : 0;
		df += n - 1;
	}
	if (sum <= 0) {
		return stairs->sd;
	}
	within = sum / nr * sqrt(acos(-1) / 2);
	return sqrt((stairs->sd_df * stairs->sd * stairs->sd + df * within * within) /
		    (stairs->sd_df + df));
}

static void lay(const struct staircase *stairs, double sd, struct grid *ret_grid)
{
	double low = INFINITY, high = -INFINITY, middle = stairs->treads[0].values[0];
	double density = 1 / (2 * log(HIGHEST_STEP / stairs->smallest));

	for (size_t k = 0; k < stairs->nr; k++) {
		for (size_t i = 0; i < stairs->treads[k].nr; i++) {
			low = fmin(low, stairs->treads[k].values[i]);
			high = fmax(high, stairs->treads[k].values[i]);
		}
	}
	low = fmax(low, middle - WIDEST_RANGE / 2 * sd) - sd;
	high = fmin(high, middle + WIDEST_RANGE / 2 * sd) + sd;
	*ret_grid = (struct grid){ .low = low };
	ret_grid->width =
		fmax(fmin(0.25, stairs->smallest / 2) * sd, (high - low) / (MOST_LEVELS - 1));
	ret_grid->nr = (size_t)((high - low) / ret_grid->width) + 1;
	for (int i = 0; i <= NR_Z; i++) {
		double z = (double)i / Z_PER_SD, wide = z / OUTLIER_WIDTH;

		ret_grid->ln_of_z[i] = (float)log((1 - OUTLIERS) * exp(-z * z / 2) +
						  OUTLIERS / OUTLIER_WIDTH * exp(-wide * wide / 2));
	}
	for (int i = 1; i < MOST_LEVELS; i++) {
		/* a step on the grid stands for those around it, as far as they count */
		double least = fmax((i - 0.5) * ret_grid->width / sd, stairs->smallest);
		double most = fmin((i + 0.5) * ret_grid->width / sd, HIGHEST_STEP);
		double p = most > least ? density * log(most / least) : 0;

		ret_grid->kernel[MOST_LEVELS + i] = ret_grid->kernel[MOST_LEVELS - i] = (float)p;
	}
}

/* The likelihood of a tread by level, its greatest made 1; gives the logarithm of that. */
static double see(const struct tread *tread, const struct grid *grid, double sd, float *ret_l)
{
	float ln[MOST_LEVELS] = { 0 }, most = -INFINITY;

	for (size_t i = 0; i < tread->nr; i++) {
		float z = (float)((tread->values[i] - grid->low) / sd * Z_PER_SD);
		float step = (float)(grid->width / sd * Z_PER_SD);

		for (size_t g = 0; g < grid->nr; g++) {
			float at = fminf(fabsf(z - (float)g * step), NR_Z);

			ln[g] += grid->ln_of_z[(int)(at + 0.5F)];
		}
	}
	for (size_t g = 0; g < grid->nr; g++) {
		most = ln[g] > most ? ln[g] : most;
	}
	for (size_t g = 0; g < grid->nr; g++) {
		ret_l[g] = expf(ln[g] - most);
	}
	return (double)most - (double)tread->nr * log(sd);
}

static void spread(const struct grid *grid, const float *from, float *ret_to)
{
	memset(ret_to, 0, MOST_LEVELS * sizeof(float));
	for (size_t g = 0; g < grid->nr; g++) {
		const float *kernel = grid->kernel + MOST_LEVELS - g;

		if (from[g] < 1e-9F) {
			continue;
		}
		for (size_t to = 0; to < grid->nr; to++) {
			ret_to[to] += from[g] * kernel[to];
		}
	}
}

static double normalise(const struct grid *grid, float *levels)
{
	float sum = 0;

	for (size_t g = 0; g < grid->nr; g++) {
		sum += levels[g];
	}
	for (size_t g = 0; g < grid->nr; g++) {
		levels[g] /= sum;
	}
	return log((double)sum);
}

static void go_forward(const struct staircase *stairs, const struct grid *grid, double sd,
		       struct climb *climb)
{
	double ln_flat[MOST_LEVELS] = { 0 }, flat = 0, most = -INFINITY, ln_scale = 0, ln_stay = 0;

	climb->ln_evidence = -log((double)grid->nr);
	for (size_t k = 0; k < stairs->nr; k++) {
		float *l = climb->likelihood + k * MOST_LEVELS;
		float *now = climb->forward + k * MOST_LEVELS,
		      *jump = climb->stepped + k * MOST_LEVELS;
		float stay = (float)exp(-stairs->treads[k].expected);

		ln_scale += see(&stairs->treads[k], grid, sd, l);
		if (k > 0) {
			spread(grid, now - MOST_LEVELS, jump);
			ln_stay -= stairs->treads[k].expected;
		}
		for (size_t g = 0; g < grid->nr; g++) {
			jump[g] *= 1 - stay;
			now[g] = l[g] * (k > 0 ? stay * (now - MOST_LEVELS)[g] + jump[g] : 1);
			ln_flat[g] += log((double)l[g] + 1e-38);
		}
		climb->ln_evidence += normalise(grid, now);
	}
	for (size_t g = 0; g < grid->nr; g++) {
		most = fmax(most, ln_flat[g]);
	}
	for (size_t g = 0; g < grid->nr; g++) {
		flat += exp(ln_flat[g] - most);
	}
	climb->ln_evidence += ln_scale;
	climb->ln_none = ln_scale + ln_stay + most + log(flat) - log((double)grid->nr);
}

static void go_back(const struct staircase *stairs, const struct grid *grid, struct climb *climb)
{
	float seen[MOST_LEVELS], jump[MOST_LEVELS];

	for (size_t g = 0; g < grid->nr; g++) {
		(climb->backward + (stairs->nr - 1) * MOST_LEVELS)[g] = 1;
	}
	for (size_t k = stairs->nr; k-- > 0;) {
		const float *l = climb->likelihood + k * MOST_LEVELS;
		const float *before = climb->forward + (k > 0 ? k - 1 : 0) * MOST_LEVELS;
		const float *now = climb->forward + k * MOST_LEVELS;
		float *back = climb->backward + k * MOST_LEVELS;
		float stay = (float)exp(-stairs->treads[k].expected);
		double all = 0, stepped = 0, sum = 0, level = 0;

		for (size_t g = 0; g < grid->nr; g++) {
			double in = (double)(climb->stepped + k * MOST_LEVELS)[g] *
				    (double)(l[g] * back[g]);

			stepped += in;
			all += in + (double)(stay * before[g]) * (double)(l[g] * back[g]);
			sum += (double)now[g] * (double)back[g];
			level += (double)now[g] * (double)back[g] * (double)g;
			seen[g] = l[g] * back[g];
		}
		climb->p_step[k] = k > 0 ? stepped / all : 0;
		climb->level[k] = grid->low + grid->width * level / sum;
		if (k > 0) {
			spread(grid, seen, jump);
			for (size_t g = 0; g < grid->nr; g++) {
				(back - MOST_LEVELS)[g] = stay * seen[g] + (1 - stay) * jump[g];
			}
			normalise(grid, back - MOST_LEVELS);
		}
	}
}

static void begin_climb(struct climb *climb, size_t nr)
{
	*climb = (struct climb){ 0 };
	climb->likelihood = mem_array(nr * MOST_LEVELS, sizeof(float));
	climb->forward = mem_array(nr * MOST_LEVELS, sizeof(float));
	climb->backward = mem_array(nr * MOST_LEVELS, sizeof(float));
	climb->stepped = mem_array(nr * MOST_LEVELS, sizeof(float));
	climb->p_step = mem_array(nr, sizeof(double));
	climb->level = mem_array(nr, sizeof(double));
}

static void end_climb(struct climb *climb)
{
	free(climb->likelihood);
	free(climb->forward);
	free(climb->backward);
	free(climb->stepped);
	free(climb->p_step);
	free(climb->level);
}

void staircase_climb(struct staircase *stairs)
{
	struct climb climbs[NR_NOISES];
	struct grid grid;
	double most = -INFINITY, sum = 0, sd = fit_sd(stairs), df = stairs->sd_df;

	lay(stairs, sd, &grid);
	for (size_t i = 0; i < NR_NOISES; i++) {
		double noise = sd * exp(NOISE_STEP * ((double)i - (double)(NR_NOISES / 2)));
		double ratio = stairs->sd / noise;

		begin_climb(&climbs[i], stairs->nr);
		go_forward(stairs, &grid, noise, &climbs[i]);
		go_back(stairs, &grid, &climbs[i]);
		climbs[i].ln_none -= climbs[i].ln_evidence;
		climbs[i].ln_evidence += df * log(ratio) - df * ratio * ratio / 2;
		most = fmax(most, climbs[i].ln_evidence);
	}
	stairs->p_none = stairs->fitted_sd = 0;
	for (size_t k = 0; k < stairs->nr; k++) {
		stairs->treads[k].p_step = stairs->treads[k].level = 0;
	}
	for (size_t i = 0; i < NR_NOISES; i++) {
		sum += exp(climbs[i].ln_evidence - most);
	}
	for (size_t i = 0; i < NR_NOISES; i++) {
		double p = exp(climbs[i].ln_evidence - most) / sum;

		stairs->p_none += p * exp(climbs[i].ln_none);
		stairs->fitted_sd +=
			p * sd * exp(NOISE_STEP * ((double)i - (double)(NR_NOISES / 2)));
		for (size_t k = 0; k < stairs->nr; k++) {
			stairs->treads[k].p_step += p * climbs[i].p_step[k];
			stairs->treads[k].level += p * climbs[i].level[k];
		}
		end_climb(&climbs[i]);
	}
}
