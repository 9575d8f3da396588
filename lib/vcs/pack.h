/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack.h - one commit on its way to a worker.
 *
 *	daemon: vcs_pack_write(mirror, &want, haves, nr_haves, limit_bytes, fd, &size, err)
 *	worker: vcs_pack_index(mirror, fd, &want, limit_bytes, err)
 *
 * The pack holds the commit, its trees and its files without history, less what the commits that
 * the worker says it has hold already.  It is a plain git pack: `git index-pack` reads it too.
 */
#ifndef VCS_PACK_H
#define VCS_PACK_H

#include "vcs.h"

/* Writes the pack to `fd`.  A `have` that is not known here counts as nothing.  Blocks on the disk
 * for the size of what differs.  ERR_ABSENT: the wanted commit or a part of it is not here;
 * ERR_INPUT; ERR_TOO_BIG: more than `limit_bytes`; ERR_BROKEN. */
MUST_CHECK bool vcs_pack_write(struct vcs *vcs, const struct vcs_id *want,
			       const struct vcs_id *haves, size_t nr_haves, uint64_t limit_bytes,
			       int fd, struct err *err);

/* Reads a pack from `fd` to its end into the mirror (mirror.h), checks that each object has the
 * content that its name says and that the wanted commit is there with all its files, and pins it.
 * Nothing remains of a damaged pack; what an incomplete one brought stays until a `git gc`.
 * Blocks.  ERR_INPUT: truncated, damaged, or not a pack; ERR_ABSENT: the pack lacks a part of the
 * commit; ERR_TOO_BIG; ERR_BROKEN. */
MUST_CHECK bool vcs_pack_index(struct vcs *mirror, int fd, const struct vcs_id *want,
			       uint64_t limit_bytes, struct err *err);

#endif
