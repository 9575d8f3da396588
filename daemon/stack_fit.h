/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_fit.h - all commits of a stack on one cell, from one joint fit of all their comparisons.
 *
 * What lib/stats/joint.h says of a stack is made of the samples each time that somebody asks: it is
 * stored nowhere, so it never is older than its samples.
 *
 *	if (!stack_fit_load(db, cell, &stack, 1, &fit, err))
 *		return false;
 *	view = stack_fit_view(fit);	// base, patch 1, ..., tip: against base and against parent
 *
 * Two versions of a stack are one fit too: what they share is one commit in it.
 */
#ifndef DAEMON_STACK_FIT_H
#define DAEMON_STACK_FIT_H

#include "comparison.h"
#include "lib/stats/joint.h"

struct stack_fit_commit {
	const char *oid;
	const char *subject;
	int64_t position;   /* in the stack; 0 is the base */
	int64_t comparison; /* with its parent; 0: there is none */
	size_t parent;      /* index of the commit before it that was built */
	size_t node;        /* of the fit: commits of one binary share it */
	const char *reason; /* why nothing was measured */
};

struct stack_fit_stack {
	int64_t id;
	size_t nr_commits;
	struct stack_fit_commit *commits; /* the base first */
};

#define STACK_FIT_STACKS 2

struct stack_fit {
	struct arena *arena;
	struct comparison *any; /* one of those fitted: what is measured, and how; NULL: none is */
	struct stack_fit_stack stacks[STACK_FIT_STACKS];
	size_t nr_stacks;
	size_t nr_nodes;      /* different commits */
	struct joint *joints; /* one a metric of `any` */
	int look;             /* the highest of all comparisons */
};

/* Blocks; as db_query.  At most STACK_FIT_STACKS.  A stack without such a cell or any sample gives
 * a fit of nothing. */
MUST_CHECK bool stack_fit_load(struct db *db, int64_t cell, const int64_t *stacks, size_t nr_stacks,
			       struct stack_fit **ret_fit, struct err *err);
struct stack_fit *stack_fit_free(struct stack_fit *fit);
DEFINE_SCOPED(stack_fit_free, struct stack_fit *)

/* The document of lib/report/view.h with a column a commit of the first stack, and `steps`; the
 * caller owns it. */
struct view *stack_fit_view(const struct stack_fit *fit);

/* Of two stacks, the older version first: a column a version, a row a headline metric and patch,
 * those of the same subject side by side, and one of the whole.  Values are what a patch does to
 * its parent, in percent; the change is how much more it does now: where no commit is shared, the
 * difference of two differences. */
struct view *stack_fit_versions(const struct stack_fit *fit, const char *const names[2]);

/* What its verdicts are judged by. */
struct judge_options stack_fit_options(const struct stack_fit *fit);

/* The next commit of the first stack whose headline metric goes up at it and down at the commit
 * after it, or the other way round; 0: there is none.  *ret_after, that commit after it, lies
 * behind index `from`. */
size_t stack_fit_up_and_down(const struct stack_fit *fit, size_t from, size_t *ret_after);

#endif
