/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db.h"

#include <libpq-fe.h>
#include <math.h>

#include "daemon/bell.h"
#include "daemon/crash.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#define MAX_ARGS 32

struct db {
	PGconn *pg;
	bool is_prepared[NR_QUERIES];
	bool is_listening;
};

/* errors ------------------------------------------------------------------------------------- */

/* SQLSTATE classes and codes that mean something to a caller; first match wins. */
static const struct {
	const char *prefix;
	enum err_kind kind;
} sqlstates[] = {
	{ "40001", ERR_BUSY },    /* serialization_failure */
	{ "40P01", ERR_BUSY },    /* deadlock_detected */
	{ "23", ERR_CONFLICT },   /* integrity constraint */
	{ "57014", ERR_TIMEOUT }, /* statement_timeout */
	{ "57P", ERR_BUSY },      /* shutting down, starting up */
	{ "53", ERR_BUSY },       /* out of connections, disk, memory */
	{ "55P03", ERR_BUSY },    /* lock_timeout */
	{ "08", ERR_BUSY },       /* connection */
	{ "22", ERR_INPUT },      /* data exception */
};

static enum err_kind kind_of(const struct db *db, const PGresult *result)
{
	const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;

	if (PQstatus(db->pg) != CONNECTION_OK || !state) {
		return ERR_BUSY;
	}
	for (size_t i = 0; i < countof(sqlstates); i++) {
		if (str_has_prefix(state, sqlstates[i].prefix)) {
			return sqlstates[i].kind;
		}
	}
	return ERR_BROKEN;
}

/* libpq's messages end in a newline and may span lines. */
static bool fail(const struct db *db, const PGresult *result, const char *what, struct err *err)
{
	const char *text = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	scoped(str_release) struct str line = STR_INIT;

	if (!text) {
		text = PQerrorMessage(db->pg);
	}
	str_append_clean(&line, text, strcspn(text, "\n"), false, 400);
	return err_set(err, kind_of(db, result), "%s: %s", what, line.at);
}

/* life --------------------------------------------------------------------------------------- */

/* A stuck statement must never hold a stage or a handler; an idle transaction would hold back
 * vacuum. */
static const char session_options[] =
	"-c statement_timeout=30s -c idle_in_transaction_session_timeout=60s -c lock_timeout=10s "
	"-c client_min_messages=error -c jit=off -c synchronous_commit=on";

bool db_open(const char *conninfo, struct db **ret_db, struct err *err)
{
	scoped(db_close) struct db *db = mem_alloc(sizeof(*db));
	const char *const names[] = { "dbname",          "connect_timeout", "application_name",
				      "client_encoding", "options",         NULL };
	const char *const values[] = {
		conninfo, "10", "patchmeterd", "UTF8", session_options, NULL
	};

	db->pg = PQconnectdbParams(names, values, 1);
	if (PQstatus(db->pg) != CONNECTION_OK) {
		return fail(db, NULL, "connect to the database", err);
	}
	*ret_db = move(&db);
	return true;
}

struct db *db_close(struct db *db)
{
	if (db) {
		PQfinish(db->pg);
		free(db);
	}
	return NULL;
}

bool db_heal(struct db *db, struct err *err)
{
	/* A server that went away while the connection was idle is only known by looking. */
	if (PQstatus(db->pg) == CONNECTION_OK && PQconsumeInput(db->pg)) {
		return true;
	}
	PQreset(db->pg);
	if (PQstatus(db->pg) != CONNECTION_OK) {
		return fail(db, NULL, "connect to the database again", err);
	}
	memset(db->is_prepared, 0, sizeof(db->is_prepared));
	return !db->is_listening || db_listen(db, err);
}

static bool prepare(struct db *db, enum query query, struct err *err)
{
	const struct query_row *row = &query_rows[query];
	PGresult *result;
	bool done;

	if (db->is_prepared[query]) {
		return true;
	}
	result = PQprepare(db->pg, row->name, row->sql, 0, NULL);
	done = PQresultStatus(result) == PGRES_COMMAND_OK;
	db->is_prepared[query] = done;
	if (!done) {
		scoped(free) char *what = mem_printf("prepare '%s'", row->name);

		fail(db, result, what, err);
	}
	PQclear(result);
	return done;
}

bool db_prepare_all(struct db *db, struct err *err)
{
	for (int i = 0; i < NR_QUERIES; i++) {
		if (!prepare(db, (enum query)i, err)) {
			return false;
		}
	}
	return true;
}

/* statements --------------------------------------------------------------------------------- */

/* Everything travels as text but bytes; numbers in their shortest form that reads back exactly. */
static bool execute(struct db *db, enum query query, const struct arg *args, size_t nr_args,
		    PGresult **ret_result, struct err *err)
{
	char numbers[MAX_ARGS][32];
	const char *values[MAX_ARGS];
	int lengths[MAX_ARGS];
	int formats[MAX_ARGS];
	PGresult *result;
	ExecStatusType status;

	assert(nr_args <= MAX_ARGS);
	if (!prepare(db, query, err)) {
		return false;
	}
	for (size_t i = 0; i < nr_args; i++) {
		values[i] = numbers[i];
		lengths[i] = (int)args[i].length;
		formats[i] = args[i].type == ARG_BYTES;
		switch (args[i].type) {
		case ARG_NULL:
			values[i] = NULL;
			break;
		case ARG_INT:
			snprintf(numbers[i], sizeof(numbers[i]), "%" PRId64, args[i].integer);
			break;
		case ARG_NUMBER:
			snprintf(numbers[i], sizeof(numbers[i]), "%.17g", args[i].number);
			if (!isfinite(args[i].number)) {
				values[i] = NULL;
			}
			break;
		case ARG_BOOL:
			values[i] = args[i].integer ? "t" : "f";
			break;
		case ARG_TEXT:
		case ARG_BYTES:
			values[i] = args[i].text;
			break;
		}
	}
	result = PQexecPrepared(db->pg, query_rows[query].name, (int)nr_args, values, lengths,
				formats, 0);
	status = PQresultStatus(result);
	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
		scoped(free) char *what = mem_printf("query '%s'", query_rows[query].name);

		fail(db, result, what, err);
		PQclear(result);
		return false;
	}
	*ret_result = result;
	return true;
}

bool db_query(struct db *db, enum query query, const struct arg *args, size_t nr_args,
	      struct rows **ret_rows, struct err *err)
{
	PGresult *result;

	if (!execute(db, query, args, nr_args, &result, err)) {
		return false;
	}
	*ret_rows = (struct rows *)(void *)result;
	return true;
}

bool db_exec(struct db *db, enum query query, const struct arg *args, size_t nr_args,
	     int64_t *ret_nr_changed, struct err *err)
{
	PGresult *result;

	if (!execute(db, query, args, nr_args, &result, err)) {
		return false;
	}
	if (ret_nr_changed) {
		*ret_nr_changed = strtoll(PQcmdTuples(result), NULL, 10);
	}
	PQclear(result);
	return true;
}

bool db_query_int(struct db *db, enum query query, const struct arg *args, size_t nr_args,
		  int64_t *ret_value, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, query, args, nr_args, &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_ABSENT, "query '%s': no row", query_rows[query].name);
	}
	*ret_value = strtoll(PQgetvalue((PGresult *)(void *)rows, 0, 0), NULL, 10);
	return true;
}

bool db_query_json(struct db *db, enum query query, const struct arg *args, size_t nr_args,
		   struct json **ret_json, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	PGresult *result;

	if (!db_query(db, query, args, nr_args, &rows, err)) {
		return false;
	}
	result = (PGresult *)(void *)rows;
	if (rows_nr(rows) == 0 || PQgetisnull(result, 0, 0)) {
		return err_set(err, ERR_ABSENT, "query '%s': no row", query_rows[query].name);
	}
	return json_parse(query_rows[query].name, PQgetvalue(result, 0, 0),
			  (size_t)PQgetlength(result, 0, 0), ret_json, err);
}

bool db_script(struct db *db, const char *sql, struct err *err)
{
	PGresult *result = PQexec(db->pg, sql);
	ExecStatusType status = PQresultStatus(result);
	bool done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;

	if (!done) {
		fail(db, result, "run a script", err);
	}
	PQclear(result);
	return done;
}

/* transactions ------------------------------------------------------------------------------- */

bool db_begin(struct db *db, struct err *err)
{
	return db_heal(db, err) && db_script(db, "BEGIN", err);
}

bool db_commit(struct db *db, const char *point, struct err *err)
{
	crash_point(point, "before-commit");
	if (PQtransactionStatus(db->pg) == PQTRANS_INERROR) {
		db_rollback(db);
		return err_set(err, ERR_BROKEN, "commit of a failed transaction");
	}
	if (!db_script(db, "COMMIT", err)) {
		db_rollback(db);
		return false;
	}
	crash_point(point, "after-commit");
	return true;
}

void db_rollback(struct db *db)
{
	PGTransactionStatusType status = PQtransactionStatus(db->pg);

	if (status == PQTRANS_INTRANS || status == PQTRANS_INERROR) {
		PQclear(PQexec(db->pg, "ROLLBACK"));
	}
}

/* bells -------------------------------------------------------------------------------------- */

bool db_listen(struct db *db, struct err *err)
{
	db->is_listening = true;
	return db_script(db, "LISTEN belt", err);
}

int db_socket(const struct db *db)
{
	return PQsocket(db->pg);
}

bool db_notified(struct db *db, unsigned *ret_topics, struct err *err)
{
	unsigned topics = 0;
	PGnotify *note;

	if (!PQconsumeInput(db->pg)) {
		return fail(db, NULL, "listen to the database", err);
	}
	while ((note = PQnotifies(db->pg))) {
		for (int bell = 0; bell < NR_BELLS; bell++) {
			if (strcmp(note->extra, bell_name((enum bell)bell)) == 0) {
				topics |= BELL_BIT(bell);
			}
		}
		PQfreemem(note);
	}
	*ret_topics = topics;
	return true;
}
