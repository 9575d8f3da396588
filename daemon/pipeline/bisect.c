/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect - the commit that explains why the ends of a stack differ, with few runs.
 *
 *	bisection open ──its commits unknown──> commits of a long stack
 *	               ──a machine free──> a build, or a block of one run on it
 *	               ──sure──> confirming (a finding), unchanged
 *	               ──its budget ends──> inconclusive (a set)
 *	               ──an end cannot be measured──> unmeasurable
 *	confirming ──confirmed──> the tip without it is built and measured: bisect_revert.h
 *	           ──that has ended──> concluded
 *	           ──not, or could not be measured──> inconclusive, unmeasurable
 *
 * decide opens it.  What to run next follows from the runs that there are, whoever asked for them,
 * so nothing else is kept, and a tick that was killed is run again.
 */
#include "pipeline.h"

#include "bisect_revert.h"
#include "commits.h"
#include "daemon/bisection.h"
#include "daemon/policy/bisecting.h"
#include "lib/vcs/mirror.h"
#include "lib/vcs/stack.h"

enum { PRIORITY_BUILD = 10, PRIORITY_RUN = 20 };

#define MOST_COMMITS 10000

static bool tell(struct tick *tick, const struct bisection *bisection, const char *detail,
		 struct err *err)
{
	const struct event event = { .kind = "bisection",
				     .repository = bisection->repository,
				     .stack = bisection->stack,
				     .bisection = bisection->id,
				     .detail = detail };

	return event_add(tick->db, &event, err);
}

/* the commits of a long stack ---------------------------------------------------------------- */

static bool store_steps(struct tick *tick, int64_t stack_id, struct vcs *vcs,
			const struct vcs_stack *stack, struct err *err)
{
	if (!db_begin(tick->db, err) ||
	    !db_exec(tick->db, Q_BISECT_TIP_MOVE,
		     ARGS(arg_int(stack_id), arg_int((int64_t)stack->nr_steps)), NULL, err)) {
		return false;
	}
	for (size_t i = 0; i + 1 < stack->nr_steps; i++) {
		int64_t commit;

		if (!commit_store(tick, vcs, &stack->steps[i].id, &commit, err) ||
		    !db_exec(tick->db, Q_STACK_COMMIT_ADD,
			     ARGS(arg_int(stack_id), arg_int((int64_t)i + 1), arg_int(commit)),
			     NULL, err)) {
			return false;
		}
	}
	return bell_ring(tick->db, BELL_BISECT, err) && db_commit(tick->db, "bisect", err);
}

static bool read_commits(struct tick *tick, const struct rows *open, int row, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_stack stack;
	struct vcs_id base;
	struct vcs_id tip;
	struct vcs_id *ids;

	if (!commit_mirror(tick, rows_int(open, row, "repository_id"), rows_text(open, row, "url"),
			   &vcs, err) ||
	    !vcs_id_parse(rows_text(open, row, "base_oid"), &base, err) ||
	    !vcs_id_parse(rows_text(open, row, "tip_oid"), &tip, err) ||
	    !vcs_stack_read(vcs, &base, &tip, MOST_COMMITS, tick->arena, &stack, err)) {
		return false;
	}
	if (stack.is_cut) {
		return err_set(err, ERR_TOO_BIG, "more than %d commits", MOST_COMMITS);
	}
	ids = arena_array(tick->arena, stack.nr_steps, sizeof(*ids));
	for (size_t i = 0; i < stack.nr_steps; i++) {
		ids[i] = stack.steps[i].id;
	}
	return vcs_mirror_pin(vcs, ids, stack.nr_steps, err) &&
	       store_steps(tick, rows_int(open, row, "stack_id"), vcs, &stack, err);
}

/* the end of the search ---------------------------------------------------------------------- */

/* What was queued for it and is not needed any more goes with the move. */
static bool end(struct tick *tick, const struct bisection *bisection, const char *state,
		const char *reason, const char *set, struct err *err)
{
	return db_exec(tick->db, Q_BISECT_MOVE,
		       ARGS(arg_int(bisection->id), arg_text("open"), arg_text(state),
			    arg_text(reason), arg_text(set), arg_null(), arg_null()),
		       NULL, err) &&
	       db_exec(tick->db, Q_STACK_CANCEL_RUNS, NO_ARGS, NULL, err) &&
	       tell(tick, bisection, arena_printf(tick->arena, "%s: %s", state, reason), err) &&
	       bell_ring(tick->db, BELL_DECIDE, err);
}

static char *set_of(struct tick *tick, const struct bisection *bisection,
		    const struct bisect_answer *answer, size_t *ret_first)
{
	size_t *commits = arena_array(tick->arena, answer->nr_set, sizeof(*commits));
	double *numbers = arena_array(tick->arena, answer->nr_set, sizeof(*numbers));

	bisect_set(bisection->engine, answer, commits);
	for (size_t i = 0; i < answer->nr_set; i++) {
		numbers[i] = (double)commits[i];
	}
	*ret_first = answer->nr_set > 0 ? commits[0] : 0;
	return db_number_array(tick->arena, numbers, answer->nr_set);
}

/* The comparison of the culprit with the nearest commit before it that builds, which was searched
 * for and not measured. */
static bool plan_comparison(struct tick *tick, const struct bisection *bisection, size_t parent,
			    size_t culprit, int64_t *ret_id, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(tick->db, Q_COMPARISON_ENSURE,
		      ARGS(arg_int(bisection->cell), arg_int(bisection->commits[parent].id),
			   arg_int(bisection->commits[culprit].id), arg_int(PRIORITY_RUN)),
		      &rows, err)) {
		return false;
	}
	*ret_id = rows_int(rows, 0, "id");
	return (strcmp(rows_text(rows, 0, "state"), "waiting") != 0 ||
		db_exec(tick->db, Q_COMPARISON_MOVE,
			ARGS(arg_int(bisection->cell), arg_int(*ret_id), arg_text("waiting"),
			     arg_text("done"), arg_text("not measured: found by bisection")),
			NULL, err)) &&
	       db_exec(tick->db, Q_STACK_COMPARISON_ADD,
		       ARGS(arg_int(bisection->stack), arg_text("parent"),
			    arg_int((int64_t)culprit), arg_int(bisection->cell), arg_int(*ret_id),
			    arg_int((int64_t)(culprit - parent - 1))),
		       NULL, err);
}

static size_t parent_of(const struct bisection *bisection, size_t first)
{
	size_t parent = first - 1;

	while (parent > 0 &&
	       (!bisection->commits[parent].is_built || bisection->commits[parent].is_skipped)) {
		parent--;
	}
	return parent;
}

/* What it says, with what that rests on. */
static const char *say(struct tick *tick, const struct bisection *bisection, double p,
		       const char *what)
{
	const char *posterior = p > 0.999 ? "over 0.999" : arena_printf(tick->arena, "%.3f", p);

	return arena_printf(tick->arena, "%s, posterior %s after %zu runs on %zu commits", what,
			    posterior, bisection->nr_runs, bisection->nr_run_commits);
}

static bool find(struct tick *tick, const struct bisection *bisection,
		 const struct bisect_answer *answer, struct err *err)
{
	size_t first;
	const char *set = set_of(tick, bisection, answer, &first);
	size_t parent = parent_of(bisection, first);
	const struct bisection_commit *culprit = &bisection->commits[answer->last];
	bool is_worse = (answer->after > answer->before) != bisection->is_higher_better;
	const char *what = arena_printf(
		tick->arena, "%.12s%s", culprit->oid,
		answer->nr_set > 1 ? " or one of those before it that cannot be measured" : "");
	const char *reason = say(tick, bisection, answer->p, what);
	int64_t comparison;

	return plan_comparison(tick, bisection, parent, answer->last, &comparison, err) &&
	       db_exec(tick->db, Q_BISECT_MOVE,
		       ARGS(arg_int(bisection->id), arg_text("open"), arg_text("confirming"),
			    arg_text(reason), arg_text(set), arg_int(culprit->id),
			    arg_int(bisection->commits[parent].id)),
		       NULL, err) &&
	       db_exec(tick->db, Q_BISECT_FINDING,
		       ARGS(arg_int(bisection->id), arg_int(comparison),
			    arg_text(is_worse ? "regression" : "improvement")),
		       NULL, err) &&
	       (!bisection->is_stack_done ||
		db_exec(tick->db, Q_STACK_MOVE,
			ARGS(arg_int(bisection->stack), arg_text("done"), arg_text("confirming"),
			     arg_null()),
			NULL, err)) &&
	       db_exec(tick->db, Q_STACK_CANCEL_RUNS, NO_ARGS, NULL, err) &&
	       tell(tick, bisection, arena_printf(tick->arena, "found %s", reason), err) &&
	       bell_ring(tick->db, BELL_DECIDE, err) && bell_ring(tick->db, BELL_CONFIRM, err);
}

static bool conclude(struct tick *tick, const struct bisection *bisection,
		     const struct bisect_answer *answer, struct err *err)
{
	const char *reason;
	size_t first;

	if (answer->state == BISECT_CULPRIT || answer->state == BISECT_SET) {
		return find(tick, bisection, answer, err);
	}
	if (answer->state == BISECT_NONE) {
		bool is_each_run = bisection->nr_run_commits > bisection->tip;

		reason = say(tick, bisection, answer->p, "no change");
		return end(tick, bisection, "unchanged",
			   arena_printf(tick->arena, "%s%s", reason,
					is_each_run ? "" : "; inner commits not measured"),
			   NULL, err);
	}
	reason = say(tick, bisection, answer->p,
		     arena_printf(tick->arena, "one of %zu commits", answer->nr_set));
	return end(tick, bisection, "inconclusive",
		   arena_printf(tick->arena, "%s; its budget has ended", reason),
		   set_of(tick, bisection, answer, &first), err);
}

/* the next runs ------------------------------------------------------------------------------ */

static bool build(struct tick *tick, const struct bisection *bisection, size_t position,
		  struct err *err)
{
	const struct arg stack = arg_int(bisection->stack);
	const struct arg cell = arg_int(bisection->cell);
	const struct arg commit = arg_int(bisection->commits[position].id);
	int64_t nr_runs = 0;

	return db_exec(tick->db, Q_PLAN_JOBS, ARGS(stack, cell, commit), NULL, err) &&
	       db_exec(tick->db, Q_PLAN_BUILDS, ARGS(stack, cell, commit), NULL, err) &&
	       db_exec(tick->db, Q_PLAN_BUILD_RUNS,
		       ARGS(stack, cell, commit, arg_int(PRIORITY_BUILD)), &nr_runs, err) &&
	       (nr_runs == 0 || bell_ring(tick->db, BELL_LEASE, err));
}

static bool run(struct tick *tick, const struct bisection *bisection, const struct rows *machines,
		int row, size_t position, struct err *err)
{
	int64_t block;

	return db_query_int(tick->db, Q_BISECT_BLOCK,
			    ARGS(arg_int(bisection->id),
				 arg_int(rows_int(machines, row, "machine_id")),
				 arg_int(rows_int(machines, row, "epoch_id"))),
			    &block, err) &&
	       db_exec(tick->db, Q_BISECT_RUN,
		       ARGS(arg_int(bisection->id), arg_int(block),
			    arg_int(bisection->commits[position].id), arg_int(PRIORITY_RUN)),
		       NULL, err) &&
	       bell_ring(tick->db, BELL_LEASE, err);
}

/* Another machine is at it. */
static bool is_under_way(const struct rows *machines, size_t position)
{
	for (int i = 0; i < rows_nr(machines); i++) {
		if (rows_text(machines, i, "position") &&
		    rows_int(machines, i, "position") == (int64_t)position) {
			return true;
		}
	}
	return false;
}

/* The engine takes what it said before as under way, and then says another. */
static size_t choose(struct bisection *bisection, const struct rows *machines, size_t machine)
{
	struct bisect_next next;

	for (int i = 0; i <= rows_nr(machines); i++) {
		bisect_next(bisection->engine, machine, &next);
		if (!is_under_way(machines, next.commit)) {
			break;
		}
	}
	return next.commit;
}

static bool ask_machines(struct tick *tick, struct bisection *bisection, struct err *err)
{
	scoped(rows_free) struct rows *machines = NULL;

	if (!db_query(tick->db, Q_BISECT_MACHINES,
		      ARGS(arg_int(bisection->id), arg_int(BISECTING_MACHINES)), &machines, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(machines); i++) {
		size_t machine = bisection_machine(bisection, rows_int(machines, i, "epoch_id"));
		size_t position;

		if (rows_text(machines, i, "position") || machine == BISECT_MOST_MACHINES) {
			continue;
		}
		position = choose(bisection, machines, machine);
		if (!(bisection->commits[position].is_built
			      ? run(tick, bisection, machines, i, position, err)
			      : build(tick, bisection, position, err))) {
			return false;
		}
	}
	return true;
}

static bool look(struct tick *tick, const struct bisection *bisection,
		 const struct bisect_answer *answer, struct err *err)
{
	double *posterior = arena_array(tick->arena, bisection->tip + 1, sizeof(*posterior));

	bisect_posterior(bisection->engine, posterior);
	return db_exec(
		tick->db, Q_BISECT_LOOK,
		ARGS(arg_int(bisection->id), arg_int((int64_t)bisection->nr_runs),
		     arg_int((int64_t)bisection->nr_run_commits), arg_number(answer->expected),
		     arg_text(db_number_array(tick->arena, posterior, bisection->tip + 1)),
		     arg_number(answer->p), arg_number(bisection_level(bisection, answer->before)),
		     arg_number(bisection_level(bisection, answer->after))),
		NULL, err);
}

static bool advance(struct tick *tick, int64_t id, struct err *err)
{
	scoped(bisection_free) struct bisection *bisection = NULL;
	struct bisect_answer answer;

	if (!db_begin(tick->db, err) ||
	    !db_exec(tick->db, Q_BISECT_SKIP_FAILED, ARGS(arg_int(id)), NULL, err) ||
	    !bisection_load(tick->db, id, &bisection, err)) {
		return false;
	}
	bisect_answer(bisection->engine, &answer);
	if (!look(tick, bisection, &answer, err)) {
		return false;
	}
	return (bisection->trouble
			? end(tick, bisection, "unmeasurable", bisection->trouble, NULL, err)
		: answer.state == BISECT_OPEN ? ask_machines(tick, bisection, err)
					      : conclude(tick, bisection, &answer, err)) &&
	       db_commit(tick->db, "bisect", err);
}

/* What cannot be read is not asked for again. */
static bool give_up(struct tick *tick, const struct rows *open, int row, struct err *trouble,
		    struct err *err)
{
	const struct bisection bisection = { .id = rows_int(open, row, "id"),
					     .stack = rows_int(open, row, "stack_id"),
					     .repository = rows_int(open, row, "repository_id") };
	const char *reason = arena_strdup(tick->arena, trouble->message);

	if (err_face(trouble->kind)->is_retryable) { /* the database's */
		*err = *trouble;
		return err_wrap(err, "bisection %" PRId64, bisection.id);
	}
	db_rollback(tick->db);
	return db_begin(tick->db, err) &&
	       end(tick, &bisection, "unmeasurable", reason, NULL, err) &&
	       db_commit(tick->db, "bisect", err);
}

static bool tick_open(struct tick *tick, struct err *err)
{
	scoped(rows_free) struct rows *open = NULL;

	if (!db_query(tick->db, Q_BISECT_LIST, NO_ARGS, &open, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(open); i++) {
		struct err trouble = ERR_INIT;

		if (!rows_bool(open, i, "is_unread")) {
			if (!advance(tick, rows_int(open, i, "id"), err)) {
				return false;
			}
		} else if (!read_commits(tick, open, i, &trouble) &&
			   !give_up(tick, open, i, &trouble, err)) {
			return false;
		}
	}
	return true;
}

bool tick_bisect(struct tick *tick, bool *ret_more, struct err *err)
{
	scoped(rows_free) struct rows *confirmed = NULL;

	if (!db_query(tick->db, Q_BISECT_CONFIRMED, NO_ARGS, &confirmed, err)) {
		return false;
	}
	if (rows_nr(confirmed) > 0) {
		*ret_more = true;
		return bisect_revert(tick, confirmed, err);
	}
	return tick_open(tick, err);
}
