/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "block.h"

#include <float.h>
#include <math.h>

#include "summary.h"

/* So many values of one side have no need of compensated sums. */
#define PLAIN_MOST 64

/* Plain sums are as good as compensated ones for a few values of one size; what overflows is left
 * to those who can. */
double block_squares(const double *values, size_t nr, double *ret_mean)
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
	block->squares[side] = block_squares(values, nr, &block->mean[side]);
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

/* How many units from `first` on share its block. */
static size_t block_size(const struct units *units, size_t first)
{
	const struct unit *all = units->units.at;
	size_t end = first + 1;

	while (end < units->units.nr && all[end].block == all[first].block) {
		end++;
	}
	return end - first;
}

size_t blocks_count(const struct units *units)
{
	size_t nr_blocks = 0;

	for (size_t i = 0; i < units->units.nr; i += block_size(units, i)) {
		nr_blocks++;
	}
	return nr_blocks;
}

void blocks_find(const struct units *units, const double *values, bool is_relative,
		 struct block *ret_blocks)
{
	const struct unit *all = units->units.at;

	for (size_t i = 0, size; i < units->units.nr; i += size, ret_blocks++) {
		size_t nr_head = 0;

		size = block_size(units, i);
		for (size_t j = i; j < i + size; j++) {
			nr_head += all[j].is_head;
		}
		*ret_blocks = block_of(values + i, size - nr_head, nr_head, is_relative);
		ret_blocks->id = all[i].block;
		ret_blocks->build[0] = all[i].build;
		ret_blocks->build[1] = all[i + size - 1].build;
	}
}

struct within block_within(const struct block *block, int side)
{
	double df = (double)block->nr[side] - 1;

	return (struct within){ df > 0 ? block->squares[side] / df : 0, df };
}
