/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "range.h"

#include "lib/text/width.h"
#include "lib/vcs/commit.h"
#include "lib/vcs/history.h"

#define MOST_CELLS 100

/* The parents that are in the range, as numbers; an older one is 0. */
static size_t parents_of(const struct range *range, const struct vcs_commit *commit,
			 size_t parents[VCS_PARENTS_KEPT])
{
	size_t nr = 0;

	for (size_t i = 0; i < commit->nr_parents && i < VCS_PARENTS_KEPT; i++) {
		size_t parent = range_find(range, commit->parents[i].text);

		parents[nr++] = parent == SIZE_MAX ? 0 : parent;
	}
	return nr;
}

/* For lines of a table. */
static const char *shorten(struct arena *arena, const char *text)
{
	size_t length = width_cut(text, MOST_CELLS);

	return text[length] ? arena_printf(arena, "%.*s...", (int)length, text) : text;
}

static bool read_commit(struct range *range, struct vcs *vcs, size_t number, struct vcs_id *trees,
			bool *is_line, struct err *err)
{
	struct range_commit *at = &range->at[number];
	struct vcs_commit commit;
	size_t parents[VCS_PARENTS_KEPT] = { 0 };
	size_t nr;

	if (!vcs_commit_read(vcs, &at->id, range->arena, &commit, err)) {
		return false;
	}
	nr = parents_of(range, &commit, parents);
	at->subject = shorten(range->arena, commit.subject);
	at->author = shorten(range->arena, commit.author_name);
	at->is_docs_only = commit.is_docs_only;
	trees[number] = commit.tree;
	if (number > 0) {
		at->parent = parents[0];
		at->is_tree_equal = strcmp(commit.tree.text, trees[parents[0]].text) == 0;
		ancestry_set(range->ancestry, number, parents, nr > 0 ? nr : 1);
		*is_line = *is_line && nr == 1 && parents[0] == number - 1;
	}
	return true;
}

static bool read_commits(struct range *range, struct vcs *vcs, struct err *err)
{
	struct vcs_id *trees = arena_array(range->arena, range->tip + 1, sizeof(*trees));
	bool is_line = true;

	range->ancestry = ancestry_new(range->tip);
	for (size_t i = 0; i <= range->tip; i++) {
		if (!read_commit(range, vcs, i, trees, &is_line, err)) {
			return false;
		}
	}
	if (is_line) {
		range->ancestry = ancestry_free(range->ancestry);
	} else {
		ancestry_settle(range->ancestry);
	}
	return true;
}

static bool find_commits(struct range *range, struct vcs *vcs, const char *good, const char *bad,
			 struct err *err)
{
	struct vcs_history history;
	struct vcs_id base;
	struct vcs_id tip;

	if (!vcs_revision(vcs, good, &base, err)) {
		return err_wrap(err, "--good");
	}
	if (!vcs_revision(vcs, bad, &tip, err)) {
		return err_wrap(err, "--bad");
	}
	if (!vcs_history_read(vcs, &base, &tip, ANCESTRY_MOST_COMMITS, range->arena, &history,
			      err)) {
		return false;
	}
	if (history.nr == 0) {
		return err_set(err, ERR_CONFLICT, "--good and --bad are the same commit, '%.12s'",
			       base.text);
	}
	range->tip = history.nr;
	range->at = arena_array(range->arena, history.nr + 1, sizeof(*range->at));
	for (size_t i = 0; i <= history.nr; i++) {
		range->at[i].id = i == 0 ? base : history.ids[i - 1];
		names_number(range->ids, range->at[i].id.text);
	}
	return read_commits(range, vcs, err);
}

bool range_open(const char *good, const char *bad, struct range **ret_range, struct err *err)
{
	scoped(range_close) struct range *range = mem_alloc(sizeof(*range));
	scoped(vcs_close) struct vcs *vcs = NULL;

	range->arena = arena_new();
	range->ids = names_new();
	if (!vcs_discover(".", &range->repository, err) ||
	    !vcs_open(range->repository, &vcs, err) || !find_commits(range, vcs, good, bad, err)) {
		return false;
	}
	*ret_range = move(&range);
	return true;
}

struct range *range_close(struct range *range)
{
	if (range) {
		ancestry_free(range->ancestry);
		names_free(range->ids);
		free(range->repository);
		arena_free(range->arena);
		free(range);
	}
	return NULL;
}

size_t range_find(const struct range *range, const char *id)
{
	uint32_t number = names_find(range->ids, id);

	return number > 0 ? number - 1 : SIZE_MAX;
}

bool range_holds(const struct range *range, size_t commit, size_t other)
{
	return range->ancestry ? ancestry_holds(range->ancestry, commit, other) : other <= commit;
}
