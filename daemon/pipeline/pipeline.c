/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline.h"

#include "lib/base/option.h"

/* clang-format off */
const struct stage stages[] = {
	{ "watch",    BELL_WATCH,    SPAN_MS(1000),  tick_watch,    "repositories -> heads" },
	{ "series",   BELL_SERIES,   SPAN_MS(10000), tick_series,   "new heads -> stacks" },
	{ "plan",     BELL_PLAN,     SPAN_MS(10000), tick_plan,     "stacks, wants -> builds, blocks, runs" },
	{ "dispatch", BELL_DISPATCH, SPAN_MS(5000),  tick_dispatch, "lost leases -> runs again" },
	{ "ingest",   BELL_INGEST,   SPAN_MS(10000), tick_ingest,   "uploaded output -> samples, failures" },
	{ "compare",  BELL_COMPARE,  SPAN_MS(10000), tick_compare,  "samples -> verdicts" },
	{ "decide",   BELL_DECIDE,   SPAN_MS(10000), tick_decide,   "verdicts -> wants, findings" },
	{ "bisect",   BELL_BISECT,   SPAN_MS(10000), tick_bisect,   "bisections -> builds, runs of one commit, findings" },
	{ "confirm",  BELL_CONFIRM,  SPAN_MS(10000), tick_confirm,  "findings -> wants on fresh builds, findings" },
	{ "report",   BELL_REPORT,   SPAN_MS(10000), tick_report,   "findings -> mails" },
	{ "calibrate", NR_BELLS,    SPAN_MS(10000), tick_calibrate, "cells in use -> a commit with itself" },
	{ "settings", NR_BELLS,      SPAN_MS(5000),  tick_settings, "the configuration file -> repositories" },
};
/* clang-format on */
const size_t nr_stages = countof(stages);

bool stage_enter(const struct stage *stage, struct db *db, bool *ret_is_ours, struct err *err)
{
	int64_t is_ours;

	if (!db_query_int(db, Q_STAGE_ENTER, ARGS(arg_text(stage->name)), &is_ours, err)) {
		return false;
	}
	*ret_is_ours = is_ours != 0;
	return true;
}

void stage_leave(const struct stage *stage, struct db *db)
{
	struct err gone = ERR_INIT; /* then so is the lock */
	int64_t was_ours;

	(void)!db_query_int(db, Q_STAGE_LEAVE, ARGS(arg_text(stage->name)), &was_ours, &gone);
}

bool event_add(struct db *db, const struct event *event, struct err *err)
{
	return db_exec(db, Q_EVENT_ADD,
		       ARGS(arg_text(event->kind), arg_id(event->repository), arg_id(event->stack),
			    arg_id(event->run), arg_id(event->bisection), arg_text(event->detail)),
		       NULL, err);
}

bool bell_ring(struct db *db, enum bell bell, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	return db_query(db, Q_BELL_RING, ARGS(arg_text(bell_name(bell))), &rows, err);
}

const char *path_mirror(const struct settings *settings, int64_t repository, struct arena *arena)
{
	return arena_printf(arena, "%s/mirror/%" PRId64 ".git", settings->data, repository);
}

const char *path_store(const struct settings *settings, struct arena *arena)
{
	return arena_printf(arena, "%s/store", settings->data);
}

const char *path_outbox(const struct settings *settings, struct arena *arena)
{
	return arena_printf(arena, "%s/outbox", settings->data);
}

/* Reads the file as often as it is small: so `patchmeter tree add` needs no signal and no token. */
bool tick_settings(struct tick *tick, bool *ret_more, struct err *err)
{
	scoped(settings_release) struct settings settings = { 0 };

	*ret_more = false;
	return settings_reread(tick->settings, &settings, err) &&
	       settings_store(&settings, tick->db, err);
}
