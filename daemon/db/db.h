/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * db.h - a connection to PostgreSQL, and the statements of schema/queries (only libpq user).
 *
 * Every statement the program sends stands in schema/queries/NAME.sql as `-- name: verb_noun` and
 * becomes `enum query` Q_VERB_NOUN at build time.  Values go out as parameters and come back by
 * column name:
 *
 *	scoped(rows_free) struct rows *rows = NULL;
 *
 *	if (!db_query(db, Q_STACK_NEW, ARGS(arg_int(limit)), &rows, err))
 *		return false;
 *	for (int i = 0; i < rows_nr(rows); i++)
 *		plan(rows_int(rows, i, "id"), rows_text(rows, i, "ref"));
 *
 * A transaction is a visible block in a tick: db_begin ... db_commit; no git and no network inside.
 * One thread at a time per connection.  Every call blocks, bounded by statement_timeout (30 s).
 * Failures: ERR_BUSY (serialisation, deadlock, server starting or gone: try the tick again),
 * ERR_CONFLICT (a unique or foreign key), ERR_TIMEOUT, ERR_BROKEN (anything else).
 */
#ifndef DB_DB_H
#define DB_DB_H

#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "schema/queries.h"

struct db;
struct rows;

/* parameters */

enum arg_type { ARG_NULL, ARG_INT, ARG_NUMBER, ARG_BOOL, ARG_TEXT, ARG_BYTES };

struct arg {
	enum arg_type type;
	int64_t integer;
	double number;
	const char *text; /* also bytes */
	size_t length;
};

static inline struct arg arg_null(void)
{
	return (struct arg){ .type = ARG_NULL };
}
static inline struct arg arg_int(int64_t value)
{
	return (struct arg){ .type = ARG_INT, .integer = value };
}
static inline struct arg arg_number(double value)
{
	return (struct arg){ .type = ARG_NUMBER, .number = value };
}
static inline struct arg arg_bool(bool value)
{
	return (struct arg){ .type = ARG_BOOL, .integer = value };
}
/* NULL becomes SQL's NULL. */
static inline struct arg arg_text(const char *text)
{
	return (struct arg){ .type = text ? ARG_TEXT : ARG_NULL, .text = text };
}
static inline struct arg arg_bytes(const void *bytes, size_t length)
{
	return (struct arg){ .type = ARG_BYTES, .text = bytes, .length = length };
}
/* A positive id, or SQL's NULL for 0. */
static inline struct arg arg_id(int64_t id)
{
	return id > 0 ? arg_int(id) : arg_null();
}

#define ARGS(...) \
	((const struct arg[]){ __VA_ARGS__ }), countof(((const struct arg[]){ __VA_ARGS__ }))
#define NO_ARGS NULL, 0

/* An SQL array literal in the arena, for a parameter of an array type. */
char *db_text_array(struct arena *arena, const char *const *texts, size_t nr);
/* Numbers that are not finite become NULL elements. */
char *db_number_array(struct arena *arena, const double *values, size_t nr);

/* life */

/* Connects; checks nothing about the schema.  `conninfo` is libpq's ("host=... dbname=...",
 * URL). */
MUST_CHECK bool db_open(const char *conninfo, struct db **ret_db, struct err *err);
struct db *db_close(struct db *db); /* accepts NULL, returns NULL */
DEFINE_SCOPED(db_close, struct db *)

/* Connects again if the server went away since; a no-op on a healthy connection. */
MUST_CHECK bool db_heal(struct db *db, struct err *err);

/* Prepares every statement, so that a broken one is found at start and not on Tuesday night. */
MUST_CHECK bool db_prepare_all(struct db *db, struct err *err);

/* statements */

MUST_CHECK bool db_query(struct db *db, enum query query, const struct arg *args, size_t nr_args,
			 struct rows **ret_rows, struct err *err);
/* For statements without rows; *ret_nr_changed may be NULL. */
MUST_CHECK bool db_exec(struct db *db, enum query query, const struct arg *args, size_t nr_args,
			int64_t *ret_nr_changed, struct err *err);
/* The one column of the one row; ERR_ABSENT where there is no row. */
MUST_CHECK bool db_query_int(struct db *db, enum query query, const struct arg *args,
			     size_t nr_args, int64_t *ret_value, struct err *err);
/* The same for a JSON document. */
struct json;
MUST_CHECK bool db_query_json(struct db *db, enum query query, const struct arg *args,
			      size_t nr_args, struct json **ret_json, struct err *err);

/* Runs a text of several statements: migrations only. */
MUST_CHECK bool db_script(struct db *db, const char *sql, struct err *err);

/* transactions */

MUST_CHECK bool db_begin(struct db *db, struct err *err);
/* `point` names the crash points POINT.before-commit and POINT.after-commit (daemon/crash.h). */
MUST_CHECK bool db_commit(struct db *db, const char *point, struct err *err);
/* Also after a failed statement; never fails, a no-op outside a transaction. */
void db_rollback(struct db *db);

/* bells */

MUST_CHECK bool db_listen(struct db *db, struct err *err);
int db_socket(const struct db *db);
/* Takes what has arrived without blocking, calls for none.  Topics are in *ret_topics as a bit
 * set of `enum bell` (daemon/bell.h).  ERR_BUSY: the connection is gone. */
MUST_CHECK bool db_notified(struct db *db, unsigned *ret_topics, struct err *err);

/* rows */

struct rows *rows_free(struct rows *rows);
DEFINE_SCOPED(rows_free, struct rows *)

int rows_nr(const struct rows *rows);
/* A missing column is a programmer error.  NULL reads as 0, false or NULL. */
int64_t rows_int(const struct rows *rows, int row, const char *column);
double rows_number(const struct rows *rows, int row, const char *column); /* NULL: NaN */
bool rows_bool(const struct rows *rows, int row, const char *column);
const char *rows_text(const struct rows *rows, int row, const char *column); /* lives with rows */
/* An array column, in the arena; NULL elements are NaN or NULL. */
const double *rows_numbers(const struct rows *rows, int row, const char *column,
			   struct arena *arena, size_t *ret_nr);
const char *const *rows_texts(const struct rows *rows, int row, const char *column,
			      struct arena *arena, size_t *ret_nr);

/* A pool of connections that main opens and closes; ticks and handlers borrow. */
struct pool;
MUST_CHECK bool pool_open(const char *conninfo, size_t nr, struct pool **ret_pool, struct err *err);
struct pool *pool_close(struct pool *pool);
DEFINE_SCOPED(pool_close, struct pool *)
/* Blocks until one is free (they are as many as their users).  Heals it; ERR_BUSY if it cannot. */
MUST_CHECK bool pool_borrow(struct pool *pool, struct db **ret_db, struct err *err);
void pool_return(struct pool *pool, struct db *db);

#endif
