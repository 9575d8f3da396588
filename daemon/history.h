/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - what comparisons that are done leave for those to come: how much each metric varies
 * between runs of one commit, and between its builds.
 *
 * Kept by cell, metric and day.  A comparison is told what was known on the day before it began, so
 * that whoever judges it, however late, is told the same.
 */
#ifndef DAEMON_HISTORY_H
#define DAEMON_HISTORY_H

#include "comparison.h"

/* Adds a comparison's noise to today's, in the transaction that ends it: once.  Blocks; as
 * db_exec. */
MUST_CHECK bool history_add(struct db *db, const struct comparison *comparison, struct err *err);

/* Tells the metrics of a comparison what the days before know.  Blocks; as db_query. */
MUST_CHECK bool history_tell(struct db *db, struct comparison *comparison, struct err *err);

#endif
