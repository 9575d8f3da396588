/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confirm - what was found is found again on fresh builds and in fresh runs, or nobody is told.
 *
 *	finding unconfirmed ──> its comparison of purpose 'confirm' (waiting)
 *	comparison waiting ──builds missing──> builds queued
 *	                   ──builds done──> a want      ──one failed──> done (missing: why)
 *	comparison ended ──> finding new (as confirmed), or suppressed (why)
 *	stack confirming ──no finding unconfirmed──> done
 *
 * The number of runs is fixed by what was found, before the first of them; they are judged once.
 * Neutral rebuilds (purpose 'rebuild') wait for their builds in the same way.
 */
#include "pipeline.h"

#include <math.h>

#include "daemon/comparison.h"
#include "daemon/risk.h"
#include "lib/stats/judge.h"

/* What a search found is as large as all of its runs say, not as the looks at the ends say: these
 * began it because they looked large. */
static void take_step(struct comparison *found, const struct rows *rows)
{
	double step = rows_number(rows, 0, "step");

	for (size_t i = 0; i < found->nr_metrics && isfinite(step); i++) {
		struct judge_verdict *verdict = &found->verdicts[i];

		if (found->slots[i] == rows_int(rows, 0, "slot") && !verdict->metric->is_exact) {
			verdict->kind = JUDGE_REGRESSION; /* or not, of the same size */
			verdict->effect = step;
			verdict->q = 0;
		}
	}
}

static bool begin(struct tick *tick, const struct rows *rows, struct err *err)
{
	scoped(comparison_free) struct comparison *found = NULL;
	int look = (int)rows_int(rows, 0, "look");
	size_t nr_blocks;

	if (!comparison_load(tick->db, rows_int(rows, 0, "cell_id"),
			     rows_int(rows, 0, "comparison_id"), &found, err)) {
		return false;
	}
	comparison_judge(found, look);
	take_step(found, rows);
	nr_blocks = judge_confirm_blocks(found->verdicts, found->nr_metrics, look);
	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_CONFIRM_COMPARISON,
		       ARGS(arg_int(rows_int(rows, 0, "id")), arg_int((int64_t)nr_blocks)), NULL,
		       err) &&
	       db_commit(tick->db, "confirm", err);
}

static bool build(struct tick *tick, const struct rows *rows, struct err *err)
{
	int64_t cell = rows_int(rows, 0, "cell_id");
	int64_t comparison = rows_int(rows, 0, "id");

	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_REBUILD_ADD, ARGS(arg_int(cell), arg_int(comparison)), NULL,
		       err) &&
	       db_exec(tick->db, Q_REBUILD_RUNS, ARGS(arg_int(cell), arg_int(comparison)), NULL,
		       err) &&
	       bell_ring(tick->db, BELL_LEASE, err) && db_commit(tick->db, "confirm", err);
}

/* From waiting to `state`. */
static bool move_comparison(struct tick *tick, const struct rows *rows, const char *state,
			    const char *reason, struct err *err)
{
	return db_exec(tick->db, Q_COMPARISON_MOVE,
		       ARGS(arg_int(rows_int(rows, 0, "cell_id")), arg_int(rows_int(rows, 0, "id")),
			    arg_text("waiting"), arg_text(state), arg_text(reason)),
		       NULL, err);
}

static bool measure(struct tick *tick, const struct rows *rows, struct err *err)
{
	const char *failed = rows_text(rows, 0, "failed");
	int64_t nr_blocks = rows_int(rows, 0, "nr_blocks");
	const char *why = arena_printf(tick->arena, "%s", rows_text(rows, 0, "purpose"));
	const char *reason = NULL;
	bool is_done;

	if (failed) {
		reason = arena_printf(tick->arena, "missing: a fresh build of %s", failed);
	} else if (rows_bool(rows, 0, "is_same_binary")) {
		reason = "same binary";
	}

	if (!db_begin(tick->db, err)) {
		return false;
	}
	if (reason) {
		is_done = move_comparison(tick, rows, "done", reason, err) &&
			  bell_ring(tick->db, BELL_CONFIRM, err) &&
			  bell_ring(tick->db, BELL_BISECT, err);
	} else if (nr_blocks > 0) {
		is_done = db_exec(tick->db, Q_WANT_ADD,
				  ARGS(arg_int(rows_int(rows, 0, "cell_id")),
				       arg_int(rows_int(rows, 0, "id")), arg_int(nr_blocks),
				       arg_text(why)),
				  NULL, err) &&
			  bell_ring(tick->db, BELL_PLAN, err);
	} else { /* it was cancelled after its last run */
		is_done = move_comparison(tick, rows, "measuring", NULL, err) &&
			  bell_ring(tick->db, BELL_COMPARE, err);
	}
	return is_done && db_commit(tick->db, "confirm", err);
}

static const char *reason_of(struct tick *tick, const struct rows *rows)
{
	const char *reason = rows_text(rows, 0, "reason");
	const char *measured = rows_text(rows, 0, "measured");

	return arena_printf(tick->arena, "not confirmed on fresh builds: %s",
			    reason     ? reason
			    : measured ? measured
				       : "nothing was measured");
}

static bool conclude(struct tick *tick, const struct rows *rows, struct err *err)
{
	const char *kind = rows_text(rows, 0, "kind");

	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_FINDING_CONFIRM,
		       ARGS(arg_int(rows_int(rows, 0, "id")), arg_text(kind ? "new" : "suppressed"),
			    arg_text(kind), arg_text(kind ? NULL : reason_of(tick, rows))),
		       NULL, err) &&
	       bell_ring(tick->db, BELL_BISECT, err) && bell_ring(tick->db, BELL_REPORT, err) &&
	       db_commit(tick->db, "confirm", err);
}

/* The whole stack may differ from its base where no single commit was confirmed to. */
static bool finish_stack(struct tick *tick, const struct rows *rows, struct err *err)
{
	int64_t stack = rows_int(rows, 0, "id");
	int64_t nr_tips = 0;
	const struct event event = { .kind = "confirmed",
				     .repository = rows_int(rows, 0, "repository_id"),
				     .stack = stack,
				     .detail = "every confirmation has ended" };

	if (!db_begin(tick->db, err) ||
	    !db_exec(tick->db, Q_FINDING_ADD, ARGS(arg_int(stack), arg_text("tip")), &nr_tips,
		     err)) {
		return false;
	}
	return (nr_tips > 0 ||
		(risk_spend(tick->db, stack, err) &&
		 db_exec(tick->db, Q_STACK_MOVE,
			 ARGS(arg_int(stack), arg_text("confirming"), arg_text("done"), arg_null()),
			 NULL, err) &&
		 event_add(tick->db, &event, err) && bell_ring(tick->db, BELL_REPORT, err))) &&
	       db_commit(tick->db, "confirm", err);
}

bool tick_confirm(struct tick *tick, bool *ret_more, struct err *err)
{
	static const struct {
		enum query find;
		size_t nr_args;
		bool (*act)(struct tick *tick, const struct rows *rows, struct err *err);
	} steps[] = {
		{ Q_CONFIRM_DUE, 0, begin },
		{ Q_REBUILD_DUE, 0, build },
		{ Q_REBUILT, 1, measure },
		{ Q_CONFIRM_ENDED, 0, conclude },
		{ Q_CONFIRM_WHOLE_STACK, 0, finish_stack },
	};
	const struct arg first_look = arg_int((int64_t)judge_look_blocks(1));

	for (size_t i = 0; i < countof(steps); i++) {
		scoped(rows_free) struct rows *rows = NULL;

		if (!db_query(tick->db, steps[i].find, &first_look, steps[i].nr_args, &rows, err)) {
			return false;
		}
		if (rows_nr(rows) > 0) {
			*ret_more = true;
			return steps[i].act(tick, rows, err);
		}
	}
	return true;
}
