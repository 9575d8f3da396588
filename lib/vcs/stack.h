/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.h - the commits that a branch has on top of its base.
 *
 *	struct vcs_stack stack;
 *	if (!vcs_stack_read(vcs, &base, &tip, 128, arena, &stack, err))
 *		return false;
 *	if (stack.is_cut)
 *		...                       // more than 128: not a patch stack
 *
 * It follows first parents only, so a merge is one step.  The walk ends at the first commit that
 * the base branch holds too, and costs what the stack is long, not what the history is long.
 */
#ifndef VCS_STACK_H
#define VCS_STACK_H

#include "vcs.h"

struct vcs_step {
	struct vcs_id id;
	bool is_merge;
};

struct vcs_stack {
	bool is_unrelated;      /* base and tip share no commit; then the rest is empty */
	struct vcs_id fork;     /* the newest commit that both share: what the stack stands on */
	struct vcs_step *steps; /* oldest first, the last is the tip */
	size_t nr_steps;        /* 0 where the base holds the tip */
	bool is_cut;            /* the stack is longer than the limit; steps are its newest ones */
	bool has_merges;
};

/* Lives in the arena.  Blocks on the disk: 1 ms for ten patches on 200,000 commits; where the
 * base has moved on since the fork, also 5 us for each commit that it moved.  ERR_ABSENT: a commit
 * is not here; ERR_INPUT: malformed; ERR_BROKEN. */
MUST_CHECK bool vcs_stack_read(struct vcs *vcs, const struct vcs_id *base, const struct vcs_id *tip,
			       size_t limit, struct arena *arena, struct vcs_stack *ret_stack,
			       struct err *err);

#endif
