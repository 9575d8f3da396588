/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "auth.h"

#include <strings.h>

#include "lib/base/hash.h"
#include "routes.h"

static const struct {
	enum scope scope;
	const char *name; /* in token.scope */
} scopes[] = {
	{ SCOPE_PUBLIC, "public" },
	{ SCOPE_WORKER, "worker" },
	{ SCOPE_ADMIN, "admin" },
};

const char *scope_name(enum scope scope)
{
	assert(scope >= SCOPE_PUBLIC && scope <= SCOPE_ADMIN);
	return scopes[scope - SCOPE_PUBLIC].name;
}

/* NULL: the header is absent or not of this kind. */
static const char *bearer_token(const struct request *request)
{
	static const char prefix[] = "Bearer ";
	const char *value = request_header(request, "Authorization");

	if (!value || strncasecmp(value, prefix, sizeof(prefix) - 1) != 0) {
		return NULL;
	}
	value += sizeof(prefix) - 1;
	return value + strspn(value, " ");
}

bool auth_check(struct request *request, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const char *token = bearer_token(request);
	struct hash hash;
	struct db *db;

	request->who = (struct who){ .scope = SCOPE_PUBLIC };
	if (request->route->scope == SCOPE_PUBLIC) {
		return true;
	}
	if (!token) {
		return err_set(err, ERR_DENIED, "this needs 'Authorization: Bearer TOKEN'");
	}
	hash = hash_of(token, strlen(token));
	db = request_db(request, err);
	if (!db || !db_query(db, Q_TOKEN_CHECK, ARGS(arg_bytes(hash.at, HASH_BYTES)), &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_DENIED, "the token is unknown or revoked");
	}
	for (size_t i = 0; i < countof(scopes); i++) {
		if (strcmp(rows_text(rows, 0, "scope"), scopes[i].name) == 0) {
			request->who.scope = scopes[i].scope;
		}
	}
	request->who.token_id = rows_int(rows, 0, "id");
	request->who.note = arena_strdup(request->arena, rows_text(rows, 0, "note"));
	if (request->who.scope != request->route->scope) {
		return err_set(err, ERR_DENIED, "this needs a token of scope '%s', not '%s'",
			       scope_name(request->route->scope), rows_text(rows, 0, "scope"));
	}
	return true;
}
