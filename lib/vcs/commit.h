/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commit.h - what a commit says of itself, and what it changes.
 *
 *	struct vcs_commit commit;
 *	if (!vcs_commit_read(vcs, &id, arena, &commit, err))
 *		return false;
 *	printf("%.12s %s (%s)\n", commit.id.text, commit.subject, commit.author_name);
 *
 * git stores any bytes.  Here text that is not in its declared encoding, line by line, is taken as
 * UTF-8, else as ISO-8859-1; times are clamped and flagged; every length has a limit.  The bytes
 * themselves stay in the repository.
 */
#ifndef VCS_COMMIT_H
#define VCS_COMMIT_H

#include "lib/base/clock.h"
#include "lib/base/str.h"
#include "vcs.h"

#define VCS_NAME_MAX_BYTES    256
#define VCS_SUBJECT_MAX_BYTES 512
#define VCS_MESSAGE_MAX_BYTES 65536
#define VCS_PARENTS_KEPT      16
#define VCS_PATHS_KEPT        200
#define VCS_CHANGES_COUNTED   100000 /* larger changes are "at least" so large */

struct vcs_commit {
	struct vcs_id id;
	struct vcs_id tree;
	struct vcs_id parents[VCS_PARENTS_KEPT];
	size_t nr_parents; /* all of them, also those not kept */

	const char *author_name;  /* may be empty */
	const char *author_email; /* empty where it does not look like an address */
	struct wall author_time;
	struct wall commit_time;
	bool is_author_time_odd; /* missing, malformed, or out of range: then clamped */
	bool is_commit_time_odd;

	const char *subject; /* the first paragraph on one line */
	const char *message; /* all of it, subject included, with line ends and tabs */
	bool is_message_cut;

	/* against the first parent; a root commit against nothing */
	const char *const *paths; /* the first VCS_PATHS_KEPT; for people, not for opening */
	size_t nr_paths;
	size_t nr_changed; /* files, up to VCS_CHANGES_COUNTED */
	bool is_docs_only; /* changes something, and only files that no build reads */
};

/* Lives in the arena.  Blocks on the disk.  ERR_ABSENT; ERR_INPUT: not a well-formed commit;
 * ERR_TOO_BIG: above 16 MiB; ERR_BROKEN. */
MUST_CHECK bool vcs_commit_read(struct vcs *vcs, const struct vcs_id *id, struct arena *arena,
				struct vcs_commit *ret_commit, struct err *err);

/* The part of it that needs no repository: the bytes of the object; id and changes are left empty.
 * Pure.  ERR_INPUT. */
MUST_CHECK bool vcs_commit_parse(const char *bytes, size_t length, struct arena *arena,
				 struct vcs_commit *ret_commit, struct err *err);

#endif
