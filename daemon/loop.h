/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.h - the bell of the belt: libuv's loop, and nothing that thinks.
 *
 * It listens to signals, one timer and the database's notifications, and runs each stage's tick on
 * a thread of libuv's pool: one tick of a stage at a time, again at once when its bell rang
 * meanwhile. A failed tick is logged once per text and tried again after a pause that doubles up to
 * a minute. Only this file, lib/proc and the HTTP server hold callbacks.
 */
#ifndef DAEMON_LOOP_H
#define DAEMON_LOOP_H

#include "daemon/db/db.h"
#include "daemon/settings.h"

struct embedded;
struct server;

struct loop_parts {
	const struct settings *settings;
	struct pool *pool;               /* a connection for each stage */
	struct db *listener;             /* on which db_listen() was done */
	struct server *server;           /* NULL without the role web */
	const struct embedded *embedded; /* NULL with an outer database */
	bool (*is_enabled)(const char *stage, const void *roles);
	const void *roles;
};

/* Runs until SIGTERM or SIGINT, then waits for the running ticks.  Blocks.  ERR_BROKEN: the
 * embedded database died. */
MUST_CHECK bool loop_run(const struct loop_parts *parts, struct err *err);

#endif
