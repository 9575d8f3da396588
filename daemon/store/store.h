/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - files by the hash of their content: what runs left behind.
 *
 *	FOLDER/aa/bb/<64 hex digits>	complete, never changed
 *	FOLDER/incoming/<key>		on its way in: an upload that may be resumed
 *
 * The name of a file, and to whom it belongs, are rows (artefact); the same bytes are kept once.
 * What upload_commit() has acknowledged survives a power cut: content synced, then renamed, then
 * the folder synced.  A file without a row is harmless, a row without a file is a lie: so commit
 * first here, then in the database.
 *
 *	if (!upload_open(store, "lease-7-stdout", &upload, err) || ... upload_write() ... ||
 *	    !upload_commit(upload, hash, err))
 *
 * Any thread may use the store; an upload has one owner at a time, also across processes.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "lib/base/err.h"

struct store;
struct upload;

/* Makes the folders where they are missing.  Blocks.  ERR_BROKEN. */
MUST_CHECK bool store_open(const char *folder, struct store **ret_store, struct err *err);
struct store *store_close(struct store *store);
DEFINE_SCOPED(store_close, struct store *)

/* Opens a file for reading.  ERR_ABSENT, ERR_BROKEN. */
MUST_CHECK bool store_get(const struct store *store, const char *hash, int *ret_fd,
			  int64_t *ret_size_bytes, struct err *err);

/* A file without a name on the store's disk, open for both; it is gone when it is closed. */
MUST_CHECK bool store_scratch(const struct store *store, int *ret_fd, struct err *err);

/* Removes uploads that nobody has touched for `age_s` seconds.  Blocks.  Never fails: what cannot
 * be removed stays for the next time. */
void store_sweep(struct store *store, int64_t age_s);

/* uploads */

/* Goes on with the upload of that key, or begins it.  `key`: a plain file name.  ERR_BUSY: somebody
 * else has it open, or the disk has not `room_bytes` to spare; ERR_BROKEN. */
MUST_CHECK bool upload_open(struct store *store, const char *key, int64_t room_bytes,
			    struct upload **ret_upload, struct err *err);
/* Lets go of it; what came in so far stays for the next upload_open(). */
struct upload *upload_close(struct upload *upload);
DEFINE_SCOPED(upload_close, struct upload *)

/* How many bytes of that upload there are, also of one that does not exist. */
int64_t store_received(const struct store *store, const char *key);
int64_t upload_received(const struct upload *upload);

/* Appends.  ERR_FULL: the disk is; ERR_BROKEN. */
MUST_CHECK bool upload_write(struct upload *upload, const void *bytes, size_t length,
			     struct err *err);

/* Forgets what came in. */
void upload_reset(struct upload *upload);

/* Makes it a file of the store.  Blocks until it is durable.  ERR_INPUT: the content has another
 * hash, it is forgotten.  Afterwards the upload can only be closed. */
MUST_CHECK bool upload_commit(struct upload *upload, const char *hash, struct err *err);

#endif
