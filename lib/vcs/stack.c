/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include "stack.h"

#include "header.h"

struct link {
	git_oid oid;
	bool is_merge;
};

struct chain {
	VEC(struct link) links; /* newest first: the tip and its first parents */
	bool has_base;          /* the base is the parent of the last link */
};

static void chain_release(struct chain *chain)
{
	vec_release(&chain->links);
}
DEFINE_SCOPED_EMBEDDED(chain_release, struct chain)

/* Follows first parents until the base is reached, the history ends, or there is a link more than
 * the limit. */
static bool chain_read(struct vcs *vcs, const git_oid *base, const git_oid *tip, size_t limit,
		       struct chain *chain, struct err *err)
{
	git_oid at = *tip;

	while (chain->links.nr <= limit && !git_oid_equal(&at, base)) {
		struct commit_links commit;

		if (!commit_links_read(vcs, &at, &commit, err)) {
			return false;
		}
		*vec_push(&chain->links) = (struct link){ at, commit.nr_parents > 1 };
		if (commit.nr_parents == 0) {
			return true;
		}
		at = commit.parents[0];
	}
	chain->has_base = git_oid_equal(&at, base);
	return true;
}

/* How many of the links the base branch does not hold, where their merge base is not among them:
 * the base was merged into the branch.  What stands below a held commit is held too, so halving
 * finds the border. */
static bool count_by_halving(struct vcs *vcs, const git_oid *base, const struct chain *chain,
			     size_t *ret_nr, struct err *err)
{
	size_t low = 0;
	size_t high = chain->links.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int answer = git_graph_descendant_of(vcs->repo, base, &chain->links.at[middle].oid);

		if (answer < 0) {
			return vcs_fail(err, answer, "search the fork");
		}
		if (answer > 0) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	*ret_nr = low;
	return true;
}

static bool count_own(struct vcs *vcs, const git_oid *base, const git_oid *merge_base,
		      const struct chain *chain, size_t *ret_nr, struct err *err)
{
	for (size_t i = 0; i < chain->links.nr; i++) {
		if (git_oid_equal(&chain->links.at[i].oid, merge_base)) {
			*ret_nr = i;
			return true;
		}
	}
	return count_by_halving(vcs, base, chain, ret_nr, err);
}

/* The first `nr` links, oldest first, at most `limit` of them. */
static void copy_steps(const struct chain *chain, size_t nr, size_t limit, struct arena *arena,
		       struct vcs_stack *stack)
{
	stack->is_cut = nr > limit;
	stack->nr_steps = stack->is_cut ? limit : nr;
	stack->steps = arena_array(arena, stack->nr_steps, sizeof(*stack->steps));
	for (size_t i = 0; i < stack->nr_steps; i++) {
		const struct link *link = &chain->links.at[stack->nr_steps - 1 - i];

		vcs_id_from(&stack->steps[i].id, &link->oid);
		stack->steps[i].is_merge = link->is_merge;
		stack->has_merges |= link->is_merge;
	}
}

static bool read_stack(struct vcs *vcs, const git_oid *base, const git_oid *tip, size_t limit,
		       struct arena *arena, struct vcs_stack *stack, struct err *err)
{
	scoped(chain_release) struct chain chain = { 0 };
	git_oid fork = *base;
	size_t nr_own;

	if (!chain_read(vcs, base, tip, limit, &chain, err)) {
		return false;
	}
	nr_own = chain.links.nr;
	if (!chain.has_base) {
		int code = git_merge_base(&fork, vcs->repo, base, tip);

		if (code == GIT_ENOTFOUND) {
			git_error_clear();
			stack->is_unrelated = true;
			return true;
		}
		if (code != 0) {
			return vcs_fail(err, code, "find the merge base");
		}
		if (!count_own(vcs, base, &fork, &chain, &nr_own, err)) {
			return false;
		}
	}
	if (nr_own < chain.links.nr) {
		fork = chain.links.at[nr_own].oid;
	}
	vcs_id_from(&stack->fork, &fork);
	copy_steps(&chain, nr_own, limit, arena, stack);
	return true;
}

bool vcs_stack_read(struct vcs *vcs, const struct vcs_id *base, const struct vcs_id *tip,
		    size_t limit, struct arena *arena, struct vcs_stack *ret_stack, struct err *err)
{
	struct vcs_stack stack = { 0 };
	struct commit_links links;
	git_oid base_oid;
	git_oid tip_oid;

	vcs_id_to(base, &base_oid);
	vcs_id_to(tip, &tip_oid);
	if (!commit_links_read(vcs, &base_oid, &links, err) ||
	    !read_stack(vcs, &base_oid, &tip_oid, limit, arena, &stack, err)) {
		return err_wrap(err, "stack of '%.12s' on '%.12s'", tip->text, base->text);
	}
	*ret_stack = stack;
	return true;
}
