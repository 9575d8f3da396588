/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - what a handler sees of HTTP: a question as plain data, and the answer it fills in.
 *
 * A handler is a blocking function on a thread of its own (web/work.c), so it may query and read
 * files at leisure; it never meets libmicrohttpd:
 *
 *	bool get_run(struct request *request, struct reply *reply, struct err *err)
 *	{
 *		struct db *db = request_db(request, err);
 *		...
 *		reply_document(reply, move(&document)); // JSON, or HTML by the route's template
 *		return true;
 *	}
 *
 * A failure travels as struct err and becomes a problem document or an error page with the status
 * of its kind (lib/base/err.h).  Everything text lives in the request's arena.
 */
#ifndef WEB_REQUEST_H
#define WEB_REQUEST_H

#include "daemon/bell.h"
#include "daemon/db/db.h"
#include "lib/base/clock.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

struct route;
struct store;
struct template_set;
struct upload;

/* Limits of what strangers may send.  The header's includes the request line. */
#define MAX_HEADER_BYTES (16U << 10)
#define MAX_URL_BYTES    (4U << 10)
#define MAX_JSON_BYTES   (1U << 20)
#define MAX_FILE_BYTES   (INT64_C(256) << 20)

#define MAX_PARTS 3 /* variable parts of a path */

/* What all handlers share; does not change while the server runs. */
struct site {
	struct pool *pool;
	struct store *store;
	struct template_set *pages;
	const char *data; /* the data folder: mirrors under DATA/mirror/ID.git */
};

enum scope { SCOPE_PUBLIC = 1, SCOPE_WORKER, SCOPE_ADMIN };

/* Who asks: 0, SCOPE_PUBLIC and NULL for a stranger. */
struct who {
	int64_t token_id;
	enum scope scope;
	const char *note; /* that its token was made with; in the arena */
};

struct field {
	const char *name;
	const char *value;
};

struct fields {
	struct field *at; /* in the arena */
	size_t nr;
};

struct request {
	const struct site *site;
	const struct route *route;
	struct arena *arena;
	struct db *db; /* NULL until request_db() */
	const char *method;
	const char *path;             /* decoded */
	const char *address;          /* path and query still encoded, but for `format` */
	const char *parts[MAX_PARTS]; /* the variable parts of the path, in order */
	struct fields query;          /* decoded; only names that the route knows */
	struct fields headers;
	struct who who;
	struct json *body;     /* a JSON body; NULL where there is none */
	struct upload *upload; /* of a file body: set by the route's `admit` */
	struct mono arrived;
	int socket;        /* to the peer, for is_request_abandoned() */
	bool is_last_look; /* the waiting time is over: answer, do not park */
};

/* The database connection of this request, borrowed at the first call and returned by the server
 * after the answer.  NULL: ERR_BUSY. */
struct db *request_db(struct request *request, struct err *err);

/* The first value of a query parameter or header (any case); NULL: absent. */
const char *request_query(const struct request *request, const char *name);
const char *request_header(const struct request *request, const char *name);

/* A variable part of the path that must be a positive number.  ERR_ABSENT: it is not. */
MUST_CHECK bool request_id(const struct request *request, size_t part, int64_t *ret_id,
			   struct err *err);

/* Whether the answer is to be JSON: an API path, or ?format=json. */
bool is_request_json(const struct request *request);

/* Whether the peer has hung up, so that no answer will reach it.  False may be out of date at
 * once. */
bool is_request_abandoned(const struct request *request);

/* Decodes %XX.  ERR_INPUT: a broken escape, a NUL or control byte, or not UTF-8. */
MUST_CHECK bool request_decode(struct arena *arena, const char *text, const char **ret_text,
			       struct err *err);

/* the answer */

enum reply_kind { REPLY_EMPTY, REPLY_DOCUMENT, REPLY_BYTES, REPLY_FILE, REPLY_PARK };

struct reply {
	enum reply_kind kind;
	int status; /* 0: 200, or 204 where empty */
	struct json *document;
	struct str bytes;
	const char *type; /* media type of bytes and files; lives as long as the request */
	int fd;           /* of a file; -1: none */
	int64_t offset;   /* the range of it */
	int64_t size;
	bool is_failure; /* the document is a problem (RFC 9457) */
	enum bell topic; /* of a parked request */
	int wait_s;      /* since the request arrived */
	struct field headers[6];
	size_t nr_headers;
};

void reply_init(struct reply *reply);
void reply_release(struct reply *reply);

void reply_empty(struct reply *reply, int status);
void reply_document(struct reply *reply, struct json *take_document);
void reply_bytes(struct reply *reply, const char *type, struct str *take_bytes);
/* Closes the descriptor when it was sent. */
void reply_file(struct reply *reply, const char *type, int take_fd, int64_t offset, int64_t size);
/* Ask again when the bell rings, and for the last time (is_last_look) `wait_s` after it came. */
void reply_park(struct reply *reply, enum bell topic, int wait_s);
/* `name` must be a literal.  A value with a control character is a programmer error. */
void reply_header(struct request *request, struct reply *reply, const char *name,
		  const char *format, ...) PRINTF_LIKE(4, 5);

/* Makes the failure the answer, as a problem document (RFC 9457). */
void reply_failure(struct reply *reply, const struct err *err);

#endif
