/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare - the judge's word on two commits, when their blocks have ended.
 *
 *	comparison measuring ──enough blocks──> deciding (verdicts of one more look)
 *	                     ──blocks lost, or impossible──> measuring (a want for others)
 *	                     ──head fails, base does not──> measuring (a want, until sure)
 *	                     ──blocks failed──> done (missing: why)
 *
 * A confirmation is looked at once, when all of the blocks that were fixed before have ended.
 */
#include "pipeline.h"

#include "daemon/comparison.h"
#include "daemon/failures.h"

/* So many blocks may get lost to the lab before a comparison gives up. */
#define VOID_LIMIT 6

struct ready {
	int64_t cell, id;
	int look;
	bool is_fixed; /* in its number of blocks */
	int nr_blocks; /* to judge it by */
	int nr_done, nr_void, nr_failed;
	const char *void_reason;
};

static bool want_others(struct tick *tick, const struct ready *ready, int nr, const char *why,
			struct err *err)
{
	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_WANT_ADD,
		       ARGS(arg_int(ready->cell), arg_int(ready->id), arg_int(nr), arg_text(why)),
		       NULL, err) &&
	       bell_ring(tick->db, BELL_PLAN, err) && db_commit(tick->db, "compare", err);
}

static bool give_up(struct tick *tick, const struct ready *ready, struct err *err)
{
	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_COMPARISON_MOVE,
		       ARGS(arg_int(ready->cell), arg_int(ready->id), arg_text("measuring"),
			    arg_text("done"),
			    arg_text(arena_printf(tick->arena, "missing: %s", ready->void_reason))),
		       NULL, err) &&
	       bell_ring(tick->db, BELL_DECIDE, err) && bell_ring(tick->db, BELL_CONFIRM, err) &&
	       db_commit(tick->db, "compare", err);
}

static bool add_verdict(struct tick *tick, const struct ready *ready, int slot,
			const struct judge_verdict *v, struct err *err)
{
	return db_exec(tick->db, Q_VERDICT_ADD,
		       ARGS(arg_int(ready->cell), arg_int(ready->id), arg_int(ready->look + 1),
			    arg_int(slot), arg_text(judge_word(v->kind)),
			    arg_text(judge_reason_in(tick->arena, v)), arg_int((int64_t)v->base.nr),
			    arg_int((int64_t)v->head.nr), arg_number(v->base.level),
			    arg_number(v->head.level), arg_number(v->base.sd),
			    arg_number(v->head.sd), arg_number(v->effect), arg_bool(v->is_ratio),
			    arg_number(v->interval_95.low), arg_number(v->interval_95.high),
			    arg_number(v->p), arg_number(v->q)),
		       NULL, err);
}

static bool judge_comparison(struct tick *tick, const struct ready *ready,
			     struct comparison *comparison, struct err *err)
{
	int nr_repeats;

	comparison_judge(comparison, ready->look + 1);
	nr_repeats = (int)judge_repeats(comparison->verdicts, comparison->nr_metrics);
	if (!ready->is_fixed && nr_repeats <= ready->nr_blocks &&
	    ready->nr_done < ready->nr_blocks + nr_repeats) {
		return want_others(tick, ready, ready->nr_blocks + nr_repeats - ready->nr_done,
				   "in place of blocks with an impossible spread", err);
	}
	if (!db_begin(tick->db, err)) {
		return false;
	}
	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		if (!add_verdict(tick, ready, comparison->slots[i], &comparison->verdicts[i],
				 err)) {
			return false;
		}
	}
	return db_exec(tick->db, Q_COMPARISON_JUDGED,
		       ARGS(arg_int(ready->cell), arg_int(ready->id), arg_int(ready->look)), NULL,
		       err) &&
	       bell_ring(tick->db, BELL_DECIDE, err) && db_commit(tick->db, "compare", err);
}

static bool add_failure(struct tick *tick, const struct ready *ready,
			const struct comparison_failure *failure, struct err *err)
{
	const struct failure_count *base = &failure->base;
	const struct failure_count *head = &failure->head;

	return db_exec(tick->db, Q_FAILURE_VERDICT_ADD,
		       ARGS(arg_int(ready->cell), arg_int(ready->id), arg_text(failure->reason),
			    arg_int((int64_t)base->fails), arg_int((int64_t)base->runs),
			    arg_int((int64_t)head->fails), arg_int((int64_t)head->runs),
			    arg_number(failure_posterior(*base, *head))),
		       NULL, err);
}

/* What went wrong comes first: *ret_is_asked, it wants other runs before anything is judged. */
static bool look_at_failures(struct tick *tick, const struct ready *ready,
			     const struct comparison *comparison, bool *ret_is_asked,
			     struct err *err)
{
	int nr_more = ready->nr_done > ready->nr_blocks ? ready->nr_done - ready->nr_blocks : 0;
	int nr_left = VOID_LIMIT - ready->nr_void - nr_more;
	const struct comparison_failure *worst;
	enum failure_next next = FAILURE_NOT_SHOWN;

	*ret_is_asked = false;
	if (!ready->is_fixed) {
		next = failures_next(comparison, nr_left > 0 ? (size_t)nr_left : 0,
				     ready->nr_done >= ready->nr_blocks, &worst);
	}
	if (next == FAILURE_HIGHER) {
		return add_failure(tick, ready, worst, err);
	}
	if (next == FAILURE_MORE) {
		*ret_is_asked = true;
		return want_others(tick, ready, 1,
				   arena_printf(tick->arena, "%s of the head and not of the base",
						worst->reason),
				   err);
	}
	return true;
}

/* All blocks have ended, or some failed. */
static bool conclude(struct tick *tick, const struct ready *ready, struct err *err)
{
	scoped(comparison_free) struct comparison *comparison = NULL;
	bool is_asked;

	if (!comparison_load(tick->db, ready->cell, ready->id, &comparison, err) ||
	    !look_at_failures(tick, ready, comparison, &is_asked, err)) {
		return false;
	}
	if (is_asked) {
		return true;
	}
	return ready->nr_done < ready->nr_blocks ? give_up(tick, ready, err)
						 : judge_comparison(tick, ready, comparison, err);
}

/* What to do with a comparison of which no block runs any more. */
bool tick_compare(struct tick *tick, bool *ret_more, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct ready ready;
	int nr_missing;

	if (!db_query(tick->db, Q_COMPARE_READY, NO_ARGS, &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return true;
	}
	*ret_more = true;
	ready = (struct ready){ .cell = rows_int(rows, 0, "cell_id"),
				.id = rows_int(rows, 0, "id"),
				.look = (int)rows_int(rows, 0, "look"),
				.nr_done = (int)rows_int(rows, 0, "nr_done"),
				.nr_void = (int)rows_int(rows, 0, "nr_void"),
				.nr_failed = (int)rows_int(rows, 0, "nr_failed"),
				.void_reason = rows_text(rows, 0, "void_reason") };
	ready.nr_blocks = (int)rows_int(rows, 0, "nr_blocks");
	ready.is_fixed = ready.nr_blocks > 0;
	if (!ready.is_fixed) {
		ready.nr_blocks = (int)judge_look_blocks(ready.look + 1);
	}
	nr_missing = ready.nr_blocks - ready.nr_done;
	if (nr_missing <= 0 || ready.nr_failed > 0 || ready.nr_void > VOID_LIMIT) {
		return conclude(tick, &ready, err);
	}
	return want_others(
		tick, &ready, nr_missing,
		arena_printf(tick->arena, "in place of lost blocks: %s", ready.void_reason), err);
}
