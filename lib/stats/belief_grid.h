/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * belief_grid.h - levels, steps and noises on grids, and how one run moves a level.
 *
 * Internal to lib/stats; belief.h tells what for.
 */
#ifndef STATS_BELIEF_GRID_H
#define STATS_BELIEF_GRID_H

#include "belief.h"

/* A level with a step on it may lie a whole grid below or above. */
#define BELIEF_SIGHT (3 * BELIEF_GRID)

struct belief_steps {
	size_t nr;
	struct {
		int16_t step;
		double ln_prior;
	} at[2 * BELIEF_GRID];
};

/* A run, or the boot it belongs to, by level. */
struct belief_sight {
	float likelihood[BELIEF_SIGHT];
	double ln_scale;
	bool is_start; /* the level may have jumped before */
};

struct belief_move {
	int shift;     /* of this run against the base, in widths */
	int step;      /* of the hypothesis */
	bool is_first; /* of its machine */
};

/* Finds levels, steps and noises that fit the runs so far. */
void belief_grid_lay(struct belief *belief);
/* Do runs, the last of which is this one, ask for another grid? */
bool belief_grid_is_outgrown(const struct belief *belief, const struct bisect_run *run);

/* The steps that fit the grid, with the logarithm of their prior. */
void belief_steps(const struct belief *belief, struct belief_steps *ret_steps);

/* The likelihood of a run, or of its boot up to it, by level; the machine keeps the boot's. */
void belief_sight(struct belief *belief, const struct bisect_run *run, size_t noise,
		  bool is_new_boot, struct belief_sight *ret_sight);

/* Moves the level; gives the change of the logarithm of the evidence. */
double belief_follow(const struct belief *belief, struct belief_chain *chain,
		     const struct belief_sight *sight, const struct belief_move *move);

#endif
