/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bisect_revert.h"

#include "commits.h"
#include "daemon/policy/bisecting.h"
#include "lib/vcs/mirror.h"
#include "lib/vcs/revert.h"

static bool end(struct tick *tick, const struct rows *rows, const char *state, const char *reason,
		struct err *err)
{
	const struct event event = { .kind = "bisection",
				     .repository = rows_int(rows, 0, "repository_id"),
				     .stack = rows_int(rows, 0, "stack_id"),
				     .bisection = rows_int(rows, 0, "id"),
				     .detail = arena_printf(tick->arena, "%s: %s", state, reason) };

	return db_exec(tick->db, Q_BISECT_MOVE,
		       ARGS(arg_int(event.bisection), arg_text("confirming"), arg_text(state),
			    arg_text(reason), arg_null(), arg_null(), arg_null()),
		       NULL, err) &&
	       event_add(tick->db, &event, err) && bell_ring(tick->db, BELL_CONFIRM, err) &&
	       db_commit(tick->db, "bisect", err);
}

/* Concluded, with what came of the revert. */
static bool conclude(struct tick *tick, const struct rows *rows, const char *revert,
		     const char *reason, struct err *err)
{
	bool is_cause = strcmp(revert, "recovered") == 0;

	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_BISECT_REVERTED,
		       ARGS(arg_int(rows_int(rows, 0, "id")), arg_text(revert), arg_text(reason)),
		       NULL, err) &&
	       end(tick, rows, "concluded",
		   arena_printf(tick->arena, "%.12s is %s; reverted on the tip: %s%s%s",
				rows_text(rows, 0, "culprit_oid"),
				is_cause ? "the cause" : "the first commit that shows it", revert,
				reason ? ", " : "", reason ? reason : ""),
		   err);
}

static bool plan(struct tick *tick, const struct rows *rows, struct vcs *vcs,
		 const struct vcs_id *reverted, struct err *err)
{
	int64_t commit;

	return db_begin(tick->db, err) && commit_store(tick, vcs, reverted, &commit, err) &&
	       db_exec(tick->db, Q_BISECT_REVERT_PLAN,
		       ARGS(arg_int(rows_int(rows, 0, "id")), arg_int(commit)), NULL, err) &&
	       bell_ring(tick->db, BELL_CONFIRM, err) && db_commit(tick->db, "bisect", err);
}

/* *ret_is_made false: it conflicts. */
static bool make(struct tick *tick, const struct rows *rows, struct vcs **ret_vcs,
		 struct vcs_id *ret_reverted, bool *ret_is_made, struct err *err)
{
	struct vcs_id tip;
	struct vcs_id culprit;

	return commit_mirror(tick, rows_int(rows, 0, "repository_id"), rows_text(rows, 0, "url"),
			     ret_vcs, err) &&
	       vcs_id_parse(rows_text(rows, 0, "tip_oid"), &tip, err) &&
	       vcs_id_parse(rows_text(rows, 0, "culprit_oid"), &culprit, err) &&
	       vcs_mirror_revert(*ret_vcs, &tip, &culprit, ret_reverted, ret_is_made, err);
}

static bool begin(struct tick *tick, const struct rows *rows, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct err trouble = ERR_INIT;
	struct vcs_id reverted;
	bool is_made;

	if (rows_int(rows, 0, "nr_set") > 1) {
		return conclude(tick, rows, "not-applied", "a set of commits was found", err);
	}
	if (rows_bool(rows, 0, "is_tip")) {
		return conclude(tick, rows, "recovered", "the tip without it is its parent", err);
	}
	if (!make(tick, rows, &vcs, &reverted, &is_made, &trouble)) {
		return conclude(tick, rows, "not-applied",
				arena_strdup(tick->arena, trouble.message), err);
	}
	return is_made ? plan(tick, rows, vcs, &reverted, err)
		       : conclude(tick, rows, "not-applied", "it conflicts with later commits",
				  err);
}

static bool read_result(struct tick *tick, const struct rows *rows, struct err *err)
{
	scoped(rows_free) struct rows *steps = NULL;
	const char *trouble = rows_text(rows, 0, "revert_trouble");
	bool is_recovered;

	if (!db_query(tick->db, Q_BISECT_REVERT_STEPS, ARGS(arg_int(rows_int(rows, 0, "id"))),
		      &steps, err)) {
		return false;
	}
	if (rows_nr(steps) == 0) {
		return conclude(tick, rows, "not-measured",
				trouble ? trouble : "nothing was measured", err);
	}
	is_recovered = rows_bool(steps, 0, "is_opposite") &&
		       is_bisecting_recovered(rows_number(steps, 0, "step"),
					      rows_number(steps, 0, "undone"));
	return conclude(tick, rows, is_recovered ? "recovered" : "not-recovered", NULL, err);
}

bool bisect_revert(struct tick *tick, const struct rows *confirmed, struct err *err)
{
	const char *reason = rows_text(confirmed, 0, "reason");

	if (rows_bool(confirmed, 0, "is_dropped")) {
		return db_begin(tick->db, err) &&
		       end(tick, confirmed,
			   rows_bool(confirmed, 0, "is_missing") ? "unmeasurable" : "inconclusive",
			   reason ? reason : "not confirmed on fresh builds", err);
	}
	return rows_int(confirmed, 0, "revert_comparison_id") > 0
		       ? read_result(tick, confirmed, err)
		       : begin(tick, confirmed, err);
}
