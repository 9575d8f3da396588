/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * routes.h - the table of everything that can be asked over HTTP.
 *
 * docs/api.md is checked against it, and so is the matrix of who may do what.  A pattern is a path
 * whose variable parts are written `*`: "/run/<id>/file/<name>" is "/run/ * /file/ *" without the
 * blanks. Fixed words win over variable parts, so no name of a branch or machine can hide a page.
 */
#ifndef WEB_ROUTES_H
#define WEB_ROUTES_H

#include "request.h"

enum body_kind {
	BODY_NONE,
	BODY_JSON, /* at most MAX_JSON_BYTES, parsed before the handler runs */
	BODY_FILE  /* at most MAX_FILE_BYTES, streamed into the upload that `admit` opened */
};

struct route {
	const char *method; /* GET answers HEAD too, unless the path has a HEAD row */
	const char *pattern;
	enum scope scope;
	enum body_kind body;
	const char *query;    /* names of the parameters it knows, separated by blanks; "": none */
	const char *template; /* of the HTML page; NULL: it has none */
	/* Runs before a file body is read: may refuse it, and opens request->upload. */
	bool (*admit)(struct request *request, struct reply *reply, struct err *err);
	bool (*handle)(struct request *request, struct reply *reply, struct err *err);
	const char *doc;
};

extern const struct route routes[];
extern const size_t nr_routes;

/* Finds the row and sets request->parts (decoded, in the arena).  `path` is as it was sent, still
 * encoded.  ERR_ABSENT: no such page; ERR_INPUT: broken encoding; ERR_DENIED: the path has no such
 * method, *ret_allowed is then the value of the Allow header. */
MUST_CHECK bool route_find(struct request *request, const char *path, const char **ret_allowed,
			   struct err *err);

/* Whether the route's row lists a query parameter of this name. */
bool is_route_listing(const struct route *route, const char *name);

/* The same, and `format`, which every page knows. */
bool is_route_parameter(const struct route *route, const char *name);

#endif
