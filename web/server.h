/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * server.h - HTTP: one thread of libmicrohttpd that parses and sends, a few of ours that answer.
 *
 * A request is suspended, stands in line (web/parked.h), and is resumed when a handler thread has
 * made its answer, so a slow query never holds up the sending, nor git the pages.
 *
 *	struct server_config config = { .listen = "127.0.0.1:0", .nr_threads = 4, .site = &site };
 *	if (!server_open(&config, &server, err))
 *		return false;
 *	...			// on NOTIFY, from any thread:
 *	server_wake(server, BELL_LEASE);
 *	server_close(server);	// answers everybody who is parked
 *
 * The pool in config.site needs a connection a thread.
 */
#ifndef WEB_SERVER_H
#define WEB_SERVER_H

#include "request.h"

struct server;

struct server_config {
	const char *listen;       /* "ADDRESS:PORT"; port 0: any free one; "[::1]:80" */
	size_t nr_threads;        /* 0: 4 */
	unsigned max_connections; /* 0: 512 */
	unsigned max_per_address; /* connections from one IP address; 0: 64 */
	unsigned idle_s;          /* closes a connection on which nothing moves; 0: 15 */
	const struct site *site;  /* must outlive the server */
};

/* Listens and serves.  ERR_INPUT: the address is malformed; ERR_BUSY: it is taken; ERR_BROKEN. */
MUST_CHECK bool server_open(const struct server_config *config, struct server **ret_server,
			    struct err *err);

/* The port that it listens on. */
int server_port(const struct server *server);

/* Lets the requests that are parked on this bell look again.  From any thread; does not block. */
void server_wake(struct server *server, enum bell topic);

/* Takes no new requests, gives everybody who waits an answer, joins the threads.  Blocks until the
 * handlers that run have come to their end.  Accepts NULL, returns NULL. */
struct server *server_close(struct server *server);
DEFINE_SCOPED(server_close, struct server *)

#endif
