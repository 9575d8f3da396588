/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fit.h"

#include <math.h>

#include "summary.h"

struct block {
	size_t nr[2];
	double mean[2];
	double squares[2]; /* of the distances from the mean; relative to it where the fit is */
	double weight;     /* the inverse variance of the difference of its means, in residuals */
	double effect;
};

static void block_side(struct block *block, int side, const double *values, size_t nr)
{
	double sd = summary_population_sd(values, nr);

	block->nr[side] = nr;
	block->mean[side] = summary_mean(values, nr);
	block->squares[side] = sd * sd * (double)nr;
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
		ret_blocks[nr_blocks++] = block_of(values + i, nr[0], nr[1], is_relative);
		i = end;
	}
	return nr_blocks;
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

/* Welch and Satterthwaite. */
static void find_spread_of_one(struct fit *fit, const struct block *block, double least)
{
	double spread[2];
	double free_df[2];

	for (int side = 0; side < 2; side++) {
		double nr = (double)block->nr[side];

		free_df[side] = nr - 1;
		spread[side] = fmax(block->squares[side] / free_df[side], least) / nr;
	}
	fit->se = sqrt(spread[0] + spread[1]);
	fit->df = (spread[0] + spread[1]) * (spread[0] + spread[1]) /
		  (spread[0] * spread[0] / free_df[0] + spread[1] * spread[1] / free_df[1]);
	fit->sd = sqrt(
		fmax((block->squares[0] + block->squares[1]) / (free_df[0] + free_df[1]), least));
}

/* A block's part in the effect is its weight times its level, so blocks at different levels have
 * unequal parts: se is somewhat above sd / sqrt(weights) then. */
static void find_spread(struct fit *fit, const struct block *blocks, double least)
{
	double squares = 0;
	double parts = 0;
	double spread = 0;

	for (size_t i = 0; i < fit->nr_blocks; i++) {
		double off = blocks[i].effect - fit->effect;
		double part = blocks[i].weight * (fit->is_relative ? blocks[i].mean[0] : 1);

		squares +=
			blocks[i].squares[0] + blocks[i].squares[1] + blocks[i].weight * off * off;
		parts += part;
		spread += part * part / blocks[i].weight;
	}
	fit->df = (double)(fit->nr[0] + fit->nr[1] - fit->nr_blocks - 1);
	fit->sd = sqrt(fmax(squares / fit->df, least));
	fit->se = fit->sd * sqrt(spread) / parts;
}

/* The distance of neighbouring decimals with which all values can be written, at most 1. */
static double resolution_of(const struct units *units)
{
	double scale = 1;

	for (size_t i = 0; i < units->units.nr && scale < 1e300;) {
		double scaled = units->units.at[i].value * scale;

		if (fabs(scaled - round(scaled)) <= 4e-16 * fabs(scaled)) {
			i++;
		} else {
			scale *= 10;
		}
	}
	return 1 / scale;
}

/* Values that do not vary have been rounded: what is spread evenly over the last decimal place has
 * the variance 1/12 of its square. */
static double rounding_variance(const struct units *units, bool is_relative)
{
	double sd = resolution_of(units) / sqrt(12);
	double least = INFINITY;

	for (size_t i = 0; i < units->units.nr; i++) {
		least = fmin(least, units->units.at[i].value);
	}
	return is_relative ? sd / least * (sd / least) : sd * sd;
}

static void find_raw(struct fit *fit, const struct units *units)
{
	scoped(free) double *values = mem_array(units->units.nr, sizeof(*values));

	for (int side = 0; side < 2; side++) {
		size_t nr = 0;

		for (size_t i = 0; i < units->units.nr; i++) {
			if (units->units.at[i].is_head == (side == 1)) {
				values[nr++] = units->units.at[i].value;
			}
		}
		fit->raw_sd[side] = nr < 2 ? (double)NAN : summary_population_sd(values, nr);
	}
}

void fit_init(struct fit *fit, const struct units *units, double least_variance)
{
	scoped(free) struct block *blocks = mem_array(units->units.nr, sizeof(*blocks));
	const struct unit *all = units->units.at;
	double least;

	*fit = (struct fit){
		.is_relative = true, .is_flat = true, .se = NAN, .df = NAN, .sd = NAN
	};
	for (size_t i = 0; i < units->units.nr; i++) {
		fit->is_relative = fit->is_relative && all[i].value > 0;
		fit->is_flat = fit->is_flat && !(all[i].value < all[0].value) &&
			       !(all[i].value > all[0].value);
	}
	fit->nr_blocks = find_blocks(units, fit->is_relative, blocks);
	find_effect(fit, blocks);
	find_raw(fit, units);
	if (fit->nr[0] < 2 || fit->nr[1] < 2) {
		return;
	}
	least = fmax(rounding_variance(units, fit->is_relative),
		     fit->is_relative ? least_variance : 0);
	if (fit->nr_blocks == 1) {
		find_spread_of_one(fit, blocks, least);
	} else {
		find_spread(fit, blocks, least);
	}
}
