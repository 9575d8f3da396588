/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - the files of a commit, in a folder, and nothing else.
 *
 *	if (!vcs_export(mirror, &commit, "/var/lib/x/source", limit_bytes, err))
 *		return false;                      // the folder may hold a part: remove it
 *
 * Unlike a checkout it makes no .git, runs no hook and no filter, expands no keyword and follows no
 * symbolic link: each file is created anew below the folder that we hold open.
 */
#ifndef VCS_EXPORT_H
#define VCS_EXPORT_H

#include "vcs.h"

#define VCS_EXPORT_FILES_MAX 4000000

/* Writes the tree of the commit into `folder`, which exists and is empty.  Files get mode 0644 or
 * 0755 whatever the umask, symbolic links are made as they are, a submodule is an empty folder.
 * Blocks on the disk.  ERR_CONFLICT: the folder is not empty; ERR_ABSENT; ERR_INPUT: a name that
 * git would not check out (".git", "..", one twice); ERR_TOO_BIG: above `limit_bytes`, or
 * VCS_EXPORT_FILES_MAX; ERR_BROKEN. */
MUST_CHECK bool vcs_export(struct vcs *vcs, const struct vcs_id *id, const char *folder,
			   uint64_t limit_bytes, struct err *err);

#endif
