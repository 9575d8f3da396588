/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "heads.h"

#include "lib/base/str.h"
#include "refname.h"

static const char branches[] = "refs/heads/";

static const char *branch_of(const char *full)
{
	return str_has_prefix(full, branches) ? full + strlen(branches) : NULL;
}

bool is_wanted_ref(const char *full, const char *const *globs, size_t nr_globs)
{
	const char *branch = branch_of(full);

	for (size_t i = 0; i < nr_globs; i++) {
		const char *text = str_has_prefix(globs[i], "refs/") ? full : branch;

		if (text && str_matches(globs[i], text)) {
			return true;
		}
	}
	return false;
}

void head_list_release(struct head_list *list)
{
	vec_release(&list->heads);
}

static const char *clean_name(struct arena *arena, const char *name)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, name, strlen(name), false, VCS_REFNAME_MAX_BYTES);
	return arena_strdup(arena, clean.at);
}

bool head_list_add(struct head_list *list, const char *full, const git_oid *oid, struct err *err)
{
	const char *branch = branch_of(full);
	const char *name = branch ? branch : full;
	struct vcs_head head = { .refusal = vcs_refname_refusal(name) };

	assert(name);
	if (list->heads.nr == VCS_HEADS_MAX) {
		return err_set(err, ERR_TOO_BIG, "more than %d branches match; narrow the globs",
			       VCS_HEADS_MAX);
	}
	head.name = clean_name(list->arena, name);
	vcs_id_from(&head.id, oid);
	*vec_push(&list->heads) = head;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct vcs_head *)a)->name, ((const struct vcs_head *)b)->name);
}

struct vcs_heads head_list_end(struct head_list *list)
{
	struct vcs_heads heads = { .nr = list->heads.nr };

	heads.at = arena_array(list->arena, heads.nr, sizeof(*heads.at));
	if (heads.nr > 0) {
		memcpy(heads.at, list->heads.at, heads.nr * sizeof(*heads.at));
		qsort(heads.at, heads.nr, sizeof(*heads.at), by_name);
	}
	return heads;
}

/* Where only branches are asked for, the tags of a large repository need not be read. */
static const char *range_of(const char *const *globs, size_t nr_globs)
{
	for (size_t i = 0; i < nr_globs; i++) {
		if (str_has_prefix(globs[i], "refs/")) {
			return "refs/*";
		}
	}
	return "refs/heads/*";
}

/* From a tag, or a tag of tags, to the commit.  git_reference_peel() would not do: it refuses a
 * commit whose author line is odd. */
static bool peel(struct vcs *vcs, git_oid *oid)
{
	for (int depth = 0; depth < 8; depth++) {
		scoped(git_tag_free) git_tag *tag = NULL;
		git_object_t type;
		size_t size;

		if (git_odb_read_header(&size, &type, vcs->odb, oid) != 0) {
			return false;
		}
		if (type != GIT_OBJECT_TAG) {
			return type == GIT_OBJECT_COMMIT;
		}
		if (git_tag_lookup(&tag, vcs->repo, oid) != 0) {
			return false;
		}
		*oid = *git_tag_target_id(tag);
	}
	return false;
}

/* False where the reference leads to no commit. */
static bool follow(struct vcs *vcs, const git_reference *ref, git_oid *ret_oid)
{
	bool is_direct = git_reference_type(ref) == GIT_REFERENCE_DIRECT;
	scoped(git_reference_free) git_reference *end = NULL;

	/* The common case costs no object: a broken one shows when it is read. */
	if (is_direct && branch_of(git_reference_name(ref))) {
		*ret_oid = *git_reference_target(ref);
		return true;
	}
	if (git_reference_resolve(&end, ref) != 0) {
		git_error_clear();
		return false;
	}
	*ret_oid = *git_reference_target(end);
	return peel(vcs, ret_oid);
}

bool vcs_heads(struct vcs *vcs, const char *const *globs, size_t nr_globs, struct arena *arena,
	       struct vcs_heads *ret_heads, struct err *err)
{
	scoped(head_list_release) struct head_list list = { .arena = arena };
	scoped(git_reference_iterator_free) git_reference_iterator *iterator = NULL;
	int code = git_reference_iterator_glob_new(&iterator, vcs->repo, range_of(globs, nr_globs));

	while (code == 0) {
		scoped(git_reference_free) git_reference *ref = NULL;
		const char *name;
		git_oid oid;

		code = git_reference_next(&ref, iterator);
		name = code == 0 ? git_reference_name(ref) : "";
		if (is_wanted_ref(name, globs, nr_globs) && follow(vcs, ref, &oid) &&
		    !head_list_add(&list, name, &oid, err)) {
			return false;
		}
	}
	if (code != GIT_ITEROVER) {
		return vcs_fail(err, code, "list the branches of '%s'",
				git_repository_path(vcs->repo));
	}
	*ret_heads = head_list_end(&list);
	return true;
}

static bool resolve(struct vcs *vcs, const char *prefix, const char *name, git_oid *ret_oid)
{
	scoped(free) char *full = mem_printf("%s%s", prefix, name);
	scoped(git_reference_free) git_reference *ref = NULL;

	if (git_reference_lookup(&ref, vcs->repo, full) != 0) {
		git_error_clear();
		return false;
	}
	return follow(vcs, ref, ret_oid);
}

bool vcs_resolve(struct vcs *vcs, const char *name, struct vcs_id *ret_id, struct err *err)
{
	static const char *const prefixes[] = { "refs/heads/", "refs/tags/", "" };
	const char *refusal = vcs_refname_refusal(name);
	struct vcs_id id;
	git_oid oid;

	if (refusal) {
		return err_set(err, ERR_INPUT, "the name '%.60s' %s", name, refusal);
	}
	if (is_vcs_id_text(name) && vcs_id_parse(name, &id, err) && vcs_has_commit(vcs, &id)) {
		*ret_id = id;
		return true;
	}
	for (size_t i = 0; i < countof(prefixes); i++) {
		if (resolve(vcs, prefixes[i], name, &oid)) {
			vcs_id_from(&id, &oid);
			if (vcs_has_commit(vcs, &id)) {
				*ret_id = id;
				return true;
			}
		}
	}
	return err_set(err, ERR_ABSENT, "'%s' is no commit, branch or tag of '%s'", name,
		       git_repository_path(vcs->repo));
}
