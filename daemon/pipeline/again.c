/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "again.h"

#include "daemon/stack_fit.h"
#include "lib/stats/judge.h"

/* One more look of a comparison, unless it had the last one at times, was asked before, or has a
 * finding in another stack: what that one confirms is fixed. */
static bool ask_comparison(struct tick *tick, int64_t cell, int64_t id, int64_t *nr,
			   struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	int64_t nr_blocks;
	int look;

	if (!db_query(tick->db, Q_COMPARISON_AGAIN,
		      ARGS(arg_int(cell), arg_int(id), arg_int(JUDGE_TIME_LOOKS),
			   arg_text(AGAIN_REASON)),
		      &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return true;
	}
	*nr += 1;
	look = (int)rows_int(rows, 0, "look");
	nr_blocks = (int64_t)(judge_look_blocks(look + 1) - judge_look_blocks(look));
	return db_exec(tick->db, Q_WANT_ADD,
		       ARGS(arg_int(cell), arg_int(id), arg_int(nr_blocks), arg_text(AGAIN_REASON)),
		       NULL, err) &&
	       bell_ring(tick->db, BELL_PLAN, err);
}

static bool ask_cell(struct tick *tick, int64_t stack, int64_t cell, int64_t *nr, struct err *err)
{
	scoped(stack_fit_free) struct stack_fit *fit = NULL;
	size_t after = 0;

	if (!stack_fit_load(tick->db, cell, &stack, 1, &fit, err)) {
		return false;
	}
	for (;;) {
		size_t commit = stack_fit_up_and_down(fit, after, &after);

		if (commit == 0) {
			return true;
		}
		if (!ask_comparison(tick, cell, fit->stacks[0].commits[commit].comparison, nr,
				    err) ||
		    !ask_comparison(tick, cell, fit->stacks[0].commits[after].comparison, nr,
				    err)) {
			return false;
		}
	}
}

static bool tell(struct tick *tick, int64_t stack, int64_t nr, struct err *err)
{
	const struct event event = { .kind = "again",
				     .stack = stack,
				     .detail =
					     arena_printf(tick->arena,
							  "%" PRId64 " comparisons measure again: "
							  "a commit stands out from both its "
							  "neighbours",
							  nr) };

	return event_add(tick->db, &event, err);
}

bool again_ask(struct tick *tick, int64_t stack, int64_t *ret_nr, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	*ret_nr = 0;
	if (!db_query(tick->db, Q_STACK_MOVED_CELLS, ARGS(arg_int(stack)), &rows, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(rows); i++) {
		if (!ask_cell(tick, stack, rows_int(rows, i, "cell_id"), ret_nr, err)) {
			return false;
		}
	}
	return *ret_nr == 0 || tell(tick, stack, *ret_nr, err);
}
