/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heads.h - collecting the heads of a repository, near or far (private to this folder).
 *
 *	scoped(head_list_release) struct head_list list = { .arena = arena };
 *	if (is_wanted_ref(full, globs, nr_globs) && !head_list_add(&list, full, oid, err))
 *		return false;
 *	*ret_heads = head_list_end(&list);
 */
#ifndef VCS_HEADS_H
#define VCS_HEADS_H

#include "private.h"

struct head_list {
	struct arena *arena;
	VEC(struct vcs_head) heads;
};

void head_list_release(struct head_list *list);
DEFINE_SCOPED_EMBEDDED(head_list_release, struct head_list)

/* Whether a reference of this full name matches a glob, in the sense of vcs_heads(). */
bool is_wanted_ref(const char *full, const char *const *globs, size_t nr_globs);

/* ERR_TOO_BIG above VCS_HEADS_MAX. */
MUST_CHECK bool head_list_add(struct head_list *list, const char *full, const git_oid *oid,
			      struct err *err);

/* Sorted, in the arena. */
struct vcs_heads head_list_end(struct head_list *list);

#endif
