/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "private.h"

#include "changes.h"
#include "commit.h"

#define FILE_MAX_BYTES (1 << 20)

/* libgit2 would read both trees whole; told the paths, it goes straight to them. */
static bool open_diff(struct vcs *vcs, const struct changes *changes, git_diff **ret_diff,
		      struct err *err)
{
	scoped(git_tree_free) git_tree *old = NULL;
	scoped(git_tree_free) git_tree *new = NULL;
	git_diff_options options;
	int code = git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);

	options.flags = GIT_DIFF_DISABLE_PATHSPEC_MATCH | GIT_DIFF_IGNORE_SUBMODULES;
	options.max_size = FILE_MAX_BYTES;
	options.pathspec.strings = (char **)(uintptr_t)changes->paths;
	options.pathspec.count = changes->nr_paths;
	if (code == 0 && changes->has_old_tree) {
		code = git_tree_lookup(&old, vcs->repo, &changes->old_tree);
	}
	if (code != 0 || (code = git_tree_lookup(&new, vcs->repo, &changes->new_tree)) != 0 ||
	    (code = git_diff_tree_to_tree(ret_diff, vcs->repo, old, new, &options)) != 0) {
		return vcs_fail(err, code, "compare the trees");
	}
	return true;
}

/* Appends what fits into `limit_bytes`; *ret_is_cut where that is not all. */
static bool append_file(git_diff *diff, size_t i, size_t limit_bytes, struct str *text,
			bool *ret_is_cut, struct err *err)
{
	scoped(git_patch_free) git_patch *patch = NULL;
	scoped(git_buf_dispose) git_buf buffer = { 0 };
	scoped(str_release) struct str clean = STR_INIT;
	int code = git_patch_from_diff(&patch, diff, i);

	if (code == 0 && patch) {
		code = git_patch_to_buf(&buffer, patch);
	}
	if (code != 0) {
		return vcs_fail(err, code, "compare file %zu", i + 1);
	}
	str_append_clean(&clean, buffer.ptr, buffer.size, true, SIZE_MAX / 2);
	str_append_clean(text, clean.at, clean.length, true, limit_bytes);
	*ret_is_cut = clean.length > limit_bytes;
	return true;
}

static bool append_diff(struct vcs *vcs, const struct changes *changes, size_t limit_bytes,
			struct str *text, bool *ret_is_cut, struct err *err)
{
	scoped(git_diff_free) git_diff *diff = NULL;
	size_t end = text->length + limit_bytes;
	bool is_cut = false;

	if (changes->nr_paths > 0 && !open_diff(vcs, changes, &diff, err)) {
		return false;
	}
	for (size_t i = 0; diff && !is_cut && i < git_diff_num_deltas(diff); i++) {
		if (!append_file(diff, i, end - text->length, text, &is_cut, err)) {
			return false;
		}
	}
	*ret_is_cut = is_cut || changes->nr > changes->nr_paths;
	return true;
}

bool vcs_commit_diff(struct vcs *vcs, const struct vcs_id *id, size_t limit_bytes, struct str *text,
		     bool *ret_is_cut, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	struct changes changes;
	size_t before = text->length;
	git_oid oid;

	vcs_id_to(id, &oid);
	if (!changes_read(vcs, &oid, arena, &changes, err) ||
	    !append_diff(vcs, &changes, limit_bytes, text, ret_is_cut, err)) {
		str_truncate(text, before);
		return err_wrap(err, "diff of commit '%s'", id->text);
	}
	return true;
}

bool vcs_commit_patch_id(struct vcs *vcs, const struct vcs_id *id, struct vcs_id *ret_patch_id,
			 struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(git_diff_free) git_diff *diff = NULL;
	struct changes changes;
	git_oid oid;
	int code;

	vcs_id_to(id, &oid);
	if (!changes_read(vcs, &oid, arena, &changes, err)) {
		return err_wrap(err, "patch id of commit '%s'", id->text);
	}
	if (changes.is_merge || changes.nr == 0 || changes.nr > changes.nr_paths) {
		*ret_patch_id = (struct vcs_id){ 0 };
		return true;
	}
	if (!open_diff(vcs, &changes, &diff, err)) {
		return err_wrap(err, "patch id of commit '%s'", id->text);
	}
	code = git_diff_patchid(&oid, diff, NULL);
	if (code != 0) {
		return vcs_fail(err, code, "patch id of commit '%s'", id->text);
	}
	vcs_id_from(ret_patch_id, &oid);
	return true;
}
