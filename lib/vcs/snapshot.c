/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "snapshot.h"

#include "header.h"

/* The slot of an id, or the free one where it belongs.  The id itself is the hash. */
static size_t *slot_of(const struct snapshot *snapshot, const git_oid *oid)
{
	size_t at;

	memcpy(&at, oid->id, sizeof(at));
	for (;; at++) {
		size_t *slot = &snapshot->slots[at & (snapshot->nr_slots - 1)];

		if (*slot == 0 || git_oid_equal(&snapshot->objects.at[*slot - 1].oid, oid)) {
			return slot;
		}
	}
}

static void make_room(struct snapshot *snapshot)
{
	if (2 * (snapshot->objects.nr + 1) <= snapshot->nr_slots) {
		return;
	}
	snapshot->nr_slots = snapshot->nr_slots ? 2 * snapshot->nr_slots : 1024;
	free(snapshot->slots);
	snapshot->slots = mem_array(snapshot->nr_slots, sizeof(*snapshot->slots));
	for (size_t i = 0; i < snapshot->objects.nr; i++) {
		*slot_of(snapshot, &snapshot->objects.at[i].oid) = i + 1;
	}
}

static bool add(struct snapshot *snapshot, const git_oid *oid, bool is_tree, struct err *err)
{
	size_t *slot;

	if (snapshot->objects.nr == SNAPSHOT_OBJECTS_MAX) {
		return err_set(err, ERR_TOO_BIG, "more than %d files and folders",
			       SNAPSHOT_OBJECTS_MAX);
	}
	make_room(snapshot);
	slot = slot_of(snapshot, oid);
	if (*slot == 0) {
		*vec_push(&snapshot->objects) = (struct snapshot_object){ *oid, is_tree };
		*slot = snapshot->objects.nr;
	}
	return true;
}

static bool add_entries(struct vcs *vcs, const git_oid *oid, struct snapshot *snapshot,
			struct err *err)
{
	scoped(git_tree_free) git_tree *tree = NULL;
	int code = git_tree_lookup(&tree, vcs->repo, oid);

	if (code != 0) {
		return vcs_fail(err, code, "read tree '%s'", git_oid_tostr_s(oid));
	}
	for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
		const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
		git_object_t type = git_tree_entry_type(entry);

		if (type != GIT_OBJECT_COMMIT &&
		    !add(snapshot, git_tree_entry_id(entry), type == GIT_OBJECT_TREE, err)) {
			return false;
		}
	}
	return true;
}

bool snapshot_add(struct vcs *vcs, const git_oid *commit, struct snapshot *snapshot,
		  struct err *err)
{
	struct commit_links links;
	size_t at = snapshot->objects.nr;

	if (!commit_links_read(vcs, commit, &links, err) || !add(snapshot, commit, false, err) ||
	    !add(snapshot, &links.tree, true, err)) {
		return false;
	}
	/* The list is its own queue. */
	for (; at < snapshot->objects.nr; at++) {
		git_oid oid = snapshot->objects.at[at].oid;

		if (snapshot->objects.at[at].is_tree && !add_entries(vcs, &oid, snapshot, err)) {
			return err_wrap(err, "commit '%s'", git_oid_tostr_s(commit));
		}
	}
	return true;
}

void snapshot_release(struct snapshot *snapshot)
{
	vec_release(&snapshot->objects);
	free(snapshot->slots);
	*snapshot = (struct snapshot){ 0 };
}
