/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * migrate.h - brings a database to the schema of this program, or refuses it.
 *
 * Migrations are the files schema/NNNN_name.sql, forward only, embedded at build time.  Each runs
 * in a transaction of its own together with the row that records it, so a killed migration left
 * nothing and the next one goes on.  Two at the same time wait for each other.
 */
#ifndef DB_MIGRATE_H
#define DB_MIGRATE_H

#include "db.h"

/* Applies what is missing.  Blocks.  *ret_nr_applied counts them.  ERR_CONFLICT: the database is
 * newer than this program, or a migration was changed after it was applied. */
MUST_CHECK bool migrate_up(struct db *db, int *ret_nr_applied, struct err *err);

/* ERR_CONFLICT where the database is not exactly at this program's version; says which is older and
 * what to do. */
MUST_CHECK bool migrate_check(struct db *db, struct err *err);

#endif
