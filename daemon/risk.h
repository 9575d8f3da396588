/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * risk.h - what a series may risk, of what its repository may.
 *
 * Each finding was confirmed; but a repository sees many series, and a series many findings.  A
 * version of a series that had something to confirm is one test.  Its level comes from the tests
 * before it in the repository, so that in the long run few of all mails are false
 * (lib/stats/wealth.h), and is shared among its confirmations.
 */
#ifndef DAEMON_RISK_H
#define DAEMON_RISK_H

#include "daemon/db/db.h"

/* In the transaction that ends a stack: gives it its level, and withholds the findings that are
 * above it.  Nothing where the stack had nothing to confirm.  Blocks; as db_query. */
MUST_CHECK bool risk_spend(struct db *db, int64_t stack, struct err *err);

#endif
