/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch - one look at one repository: which branches are there, and where they stand.
 *
 * A look that finds everything as it was writes one row.  A branch that is not there twice in a row
 * is gone; one that comes back unmoved starts nothing anew.
 */
#include "pipeline.h"

#include "daemon/fetch.h"
#include "lib/base/str.h"
#include "lib/vcs/address.h"
#include "lib/vcs/vcs.h"

#define BACKOFF_MAX_S 3600

struct watched {
	int64_t id;
	const char *name, *url, *base, *state, *reason;
	const char *const *globs; /* the base branch is the last one */
	size_t nr_globs;
	int nr_failures;
};

/* reading ------------------------------------------------------------------------------------ */

static const char *const *globs_of(struct tick *tick, const struct rows *rows, size_t *ret_nr)
{
	size_t nr;
	const char *const *branches = rows_texts(rows, 0, "branches", tick->arena, &nr);
	const char **globs = arena_array(tick->arena, nr + 1, sizeof(*globs));

	for (size_t i = 0; i < nr; i++) {
		globs[i] = branches[i];
	}
	globs[nr] = arena_strdup(tick->arena, rows_text(rows, 0, "base"));
	*ret_nr = nr + 1;
	return globs;
}

static bool read_heads(struct tick *tick, const struct watched *watched,
		       struct vcs_heads *ret_heads, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	const struct fetch fetch = { .mirror =
					     path_mirror(tick->settings, watched->id, tick->arena),
				     .address = watched->url,
				     .globs = watched->globs,
				     .nr_globs = watched->nr_globs,
				     .stop_fd = tick->stop_fd };
	enum vcs_address kind;

	if (!vcs_address_check(watched->url, &kind, err)) {
		return false;
	}
	if (kind == VCS_NETWORK) {
		return fetch_heads(&fetch, tick->arena, ret_heads, err);
	}
	return vcs_open(watched->url, &vcs, err) &&
	       vcs_heads(vcs, watched->globs, watched->nr_globs, tick->arena, ret_heads, err);
}

/* comparing ---------------------------------------------------------------------------------- */

static const struct vcs_head *find_head(const struct vcs_heads *heads, const char *name)
{
	size_t low = 0;
	size_t high = heads->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(heads->at[middle].name, name);

		if (order == 0) {
			return &heads->at[middle];
		}
		*(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
	}
	return NULL;
}

/* Both lists are sorted by name, but by other rules of order, so each is searched for the other. */
static bool is_as_it_was(const struct vcs_heads *heads, const struct rows *known)
{
	size_t nr_live = 0;

	for (int i = 0; i < rows_nr(known); i++) {
		const char *state = rows_text(known, i, "state");
		const struct vcs_head *head = find_head(heads, rows_text(known, i, "ref"));

		if (strcmp(state, "gone") == 0 && !head) {
			continue;
		}
		if (!head || strcmp(state, head->refusal ? "refused" : "live") != 0 ||
		    (!head->refusal && strcmp(head->id.text, rows_text(known, i, "oid")) != 0)) {
			return false;
		}
		nr_live++;
	}
	return nr_live == heads->nr;
}

/* writing ------------------------------------------------------------------------------------ */

static bool store_head(struct tick *tick, const struct watched *watched,
		       const struct vcs_head *head, struct err *err)
{
	bool is_base = strcmp(head->name, watched->base) == 0;

	if (head->refusal) {
		return db_exec(
			tick->db, Q_HEAD_REFUSE,
			ARGS(arg_int(watched->id), arg_text(head->name), arg_text(head->refusal)),
			NULL, err);
	}
	return db_exec(tick->db, Q_HEAD_STORE,
		       ARGS(arg_int(watched->id), arg_text(head->name), arg_text(head->id.text),
			    arg_bool(!is_base)),
		       NULL, err);
}

static bool store_changes(struct tick *tick, const struct watched *watched,
			  const struct vcs_heads *heads, const struct rows *known, struct err *err)
{
	for (size_t i = 0; i < heads->nr; i++) {
		if (!store_head(tick, watched, &heads->at[i], err)) {
			return false;
		}
	}
	for (int i = 0; i < rows_nr(known); i++) {
		const char *ref = rows_text(known, i, "ref");

		if (!find_head(heads, ref) &&
		    !db_exec(tick->db, Q_HEAD_MISSING, ARGS(arg_int(watched->id), arg_text(ref)),
			     NULL, err)) {
			return false;
		}
	}
	return bell_ring(tick->db, BELL_SERIES, err);
}

static bool store(struct tick *tick, const struct watched *watched, const struct vcs_heads *heads,
		  struct err *err)
{
	scoped(rows_free) struct rows *known = NULL;
	const struct event event = { .kind = "reachable",
				     .repository = watched->id,
				     .detail = "the repository answers again" };
	bool was_away = strcmp(watched->state, "idle") != 0;

	if (!db_query(tick->db, Q_HEAD_LIST, ARGS(arg_int(watched->id)), &known, err)) {
		return false;
	}
	return db_begin(tick->db, err) &&
	       (is_as_it_was(heads, known) || store_changes(tick, watched, heads, known, err)) &&
	       (!was_away || event_add(tick->db, &event, err)) &&
	       db_exec(tick->db, Q_REPOSITORY_POLLED, ARGS(arg_int(watched->id)), NULL, err) &&
	       db_commit(tick->db, "watch", err);
}

/* One repository in trouble must not disturb the others: the row says it, and waits longer. */
static bool store_trouble(struct tick *tick, const struct watched *watched, const char *reason,
			  struct err *err)
{
	const struct event event = { .kind = "unreachable",
				     .repository = watched->id,
				     .detail = reason };
	int doublings = watched->nr_failures < 10 ? watched->nr_failures : 10;
	int64_t wait_s = tick->settings->poll_s << doublings;
	bool is_known = watched->reason && strcmp(watched->reason, reason) == 0;

	if (wait_s > BACKOFF_MAX_S) {
		wait_s = BACKOFF_MAX_S;
	}
	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_REPOSITORY_UNREACHABLE,
		       ARGS(arg_int(watched->id), arg_text(reason), arg_int(wait_s)), NULL, err) &&
	       (is_known || event_add(tick->db, &event, err)) && db_commit(tick->db, "watch", err);
}

bool tick_watch(struct tick *tick, bool *ret_more, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct vcs_heads heads = { 0 };
	struct watched watched;
	struct err trouble = ERR_INIT;

	if (!db_query(tick->db, Q_WATCH_CLAIM, ARGS(arg_int(tick->settings->poll_s)), &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return true;
	}
	*ret_more = true;
	watched = (struct watched){ .id = rows_int(rows, 0, "id"),
				    .name = rows_text(rows, 0, "name"),
				    .url = rows_text(rows, 0, "url"),
				    .base = rows_text(rows, 0, "base"),
				    .state = rows_text(rows, 0, "state"),
				    .reason = rows_text(rows, 0, "reason"),
				    .nr_failures = (int)rows_int(rows, 0, "nr_failures") };
	watched.globs = globs_of(tick, rows, &watched.nr_globs);
	if (!read_heads(tick, &watched, &heads, &trouble)) {
		if (trouble.kind == ERR_BUSY) { /* our own trouble, not the repository's */
			*err = trouble;
			return false;
		}
		return store_trouble(tick, &watched, trouble.message, err);
	}
	return store(tick, &watched, &heads, err) || err_wrap(err, "tree '%s'", watched.name);
}
