/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mirror.h - our own bare repository for a tree: what was planned stays readable.
 *
 *	scoped(vcs_close) struct vcs *mirror = NULL;
 *	if (!vcs_mirror_open(folder, "/srv/git/linux.git", &mirror, err) ||
 *	    !vcs_stack_read(mirror, &base, &tip, 128, arena, &stack, err) ||
 *	    !vcs_mirror_pin(mirror, ids, nr_ids, err))
 *		return false;
 *
 * A mirror of a repository on this machine borrows its objects (objects/info/alternates): nothing
 * is copied to look at a branch.  Pinning copies the snapshots of the given commits, files
 * included, and nothing of their history, so that they survive a force-push and a `git gc` over
 * there.  A mirror of a network address holds what remote.h fetched; a worker's holds what pack.h
 * brought.
 *
 * A mirror has no branches, only refs/patchmeter/pin/ID: so there is nothing that a renamed branch
 * could collide with.  It is a repository like any other: `git fsck` finds it whole, `git gc` drops
 * what is not pinned any more.
 */
#ifndef VCS_MIRROR_H
#define VCS_MIRROR_H

#include "vcs.h"

/* Opens our repository at `folder`, which is made where there is none.  `source` is the local
 * address that it borrows from now on; NULL leaves that as it is.  Blocks on the disk.
 * ERR_ABSENT: no repository at `source`; ERR_INPUT; ERR_BROKEN. */
MUST_CHECK bool vcs_mirror_open(const char *folder, const char *source, struct vcs **ret_vcs,
				struct err *err);

/* Keeps these commits readable, durably, until they are unpinned.  Costs the size of what the
 * mirror does not hold yet (5 s for the first 250 MB of files); nothing for what is pinned.
 * Blocks on the disk.  ERR_ABSENT: an object is missing; then none is pinned; ERR_INPUT;
 * ERR_TOO_BIG; ERR_BUSY: another process is at the same pin; ERR_BROKEN. */
MUST_CHECK bool vcs_mirror_pin(struct vcs *mirror, const struct vcs_id *ids, size_t nr_ids,
			       struct err *err);

/* One that is not pinned is fine.  ERR_BUSY, ERR_BROKEN. */
MUST_CHECK bool vcs_mirror_unpin(struct vcs *mirror, const struct vcs_id *id, struct err *err);

/* The pinned commits, newest first, at most `limit`; in the arena.  ERR_BROKEN. */
MUST_CHECK bool vcs_mirror_pins(struct vcs *mirror, size_t limit, struct arena *arena,
				struct vcs_id **ret_ids, size_t *ret_nr_ids, struct err *err);

#endif
