/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failures.h - what of a comparison's runs went wrong, side by side.
 *
 * A failure that the lab did not cause is a measurement: it is counted as LKP counts, fail:runs, a
 * row a reason of the one vocabulary (docs/protocol.md), and lib/stats/failure.h says whether head
 * does it more often.
 */
#ifndef DAEMON_FAILURES_H
#define DAEMON_FAILURES_H

#include "comparison.h"

/* Loads them into a comparison.  Blocks; as db_query. */
MUST_CHECK bool failures_load(struct db *db, struct comparison *comparison, struct err *err);

/* Adds their rows to the group of its view. */
void failures_show(const struct comparison *comparison, struct view_group *group);

/* What they ask for, by the reason that is worst.  `nr_left` blocks may still be run.  Where enough
 * blocks are whole nevertheless, what the cell is known for asks for nothing.  *ret_worst is NULL
 * on FAILURE_NOT_SHOWN. */
enum failure_next failures_next(const struct comparison *comparison, size_t nr_left, bool is_whole,
				const struct comparison_failure **ret_worst);

#endif
