/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h - builds that were made before, each in ROOT/cache/KEY/.
 *
 * An entry appears by one rename and is never changed: it is there whole or not at all.  Its tree
 * is sealed (tree_seal()), and an entry whose seal is broken, because a job wrote there or a disk
 * lost blocks, counts as none.  A build that failed is an entry, too, with its log and without a
 * tree.
 */
#ifndef WORKERS_CACHE_H
#define WORKERS_CACHE_H

#include "job.h"

struct cache_entry {
	struct build build;
	struct failure failure; /* of the build */
};

/* *ret_is_found false: not there, or broken and removed.  A found entry is now the youngest.  Texts
 * are in the arena.  Blocks.  ERR_BROKEN. */
MUST_CHECK bool cache_find(const struct place *place, const char *key, struct arena *arena,
			   struct cache_entry *ret_entry, bool *ret_is_found, struct err *err);

/* Moves the tree (NULL: none) and the log into a new entry, durably, in place of one that may be
 * there.  The entry's folder and seal are set here.  ERR_BROKEN. */
MUST_CHECK bool cache_publish(const struct place *place, const char *key, const char *tree_path,
			      const char *log_path, struct arena *arena, struct cache_entry *entry,
			      struct err *err);

/* Removes the entries that were not used for longest until the cache keeps its limit; never `key`,
 * which is about to be used (NULL: none).  Also what a crash left half made.  ERR_BROKEN. */
MUST_CHECK bool cache_trim(const struct place *place, const char *key, struct err *err);

#endif
