/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate - every week, on each cell in use, a commit is compared with itself.
 *
 *	cell ──a week since the last──> comparison, with a want
 *	                              ──> another, a neutral rebuild: it waits for confirm's builds
 *
 * What is named then is a false alarm: decide counts it.  Such work comes after all other, and
 * takes a small share of the machines' time.
 */
#include "pipeline.h"

#include "lib/stats/judge.h"

/* Behind everything that somebody waits for. */
enum { PRIORITY_CALIBRATE = 90 };

/* Of a machine group's time, at most. */
#define SHARE 0.05

static bool want_first_look(struct tick *tick, int64_t cell, int64_t comparison, struct err *err)
{
	return db_exec(tick->db, Q_WANT_ADD,
		       ARGS(arg_int(cell), arg_int(comparison),
			    arg_int((int64_t)judge_look_blocks(1)), arg_text("calibration")),
		       NULL, err) &&
	       bell_ring(tick->db, BELL_PLAN, err);
}

static bool plan_due(struct tick *tick, const struct rows *due, struct err *err)
{
	int64_t cell = rows_int(due, 0, "cell_id");
	bool is_rebuild = strcmp(rows_text(due, 0, "purpose"), "rebuild") == 0;
	int64_t comparison;

	return db_begin(tick->db, err) &&
	       db_query_int(tick->db, Q_CALIBRATE_COMPARISON,
			    ARGS(arg_int(cell), arg_int(rows_int(due, 0, "base_id")),
				 arg_text(rows_text(due, 0, "purpose")),
				 arg_int(PRIORITY_CALIBRATE)),
			    &comparison, err) &&
	       (is_rebuild ? bell_ring(tick->db, BELL_CONFIRM, err)
			   : want_first_look(tick, cell, comparison, err)) &&
	       db_commit(tick->db, "calibrate", err);
}

bool tick_calibrate(struct tick *tick, bool *ret_more, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (tick->settings->calibrate_s == 0) {
		return true;
	}
	if (!db_query(tick->db, Q_CALIBRATE_DUE,
		      ARGS(arg_int(tick->settings->calibrate_s), arg_number(SHARE)), &rows, err)) {
		return false;
	}
	*ret_more = rows_nr(rows) > 0;
	return !*ret_more || plan_due(tick, rows, err);
}
