/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * online.h - what the verbs that ask a daemon share: where it is, asking it, and how that fails.
 *
 *	struct online online = { 0 };
 *	if (!online_options(call, &online, rows, countof(rows), &exit_code))
 *		return exit_code;
 *	if (!online_open(&online, &err) || !online_get(&online, "/api/v1/status", &text, &err))
 *		return online_fail(call, &err);
 *
 * A person waits in front of it, so nothing is tried twice, unless a verb says so.
 */
#ifndef CLI_ONLINE_H
#define CLI_ONLINE_H

#include "lib/proto/client.h"
#include "screen.h"
#include "verb.h"

struct online {
	bool is_raw;      /* the verb prints bytes: it has neither --json nor --color */
	bool is_operator; /* the verb needs a token of scope admin */

	/* from the command line */
	const char *server, *data, *color, *token_file;
	bool is_json;

	struct screen screen;
	struct client *client;
	struct span patience; /* of each question; 0: ask once */
};

void online_release(struct online *online);
DEFINE_SCOPED_EMBEDDED(online_release, struct online)

/* call_options() with the common options besides. */
MUST_CHECK bool online_options(struct call *call, struct online *online,
			       const struct option_row *rows, size_t nr_rows, int *ret_exit);

/* Finds the server: --server, --data, $PATCHMETER_SERVER; and the operator's token: --token-file,
 * or that of --data.  Does not connect.  ERR_INPUT: nobody named one; ERR_REMOTE: no daemon has
 * written its address there; ERR_DENIED: others can read the token. */
MUST_CHECK bool online_open(struct online *online, struct err *err);

/* Appends the answer to a GET as it came; as client_text(). */
MUST_CHECK bool online_get(struct online *online, const char *path, struct str *text,
			   struct err *err);
/* The same, read.  ERR_REMOTE: it is no document. */
MUST_CHECK bool online_document(struct online *online, const char *path, struct json **ret_document,
				struct err *err);

/* Prints the answer to a GET, as it came. */
MUST_CHECK bool online_print(struct online *online, const char *path, struct err *err);

/* Appends one part of a path or query. */
void online_append(struct str *path, const char *part);

/* call_fail(), where what the server calls wrong input is a wrong command line. */
int online_fail(const struct call *call, const struct err *err);

#endif
