/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commits.h"

#include "lib/vcs/address.h"
#include "lib/vcs/commit.h"
#include "lib/vcs/mirror.h"

bool commit_mirror(struct tick *tick, int64_t repository, const char *url, struct vcs **ret_vcs,
		   struct err *err)
{
	enum vcs_address kind;

	return vcs_address_check(url, &kind, err) &&
	       vcs_mirror_open(path_mirror(tick->settings, repository, tick->arena),
			       kind == VCS_LOCAL ? url : NULL, ret_vcs, err);
}

bool commit_store(struct tick *tick, struct vcs *vcs, const struct vcs_id *id, int64_t *ret_id,
		  struct err *err)
{
	struct vcs_commit commit;

	if (!vcs_commit_read(vcs, id, tick->arena, &commit, err)) {
		return false;
	}
	return db_query_int(tick->db, Q_COMMIT_STORE,
			    ARGS(arg_text(id->text), arg_text(commit.author_name),
				 arg_text(commit.author_email),
				 commit.is_author_time_odd
					 ? arg_null()
					 : arg_int(commit.author_time.ns / 1000000000),
				 arg_text(commit.subject), arg_text(commit.message),
				 arg_bool(commit.nr_parents > 1), arg_bool(commit.is_docs_only)),
			    ret_id, err);
}
