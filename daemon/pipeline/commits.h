/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commits.h - from a repository's mirror to rows of its commits.
 */
#ifndef PIPELINE_COMMITS_H
#define PIPELINE_COMMITS_H

#include "lib/vcs/vcs.h"
#include "pipeline.h"

/* The mirror of a repository whose address is `url`.  Blocks on the disk; as vcs_mirror_open(). */
MUST_CHECK bool commit_mirror(struct tick *tick, int64_t repository, const char *url,
			      struct vcs **ret_vcs, struct err *err);

/* The row of a commit, made where there is none.  Blocks; as vcs_commit_read() and db_query. */
MUST_CHECK bool commit_store(struct tick *tick, struct vcs *vcs, const struct vcs_id *id,
			     int64_t *ret_id, struct err *err);

#endif
