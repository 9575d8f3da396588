/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <dirent.h>
#include <fcntl.h>
#include <git2/sys/odb_backend.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commit.h"
#include "header.h"
#include "mirror.h"
#include "snapshot.h"

#define PIN       "refs/patchmeter/pin/"
#define PIN_BYTES (sizeof(PIN) - 1 + VCS_ID_BYTES)
#define STALE_S   600

/* The lock of a reference is held for as long as a line takes to write. */
#define STALE_LOCK_S 15

static void require_mirror(const struct vcs *vcs)
{
	if (!vcs->is_mirror) {
		bug("a pin in a repository that is not ours");
	}
}

static void pin_name(char name[PIN_BYTES], const struct vcs_id *id)
{
	snprintf(name, PIN_BYTES, PIN "%s", id->text);
}

static bool is_pinned(struct vcs *mirror, const struct vcs_id *id)
{
	char name[PIN_BYTES];
	git_oid oid;
	bool is_there;

	pin_name(name, id);
	is_there = git_reference_name_to_id(&oid, mirror->repo, name) == 0;
	git_error_clear();
	return is_there;
}

/* A process that was killed leaves its lock. */
static bool drop_stale_lock(struct vcs *mirror, const char *name)
{
	scoped(free) char *lock = mem_printf("%s%s.lock", git_repository_path(mirror->repo), name);
	struct stat status;

	return stat(lock, &status) == 0 && status.st_mtime < time(NULL) - STALE_LOCK_S &&
	       unlink(lock) == 0;
}

static bool write_pin(struct vcs *mirror, const struct vcs_id *id, struct err *err)
{
	scoped(git_reference_free) git_reference *ref = NULL;
	char name[PIN_BYTES];
	git_oid oid;
	int code;

	pin_name(name, id);
	vcs_id_to(id, &oid);
	code = git_reference_create(&ref, mirror->repo, name, &oid, 1, NULL);
	if (code == GIT_ELOCKED && drop_stale_lock(mirror, name)) {
		code = git_reference_create(&ref, mirror->repo, name, &oid, 1, NULL);
	}
	return code == 0 || vcs_fail(err, code, "pin '%s'", id->text);
}

/* The mirror's objects without what it borrows. */
static bool open_own(struct vcs *mirror, git_odb **ret_odb, struct err *err)
{
	scoped(free) char *objects = vcs_item_path(mirror, GIT_REPOSITORY_ITEM_OBJECTS, "");
	scoped(git_odb_free) git_odb *own = NULL;
	git_odb_backend *packed = NULL;
	git_odb_backend *loose = NULL;
	int code = git_odb_new(&own);

	if (code != 0 || (code = git_odb_backend_pack(&packed, objects)) != 0 ||
	    (code = git_odb_add_backend(own, packed, 2)) != 0 ||
	    (code = git_odb_backend_loose(&loose, objects, -1, 0, 0, 0)) != 0 ||
	    (code = git_odb_add_backend(own, loose, 1)) != 0) {
		return vcs_fail(err, code, "open '%s'", objects);
	}
	*ret_odb = move(&own);
	return true;
}

/* Temporary packs of a process that was killed. */
static void sweep(struct vcs *mirror)
{
	scoped(free) char *folder = vcs_item_path(mirror, GIT_REPOSITORY_ITEM_OBJECTS, "pack");
	DIR *dir = opendir(folder);
	struct dirent *entry;
	struct stat status;

	while (dir && (entry = readdir(dir))) {
		if (str_has_prefix(entry->d_name, "pack_git2_") &&
		    fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    status.st_mtime < time(NULL) - STALE_S) {
			unlinkat(dirfd(dir), entry->d_name, 0);
		}
	}
	if (dir) {
		closedir(dir);
	}
}

/* Copies into the mirror what its own objects lack, as one pack: all of it or nothing. */
static bool copy(struct vcs *mirror, git_odb *own, const struct snapshot *snapshot, struct err *err)
{
	scoped(git_packbuilder_free) git_packbuilder *pack = NULL;
	int code = git_packbuilder_new(&pack, mirror->repo);

	for (size_t i = 0; code == 0 && i < snapshot->objects.nr; i++) {
		const git_oid *oid = &snapshot->objects.at[i].oid;

		if (!git_odb_exists_ext(own, oid, GIT_ODB_LOOKUP_NO_REFRESH)) {
			code = git_packbuilder_insert(pack, oid, NULL);
		}
	}
	if (code == 0 && git_packbuilder_object_count(pack) > 0) {
		sweep(mirror);
		code = git_packbuilder_write(pack, NULL, MIRROR_MODE, NULL, NULL);
	}
	return code == 0 ||
	       vcs_fail(err, code, "copy into '%s'", git_repository_path(mirror->repo));
}

static bool has_parents(git_odb *own, const struct commit_links *links)
{
	for (size_t i = 0; i < links->nr_parents && i < VCS_PARENTS_KEPT; i++) {
		if (!git_odb_exists(own, &links->parents[i])) {
			return false;
		}
	}
	return true;
}

/* Tells git which pinned commits have no history here, so that its fsck and gc stop there. */
static bool end_history(struct vcs *mirror, git_odb *own, const struct vcs_id *ids, size_t nr_ids,
			struct err *err)
{
	scoped(free) char *file = mem_printf("%sshallow", git_repository_path(mirror->repo));
	scoped(str_release) struct str text = STR_INIT;
	size_t before;

	if (access(file, F_OK) == 0 && !str_read_file(&text, file, 64 << 20, err)) {
		return false;
	}
	before = text.length;
	for (size_t i = 0; i < nr_ids; i++) {
		struct commit_links links;
		git_oid oid;

		vcs_id_to(&ids[i], &oid);
		if (!commit_links_read(mirror, &oid, &links, err)) {
			return false;
		}
		if (!has_parents(own, &links) && !strstr(text.at, ids[i].text)) {
			str_printf(&text, "%s\n", ids[i].text);
		}
	}
	return text.length == before ||
	       str_write_file(file, text.at, text.length, MIRROR_MODE, err);
}

bool vcs_mirror_pin(struct vcs *mirror, const struct vcs_id *ids, size_t nr_ids, struct err *err)
{
	scoped(snapshot_release) struct snapshot snapshot = { 0 };
	scoped(git_odb_free) git_odb *own = NULL;
	bool is_all_pinned = true;

	require_mirror(mirror);
	for (size_t i = 0; i < nr_ids; i++) {
		git_oid oid;

		vcs_id_to(&ids[i], &oid);
		if (!is_pinned(mirror, &ids[i])) {
			is_all_pinned = false;
			if (!snapshot_add(mirror, &oid, &snapshot, err)) {
				return err_wrap(err, "pin");
			}
		}
	}
	if (is_all_pinned) {
		return true;
	}
	if (!open_own(mirror, &own, err) || !copy(mirror, own, &snapshot, err) ||
	    !end_history(mirror, own, ids, nr_ids, err)) {
		return err_wrap(err, "pin");
	}
	for (size_t i = 0; i < nr_ids; i++) {
		if (!is_pinned(mirror, &ids[i]) && !write_pin(mirror, &ids[i], err)) {
			return false;
		}
	}
	return true;
}

bool vcs_mirror_unpin(struct vcs *mirror, const struct vcs_id *id, struct err *err)
{
	char name[PIN_BYTES];
	int code;

	require_mirror(mirror);
	pin_name(name, id);
	code = git_reference_remove(mirror->repo, name);
	if (code == GIT_ELOCKED && drop_stale_lock(mirror, name)) {
		code = git_reference_remove(mirror->repo, name);
	}
	if (code == 0 || code == GIT_ENOTFOUND) {
		git_error_clear();
		return true;
	}
	return vcs_fail(err, code, "unpin '%s'", id->text);
}
struct dated {
	struct vcs_id id;
	int64_t time_ns;
};

static int by_age(const void *a, const void *b)
{
	int64_t left = ((const struct dated *)a)->time_ns;
	int64_t right = ((const struct dated *)b)->time_ns;

	return left == right ? 0 : left > right ? -1 : 1;
}

struct pin_list {
	VEC(struct dated) pins;
};

static void pin_list_release(struct pin_list *list)
{
	vec_release(&list->pins);
}
DEFINE_SCOPED_EMBEDDED(pin_list_release, struct pin_list)

/* A pin that cannot be read any more is left out. */
static void add_pin(struct vcs *mirror, const git_oid *oid, struct pin_list *list)
{
	scoped(git_odb_object_free) git_odb_object *object = NULL;
	scoped(arena_free) struct arena *arena = arena_new();
	struct vcs_commit commit;

	if (oid && commit_object_read(mirror, oid, &object, NULL) &&
	    vcs_commit_parse(git_odb_object_data(object), git_odb_object_size(object), arena,
			     &commit, NULL)) {
		struct dated *pin = vec_push(&list->pins);

		vcs_id_from(&pin->id, oid);
		pin->time_ns = commit.commit_time.ns;
	}
}

static bool read_pins(struct vcs *mirror, struct pin_list *list, struct err *err)
{
	scoped(git_reference_iterator_free) git_reference_iterator *iterator = NULL;
	int code = git_reference_iterator_glob_new(&iterator, mirror->repo, PIN "*");

	while (code == 0) {
		scoped(git_reference_free) git_reference *ref = NULL;

		code = git_reference_next(&ref, iterator);
		if (code == 0) {
			add_pin(mirror, git_reference_target(ref), list);
		}
	}
	return code == GIT_ITEROVER ||
	       vcs_fail(err, code, "list the pins of '%s'", git_repository_path(mirror->repo));
}

bool vcs_mirror_pins(struct vcs *mirror, size_t limit, struct arena *arena, struct vcs_id **ret_ids,
		     size_t *ret_nr_ids, struct err *err)
{
	scoped(pin_list_release) struct pin_list list = { 0 };
	size_t nr;

	require_mirror(mirror);
	if (!read_pins(mirror, &list, err)) {
		return false;
	}
	nr = list.pins.nr < limit ? list.pins.nr : limit;
	if (list.pins.nr > 0) {
		qsort(list.pins.at, list.pins.nr, sizeof(*list.pins.at), by_age);
	}
	*ret_ids = arena_array(arena, nr, sizeof(**ret_ids));
	for (size_t i = 0; i < nr; i++) {
		(*ret_ids)[i] = list.pins.at[i].id;
	}
	*ret_nr_ids = nr;
	return true;
}
