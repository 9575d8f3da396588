/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fit.h"

#include <float.h>
#include <math.h>

#include "dist.h"
#include "summary.h"

/* The chance that history gives a spread from which a block counts as wild.  A comparison has a
 * hundred sides of blocks in ten metrics: one in a hundred comparisons repeats one for nothing. */
#define WILD_CHANCE 1e-4

/* So many values of one side have no need of compensated sums. */
#define PLAIN_MOST 64

struct block {
	uint32_t id;
	uint32_t build[2]; /* that the sides ran */
	size_t pair;       /* of builds, see find_pairs() */
	size_t nr[2];
	double mean[2];
	double squares[2]; /* of the distances from the mean; relative to it where the fit is */
	double weight;     /* the inverse variance of the difference of its means, in residuals */
	double effect;
};

/* Squared distances from the mean.  Plain sums are as good as compensated ones for a few values of
 * one size; what overflows is left to those who can. */
static double squares_of(const double *values, size_t nr, double *ret_mean)
{
	double sum = 0;
	double squares = 0;
	double mean;

	for (size_t i = 0; i < nr; i++) {
		sum += values[i];
	}
	mean = sum / (double)nr;
	for (size_t i = 0; i < nr; i++) {
		squares += (values[i] - mean) * (values[i] - mean);
	}
	if (nr > PLAIN_MOST || !isfinite(squares) || (squares < DBL_MIN && nr > 1)) {
		double sd = summary_population_sd(values, nr);

		mean = summary_mean(values, nr);
		squares = sd * sd * (double)nr;
	}
	*ret_mean = mean;
	return squares;
}

static void block_side(struct block *block, int side, const double *values, size_t nr)
{
	block->nr[side] = nr;
	block->squares[side] = squares_of(values, nr, &block->mean[side]);
}

static struct block block_of(const double *values, size_t nr_base, size_t nr_head, bool is_relative)
{
	struct block block = { 0 };

	block_side(&block, 0, values, nr_base);
	block_side(&block, 1, values + nr_base, nr_head);
	block.weight = (double)nr_base * (double)nr_head / (double)(nr_base + nr_head);
	block.effect = block.mean[1] - block.mean[0];
	if (is_relative) {
		block.squares[0] /= block.mean[0] * block.mean[0];
		block.squares[1] /= block.mean[1] * block.mean[1];
		block.effect = log(block.mean[1] / block.mean[0]);
	}
	return block;
}

static size_t find_blocks(const struct units *units, bool is_relative, struct block *ret_blocks)
{
	const struct unit *all = units->units.at;
	scoped(free) double *values = mem_array(units->units.nr, sizeof(*values));
	size_t nr_blocks = 0;

	for (size_t i = 0; i < units->units.nr;) {
		size_t nr[2] = { 0, 0 };
		size_t end = i;

		for (; end < units->units.nr && all[end].block == all[i].block; end++) {
			values[end] = all[end].value;
			nr[all[end].is_head]++;
		}
		ret_blocks[nr_blocks] = block_of(values + i, nr[0], nr[1], is_relative);
		ret_blocks[nr_blocks].id = all[i].block;
		ret_blocks[nr_blocks].build[0] = all[i].build;
		ret_blocks[nr_blocks++].build[1] = all[end - 1].build;
		i = end;
	}
	return nr_blocks;
}

/* The variance within a side of a block, and its degrees of freedom. */
struct within {
	double variance, df;
};

static struct within within_of(const struct block *block, int side)
{
	double df = (double)block->nr[side] - 1;

	return (struct within){ df > 0 ? block->squares[side] / df : 0, df };
}

static void find_widest(struct fit *fit, const struct block *blocks)
{
	for (size_t i = 0; i < 2 * fit->nr_blocks; i++) {
		struct within within = within_of(&blocks[i / 2], i % 2);

		if (within.variance > fit->widest) {
			fit->widest = within.variance;
			fit->widest_df = within.df;
		}
	}
}

static void find_effect(struct fit *fit, const struct block *blocks)
{
	double weight = 0;

	for (size_t i = 0; i < fit->nr_blocks; i++) {
		weight += blocks[i].weight;
	}
	for (size_t i = 0; i < fit->nr_blocks; i++) {
		for (int side = 0; side < 2; side++) {
			fit->nr[side] += blocks[i].nr[side];
			fit->level[side] += blocks[i].mean[side] * (blocks[i].weight / weight);
		}
	}
	fit->effect = fit->is_relative ? log(fit->level[1] / fit->level[0])
				       : fit->level[1] - fit->level[0];
}

static void find_sides(struct fit *fit, const struct block *blocks, double least)
{
	for (int side = 0; side < 2; side++) {
		double squares = 0;

		for (size_t i = 0; i < fit->nr_blocks; i++) {
			squares += blocks[i].squares[side];
		}
		fit->side_df[side] = (double)(fit->nr[side] - fit->nr_blocks);
		fit->side_variance[side] = fit->side_df[side] > 0
						   ? fmax(squares / fit->side_df[side], least)
						   : (double)NAN;
	}
}

static void find_spread_of_one(struct fit *fit, const struct block *block, double least)
{
	fit->df = fit->side_df[0] + fit->side_df[1];
	fit->variance = fmax((block->squares[0] + block->squares[1]) / fit->df, least);
	fit->parts = 1 / (double)block->nr[0] + 1 / (double)block->nr[1];
}

/* Two builds that were run against each other, in any number of blocks. */
struct pair {
	double weight;
	double effect; /* mean over its blocks */
};

struct pairs {
	VEC(struct pair) at;
};

static bool is_same_pair(const struct block *a, const struct block *b)
{
	return a->build[0] == b->build[0] && a->build[1] == b->build[1];
}

static void find_pairs(struct pairs *pairs, struct block *blocks, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t first = 0;

		while (!is_same_pair(&blocks[first], &blocks[i])) {
			first++;
		}
		if (first == i) {
			blocks[i].pair = pairs->at.nr;
			*vec_push(&pairs->at) = (struct pair){ 0 };
		}
		blocks[i].pair = blocks[first].pair;
		pairs->at.at[blocks[i].pair].weight += blocks[i].weight;
	}
	for (size_t i = 0; i < nr; i++) {
		struct pair *pair = &pairs->at.at[blocks[i].pair];

		pair->effect += blocks[i].effect * (blocks[i].weight / pair->weight);
	}
}

/* One-way analysis of variance; the effect of a pair varies with two builds. */
static void find_build_variance(struct fit *fit, const struct pairs *pairs)
{
	double weight = 0;
	double weight_squares = 0;
	double squares = 0;

	fit->build_df = (double)pairs->at.nr - 1;
	if (pairs->at.nr < 2) {
		return;
	}
	for (size_t i = 0; i < pairs->at.nr; i++) {
		const struct pair *pair = &pairs->at.at[i];
		double off = pair->effect - fit->effect;

		weight += pair->weight;
		weight_squares += pair->weight * pair->weight;
		squares += pair->weight * off * off;
	}
	weight = (weight - weight_squares / weight) / fit->build_df;
	fit->build_variance = fmax(squares / fit->build_df - fit->variance, 0) / (2 * weight);
}

/* A block's part in the effect is its weight times its level, so blocks at different levels have
 * unequal parts: the effect varies somewhat more than 1 / weights then. */
static void find_spread(struct fit *fit, struct block *blocks, double least)
{
	struct pairs pairs = { 0 };
	double squares = 0;
	double parts = 0;
	double spread = 0;

	find_pairs(&pairs, blocks, fit->nr_blocks);
	if (pairs.at.nr == 1) {
		pairs.at.at[0].effect = fit->effect; /* of the levels, which people see */
	}
	for (size_t i = 0; i < fit->nr_blocks; i++) {
		double off = blocks[i].effect - pairs.at.at[blocks[i].pair].effect;
		double part = blocks[i].weight * (fit->is_relative ? blocks[i].mean[0] : 1);

		squares +=
			blocks[i].squares[0] + blocks[i].squares[1] + blocks[i].weight * off * off;
		parts += part;
		spread += part * part / blocks[i].weight;
	}
	fit->df = (double)(fit->nr[0] + fit->nr[1] - fit->nr_blocks - pairs.at.nr);
	fit->variance = fmax(squares / fit->df, least);
	fit->parts = spread / (parts * parts);
	find_build_variance(fit, &pairs);
	vec_release(&pairs.at);
}

/* The distance of neighbouring decimals with which all values can be written, at most 1. */
static double resolution_of(const double *values, size_t nr)
{
	double scale = 1;

	for (size_t i = 0; i < nr && scale < 1e300;) {
		double scaled = values[i] * scale;

		if (fabs(scaled - round(scaled)) <= 4e-16 * fabs(scaled)) {
			i++;
		} else {
			scale *= 10;
		}
	}
	return 1 / scale;
}

double fit_rounding_variance(const double *values, size_t nr, bool is_relative)
{
	double sd = resolution_of(values, nr) / sqrt(12);
	double least = INFINITY;

	for (size_t i = 0; i < nr; i++) {
		least = fmin(least, values[i]);
	}
	return is_relative ? sd / least * (sd / least) : sd * sd;
}

static void find_raw(struct fit *fit, const struct units *units)
{
	scoped(free) double *values = mem_array(units->units.nr, sizeof(*values));

	for (int side = 0; side < 2; side++) {
		size_t nr = 0;
		double mean;

		for (size_t i = 0; i < units->units.nr; i++) {
			if (units->units.at[i].is_head == (side == 1)) {
				values[nr++] = units->units.at[i].value;
			}
		}
		fit->raw_sd[side] =
			nr < 2 ? (double)NAN : sqrt(squares_of(values, nr, &mean) / (double)nr);
	}
}

static int by_number(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* A build that both sides ran stands twice, side by side. */
static double find_build_parts(const struct units *units)
{
	const struct unit *all = units->units.at;
	size_t nr = units->units.nr;
	scoped(free) uint64_t *builds = mem_array(nr, sizeof(*builds));
	size_t nr_builds[2] = { 0, 0 };
	size_t nr_shared = 0;

	for (size_t i = 0; i < nr; i++) {
		builds[i] = (uint64_t)all[i].build << 1 | all[i].is_head;
	}
	qsort(builds, nr, sizeof(*builds), by_number);
	for (size_t i = 0; i < nr; i++) {
		if (i > 0 && builds[i] == builds[i - 1]) {
			continue;
		}
		nr_builds[builds[i] & 1]++;
		nr_shared += i > 0 && builds[i] >> 1 == builds[i - 1] >> 1;
	}
	if (builds[0] >> 1 != 0 && nr_shared == nr_builds[0] && nr_shared == nr_builds[1]) {
		return 0;
	}
	return 1 / (double)nr_builds[0] + 1 / (double)nr_builds[1];
}

static void look_through(struct fit *fit, const struct units *units)
{
	const struct unit *all = units->units.at;

	fit->is_relative = fit->is_flat = true;
	for (size_t i = 0; i < units->units.nr; i++) {
		fit->is_relative = fit->is_relative && all[i].value > 0;
		fit->is_flat = fit->is_flat && !(all[i].value < all[0].value) &&
			       !(all[i].value > all[0].value);
	}
	fit->build_parts = find_build_parts(units);
}

/* The units with every value replaced by its inverse. */
static void invert(const struct units *units, struct units *ret_inverse)
{
	*ret_inverse = *units;
	ret_inverse->units.at = mem_array(units->units.nr, sizeof(*units->units.at));
	for (size_t i = 0; i < units->units.nr; i++) {
		ret_inverse->units.at[i] = units->units.at[i];
		ret_inverse->units.at[i].value = 1 / units->units.at[i].value;
	}
}

static void fit_means(struct fit *fit, const struct units *units)
{
	scoped(free) struct block *blocks = mem_array(units->units.nr, sizeof(*blocks));
	scoped(free) double *values = mem_array(units->units.nr, sizeof(*values));
	double least;

	fit->nr_blocks = find_blocks(units, fit->is_relative, blocks);
	find_effect(fit, blocks);
	find_widest(fit, blocks);
	if (fit->nr[0] < 2 || fit->nr[1] < 2) {
		return;
	}
	for (size_t i = 0; i < units->units.nr; i++) {
		values[i] = units->units.at[i].value;
	}
	least = fit_rounding_variance(values, units->units.nr, fit->is_relative);
	find_sides(fit, blocks, least);
	if (fit->nr_blocks == 1) {
		find_spread_of_one(fit, blocks, least);
	} else {
		find_spread(fit, blocks, least);
	}
}

void fit_init(struct fit *fit, const struct units *units, enum judge_estimator estimator)
{
	struct units inverse;

	*fit = (struct fit){ .variance = NAN, .df = NAN, .parts = NAN };
	look_through(fit, units);
	find_raw(fit, units);
	if (estimator != JUDGE_HMEAN || !fit->is_relative) {
		fit_means(fit, units);
		return;
	}
	invert(units, &inverse);
	fit_means(fit, &inverse);
	free(inverse.units.at);
	fit->level[0] = 1 / fit->level[0];
	fit->level[1] = 1 / fit->level[1];
	fit->effect = -fit->effect;
}

/* wild blocks */

static bool is_wild(struct within within, double variance, double df)
{
	double ratio = within.variance / variance;

	return within.df > 0 && ratio > 1 &&
	       dist_beta(df / 2, within.df / 2, df / (df + within.df * ratio)) < WILD_CHANCE;
}

/* History, corrected by the median of what the blocks show today: the median does not see a few
 * wild ones among them.  It is that of a squared normal number, and as an estimate of a variance
 * worth some two fifths of its number of values. */
#define MEDIAN_WORTH  0.4
#define MEDIAN_SQUARE 0.455

static void correct_by_today(const struct block *blocks, size_t nr, double *variance, double *df)
{
	scoped(free) double *values = mem_array(2 * nr, sizeof(*values));
	size_t nr_values = 0;
	double weight;

	for (size_t i = 0; i < 2 * nr; i++) {
		struct within within = within_of(&blocks[i / 2], i % 2);

		if (within.df > 0) {
			values[nr_values++] = within.variance;
		}
	}
	summary_sort(values, nr_values);
	weight = MEDIAN_WORTH * (double)nr_values;
	*variance = (*df * *variance + weight * summary_median(values, nr_values) / MEDIAN_SQUARE) /
		    (*df + weight);
	*df += weight;
}

bool fit_may_be_wild(const struct fit *fit, double variance, double df)
{
	double most = df + MEDIAN_WORTH * 2 * (double)fit->nr_blocks;
	struct within widest = { fit->widest, fit->widest_df };

	return is_wild(widest, variance * df / most, most);
}

static void drop_block(struct units *units, uint32_t block)
{
	struct unit *all = units->units.at;
	size_t nr_kept = 0;

	for (size_t i = 0; i < units->units.nr; i++) {
		if (all[i].block != block) {
			all[nr_kept++] = all[i];
		}
	}
	units->units.nr = nr_kept;
}

size_t fit_drop_wild(struct units *units, double variance, double df)
{
	scoped(free) struct block *blocks = mem_array(units->units.nr, sizeof(*blocks));
	size_t nr = find_blocks(units, true, blocks);
	VEC(uint32_t) wild = { 0 };
	size_t nr_wild;

	correct_by_today(blocks, nr, &variance, &df);
	for (size_t i = 0; i < nr; i++) {
		if (is_wild(within_of(&blocks[i], 0), variance, df) ||
		    is_wild(within_of(&blocks[i], 1), variance, df)) {
			*vec_push(&wild) = blocks[i].id;
		}
	}
	nr_wild = wild.nr < nr ? wild.nr : 0;
	for (size_t i = 0; i < nr_wild; i++) {
		drop_block(units, wild.at[i]);
	}
	vec_release(&wild);
	return nr_wild;
}
