/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an operator does to a bisection.  schema/queries/bisect.sql has what each verb means; here
 * it is one transaction, and the answer is the document of the bisection as it is then.
 */
#include "lib/base/str.h"
#include "web/handlers.h"
#include "web/pages/page.h"
#include "web/routes.h"

#define MOST_TEXT_BYTES 500
#define MOST_WHO_BYTES  100
#define MOST_RUNS       10000

/* What a verb wants besides who and why. */
enum extra { EXTRA_NONE, EXTRA_COMMIT, EXTRA_NARROW };

static const struct verb {
	const char *name; /* the last part of the path */
	enum query query;
	size_t nr_args;
	enum extra extra;
} verbs[] = {
	{ "stop", Q_BISECTION_STOP, 3, EXTRA_NONE },
	{ "invalidate", Q_BISECTION_INVALIDATE, 3, EXTRA_NONE },
	{ "skip", Q_BISECTION_SKIP_COMMIT, 4, EXTRA_COMMIT },
	{ "culprit", Q_BISECTION_CULPRIT, 4, EXTRA_COMMIT },
	{ "narrow", Q_BISECTION_NARROW, 6, EXTRA_NARROW },
};

struct order {
	const struct verb *verb;
	int64_t id;
	const char *who, *why;
	const char *oid;       /* full; NULL: none is wanted */
	const char *from, *to; /* full, or both NULL */
	int64_t runs;
};

static const struct verb *find_verb(const struct route *route)
{
	const char *name = strrchr(route->pattern, '/') + 1;
	size_t i = 0;

	while (strcmp(verbs[i].name, name) != 0) {
		if (++i == countof(verbs)) {
			bug("no verb '%s' of a bisection", name);
		}
	}
	return &verbs[i];
}

/* A text of the body on one line, clean and in the arena.  ERR_INPUT: it is none, or too long. */
static bool read_text(const struct request *request, const char *name, size_t most_bytes,
		      const char **ret_text, struct err *err)
{
	scoped(str_release) struct str clean = STR_INIT;
	const char *text = json_text(json_get(request->body, name));

	if (!text || *text == '\0' || strlen(text) > most_bytes) {
		return err_set(err, ERR_INPUT, "'%s': expected a text of 1 to %zu bytes", name,
			       most_bytes);
	}
	str_append_clean(&clean, text, strlen(text), false, 3 * most_bytes);
	*ret_text = arena_strdup(request->arena, clean.at);
	return true;
}

static bool read_commit(struct request *request, const char *name, const char **ret_oid,
			struct err *err)
{
	const char *text = json_text(json_get(request->body, name));

	return text ? page_commit(request, text, ret_oid, err)
		    : err_set(err, ERR_INPUT, "'%s': expected a text", name);
}

static bool read_narrow(struct request *request, struct order *order, struct err *err)
{
	order->runs = json_int(json_get(request->body, "runs"), 0);
	if (order->runs < 1 || order->runs > MOST_RUNS) {
		return err_set(err, ERR_INPUT, "'runs': expected a number from 1 to %d", MOST_RUNS);
	}
	if (!json_get(request->body, "from") && !json_get(request->body, "to")) {
		return true;
	}
	return read_commit(request, "from", &order->from, err) &&
	       read_commit(request, "to", &order->to, err);
}

static bool read_extra(struct request *request, struct order *order, struct err *err)
{
	switch (order->verb->extra) {
	case EXTRA_COMMIT:
		return read_commit(request, "commit", &order->oid, err);
	case EXTRA_NARROW:
		return read_narrow(request, order, err);
	case EXTRA_NONE:
		break;
	}
	return true;
}

/* Who is the person as the client calls him, and the token that vouches for it. */
static bool read_order(struct request *request, struct order *order, struct err *err)
{
	const char *name;

	order->verb = find_verb(request->route);
	if (json_kind(request->body) != KIND_OBJECT) {
		return err_set(err, ERR_INPUT, "the body: expected an object");
	}
	if (!request_id(request, 0, &order->id, err) ||
	    !read_text(request, "who", MOST_WHO_BYTES, &name, err) ||
	    !read_text(request, "why", MOST_TEXT_BYTES, &order->why, err)) {
		return false;
	}
	order->who = arena_printf(request->arena, "%s (%s)", name, request->who.note);
	return read_extra(request, order, err);
}

/* The statement gave no row: why not? */
static bool refuse(struct db *db, const struct order *order, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const char *state;

	if (!db_query(db, Q_BISECTION_STATE,
		      ARGS(arg_int(order->id), arg_text(order->from), arg_text(order->to),
			   arg_text(order->oid)),
		      &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_ABSENT, "there is no bisection %" PRId64, order->id);
	}
	state = rows_text(rows, 0, "state");
	if (order->oid && !rows_bool(rows, 0, "is_inner")) {
		return err_set(err, ERR_INPUT,
			       "commit %.12s is not between the ends of bisection %" PRId64,
			       order->oid, order->id);
	}
	if (order->from && !rows_bool(rows, 0, "is_range")) {
		return err_set(err, ERR_INPUT,
			       "commit %.12s does not come before %.12s in bisection %" PRId64,
			       order->from, order->to, order->id);
	}
	if (order->verb->extra == EXTRA_NARROW && rows_bool(rows, 0, "is_superseded")) {
		return err_set(err, ERR_CONFLICT,
			       "bisection %" PRId64 ": there is a newer version of its branch",
			       order->id);
	}
	return err_set(err, ERR_CONFLICT, "bisection %" PRId64 " is %s: no '%s' from there",
		       order->id, state, order->verb->name);
}

/* Those who may go on now: with the search, its stack, or what was found. */
static bool ring(struct db *db, struct err *err)
{
	static const enum bell bells[] = { BELL_BISECT, BELL_DECIDE, BELL_CONFIRM };

	for (size_t i = 0; i < countof(bells); i++) {
		if (!db_exec(db, Q_BELL_RING, ARGS(arg_text(bell_name(bells[i]))), NULL, err)) {
			return false;
		}
	}
	return true;
}

static bool carry_out(struct db *db, const struct order *order, struct err *err)
{
	const struct arg args[] = {
		arg_int(order->id),    arg_text(order->who),
		arg_text(order->why),  order->oid ? arg_text(order->oid) : arg_int(order->runs),
		arg_text(order->from), arg_text(order->to)
	};
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_begin(db, err) ||
	    !db_query(db, order->verb->query, args, order->verb->nr_args, &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return refuse(db, order, err);
	}
	return db_exec(db, Q_STACK_CANCEL_RUNS, NO_ARGS, NULL, err) && ring(db, err) &&
	       db_commit(db, "bisect", err);
}

bool post_bisection(struct request *request, struct reply *reply, struct err *err)
{
	struct order order = { 0 };
	struct db *db = request_db(request, err);

	return db && read_order(request, &order, err) && carry_out(db, &order, err) &&
	       get_bisection(request, reply, err);
}
