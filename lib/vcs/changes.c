/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "changes.h"

#include "header.h"

/* Trees can name each other so that a few kilobytes unfold to more folders than there are atoms. */
#define DEPTH_MAX 256
#define TREES_MAX 400000

/* What no build reads.  A plain "*.txt" is not among them: CMakeLists.txt. */
static const char *const docs[] = {
	"*.md",      "*.rst",      "*.adoc",     "*.mailmap",    "Documentation/*.txt",
	"doc/*.txt", "docs/*.txt", "*README",    "*MAINTAINERS", "*CREDITS",
	"*AUTHORS",  "*ChangeLog", "LICENSES/*", "*COPYING",     "*LICENSE",
};

struct comparison {
	struct vcs *vcs;
	struct arena *arena;
	struct str path;
	size_t nr_trees;
	struct changes *changes;
};

static bool compare_trees(struct comparison *comparison, const git_oid *old_oid,
			  const git_oid *new_oid, int depth, struct err *err);

static bool is_docs(const char *path)
{
	for (size_t i = 0; i < countof(docs); i++) {
		if (str_matches(docs[i], path)) {
			return true;
		}
	}
	return false;
}

static void note(struct comparison *comparison)
{
	struct changes *changes = comparison->changes;

	changes->is_docs_only &= is_docs(comparison->path.at);
	if (changes->nr_paths < VCS_PATHS_KEPT) {
		changes->paths[changes->nr_paths++] =
			arena_strdup(comparison->arena, comparison->path.at);
	}
	changes->nr++;
}

static bool is_tree(const git_tree_entry *entry)
{
	return entry && git_tree_entry_type(entry) == GIT_OBJECT_TREE;
}

static bool is_same(const git_tree_entry *a, const git_tree_entry *b)
{
	return a && b && git_oid_equal(git_tree_entry_id(a), git_tree_entry_id(b)) &&
	       git_tree_entry_filemode_raw(a) == git_tree_entry_filemode_raw(b);
}

/* One name, of which either side may lack. */
static bool compare_entries(struct comparison *comparison, const git_tree_entry *old_entry,
			    const git_tree_entry *new_entry, int depth, struct err *err)
{
	const git_oid *old_oid = is_tree(old_entry) ? git_tree_entry_id(old_entry) : NULL;
	const git_oid *new_oid = is_tree(new_entry) ? git_tree_entry_id(new_entry) : NULL;
	size_t length = comparison->path.length;
	bool is_file = (old_entry && !old_oid) || (new_entry && !new_oid);
	bool is_done = true;

	if (is_same(old_entry, new_entry) || comparison->changes->nr >= VCS_CHANGES_COUNTED) {
		return true;
	}
	str_append(&comparison->path, git_tree_entry_name(new_entry ? new_entry : old_entry));
	if (is_file) {
		note(comparison);
	}
	if (old_oid || new_oid) {
		str_append_char(&comparison->path, '/');
		is_done = compare_trees(comparison, old_oid, new_oid, depth + 1, err);
	}
	str_truncate(&comparison->path, length);
	return is_done;
}

static bool open_tree(struct vcs *vcs, const git_oid *oid, git_tree **ret_tree, struct err *err)
{
	int code = oid ? git_tree_lookup(ret_tree, vcs->repo, oid) : 0;

	return code == 0 || vcs_fail(err, code, "read tree '%s'", git_oid_tostr_s(oid));
}

static bool compare_trees(struct comparison *comparison, const git_oid *old_oid,
			  const git_oid *new_oid, int depth, struct err *err)
{
	scoped(git_tree_free) git_tree *old = NULL;
	scoped(git_tree_free) git_tree *new = NULL;

	if (depth > DEPTH_MAX || comparison->nr_trees++ > TREES_MAX) {
		return err_set(err, ERR_TOO_BIG, "it changes too many or too deep folders");
	}
	if (!open_tree(comparison->vcs, old_oid, &old, err) ||
	    !open_tree(comparison->vcs, new_oid, &new, err)) {
		return false;
	}
	for (size_t i = 0; new &&i < git_tree_entrycount(new); i++) {
		const git_tree_entry *entry = git_tree_entry_byindex(new, i);
		const char *name = git_tree_entry_name(entry);

		if (!compare_entries(comparison, old ? git_tree_entry_byname(old, name) : NULL,
				     entry, depth, err)) {
			return false;
		}
	}
	for (size_t i = 0; old && i < git_tree_entrycount(old); i++) {
		const git_tree_entry *entry = git_tree_entry_byindex(old, i);

		if ((!new || !git_tree_entry_byname(new, git_tree_entry_name(entry))) &&
		    !compare_entries(comparison, entry, NULL, depth, err)) {
			return false;
		}
	}
	return true;
}

bool changes_read(struct vcs *vcs, const git_oid *commit, struct arena *arena,
		  struct changes *ret_changes, struct err *err)
{
	struct changes changes = { .is_docs_only = true };
	struct comparison comparison = { vcs, arena, STR_INIT, 0, &changes };
	struct commit_links self;
	struct commit_links parent;
	bool is_done;

	if (!commit_links_read(vcs, commit, &self, err) ||
	    (self.nr_parents > 0 && !commit_links_read(vcs, &self.parents[0], &parent, err))) {
		return false;
	}
	changes.new_tree = self.tree;
	changes.has_old_tree = self.nr_parents > 0;
	changes.is_merge = self.nr_parents > 1;
	if (changes.has_old_tree) {
		changes.old_tree = parent.tree;
	}
	changes.paths = arena_array(arena, VCS_PATHS_KEPT, sizeof(*changes.paths));
	is_done = compare_trees(&comparison, changes.has_old_tree ? &changes.old_tree : NULL,
				&changes.new_tree, 0, err);
	str_release(&comparison.path);
	if (!is_done) {
		return false;
	}
	changes.is_docs_only &= changes.nr > 0 && changes.nr < VCS_CHANGES_COUNTED;
	*ret_changes = changes;
	return true;
}
