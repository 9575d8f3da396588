/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - folders full of files that strangers wrote: list, copy, hash, seal, remove.
 *
 * All of it works on a list made first, parents before children, names in byte order, so that the
 * same tree gives the same list everywhere.  No symbolic link is ever followed, nothing but
 * folders, regular files and links is looked into.
 *
 *	scoped(tree_free) struct tree *tree = NULL;
 *	if (!tree_read(path, NULL, &tree, err) || !tree_copy(tree, to, owner, err)) ...
 */
#ifndef WORKERS_TREE_H
#define WORKERS_TREE_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/hash.h"

/* What sources get for a time of change, so that make sees none as newer than another:
 * 2000-01-01. */
#define TREE_SOURCE_TIME_S INT64_C(946684800)

struct tree;

/* Lists the folder, without itself, and without the member called `except` (NULL: none).  Blocks.
 * ERR_ABSENT, ERR_BROKEN. */
MUST_CHECK bool tree_read(const char *path, const char *except, struct tree **ret_tree,
			  struct err *err);
struct tree *tree_free(struct tree *tree);
DEFINE_SCOPED(tree_free, struct tree *)

size_t tree_nr(const struct tree *tree);
uint64_t tree_bytes(const struct tree *tree);
/* Below the root; lent. */
const char *tree_name(const struct tree *tree, size_t index);
/* A regular file. */
bool is_tree_file(const struct tree *tree, size_t index);

/* Whom a copy belongs to; the caller where not set. */
struct owner {
	bool is_set;
	uid_t uid;
	gid_t gid;
};

/* Makes `to`, which must not exist, with the same modes and times; shares blocks where the file
 * system can.  Sockets, pipes and devices are left out.  ERR_BROKEN. */
MUST_CHECK bool tree_copy(const struct tree *tree, const char *to, const struct owner *owner,
			  struct err *err);

/* Gives every file and folder, the root too, to the owner, and TREE_SOURCE_TIME_S.  ERR_BROKEN. */
MUST_CHECK bool tree_settle(const struct tree *tree, const struct owner *owner, struct err *err);

/* SHA-256 over names, kinds, execute bits and contents of files and links.  Blocks.  ERR_BROKEN. */
MUST_CHECK bool tree_hash(const struct tree *tree, struct hash *ret_hash, struct err *err);

/* Hash of what a change could not leave as it was: names, inodes, sizes, times of change and of
 * the inode's change.  Cheap: reads no content. */
struct hash tree_seal(const struct tree *tree);

/* Removes the folder and all below; there may be none.  ERR_BROKEN. */
MUST_CHECK bool tree_remove(const char *path, struct err *err);

#endif
