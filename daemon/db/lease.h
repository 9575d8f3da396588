/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lease.h - the right of a machine to do one run, and how it is given, kept and taken back.
 *
 * A machine has at most one live lease, and a run too.  The lease's id and secret fence every later
 * call: what an older lease says changes nothing.  A run that is lost is tried three times.  All
 * durations are the database's (belt_now()).
 *
 * Every function but lease_lose() is a transaction of its own and blocks; one that fails leaves it
 * to the caller's db_rollback(), which pool_return() does anyway.
 */
#ifndef DB_LEASE_H
#define DB_LEASE_H

#include "db.h"
#include "lib/base/hash.h"

#define LEASE_BEAT_S        10                 /* a worker beats this often */
#define LEASE_LIVE_S        60                 /* and is lost after so long without */
#define LEASE_MAX_RUN_BYTES (INT64_C(1) << 30) /* of all files of a run */
#define LEASE_MAX_RUN_FILES 2000

/* joining */

struct lease_joiner {
	int64_t token;
	const char *name;
	const char *group;
	const char *instance; /* of the worker, whatever its name; NULL: it did not say */
	const char *fingerprint_hash;
	const char *fingerprint; /* JSON */
};

/* Makes the machine known, with its present epoch.  ERR_CONFLICT: the name belongs to another
 * token, or to another worker that lives. */
MUST_CHECK bool lease_join(struct db *db, const struct lease_joiner *joiner, int64_t *ret_epoch,
			   struct err *err);

/* claiming */

struct lease_asker {
	int64_t token;
	const char *machine;
	const char *instance; /* as in lease_joiner */
	const char *boot_id;
};

struct lease_claim {
	int64_t lease; /* 0: there is nothing to do */
	char *secret;
	struct rows *offer; /* the one row of Q_LEASE_OFFER */
};

void lease_claim_release(struct lease_claim *claim);
DEFINE_SCOPED_EMBEDDED(lease_claim_release, struct lease_claim)

/* Gives the machine its next run.  Asking says that it has no lease: one that lives is lost.
 * ERR_DENIED: it has not joined with this token. */
MUST_CHECK bool lease_take(struct db *db, const struct lease_asker *asker,
			   struct lease_claim *ret_claim, struct err *err);

/* keeping */

struct lease_key {
	int64_t lease;
	int64_t token;
	struct hash secret; /* SHA-256 of it */
};

struct lease_run {
	int64_t cell;
	int64_t run;
	bool is_cancelled; /* nobody wants it any more */
};

/* Renews the lease; any call of its worker does.  `phase`: what it is at, or NULL.  ERR_CONFLICT:
 * the lease is lost. */
MUST_CHECK bool lease_beat(struct db *db, const struct lease_key *key, const char *phase,
			   struct lease_run *ret_run, struct err *err);

struct lease_file {
	const char *name;
	const char *hash;
	int64_t size_bytes;
};

/* Whether the run may store this file: renews the lease.  *ret_is_stored: it has done so already.
 * ERR_TOO_BIG over the limits of a run; ERR_CONFLICT: the lease is lost, or another content has the
 * name. */
MUST_CHECK bool lease_check_file(struct db *db, const struct lease_key *key,
				 const struct lease_file *file, bool *ret_is_stored,
				 struct err *err);
/* Records a file that the store holds by now.  ERR_CONFLICT as before. */
MUST_CHECK bool lease_add_file(struct db *db, const struct lease_key *key,
			       const struct lease_file *file, struct err *err);

/* ending */

struct lease_result {
	const char *outcome; /* the worker's message, JSON */
	const char *files;   /* its list of files, JSON */
	const char *boot_id;
};

/* Hands the run over to ingest.  Again after that: the same answer, no
 * change.  *ret_is_accepted: false where the run was cancelled meanwhile.  ERR_CONFLICT: the
 * lease is lost, or a listed file was not stored; ERR_DENIED: no such lease, or the wrong
 * secret. */
MUST_CHECK bool lease_finish(struct db *db, const struct lease_key *key,
			     const struct lease_result *result, bool *ret_is_accepted,
			     struct err *err);

/* taking back */

/* Ends a live lease inside the caller's transaction: its run is queued again, or lost.  A no-op
 * where it is not live. */
MUST_CHECK bool lease_lose(struct db *db, int64_t lease, const char *why, struct err *err);

/* Loses the leases whose time is over, at most 50.  *ret_more: there were some.  After a time in
 * which nobody called this (the daemon or its database was away) all get LEASE_LIVE_S first. */
MUST_CHECK bool lease_expire(struct db *db, bool *ret_more, struct err *err);

/* Voids the blocks that a machine has begun and left: it has not been seen for ten minutes. */
MUST_CHECK bool lease_strand(struct db *db, struct err *err);

#endif
