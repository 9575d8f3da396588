/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline.h - the conveyor belt: all stages, in order.
 *
 * A stage is a function that takes rows in one state, thinks, and writes rows in the next state in
 * one transaction.  It keeps nothing in memory, may be killed anywhere and run again, and never
 * calls another stage: it rings a bell (SELECT pg_notify) in the transaction that made the work.
 *
 *	static bool tick_x(struct tick *tick, bool *ret_more, struct err *err)
 *	{
 *		claim a few rows; *ret_more = there may be others;
 *		think;
 *		return db_begin(...) && ... && db_commit(tick->db, "x", err);
 *	}
 */
#ifndef PIPELINE_PIPELINE_H
#define PIPELINE_PIPELINE_H

#include "daemon/bell.h"
#include "daemon/db/db.h"
#include "daemon/settings.h"
#include "lib/base/clock.h"

/* All a tick has.  A sixth member needs a decision record. */
struct tick {
	struct db *db;
	struct arena *arena; /* freed after the tick */
	const struct settings *settings;
	int stop_fd; /* readable once the daemon is to end: who waits for others waits for it too */
};

typedef bool tick_fn(struct tick *tick, bool *ret_more, struct err *err);

struct stage {
	const char *name;
	enum bell bell;
	struct span period; /* looks by itself this often, bell or not */
	tick_fn *tick;
	const char *doc;
};

extern const struct stage stages[];
extern const size_t nr_stages;

/* Each in pipeline/NAME.c.  They block; on failure the open transaction is rolled back by the
 * loop. */
MUST_CHECK tick_fn tick_settings, tick_watch, tick_series, tick_plan, tick_dispatch, tick_ingest,
	tick_compare, tick_decide, tick_report, tick_calibrate, tick_confirm, tick_bisect;

/* One daemon at a time is at a stage, so that no tick meets rows that another thinks about; the
 * database lets go of it when the connection ends, however that comes.  *ret_is_ours false: another
 * daemon is at it, and will hear the same bells. */
MUST_CHECK bool stage_enter(const struct stage *stage, struct db *db, bool *ret_is_ours,
			    struct err *err);
/* After a rollback or commit. */
void stage_leave(const struct stage *stage, struct db *db);

/* Adds a line to the event log; the ids are 0 where there is none. */
struct event {
	const char *kind;
	int64_t repository, stack, run, bisection;
	const char *detail;
};
MUST_CHECK bool event_add(struct db *db, const struct event *event, struct err *err);

/* Rings a bell when the transaction commits. */
MUST_CHECK bool bell_ring(struct db *db, enum bell bell, struct err *err);

/* Folders under the daemon's data, in the arena. */
const char *path_mirror(const struct settings *settings, int64_t repository, struct arena *arena);
const char *path_store(const struct settings *settings, struct arena *arena);
const char *path_outbox(const struct settings *settings, struct arena *arena);

#endif
