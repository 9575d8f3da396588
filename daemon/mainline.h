/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mainline.h - is the base of a comparison where main was before?
 *
 * A base that was unlucky, by its build, its boot or its day, makes every patch on it look changed.
 * The bases of a repository are the history of its main branch; where one is out of line with them,
 * the comparison is looked at again before anybody is told of a change, and the verdict says so.
 */
#ifndef DAEMON_MAINLINE_H
#define DAEMON_MAINLINE_H

#include "comparison.h"

/* Loads what the bases before make expected, where the base of the comparison is one of main.
 * Blocks; as db_query. */
MUST_CHECK bool mainline_tell(struct db *db, struct comparison *comparison, struct err *err);

/* Looks whether main has made a jump by itself that a verdict names, near the base or since; sets
 * `main_notes` where it has.  For who shows verdicts, not for who judges: main goes on.  Blocks; as
 * db_query. */
MUST_CHECK bool mainline_look_back(struct db *db, struct comparison *comparison, struct err *err);

/* Looks at the verdicts that name a change; sets `base_note` where the base of one is off. */
void mainline_check(struct comparison *comparison);

/* Adds it to the reasons of these verdicts. */
void mainline_mark(struct comparison *comparison);

#endif
