/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series - a new head becomes a stack: its base and its commits in order.
 *
 * The base is where the branch left the tree's base branch, so the first sight of a big repository
 * plans no past.  A stack of more than STACK_LIMIT commits is tested at its ends only.
 */
#include "pipeline.h"

#include "commits.h"
#include "lib/vcs/mirror.h"
#include "lib/vcs/stack.h"

#define STACK_LIMIT 128

struct new_head {
	int64_t id, repository;
	const char *ref;
	const char *oid;
	const char *url;
	const char *base; /* branch */
	const char *base_oid;
};

/* The commits that are tested: all, or the ends. */
static size_t choose(const struct vcs_stack *stack, struct vcs_id *ret_ids)
{
	size_t nr = 0;

	ret_ids[nr++] = stack->fork;
	for (size_t i = stack->is_cut ? stack->nr_steps - 1 : 0; i < stack->nr_steps; i++) {
		ret_ids[nr++] = stack->steps[i].id;
	}
	return nr;
}

static bool store_stack(struct tick *tick, const struct new_head *head,
			const struct vcs_stack *stack, const int64_t *commits, size_t nr,
			struct err *err)
{
	struct event event = { .kind = "stack", .repository = head->repository };
	int64_t nr_superseded = 0;

	if (!db_exec(tick->db, Q_STACK_SUPERSEDE,
		     ARGS(arg_int(head->repository), arg_text(head->ref)), &nr_superseded, err) ||
	    !db_query_int(tick->db, Q_STACK_ADD,
			  ARGS(arg_int(head->repository), arg_text(head->ref), arg_int(commits[0]),
			       arg_int(commits[nr - 1]), arg_int((int64_t)stack->nr_steps),
			       arg_bool(stack->is_cut)),
			  &event.stack, err)) {
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		if (!db_exec(tick->db, Q_STACK_COMMIT_ADD,
			     ARGS(arg_int(event.stack), arg_int((int64_t)i), arg_int(commits[i])),
			     NULL, err)) {
			return false;
		}
	}
	event.detail = arena_printf(
		tick->arena, "%s%zu commit(s) on %.12s%s", stack->is_cut ? "more than " : "",
		stack->is_cut ? (size_t)STACK_LIMIT : stack->nr_steps, stack->fork.text,
		nr_superseded ? ", in place of the older version" : "");
	return event_add(tick->db, &event, err) &&
	       (nr_superseded == 0 || db_exec(tick->db, Q_STACK_CANCEL_RUNS, NO_ARGS, NULL, err)) &&
	       bell_ring(tick->db, BELL_PLAN, err);
}

static bool end_look(struct tick *tick, const struct new_head *head, const char *reason,
		     struct err *err)
{
	return db_exec(tick->db, Q_HEAD_LOOKED_AT,
		       ARGS(arg_int(head->id), arg_text(head->oid), arg_text(reason)), NULL, err) &&
	       db_commit(tick->db, "series", err);
}

/* There is no stack, and none of before counts any more. */
static bool store_reason(struct tick *tick, const struct new_head *head, const char *reason,
			 struct err *err)
{
	int64_t nr_superseded = 0;

	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_STACK_SUPERSEDE,
		       ARGS(arg_int(head->repository), arg_text(head->ref)), &nr_superseded, err) &&
	       (nr_superseded == 0 || db_exec(tick->db, Q_STACK_CANCEL_RUNS, NO_ARGS, NULL, err)) &&
	       end_look(tick, head, reason, err);
}

static bool make_stack(struct tick *tick, const struct new_head *head, struct vcs *vcs,
		       const struct vcs_stack *stack, struct err *err)
{
	struct vcs_id *ids = arena_array(tick->arena, stack->nr_steps + 1, sizeof(*ids));
	int64_t *commits = arena_array(tick->arena, stack->nr_steps + 1, sizeof(*commits));
	size_t nr = choose(stack, ids);

	/* A force-push must not take away what is planned. */
	if (!vcs_mirror_pin(vcs, ids, nr, err) || !db_begin(tick->db, err)) {
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		if (!commit_store(tick, vcs, &ids[i], &commits[i], err)) {
			return false;
		}
	}
	return store_stack(tick, head, stack, commits, nr, err) && end_look(tick, head, NULL, err);
}

static bool look(struct tick *tick, const struct new_head *head, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_stack stack;
	struct vcs_id base;
	struct vcs_id tip;
	const char *reason = NULL;

	if (!head->base_oid) {
		return err_set(err, ERR_ABSENT, "the base branch '%s' is not there", head->base);
	}
	if (!commit_mirror(tick, head->repository, head->url, &vcs, err) ||
	    !vcs_id_parse(head->base_oid, &base, err) || !vcs_id_parse(head->oid, &tip, err) ||
	    !vcs_stack_read(vcs, &base, &tip, STACK_LIMIT, tick->arena, &stack, err)) {
		return false;
	}
	if (stack.is_unrelated) {
		reason = arena_printf(tick->arena, "no commit in common with '%s'", head->base);
	} else if (stack.nr_steps == 0) {
		reason = arena_printf(tick->arena, "nothing on top of '%s'", head->base);
	}
	return reason ? store_reason(tick, head, reason, err)
		      : make_stack(tick, head, vcs, &stack, err);
}

/* One branch that cannot be read must not hold up the others: its row says why, and it is tried
 * again with the next look. */
static bool postpone(struct tick *tick, const struct new_head *head, const struct err *trouble,
		     struct err *err)
{
	const char *reason = arena_strdup(tick->arena, trouble->message);
	const struct event event = {
		.kind = "trouble",
		.repository = head->repository,
		.detail = arena_printf(tick->arena, "branch '%s': %s", head->ref, reason),
	};
	int64_t nr_news = 0;

	db_rollback(tick->db);
	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_HEAD_POSTPONE,
		       ARGS(arg_int(head->id), arg_text(head->oid), arg_text(reason)), &nr_news,
		       err) &&
	       (nr_news == 0 || event_add(tick->db, &event, err)) &&
	       db_commit(tick->db, "series", err);
}

bool tick_series(struct tick *tick, bool *ret_more, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct err trouble = ERR_INIT;
	struct new_head head;

	if (!db_query(tick->db, Q_SERIES_NEW_HEAD, NO_ARGS, &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return true;
	}
	head = (struct new_head){ .id = rows_int(rows, 0, "id"),
				  .repository = rows_int(rows, 0, "repository_id"),
				  .ref = rows_text(rows, 0, "ref"),
				  .oid = rows_text(rows, 0, "oid"),
				  .url = rows_text(rows, 0, "url"),
				  .base = rows_text(rows, 0, "base"),
				  .base_oid = rows_text(rows, 0, "base_oid") };
	*ret_more = look(tick, &head, &trouble);
	if (*ret_more) {
		return true;
	}
	if (err_face(trouble.kind)->is_retryable) { /* the database's */
		*err = trouble;
		return err_wrap(err, "branch '%s'", head.ref);
	}
	return postpone(tick, &head, &trouble, err);
}
