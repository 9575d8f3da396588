/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world.h - a make-believe machine whose truth is known, to count how often the judge is right.
 *
 * A benchmark of two parts, `compress` and `decompress`, each with a speed (time, noisy) and, if
 * the world has them, instructions (exact).  Blocks of two runs a side in an order drawn by lot;
 * a seed gives the same world again.
 *
 *	struct world world = { .seed = 1, .cv = 0.03, .change = -0.10, .has_exact = true };
 *	struct outcome outcome = world_judge(&world);   // plays the looks until judge_next() stops
 */
#ifndef BENCH_WORLD_H
#define BENCH_WORLD_H

#include "lib/base/base.h"

struct world {
	uint64_t seed;
	double cv;        /* between runs */
	double change;    /* of compress_speed by head; the true one */
	double more_work; /* of compress_instructions by head */
	double jump;      /* the machine's level jumps by this share once, for 1 to 12 runs */
	double memory;    /* correlation of neighbouring runs, 0..1 */
	double outliers;  /* share of runs that are off by +5 cv */
	bool has_exact;
	int nr_parts; /* speeds: 1 or more; the first is compress */
};

struct outcome {
	bool is_named; /* any headline metric is a regression or an improvement */
	bool is_right; /* compress_speed is, in the true direction, and nothing else is named */
	int look;      /* at which it ended */
};

struct outcome world_judge(const struct world *world);

/* Judges the first `nr_blocks` (1 to 6) at once, as the one look at a number fixed before. */
struct outcome world_judge_once(const struct world *world, size_t nr_blocks);

#endif
