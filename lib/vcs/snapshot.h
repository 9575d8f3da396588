/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - every object that a commit needs to be checked out (private to this folder).
 *
 *	scoped(snapshot_release) struct snapshot snapshot = { 0 };
 *	if (!snapshot_add(vcs, &have, &snapshot, err))
 *		return false;
 *	size_t first = snapshot.objects.nr;
 *	if (!snapshot_add(vcs, &want, &snapshot, err))
 *		return false;
 *	...                              // from `first` on: what `want` has and `have` has not
 *
 * That is the commit, its trees and their files, without history and submodules.  An object is in
 * the list once, so trees that name each other cannot make it long.
 */
#ifndef VCS_SNAPSHOT_H
#define VCS_SNAPSHOT_H

#include "private.h"

#define SNAPSHOT_OBJECTS_MAX 4000000

struct snapshot_object {
	git_oid oid;
	bool is_tree;
};

struct snapshot {
	VEC(struct snapshot_object) objects;
	size_t *slots; /* hash table of positions in `objects`, counted from 1; 0: free */
	size_t nr_slots;
};

/* Reads the commit and all its trees; whether the files are there is not looked at.  On failure the
 * list holds a part.  ERR_ABSENT, ERR_INPUT, ERR_TOO_BIG, ERR_BROKEN. */
MUST_CHECK bool snapshot_add(struct vcs *vcs, const git_oid *commit, struct snapshot *snapshot,
			     struct err *err);

void snapshot_release(struct snapshot *snapshot);
DEFINE_SCOPED_EMBEDDED(snapshot_release, struct snapshot)

#endif
