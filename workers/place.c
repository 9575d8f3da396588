/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"

bool make_folders(const char *path, struct err *err)
{
	scoped(free) char *copy = mem_strdup(path);

	for (char *at = strchr(copy + 1, '/');; at = strchr(at + 1, '/')) {
		if (at) {
			*at = '\0';
		}
		if (mkdir(copy, 0755) != 0 && errno != EEXIST) {
			return err_set_errno(err, ERR_BROKEN, errno, "create '%s'", copy);
		}
		if (!at) {
			return true;
		}
		*at = '/';
	}
}

bool write_loose(const char *path, const void *bytes, size_t length, struct err *err)
{
	FILE *file = fopen(path, "we");
	bool done = file && fwrite(bytes, 1, length, file) == length;

	if (file && fclose(file) != 0) {
		done = false;
	}
	return done || err_set_errno(err, ERR_BROKEN, errno, "write '%s'", path);
}

static bool find_user(const char *name, struct owner *ret_owner, struct err *err)
{
	const struct passwd *user;

	if (!name) {
		*ret_owner = (struct owner){ 0 };
		return true;
	}
	user = getpwnam(name);
	if (!user) {
		return err_set(err, ERR_ABSENT, "user '%s': not known on this machine", name);
	}
	*ret_owner = (struct owner){ true, user->pw_uid, user->pw_gid };
	return true;
}

static bool take_lock(struct place *place, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/lock", place->root);

	place->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (place->lock_fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "open '%s'", path);
	}
	if (flock(place->lock_fd, LOCK_EX | LOCK_NB) != 0) {
		return err_set(err, ERR_CONFLICT, "state folder '%s': another worker uses it",
			       place->root);
	}
	return true;
}

/* Made once, so that a worker that restarts is the one that it was. */
static bool read_instance(struct place *place, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/instance", place->root);
	scoped(str_release) struct str text = STR_INIT;
	struct hash fresh;

	if (str_read_file(&text, path, sizeof(place->instance) - 1, err)) {
		memcpy(place->instance, text.at, text.length);
		return is_hash_text(place->instance) ||
		       err_set(err, ERR_BROKEN, "read '%s': not an id; remove the file", path);
	}
	if (err->kind != ERR_ABSENT) {
		return false;
	}
	random_bytes(fresh.at, sizeof(fresh.at));
	hash_format(&fresh, place->instance);
	return str_write_file(path, place->instance, strlen(place->instance), 0600, err);
}

bool place_open(const char *root, const char *user, struct place **ret_place, struct err *err)
{
	scoped(place_close) struct place *place = mem_alloc(sizeof(*place));

	place->lock_fd = -1;
	place->cache_limit_bytes = PLACE_CACHE_LIMIT_BYTES;
	if (!find_user(user, &place->owner, err) || !make_folders(root, err)) {
		return false;
	}
	place->root = realpath(root, NULL);
	if (!place->root) {
		return err_set_errno(err, ERR_BROKEN, errno, "open '%s'", root);
	}
	if (!take_lock(place, err) || !read_instance(place, err)) {
		return false;
	}
	for (const char *const *name = (const char *const[]){ "repos", "cache", "runs", NULL };
	     *name; name++) {
		scoped(free) char *path = mem_printf("%s/%s", place->root, *name);

		if (!make_folders(path, err)) {
			return false;
		}
	}
	*ret_place = move(&place);
	return true;
}

struct place *place_close(struct place *place)
{
	if (!place) {
		return NULL;
	}
	if (place->lock_fd >= 0) {
		close(place->lock_fd);
	}
	free(place->root);
	free(place);
	return NULL;
}

char *place_path(const struct place *place, struct arena *arena, const char *format, ...)
{
	char name[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	return arena_printf(arena, "%s/%s", place->root, name);
}

bool place_make_job_folder(const struct place *place, const char *path, struct err *err)
{
	if (mkdir(path, 0755) != 0 ||
	    (place->owner.is_set && chown(path, place->owner.uid, place->owner.gid) != 0)) {
		return err_set_errno(err, ERR_BROKEN, errno, "create '%s'", path);
	}
	return true;
}

bool place_clear_work(const struct place *place, struct err *err)
{
	scoped(free) char *work = mem_printf("%s/work", place->root);
	scoped(free) char *tmp = mem_printf("%s/work/tmp", place->root);

	return tree_remove(work, err) && make_folders(work, err) &&
	       place_make_job_folder(place, tmp, err);
}
