/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private.h - what the files of this folder share, and nobody else sees.
 *
 * Stands before all other headers: libgit2 has a member with a name that base.h bans.
 */
#ifndef VCS_PRIVATE_H
#define VCS_PRIVATE_H

#include <git2.h>

#include "vcs.h"

struct vcs {
	git_repository *repo;
	git_odb *odb; /* of the repository, with what it borrows from others */
	bool is_mirror;
};

/* libgit2's objects, released like ours. */
DEFINE_SCOPED_EMBEDDED(git_buf_dispose, git_buf)
DEFINE_SCOPED(git_config_free, git_config *)
DEFINE_SCOPED(git_diff_free, git_diff *)
DEFINE_SCOPED(git_indexer_free, git_indexer *)
DEFINE_SCOPED(git_odb_free, git_odb *)
DEFINE_SCOPED(git_odb_object_free, git_odb_object *)
DEFINE_SCOPED(git_packbuilder_free, git_packbuilder *)
DEFINE_SCOPED(git_patch_free, git_patch *)
DEFINE_SCOPED(git_reference_free, git_reference *)
DEFINE_SCOPED(git_reference_iterator_free, git_reference_iterator *)
DEFINE_SCOPED(git_remote_free, git_remote *)
DEFINE_SCOPED(git_tag_free, git_tag *)
DEFINE_SCOPED(git_tree_free, git_tree *)

/* Turns a failure of libgit2 in this thread into ours: "WHAT: its message".  Returns false. */
bool vcs_fail(struct err *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/* The same id in their form and in ours. */
void vcs_id_from(struct vcs_id *id, const git_oid *oid);
void vcs_id_to(const struct vcs_id *id, git_oid *oid);

/* Opens a path that is known to be local, and no parent folder of it. */
MUST_CHECK bool vcs_open_path(const char *path, struct vcs **ret_vcs, struct err *err);

/* The path of a part of the repository, with `rest` behind it; free() it. */
char *vcs_item_path(const struct vcs *vcs, git_repository_item_t item, const char *rest);

/* Writes it all, also in pieces; false and errno where that fails. */
bool vcs_write_all(int fd, const void *bytes, size_t length);

#define MIRROR_MODE 0644 /* of the files that we write into a mirror */

#endif
