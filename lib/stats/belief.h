/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * belief.h - what the runs so far say about one step in a history of commits.
 *
 * Internal to lib/stats; bisect.h tells what for.  A hypothesis is: the culprit is in this class of
 * commits, the step is so high, a run deviates by so much and a boot by so much of that.  Commits
 * which no run has told apart are one class, so a thousand commits need no more classes than were
 * run.  For each hypothesis the level of each machine is followed in time on a grid: it stays, or
 * now and then jumps to anywhere.  So a machine that drifts is a hypothesis like any other, and not
 * taken for a culprit.  docs/statistics.md has the formulas.
 *
 *	struct belief *belief = belief_new(&options);
 *	belief_add(belief, &run);
 *	belief->classes.at[k].p, belief->p_none
 */
#ifndef STATS_BELIEF_H
#define STATS_BELIEF_H

#include "bisect.h"
#include "lib/base/mem.h"

#define BELIEF_GRID 64 /* levels; a multiple of what a vector register holds */

/* Culprits that no run has told apart: members order[first] to order[first + nr - 1], ascending. */
struct belief_class {
	size_t first, nr;
	double weight; /* of the prior, all classes together 1 */
	double p;
};

/* How runs scatter. */
struct belief_noise {
	double sd;
	double share; /* variance between boots over sd^2 */
	double ln_prior;
};

/* A level in time. */
struct belief_chain {
	double ln_boot; /* evidence of the running boot */
	float now[BELIEF_GRID], start[BELIEF_GRID];
};

struct belief_hypothesis {
	double ln_p;
	struct belief_chain *chains; /* one a machine */
	int32_t class;               /* -1: nothing changed */
	int16_t step;                /* in widths of the grid */
	uint16_t noise;
};

/* What a machine runs at present; what its boot has shown is kept by noise. */
struct belief_machine {
	size_t nr_runs, commit;
	uint64_t boot;
	size_t nr_boot; /* runs of this boot */
	double low;     /* first level of its grid */
	float *boot_ln; /* [noise][3 * BELIEF_GRID]: the likelihood of this boot's level */
};

struct belief {
	struct bisect_options options; /* weights are our own copy, of sum 1 */
	double *weights, *sums;        /* by commit; sums[i] = weights[0] + .. + weights[i] */
	size_t nr_machines;
	VEC(struct bisect_run) runs;

	size_t *order;
	bool *is_split, *is_skipped; /* by commit */
	uint32_t *nr_of;             /* runs, by commit */
	VEC(struct belief_class) classes;
	double p_none;
	double ln_evidence; /* density of the values, all hypotheses together */

	double width; /* of the grid */
	double sd;    /* expected, at the last laying out */
	size_t next_layout;
	VEC(struct belief_noise) noises;
	VEC(struct belief_hypothesis) hypotheses;
	struct belief_machine machines[BISECT_MOST_MACHINES];
};

/* Before any run; copies what `options` points to, but for graph. */
struct belief *belief_new(const struct bisect_options *options);
struct belief *belief_free(struct belief *belief);

/* Moves every hypothesis by one run; now and then all runs are gone through again. */
void belief_add(struct belief *belief, const struct bisect_run *run);

/* Tells the classes apart that a run of `commit` would. */
void belief_split(struct belief *belief, size_t commit);

/* Would a run of `commit` have the culprit in it? */
bool belief_holds(const struct belief *belief, size_t commit, size_t culprit);

/* The share of a class, by prior weight, that a tree of `commit` holds. */
double belief_share(const struct belief *belief, const struct belief_class *class, size_t commit);

/* Where the level of a machine is expected at its next run, of a commit without (`ret_before`) and
 * with (`ret_after`) the culprit, by class, and if nothing changed: distributions on the grid, each
 * of sum 1.  Rooms are of [classes.nr][BELIEF_GRID] and [BELIEF_GRID]. */
struct belief_levels {
	float *before, *after, *none;
};
void belief_levels(const struct belief *belief, size_t machine,
		   const struct belief_levels *ret_levels);

/* Expected values of a change, on machine 0's scale; NAN where it has not run. */
struct belief_fit {
	double before, after, step_sd;
	double size; /* |step| */
	double p_worse, sd, share;
};
struct belief_fit belief_fit(const struct belief *belief);

#endif
