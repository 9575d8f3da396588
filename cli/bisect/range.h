/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h - the commits that are looked at, by number: 0 is the good end, the last one the bad.
 *
 *	scoped(range_close) struct range *range = NULL;
 *	if (!range_open("v1.2", "HEAD", &range, err)) ...
 *	range->at[range->tip].subject
 */
#ifndef CLI_BISECT_RANGE_H
#define CLI_BISECT_RANGE_H

#include "lib/base/names.h"
#include "lib/stats/ancestry.h"
#include "lib/vcs/vcs.h"

struct range_commit {
	struct vcs_id id;
	const char *subject; /* clean, and no longer than a line */
	const char *author;
	size_t parent;      /* the first one; 0 also where it is older than the good end */
	bool is_docs_only;  /* changes only what no build reads */
	bool is_tree_equal; /* to its first parent's */
};

struct range {
	struct arena *arena;
	char *repository;  /* absolute */
	struct names *ids; /* number + 1 of a commit */
	struct range_commit *at;
	size_t tip;
	struct ancestry *ancestry; /* NULL: one commit follows the other */
};

/* Of the repository that the current folder is in.  Blocks on the disk.  ERR_CONFLICT: `good` is no
 * ancestor of `bad`, or is it; ERR_TOO_BIG; others as vcs_revision(). */
MUST_CHECK bool range_open(const char *good, const char *bad, struct range **ret_range,
			   struct err *err);
struct range *range_close(struct range *range);
DEFINE_SCOPED(range_close, struct range *)

/* The number of a commit; SIZE_MAX: it is not among them. */
size_t range_find(const struct range *range, const char *id);

/* Whether the tree of `commit` has the change of `other` in it. */
bool range_holds(const struct range *range, size_t commit, size_t other);

#endif
