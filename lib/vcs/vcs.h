/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcs.h - a git repository on this machine: open it, see its branches.
 *
 * This folder is the only user of libgit2, and speaks of commits as text ids, so that no other
 * part needs its types.  Nothing here runs a hook, a filter, a shell or another program, reads a
 * person's git configuration, or writes to a repository that is not our own mirror (mirror.h).
 *
 *	scoped(vcs_close) struct vcs *vcs = NULL;
 *	if (!vcs_open("/srv/git/linux.git", &vcs, err) ||
 *	    !vcs_heads(vcs, globs, nr_globs, arena, &heads, err))
 *		return false;
 *
 * Threads: vcs_init() once in main(); then any thread, but one at a time for each struct vcs.
 * Opening is cheap (80 us, and ten branches listed), so every tick and request opens its own.
 *
 * What comes out of a repository is hostile.  All text that these headers hand out is valid UTF-8,
 * bounded and free of control characters, unless a function says otherwise.
 */
#ifndef VCS_VCS_H
#define VCS_VCS_H

#include "lib/base/err.h"
#include "lib/base/mem.h"

/* A commit's name: 40 lower-case hexadecimal digits and NUL. */
#define VCS_ID_BYTES 41

struct vcs_id {
	char text[VCS_ID_BYTES];
};

/* Exactly 40 lower-case hexadecimal digits. */
bool is_vcs_id_text(const char *text);

/* ERR_INPUT unless the text is exactly a full id. */
MUST_CHECK bool vcs_id_parse(const char *text, struct vcs_id *ret_id, struct err *err);

/* the library */

/* Prepares libgit2 for this process: no configuration of the user or the system is read; memory
 * for mapped packs and cached objects is bounded.  A repository may belong to any user
 * (git's safe.directory): its path was written into our configuration by the operator, and we run
 * nothing that stands in it.  ERR_BROKEN. */
MUST_CHECK bool vcs_init(struct err *err);
void vcs_shutdown(void);

/* a repository */

struct vcs;

/* `where` is the path of a repository, bare or not, or its file:// address; a folder inside a work
 * tree is not enough.  Blocks on the disk.  ERR_ABSENT: nothing there (any more); ERR_INPUT: the
 * address is not local, or the repository is of a kind we cannot read; ERR_BROKEN. */
MUST_CHECK bool vcs_open(const char *where, struct vcs **ret_vcs, struct err *err);
struct vcs *vcs_close(struct vcs *vcs);
DEFINE_SCOPED(vcs_close, struct vcs *)

/* branches */

#define VCS_HEADS_MAX 100000

struct vcs_head {
	const char *name; /* "topic/x", or the whole "refs/tags/v1" where a glob asked for that */
	struct vcs_id id;
	const char *refusal; /* why we do not touch this one; NULL: usable */
};

struct vcs_heads {
	struct vcs_head *at; /* sorted by name */
	size_t nr;
};

/* The branches whose name matches one of the globs (str_matches()).  A glob that starts with
 * "refs/" is matched with whole names and so can ask for tags, which are followed to their commit.
 * A branch whose name is unfit (refname.h) is listed with the reason; one that points nowhere is
 * not listed.  A branch that is packed or moved meanwhile is seen at its old or new place.
 * Lives in the arena.  ERR_TOO_BIG above VCS_HEADS_MAX; ERR_BROKEN. */
MUST_CHECK bool vcs_heads(struct vcs *vcs, const char *const *globs, size_t nr_globs,
			  struct arena *arena, struct vcs_heads *ret_heads, struct err *err);

/* The commit that a full id, a branch, a tag, HEAD or a name below refs/ stands for, tried in this
 * order.  ERR_ABSENT; ERR_INPUT: unfit name. */
MUST_CHECK bool vcs_resolve(struct vcs *vcs, const char *name, struct vcs_id *ret_id,
			    struct err *err);

/* Whether the commit can be read here. */
bool vcs_has_commit(struct vcs *vcs, const struct vcs_id *id);

#endif
