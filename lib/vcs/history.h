/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - the commits between two, merged ones too, for who stands in a work tree.
 *
 *	scoped(free) char *repository = NULL;
 *	if (!vcs_discover(".", &repository, err) || !vcs_open(repository, &vcs, err) ||
 *	    !vcs_revision(vcs, "HEAD~16", &good, err) || !vcs_revision(vcs, "HEAD", &bad, err) ||
 *	    !vcs_history_read(vcs, &good, &bad, 10000, arena, &history, err))
 *		return false;
 *
 * stack.h follows first parents alone; here a merge brings in what it merged.
 */
#ifndef VCS_HISTORY_H
#define VCS_HISTORY_H

#include "vcs.h"

/* The repository that a folder belongs to, also one below its work tree; an absolute path for
 * vcs_open(); free() it.  ERR_ABSENT: to none; ERR_BROKEN. */
MUST_CHECK bool vcs_discover(const char *folder, char **ret_repository, struct err *err);

/* The commit that a person means by "HEAD~3", "v1.2", "3f2a9c1" or whatever git-rev-parse(1) takes
 * for one.  ERR_ABSENT; ERR_INPUT: malformed, or several begin so; ERR_BROKEN. */
MUST_CHECK bool vcs_revision(struct vcs *vcs, const char *text, struct vcs_id *ret_id,
			     struct err *err);

struct vcs_history {
	struct vcs_id *ids; /* parents before children, the last is the tip */
	size_t nr;          /* 0: the base is the tip */
};

/* What the tip holds and the base does not.  In the arena.  Blocks on the disk.  ERR_CONFLICT: the
 * base is no ancestor of the tip; the message tells what is; ERR_TOO_BIG: more than `limit`;
 * ERR_ABSENT, ERR_INPUT, ERR_BROKEN. */
MUST_CHECK bool vcs_history_read(struct vcs *vcs, const struct vcs_id *base,
				 const struct vcs_id *tip, size_t limit, struct arena *arena,
				 struct vcs_history *ret_history, struct err *err);

#endif
