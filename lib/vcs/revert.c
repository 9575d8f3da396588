/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include "revert.h"

#include "mirror.h"

DEFINE_SCOPED(git_commit_free, git_commit *)
DEFINE_SCOPED(git_index_free, git_index *)
DEFINE_SCOPED(git_signature_free, git_signature *)

static bool look_up(struct vcs *vcs, const struct vcs_id *id, git_commit **ret_commit,
		    struct err *err)
{
	git_oid oid;
	int code;

	vcs_id_to(id, &oid);
	code = git_commit_lookup(ret_commit, vcs->repo, &oid);
	return code == 0 || vcs_fail(err, code, "commit '%s'", id->text);
}

/* At the time of the tip, so that it is the same commit however often it is made. */
static int write_commit(struct vcs *vcs, const git_commit *tip, const git_oid *tree,
			const char *message, git_oid *ret_oid)
{
	scoped(git_signature_free) git_signature *robot = NULL;
	scoped(git_tree_free) git_tree *files = NULL;
	const git_commit *parents[] = { tip };
	int code = git_signature_new(&robot, "patchmeter", "patchmeter@localhost",
				     git_commit_time(tip), 0);

	if (code == 0) {
		code = git_tree_lookup(&files, vcs->repo, tree);
	}
	return code == 0 ? git_commit_create(ret_oid, vcs->repo, NULL, robot, robot, NULL, message,
					     files, 1, parents)
			 : code;
}

bool vcs_mirror_revert(struct vcs *mirror, const struct vcs_id *tip, const struct vcs_id *culprit,
		       struct vcs_id *ret_id, bool *ret_is_made, struct err *err)
{
	scoped(git_commit_free) git_commit *on = NULL;
	scoped(git_commit_free) git_commit *what = NULL;
	scoped(git_index_free) git_index *index = NULL;
	scoped(free) char *message = mem_printf("Revert %s\n", culprit->text);
	git_oid tree;
	git_oid oid;
	int code;

	*ret_is_made = false;
	if (!look_up(mirror, tip, &on, err) || !look_up(mirror, culprit, &what, err)) {
		return false;
	}
	if (git_commit_parentcount(what) == 0) {
		return err_set(err, ERR_INPUT, "revert '%s': it has no parent", culprit->text);
	}
	code = git_revert_commit(&index, mirror->repo, what, on,
				 git_commit_parentcount(what) > 1 ? 1 : 0, NULL);
	if (code != 0) {
		return vcs_fail(err, code, "revert '%s'", culprit->text);
	}
	if (git_index_has_conflicts(index)) {
		return true;
	}
	code = git_index_write_tree_to(&tree, index, mirror->repo);
	if (code == 0 && git_oid_equal(&tree, git_commit_tree_id(on))) {
		return true;
	}
	if (code == 0) {
		code = write_commit(mirror, on, &tree, message, &oid);
	}
	if (code != 0) {
		return vcs_fail(err, code, "revert '%s'", culprit->text);
	}
	vcs_id_from(ret_id, &oid);
	*ret_is_made = true;
	return vcs_mirror_pin(mirror, ret_id, 1, err);
}
