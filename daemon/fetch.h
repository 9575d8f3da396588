/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.h - a look at a network repository, in a child that is killed at its deadline.
 *
 * libgit2 1.5 has no time-outs, so a silent host would hold a stage for ever.  The daemon runs
 * itself as `patchmeterd fetch-child MIRROR ADDRESS GLOB...`, which fetches into the mirror and
 * prints one JSON document: {"heads": [{name, oid, refusal}]} or {"kind", "message"}.
 */
#ifndef DAEMON_FETCH_H
#define DAEMON_FETCH_H

#include "lib/vcs/vcs.h"

struct fetch {
	const char *mirror; /* folder of our own repository */
	const char *address;
	const char *const *globs;
	size_t nr_globs;
	int stop_fd; /* readable: give up */
};

/* Lists the heads and brings their commits.  Blocks at most FETCH_LIMIT_S.  ERR_TIMEOUT, ERR_BUSY
 * where it was stopped, or as vcs_remote_fetch(). */
#define FETCH_LIMIT_S 300
MUST_CHECK bool fetch_heads(const struct fetch *fetch, struct arena *arena,
			    struct vcs_heads *ret_heads, struct err *err);

/* The child's main: argv[0] is "fetch-child".  Gives the exit code. */
int fetch_child(int argc, char **argv);

#endif
