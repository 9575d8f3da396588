/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include "history.h"
#include "lib/base/str.h"

#define SHOWN_BYTES 60

DEFINE_SCOPED(git_object_free, git_object *)
DEFINE_SCOPED(git_revwalk_free, git_revwalk *)

bool vcs_discover(const char *folder, char **ret_repository, struct err *err)
{
	scoped(git_buf_dispose) git_buf path = GIT_BUF_INIT;
	int code = git_repository_discover(&path, folder, 0, NULL);

	if (code == GIT_ENOTFOUND) {
		git_error_clear();
		return err_set(err, ERR_ABSENT, "'%s' is in no git repository", folder);
	}
	if (code != 0) {
		return vcs_fail(err, code, "find the repository of '%s'", folder);
	}
	*ret_repository = mem_strndup(path.ptr, path.size);
	return true;
}

/* What such a clone lacks looks like what never was. */
static bool fail_if_shallow(struct vcs *vcs, struct err *err)
{
	return git_repository_is_shallow(vcs->repo) == 1
		       ? err_wrap(err, "the clone is shallow; 'git fetch --unshallow' completes it")
		       : false;
}

bool vcs_revision(struct vcs *vcs, const char *text, struct vcs_id *ret_id, struct err *err)
{
	scoped(git_object_free) git_object *object = NULL;
	scoped(git_object_free) git_object *commit = NULL;
	scoped(str_release) struct str shown = STR_INIT;
	int code = git_revparse_single(&object, vcs->repo, text);

	if (code == 0) {
		code = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
	}
	str_append_clean(&shown, text, strlen(text), false, SHOWN_BYTES);
	if (code == GIT_EAMBIGUOUS) {
		return err_set(err, ERR_INPUT, "several commits begin with '%s'", shown.at);
	}
	if (code != 0) {
		return vcs_fail(err, code, "'%s' is no commit", shown.at) ||
		       fail_if_shallow(vcs, err);
	}
	vcs_id_from(ret_id, git_object_id(commit));
	return true;
}

static bool check_base(struct vcs *vcs, const git_oid *base, const git_oid *tip, struct err *err)
{
	git_oid fork;
	int code = git_merge_base(&fork, vcs->repo, base, tip);
	struct vcs_id id;

	if (code == GIT_ENOTFOUND) {
		git_error_clear();
		return err_set(err, ERR_CONFLICT, "they share no commit");
	}
	if (code != 0) {
		return vcs_fail(err, code, "find what they share");
	}
	vcs_id_from(&id, &fork);
	return git_oid_equal(&fork, base) ||
	       err_set(err, ERR_CONFLICT,
		       "the first is no ancestor of the second; what both hold is '%.12s'",
		       id.text);
}

static bool walk(git_revwalk *revwalk, size_t limit, struct arena *arena,
		 struct vcs_history *history, struct err *err)
{
	VEC(git_oid) oids = { 0 };
	git_oid oid;
	int code;

	while (oids.nr <= limit && (code = git_revwalk_next(&oid, revwalk)) == 0) {
		*vec_push(&oids) = oid;
	}
	history->nr = oids.nr;
	history->ids = arena_array(arena, oids.nr, sizeof(*history->ids));
	for (size_t i = 0; i < oids.nr; i++) {
		vcs_id_from(&history->ids[i], &oids.at[i]);
	}
	vec_release(&oids);
	if (history->nr > limit) {
		return err_set(err, ERR_TOO_BIG, "more than %zu commits", limit);
	}
	return code == GIT_ITEROVER || vcs_fail(err, code, "walk the history");
}

static bool read_history(struct vcs *vcs, const git_oid *base, const git_oid *tip, size_t limit,
			 struct arena *arena, struct vcs_history *history, struct err *err)
{
	scoped(git_revwalk_free) git_revwalk *revwalk = NULL;
	int code = git_revwalk_new(&revwalk, vcs->repo);

	if (code == 0) {
		code = git_revwalk_sorting(revwalk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
	}
	if (code == 0) {
		code = git_revwalk_push(revwalk, tip);
	}
	if (code == 0) {
		code = git_revwalk_hide(revwalk, base);
	}
	if (code != 0) {
		return vcs_fail(err, code, "walk the history");
	}
	return walk(revwalk, limit, arena, history, err);
}

bool vcs_history_read(struct vcs *vcs, const struct vcs_id *base, const struct vcs_id *tip,
		      size_t limit, struct arena *arena, struct vcs_history *ret_history,
		      struct err *err)
{
	struct vcs_history history = { 0 };
	git_oid base_oid;
	git_oid tip_oid;

	vcs_id_to(base, &base_oid);
	vcs_id_to(tip, &tip_oid);
	if (!check_base(vcs, &base_oid, &tip_oid, err) ||
	    !read_history(vcs, &base_oid, &tip_oid, limit, arena, &history, err)) {
		return fail_if_shallow(vcs, err) ||
		       err_wrap(err, "'%.12s' to '%.12s'", base->text, tip->text);
	}
	*ret_history = history;
	return true;
}
