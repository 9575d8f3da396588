/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.h - brings a commit from the daemon into this machine's mirror of its repository.
 */
#ifndef WORKERS_FETCH_H
#define WORKERS_FETCH_H

#include "lib/proto/client.h"
#include "place.h"

/* Gives the path of the mirror, which then holds the commit with all its files; asks the daemon
 * only for what it lacks.  Blocks.  ERR_ABSENT: the daemon has no such commit; what the network
 * gives; ERR_BROKEN: this machine's disk. */
MUST_CHECK bool fetch_commit(const struct place *place, struct client *client, int64_t repository,
			     const char *commit, struct span patience, struct arena *arena,
			     const char **ret_mirror, struct err *err);

#endif
