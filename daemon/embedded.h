/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embedded.h - a PostgreSQL of our own, under the daemon's folder.
 *
 *	DIR/postgresql/data    the cluster, mode 0700
 *	DIR/postgresql/socket  where it listens; nothing listens on the network
 *	DIR/postgresql/log     what it says
 *
 * As root the server runs as the user "postgres", else as ourselves.  The daemon connects through
 * the socket as peer; a map lets the daemon's user in and nobody else.  If the daemon is killed,
 * its keeper stops the server in order; the next start waits for that and recovers what is to
 * recover.
 */
#ifndef DAEMON_EMBEDDED_H
#define DAEMON_EMBEDDED_H

#include "lib/base/err.h"

struct embedded;

/* Makes the cluster where there is none, starts the server, waits until it answers.  Blocks:
 * some seconds for a new cluster, at most five minutes while recovering.  `programs`: folder of
 * initdb and postgres, or NULL.  ERR_ABSENT: PostgreSQL is not installed; ERR_DENIED: a parent
 * folder is closed to the server's user (says which); ERR_CONFLICT: the cluster is of another
 * major version; ERR_BROKEN: the server does not start (its last words are in the message).  One
 * daemon at a time: the caller sees to it. */
MUST_CHECK bool embedded_open(const char *folder, const char *programs,
			      struct embedded **ret_embedded, struct err *err);

/* For db_open; lives as long as the server. */
const char *embedded_conninfo(const struct embedded *embedded);

/* Seconds that PostgreSQL itself took to start, without making the cluster. */
double embedded_start_s(const struct embedded *embedded);

/* Whether the server still runs. */
bool is_embedded_alive(const struct embedded *embedded);

/* Stops it in order ("fast") and waits.  Connections should be closed before. */
struct embedded *embedded_close(struct embedded *embedded);
DEFINE_SCOPED(embedded_close, struct embedded *)

#endif
