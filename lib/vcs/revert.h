/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * revert.h - a branch without one of its commits.
 */
#ifndef VCS_REVERT_H
#define VCS_REVERT_H

#include "vcs.h"

/* Makes and pins a commit on `tip` that takes `culprit` back, of a merge what it brought to its
 * first parent; the same two give the same commit.  No branch moves, and nobody's name is on it but
 * the robot's.  *ret_is_made false: it conflicts, or leaves nothing.  Blocks on the disk.
 * ERR_ABSENT: a commit is missing; ERR_INPUT: `culprit` has no parent; ERR_BROKEN. */
MUST_CHECK bool vcs_mirror_revert(struct vcs *mirror, const struct vcs_id *tip,
				  const struct vcs_id *culprit, struct vcs_id *ret_id,
				  bool *ret_is_made, struct err *err);

#endif
