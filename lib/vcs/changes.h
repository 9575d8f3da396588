/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changes.h - the files in which a commit differs from its first parent (private to this folder).
 *
 * libgit2's own diff reads both trees whole.  This one goes down only where the trees differ, so
 * it costs what the patch is large, not what the project is large.
 */
#ifndef VCS_CHANGES_H
#define VCS_CHANGES_H

#include "private.h"

#include "commit.h"

struct changes {
	git_oid old_tree; /* of the first parent */
	git_oid new_tree;
	bool has_old_tree; /* false: a root commit */
	bool is_merge;
	const char **paths; /* as stored, hostile; the first VCS_PATHS_KEPT; in the arena */
	size_t nr_paths;
	size_t nr; /* up to VCS_CHANGES_COUNTED */
	bool is_docs_only;
};

/* ERR_ABSENT: an object is missing; ERR_INPUT: malformed; ERR_BROKEN. */
MUST_CHECK bool changes_read(struct vcs *vcs, const git_oid *commit, struct arena *arena,
			     struct changes *ret_changes, struct err *err);

#endif
