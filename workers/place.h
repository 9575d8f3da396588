/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - the state folder of a worker: what is where, and who may use it.
 *
 *	ROOT/lock			held while a worker lives
 *	ROOT/instance			tells this worker from another one of the same name
 *	ROOT/lease.json			the lease in work, until the daemon has it back
 *	ROOT/repos/ID.git		a bare mirror a repository
 *	ROOT/cache/KEY/			a build: entry.json, build.log, tree/
 *	ROOT/runs/LEASE/		what a run left, until the daemon has acknowledged it
 *	ROOT/work/source, out, tmp	the build or run of the moment, at paths that never change
 *
 * Everything that must survive a power cut is written by str_write_file(), or synced by
 * report_write().
 */
#ifndef WORKERS_PLACE_H
#define WORKERS_PLACE_H

#include "lib/base/err.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "tree.h"

struct place {
	char *root; /* absolute */
	char instance[HASH_TEXT_BYTES];
	int lock_fd;
	struct owner owner; /* of job code; not set: the worker's own */
	uint64_t cache_limit_bytes;
};

#define PLACE_CACHE_LIMIT_BYTES (UINT64_C(10) << 30)

/* Makes the folder where there is none.  `user` is whom job code runs as; NULL: as the worker.
 * ERR_CONFLICT: another worker has it; ERR_ABSENT: no such user; ERR_BROKEN. */
MUST_CHECK bool place_open(const char *root, const char *user, struct place **ret_place,
			   struct err *err);
struct place *place_close(struct place *place);
DEFINE_SCOPED(place_close, struct place *)

/* ROOT/..., in the arena. */
char *place_path(const struct place *place, struct arena *arena, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Makes ROOT/work anew, with an empty tmp that belongs to the job's user.  ERR_BROKEN. */
MUST_CHECK bool place_clear_work(const struct place *place, struct err *err);

/* A folder of the job's user; parents exist.  ERR_BROKEN. */
MUST_CHECK bool place_make_job_folder(const struct place *place, const char *path, struct err *err);

/* Writes a whole file that need not survive yet: a sync here would wait for all that a job has
 * written, too; report_write() does it for all files, when the scratch is gone.  ERR_BROKEN. */
MUST_CHECK bool write_loose(const char *path, const void *bytes, size_t length, struct err *err);

/* Makes a folder and its parents, mode 0755.  ERR_BROKEN. */
MUST_CHECK bool make_folders(const char *path, struct err *err);

#endif
