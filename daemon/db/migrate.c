/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "migrate.h"

/* Compares what was applied with what this program holds.  *ret_nr: how many are applied. */
static bool compare(struct db *db, int *ret_nr, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_SCHEMA_LIST, NO_ARGS, &rows, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(rows); i++) {
		if (i >= nr_migrations) {
			return err_set(err, ERR_CONFLICT,
				       "the database has schema version %d, this program knows %d: "
				       "install the newer program",
				       rows_nr(rows), nr_migrations);
		}
		if (strcmp(rows_text(rows, i, "hash"), migrations[i].hash) != 0) {
			return err_set(
				err, ERR_CONFLICT,
				"migration '%s' was applied with another text: this database "
				"was made by another build",
				migrations[i].name);
		}
	}
	*ret_nr = rows_nr(rows);
	return true;
}

static bool apply(struct db *db, const struct migration *migration, struct err *err)
{
	if (!db_begin(db, err)) {
		return false;
	}
	if (!db_script(db, migration->sql, err) ||
	    !db_exec(db, Q_SCHEMA_ADD,
		     ARGS(arg_int(migration->version), arg_text(migration->name),
			  arg_text(migration->hash)),
		     NULL, err) ||
	    !db_commit(db, "migrate", err)) {
		db_rollback(db);
		return err_wrap(err, "migration '%s'", migration->name);
	}
	return true;
}

bool migrate_up(struct db *db, int *ret_nr_applied, struct err *err)
{
	scoped(rows_free) struct rows *lock = NULL;
	int nr = 0;

	if (!db_query(db, Q_SCHEMA_LOCK, NO_ARGS, &lock, err) ||
	    !db_script(db, schema_version_sql, err) || !compare(db, &nr, err)) {
		return false;
	}
	*ret_nr_applied = nr_migrations - nr;
	for (; nr < nr_migrations; nr++) {
		if (!apply(db, &migrations[nr], err)) {
			return false;
		}
	}
	return true;
}

bool migrate_check(struct db *db, struct err *err)
{
	int nr = 0;

	if (!compare(db, &nr, err)) {
		return err->kind == ERR_BROKEN
			       ? err_set(err, ERR_CONFLICT,
					 "the database has no schema: run 'patchmeterd admin migrate'")
			       : false;
	}
	if (nr < nr_migrations) {
		return err_set(err, ERR_CONFLICT,
			       "the database has schema version %d, this program needs %d: "
			       "run 'patchmeterd admin migrate'",
			       nr, nr_migrations);
	}
	return true;
}
