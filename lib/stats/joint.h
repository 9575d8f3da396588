/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * joint.h - a stack is one fit: every commit's level from all blocks of all comparisons at once.
 *
 *	scoped(joint_release) struct joint joint;
 *	joint_init(&joint, nr_commits);                // 0 is the base
 *	joint_add_metric(&joint, metric, 0, 1);        // a comparison of commits 0 and 1
 *	joint_add_metric(&joint, metric, 1, 2);
 *	joint_fit(&joint, prior);
 *	change = joint_contrast(&joint, (struct joint_pair){ 0, 2 });
 *
 * A value is the level of its commit, the level of its block, and noise.  Blocks hold runs of some
 * commits only; what ties the others together is the graph whose edges are blocks.  Commits that no
 * chain of blocks ties together cannot be compared, and are told as such.  An effect that differs
 * between blocks counts as noise, as in fit.h, with which two commits agree.
 *
 * Levels are of logarithms where every value is above zero, else of the values as they are.
 */
#ifndef STATS_JOINT_H
#define STATS_JOINT_H

#include "moderate.h"

#define JOINT_MAX_COMMITS 258 /* two versions of 128 patches, and their bases */

struct joint_unit {
	size_t commit;
	uint32_t block;
	uint32_t build; /* 0: unknown */
	double value;
};

struct joint_pair {
	size_t base, head;
};

struct joint {
	VEC(struct joint_unit) units; /* once fitted: as the levels, without that of their block */
	size_t nr_commits;

	/* by joint_fit() */
	bool is_relative;
	size_t nr_blocks;
	double variance, df; /* residual, of a unit in its block; NAN without degrees of freedom */
	struct prior known;  /* that and the prior together */
	size_t *root;        /* of each commit: the first one that it is tied to */
	double *middle;      /* of each root: its level in the middle of all its blocks */
	double *level;       /* relative to the root's */
	double *covariance;  /* of levels, nr_commits squared, in units of the variance */
};

/* An effect as head - base on the scale of the levels; all NAN where the two are not tied. */
struct joint_effect {
	double effect, se, df;
};

/* nr_commits within 1..JOINT_MAX_COMMITS. */
void joint_init(struct joint *joint, size_t nr_commits);
void joint_release(struct joint *joint);
DEFINE_SCOPED_EMBEDDED(joint_release, struct joint)

/* Adds one value; the order in which they come is of no matter. */
void joint_add(struct joint *joint, struct joint_unit unit);

/* Adds the boots of a comparison: what judge() would compare, with its history. */
void joint_add_metric(struct joint *joint, const struct judge_metric *metric,
		      struct joint_pair pair);

/* Once, when all is added.  prior.df 0: nothing is known before. */
void joint_fit(struct joint *joint, struct prior prior);

/* Whether a chain of blocks leads from one to the other. */
bool is_joint_tied(const struct joint *joint, struct joint_pair pair);

/* How far head is from base, by every block that says something of it. */
struct joint_effect joint_contrast(const struct joint *joint, struct joint_pair pair);

/* The covariance of two contrasts; of one with itself it is se squared.  NAN: not tied. */
double joint_covariance(const struct joint *joint, struct joint_pair a, struct joint_pair b);

/* A commit's values: how many, their level in the middle of all blocks, and their deviation from it
 * when each block's own level is taken out. */
struct judge_side joint_side(const struct joint *joint, size_t commit);

/* A contrast in the form that measure_fit() tests, without the prior. */
struct fit joint_fit_of(const struct joint *joint, struct joint_pair pair);

/* The same of how much one contrast is above another one, which may share commits or blocks with it
 * or have nothing in common but the noise. */
struct fit joint_fit_between(const struct joint *joint, struct joint_pair base,
			     struct joint_pair head);

/* What judge() says of two commits, for all metrics of one benchmark together; each has its joint
 * fit.  Medians are fitted by means.  `nr_contrasts` is how many such pairs stand in one table,
 * which all share its chance of an error. */
struct joint_set {
	const struct joint *joints;
	const struct judge_metric *metrics;
	size_t nr;
	size_t nr_contrasts;
};
void joint_judge(const struct joint_set *set, struct joint_pair pair,
		 const struct judge_options *options, struct judge_verdict *ret_verdicts);
/* The same of joint_fit_between(): how much the second pair differs more than the first. */
void joint_judge_between(const struct joint_set *set, const struct joint_pair pairs[2],
			 const struct judge_options *options, struct judge_verdict *ret_verdicts);

/* Whether a commit's level stands out from both neighbours', which are alike: bad luck of its runs
 * shows so, and rarely does its work, which the next commit would have to undo.  Each step has a p
 * of at most one per cent, and what is left of both is less than half of either. */
bool joint_goes_up_and_down(const struct joint *joint, size_t before, size_t commit, size_t after);

#endif
