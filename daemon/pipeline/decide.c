/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decide - what follows from the verdicts.
 *
 *	comparison deciding ──not clear yet──> measuring (a want)
 *	                    ──clear──> done
 *	           waiting  ──sign of the ends──> a want
 *	                    ──none──> cancelled
 *	bisection ──the ends differ, and to measure each commit costs too much──> open
 *	           done ──undone by its neighbour──> measuring (a want, once: again.h)
 *	stack measuring ──all comparisons ended──> confirming (findings)
 *	                ──nothing found──> done
 *
 * A stack's findings are written together, so that a change that one commit explains is not told
 * again of the tip.
 */
#include "pipeline.h"

#include "again.h"
#include "bisect_open.h"
#include "daemon/calibration.h"
#include "daemon/comparison.h"
#include "daemon/history.h"
#include "daemon/policy/bisecting.h"
#include "lib/stats/judge.h"

/* Asks for the blocks between this look (0: none yet) and the next. */
static bool want_next_look(struct tick *tick, int64_t cell, int64_t id, int look, const char *why,
			   struct err *err)
{
	size_t nr_before = look > 0 ? judge_look_blocks(look) : 0;
	int64_t nr = (int64_t)(judge_look_blocks(look + 1) - nr_before);

	return db_exec(tick->db, Q_WANT_ADD,
		       ARGS(arg_int(cell), arg_int(id), arg_int(nr), arg_text(why)), NULL, err) &&
	       bell_ring(tick->db, BELL_PLAN, err);
}

/* What a comparison that is done leaves to those to come. */
static bool learn(struct tick *tick, const struct comparison *comparison, struct err *err)
{
	return history_add(tick->db, comparison, err) && calibration_end(tick->db, comparison, err);
}

/* What waits for the ends of its stack is not given up as long as there is a look left. */
static bool wants_more(const struct comparison *comparison, int look, bool is_awaited,
		       const char **ret_why)
{
	enum judge_next next;

	if (look >= JUDGE_LOOKS) {
		return false;
	}
	next = judge_next(comparison->verdicts, comparison->nr_metrics, look, ret_why);
	if (next == JUDGE_HOPELESS && is_awaited) {
		*ret_why = "other comparisons wait for it";
		return true;
	}
	return next == JUDGE_MORE;
}

static bool decide_comparison(struct tick *tick, const struct rows *rows, struct err *err)
{
	scoped(comparison_free) struct comparison *comparison = NULL;
	int64_t cell = rows_int(rows, 0, "cell_id");
	int64_t id = rows_int(rows, 0, "id");
	int look = (int)rows_int(rows, 0, "look");
	bool is_again = rows_bool(rows, 0, "is_again"); /* it has taught its noise already */
	int64_t nr_moved = 0;
	const char *why = NULL;
	bool is_more;

	if (!comparison_load(tick->db, cell, id, &comparison, err)) {
		return false;
	}
	comparison_judge(comparison, look);
	is_more = !comparison->found &&
		  wants_more(comparison, look, rows_bool(rows, 0, "is_awaited"), &why);
	if (!is_more && comparison->base_note && !comparison->found && look < JUDGE_TIME_LOOKS) {
		is_more = true;
		why = comparison->base_note;
	}
	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_COMPARISON_MOVE,
		       ARGS(arg_int(cell), arg_int(id), arg_text("deciding"),
			    arg_text(is_more ? "measuring" : "done"), arg_null()),
		       &nr_moved, err) &&
	       (!is_more || want_next_look(tick, cell, id, look, why, err)) &&
	       (is_more || is_again || nr_moved == 0 || learn(tick, comparison, err)) &&
	       bell_ring(tick->db, BELL_CONFIRM, err) && bell_ring(tick->db, BELL_BISECT, err) &&
	       db_commit(tick->db, "decide", err);
}

static bool decide_waiting(struct tick *tick, const struct rows *rows, struct err *err)
{
	int64_t cell = rows_int(rows, 0, "cell_id");
	int64_t id = rows_int(rows, 0, "id");
	bool is_signal = rows_bool(rows, 0, "is_signal");

	if (!db_begin(tick->db, err)) {
		return false;
	}
	if (is_signal) {
		return want_next_look(tick, cell, id, 0, "the ends of the stack differ", err) &&
		       db_commit(tick->db, "decide", err);
	}
	return db_exec(tick->db, Q_COMPARISON_MOVE,
		       ARGS(arg_int(cell), arg_int(id), arg_text("waiting"), arg_text("cancelled"),
			    arg_text("inner commits not measured: over the budget, and the ends "
				     "do not differ")),
		       NULL, err) &&
	       db_commit(tick->db, "decide", err);
}

/* Those of parents first: they explain what the tip shows. */
static bool add_findings(struct tick *tick, int64_t stack, struct err *err)
{
	static const enum query queries[] = { Q_FINDING_ADD, Q_FINDING_ADD_FAILURES };
	static const char *const roles[] = { "parent", "tip" };

	for (size_t role = 0; role < countof(roles); role++) {
		for (size_t i = 0; i < countof(queries); i++) {
			if (!db_exec(tick->db, queries[i],
				     ARGS(arg_int(stack), arg_text(roles[role])), NULL, err)) {
				return false;
			}
		}
	}
	return true;
}

static bool finish_stack(struct tick *tick, const struct rows *rows, struct err *err)
{
	int64_t stack = rows_int(rows, 0, "id");
	int64_t nr_again = 0;
	int64_t nr_found = 0;
	struct event event = { .kind = "measured",
			       .repository = rows_int(rows, 0, "repository_id"),
			       .stack = stack };

	if (!db_begin(tick->db, err) || !again_ask(tick, stack, &nr_again, err)) {
		return false;
	}
	if (nr_again > 0) {
		return db_commit(tick->db, "decide", err);
	}
	if (!add_findings(tick, stack, err) ||
	    !db_query_int(tick->db, Q_STACK_UNCONFIRMED, ARGS(arg_int(stack)), &nr_found, err)) {
		return false;
	}
	event.detail = arena_printf(tick->arena,
				    "every comparison has ended, %" PRId64 " finding(s)", nr_found);
	return db_exec(tick->db, Q_STACK_MOVE,
		       ARGS(arg_int(stack), arg_text("measuring"),
			    arg_text(nr_found > 0 ? "confirming" : "done"), arg_null()),
		       NULL, err) &&
	       event_add(tick->db, &event, err) && bell_ring(tick->db, BELL_CONFIRM, err) &&
	       bell_ring(tick->db, BELL_REPORT, err) && db_commit(tick->db, "decide", err);
}

bool tick_decide(struct tick *tick, bool *ret_more, struct err *err)
{
	const struct {
		enum query find;
		size_t nr_args;
		struct arg arg;
		bool (*decide)(struct tick *tick, const struct rows *rows, struct err *err);
	} steps[] = {
		{ Q_DECIDE_READY, 1, arg_text(AGAIN_REASON), decide_comparison },
		{ Q_BISECT_DUE, 1, arg_int((int64_t)bisecting_least_pairs()), bisect_open },
		{ Q_DECIDE_SIGNAL, 0, arg_null(), decide_waiting },
		{ Q_DECIDE_WHOLE_STACK, 0, arg_null(), finish_stack },
	};

	for (size_t i = 0; i < countof(steps); i++) {
		scoped(rows_free) struct rows *rows = NULL;

		if (!db_query(tick->db, steps[i].find, &steps[i].arg, steps[i].nr_args, &rows,
			      err)) {
			return false;
		}
		if (rows_nr(rows) > 0) {
			*ret_more = true;
			return steps[i].decide(tick, rows, err);
		}
	}
	return true;
}
