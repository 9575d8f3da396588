/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h - a blocking HTTP client for the daemon's API (with daemon/mail the only libcurl user).
 *
 *	scoped(client_free) struct client *client = NULL;
 *	struct client_settings settings = { "http://box:8080", token, stop_fd };
 *	if (!client_new(&settings, &client, err))
 *		return false;
 *	struct client_call call = { .id = PROTO_CALL_BEAT, .number = lease, .request = &beat,
 *				    .patience = SPAN_S(30) };
 *	if (!client_call(client, &call, arena, &beaten, &json, err)) ...
 *
 * A failure that may pass (no connection, a time-out, 408, 429, 5xx) is tried again within the
 * call's patience, after 0.2 s, then twice as long each time up to 15 s, shortened at random by up
 * to half so that many workers do not come back at once; Retry-After is kept.  Redirects are never
 * followed, proxies never used, certificates checked.  The token is never part of a message.
 *
 * One thread at a time may use a client.
 */
#ifndef PROTO_CLIENT_H
#define PROTO_CLIENT_H

#include "lib/base/clock.h"
#include "lib/base/str.h"
#include "proto.h"

struct client_settings {
	const char *base_url; /* http:// or https://, host, port; copied */
	const char *token;    /* NULL: none; copied */
	int stop_fd;          /* readable: every call ends with ERR_BUSY "stopped"; 0: none */
};

struct client;

/* ERR_INPUT: not an address that we use. Does not connect. */
MUST_CHECK bool client_new(const struct client_settings *settings, struct client **ret_client,
			   struct err *err);
struct client *client_free(struct client *client);
DEFINE_SCOPED(client_free, struct client *)

/* Appends the token that a file holds, which nobody else may read (ERR_DENIED). */
MUST_CHECK bool client_read_token(const char *path, struct str *token, struct err *err);

/* Calls from now on end when this one is readable instead; 0: none. */
void client_stop_on(struct client *client, int stop_fd);

/* Any call of the API. */
struct client_request {
	const char *method;
	const char *path;        /* with the query; begins with '/' */
	const struct json *body; /* NULL: none */
	struct span patience;    /* from the start, with all that is tried again; 0: try once */
	struct span attempt;     /* longest single try; 0: 60 s */
	const char *range;       /* of the answer's bytes: "0-99"; NULL: all */
};

/* Appends the answer, whatever it is, of at most 64 MiB (ERR_TOO_BIG).  Blocks at most patience +
 * attempt.  The kind says what the status or the network meant (proto_kind_of_status(),
 * ERR_TIMEOUT, ERR_REMOTE, ERR_DENIED for a bad certificate); the message holds the daemon's own
 * text. */
MUST_CHECK bool client_text(struct client *client, const struct client_request *request,
			    struct str *text, struct err *err);

/* The same, read as JSON; *ret_json is NULL where there is no body.  ERR_REMOTE: it is no JSON. */
MUST_CHECK bool client_json(struct client *client, const struct client_request *request,
			    struct json **ret_json, struct err *err);

/* A call of the tables. */
struct client_call {
	enum proto_call_id id;
	int64_t number;      /* for the capitals in its path */
	const void *request; /* the record to send */
	struct span patience, attempt;
};

/* *ret_json is what the record's JSON members belong to; NULL: the answer has no body, the
 * record is untouched.  Errors as client_json, and ERR_REMOTE where the answer is not what the
 * table says. */
MUST_CHECK bool client_call(struct client *client, const struct client_call *call,
			    struct arena *arena, void *ret_record, struct json **ret_json,
			    struct err *err);

/* Stores a file of a run; after a cut it goes on where the daemon says it has got to.  On success
 * the daemon has acknowledged it.  ERR_CONFLICT: the lease is lost; ERR_BROKEN: cannot read it. */
struct client_file {
	int64_t lease;
	const char *secret;
	const char *path; /* on this machine */
	struct proto_file file;
};
MUST_CHECK bool client_put_file(struct client *client, const struct client_file *file,
				struct span patience, struct err *err);

/* Fetches into a new file, at most `limit_bytes` (ERR_TOO_BIG); nothing is left of it on failure.
 * A try may last as long as bytes keep coming. */
MUST_CHECK bool client_get_file(struct client *client, const char *path, const char *to_path,
				uint64_t limit_bytes, struct span patience, struct err *err);

#endif
