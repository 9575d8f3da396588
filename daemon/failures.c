/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "failures.h"

#include <math.h>

/* Below this, runs of both sides would rather show that head is no worse. */
#define HOPE 0.6

bool failures_load(struct db *db, struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct comparison_failure *failures;

	if (!db_query(db, Q_COMPARISON_FAILURES,
		      ARGS(arg_int(comparison->cell), arg_int(comparison->id)), &rows, err)) {
		return false;
	}
	failures = arena_array(comparison->arena, (size_t)rows_nr(rows), sizeof(*failures));
	for (int i = 0; i < rows_nr(rows); i++) {
		failures[i] = (struct comparison_failure){
			.reason = arena_strdup(comparison->arena, rows_text(rows, i, "reason")),
			.base = { (size_t)rows_int(rows, i, "base_fails"),
				  (size_t)rows_int(rows, i, "base_runs") },
			.head = { (size_t)rows_int(rows, i, "head_fails"),
				  (size_t)rows_int(rows, i, "head_runs") },
			.is_known = rows_bool(rows, i, "is_known"),
		};
	}
	comparison->failures = failures;
	comparison->nr_failures = (size_t)rows_nr(rows);
	return true;
}

static bool is_higher(struct failure_count base, struct failure_count head)
{
	return failure_next(base, head, 0) == FAILURE_HIGHER;
}

static enum judge_kind kind_of(const struct comparison_failure *from, const struct failure *judged)
{
	if (judged->kind != JUDGE_CANNOT_RESOLVE) {
		return judged->kind;
	}
	return is_higher(from->base, from->head)   ? JUDGE_REGRESSION
	       : is_higher(from->head, from->base) ? JUDGE_IMPROVEMENT
						   : JUDGE_CANNOT_RESOLVE;
}

static struct view_change change_of(const struct comparison *comparison,
				    const struct comparison_failure *from)
{
	struct failure judged = failure_judge(from->base, from->head);
	struct view_change change = view_change_bare(judge_word(kind_of(from, &judged)), NULL);

	change.p = judged.p;
	if (judged.kind == JUDGE_MISSING) {
		change.reason = from->base.runs ? "head did not run" : "base did not run";
		return change;
	}
	change.q = fmin(1, judged.p * (double)comparison->nr_failures);
	change.reason = arena_printf(comparison->arena,
				     "the chance that head's rate is the higher one is %.3g",
				     failure_posterior(from->base, from->head));
	return change;
}

void failures_show(const struct comparison *comparison, struct view_group *group)
{
	struct view_row *rows =
		arena_array(comparison->arena, comparison->nr_failures, sizeof(*rows));

	for (size_t i = 0; i < comparison->nr_failures; i++) {
		const struct comparison_failure *from = &comparison->failures[i];
		struct view_rate *rates = arena_array(comparison->arena, 2, sizeof(*rates));
		struct view_change *change = arena_alloc(comparison->arena, sizeof(*change));

		rates[0] = (struct view_rate){ from->base.fails, from->base.runs };
		rates[1] = (struct view_rate){ from->head.fails, from->head.runs };
		*change = change_of(comparison, from);
		rows[i] = (struct view_row){
			.metric = arena_printf(comparison->arena, "%s.%s", comparison->benchmark,
					       from->reason),
			.rates = rates,
			.changes = change,
		};
	}
	group->failures = rows;
	group->nr_failures = comparison->nr_failures;
}

/* Asked about where head fails, and its rate is rather the higher one. */
static enum failure_next next_of(const struct comparison_failure *failure, bool may_ask)
{
	if (failure->head.fails == 0) {
		return FAILURE_NOT_SHOWN;
	}
	if (is_higher(failure->base, failure->head)) {
		return FAILURE_HIGHER;
	}
	return may_ask && failure_posterior(failure->base, failure->head) >= HOPE
		       ? FAILURE_MORE
		       : FAILURE_NOT_SHOWN;
}

enum failure_next failures_next(const struct comparison *comparison, size_t nr_left, bool is_whole,
				const struct comparison_failure **ret_worst)
{
	enum failure_next next = FAILURE_NOT_SHOWN;

	*ret_worst = NULL;
	for (size_t i = 0; i < comparison->nr_failures && next != FAILURE_HIGHER; i++) {
		const struct comparison_failure *failure = &comparison->failures[i];
		enum failure_next one =
			next_of(failure, nr_left > 0 && !(is_whole && failure->is_known));

		if (one != FAILURE_NOT_SHOWN) {
			next = one;
			*ret_worst = failure;
		}
	}
	return next;
}
