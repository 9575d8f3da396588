/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fit.h"

#include <math.h>

#include "block.h"
#include "dist.h"
#include "summary.h"

/* The chance that history gives a spread from which a block counts as wild.  A comparison has a
 * hundred sides of blocks in ten metrics: one in a hundred comparisons repeats one for nothing. */
#define WILD_CHANCE 1e-4

static void find_widest(struct fit *fit, const struct block *blocks)
{
	for (size_t i = 0; i < 2 * fit->nr_blocks; i++) {
		struct within within = block_within(&blocks[i / 2], i % 2);

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

/* The nearest whole number, as rint() has it, without a call; larger ones than this are whole. */
#define WHOLE_FROM 0x1p51

static double whole_of(double value)
{
	double size = fabs(value);

	return size < WHOLE_FROM ? copysign(size + 2 * WHOLE_FROM - 2 * WHOLE_FROM, value) : value;
}

/* The distance of neighbouring decimals with which all values can be written, at most 1. */
static double resolution_of(const double *values, size_t nr)
{
	double scale = 1;

	for (size_t i = 0; i < nr && scale < 1e300;) {
		double scaled = values[i] * scale;

		if (fabs(scaled - whole_of(scaled)) <= 4e-16 * fabs(scaled)) {
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

/* `room`: for as many numbers as there are units. */
static void find_raw(struct fit *fit, const struct units *units, double *room)
{
	for (int side = 0; side < 2; side++) {
		size_t nr = 0;
		double mean;

		for (size_t i = 0; i < units->units.nr; i++) {
			if (units->units.at[i].is_head == (side == 1)) {
				room[nr++] = units->units.at[i].value;
			}
		}
		fit->raw_sd[side] =
			nr < 2 ? (double)NAN : sqrt(block_squares(room, nr, &mean) / (double)nr);
	}
}

static int by_number(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Whether each side ran one build. */
static bool has_one_pair(const struct units *units, uint32_t builds[2])
{
	bool is_known[2] = { false, false };

	for (size_t i = 0; i < units->units.nr; i++) {
		const struct unit *unit = &units->units.at[i];

		if (is_known[unit->is_head] && builds[unit->is_head] != unit->build) {
			return false;
		}
		is_known[unit->is_head] = true;
		builds[unit->is_head] = unit->build;
	}
	return true;
}

/* A build that both sides ran stands twice, side by side. */
static double find_build_parts(const struct units *units)
{
	const struct unit *all = units->units.at;
	size_t nr = units->units.nr;
	scoped(free) uint64_t *builds = NULL;
	uint32_t pair[2] = { 0, 0 };
	size_t nr_builds[2] = { 0, 0 };
	size_t nr_shared = 0;

	if (has_one_pair(units, pair)) {
		return pair[0] != 0 && pair[0] == pair[1] ? 0 : 2;
	}
	builds = mem_array(nr, sizeof(*builds));
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

/* Most comparisons are small, and then there is nothing to allocate. */
#define FEW_UNITS  32
#define FEW_BLOCKS 8

static void fit_means(struct fit *fit, const struct units *units, const double *values)
{
	struct block few[FEW_BLOCKS];
	scoped(free) struct block *many = NULL;
	struct block *blocks = few;
	double least;

	fit->nr_blocks = blocks_count(units);
	if (fit->nr_blocks > FEW_BLOCKS) {
		blocks = many = mem_array(fit->nr_blocks, sizeof(*many));
	}
	blocks_find(units, values, fit->is_relative, blocks);
	find_effect(fit, blocks);
	find_widest(fit, blocks);
	if (fit->nr[0] < 2 || fit->nr[1] < 2) {
		return;
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
	double few[FEW_UNITS];
	scoped(free) double *many = NULL;
	double *values = few;

	if (units->units.nr > FEW_UNITS) {
		values = many = mem_array(units->units.nr, sizeof(*many));
	}
	*fit = (struct fit){ .variance = NAN, .df = NAN, .parts = NAN };
	look_through(fit, units);
	find_raw(fit, units, values);
	for (size_t i = 0; i < units->units.nr; i++) {
		values[i] = units->units.at[i].value;
	}
	if (estimator != JUDGE_HMEAN || !fit->is_relative) {
		fit_means(fit, units, values);
		return;
	}
	for (size_t i = 0; i < units->units.nr; i++) {
		values[i] = 1 / values[i];
	}
	fit_means(fit, units, values);
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
		struct within within = block_within(&blocks[i / 2], i % 2);

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
	size_t nr = blocks_count(units);
	scoped(free) struct block *blocks = mem_array(nr, sizeof(*blocks));
	scoped(free) double *values = mem_array(units->units.nr, sizeof(*values));
	VEC(uint32_t) wild = { 0 };
	size_t nr_wild;

	for (size_t i = 0; i < units->units.nr; i++) {
		values[i] = units->units.at[i].value;
	}
	blocks_find(units, values, true, blocks);
	correct_by_today(blocks, nr, &variance, &df);
	for (size_t i = 0; i < nr; i++) {
		if (is_wild(block_within(&blocks[i], 0), variance, df) ||
		    is_wild(block_within(&blocks[i], 1), variance, df)) {
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
