/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"

#define SCHEMA            1
#define ENTRY_LIMIT_BYTES 65536
#define NEW_PREFIX        "new."

static bool seal_of(const char *folder, char seal[HASH_TEXT_BYTES], uint64_t *ret_bytes,
		    struct err *err)
{
	scoped(free) char *path = mem_printf("%s/tree", folder);
	scoped(tree_free) struct tree *tree = NULL;
	struct hash hash;

	if (!tree_read(path, NULL, &tree, err)) {
		return false;
	}
	hash = tree_seal(tree);
	hash_format(&hash, seal);
	*ret_bytes = tree_bytes(tree);
	return true;
}

/* --- finding --- */

static const char *text_in(const struct json *json, const char *name, struct arena *arena)
{
	const char *text = json_text(json_get(json, name));

	return text ? arena_strdup(arena, text) : NULL;
}

static bool is_sealed(const char *folder, const struct json *json)
{
	const char *expected = json_text(json_get(json, "seal"));
	char seal[HASH_TEXT_BYTES];
	uint64_t bytes;

	return expected && seal_of(folder, seal, &bytes, NULL) && strcmp(seal, expected) == 0;
}

static struct cache_entry entry_of(const struct json *json, const char *folder, struct arena *arena)
{
	return (struct cache_entry){
		.build = {
			.folder = folder,
			.place = text_in(json, "place", arena),
			.artefact = text_in(json, "artefact", arena),
			.toolchain = text_in(json, "toolchain", arena),
			.is_cached = true,
			.wall_s = json_number(json_get(json, "wall_s"), 0),
		},
		.failure = {
			.reason = text_in(json, "reason", arena),
			.detail = text_in(json, "detail", arena),
			.exit_code = (int)json_int(json_get(json, "exit_code"), -1),
			.signal = (int)json_int(json_get(json, "signal"), 0),
		},
	};
}

bool cache_find(const struct place *place, const char *key, struct arena *arena,
		struct cache_entry *ret_entry, bool *ret_is_found, struct err *err)
{
	char *folder = place_path(place, arena, "cache/%s", key);
	char *path = arena_printf(arena, "%s/entry.json", folder);
	scoped(json_free) struct json *json = NULL;

	*ret_is_found = false;
	if (!json_read_file(path, ENTRY_LIMIT_BYTES, &json, err)) {
		return err->kind == ERR_ABSENT || tree_remove(folder, err);
	}
	*ret_entry = entry_of(json, folder, arena);
	if (json_int(json_get(json, "schema"), 0) != SCHEMA ||
	    (!ret_entry->failure.reason && !is_sealed(folder, json))) {
		return tree_remove(folder, err);
	}
	*ret_is_found = true;
	if (utimensat(AT_FDCWD, path, NULL, 0) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "touch '%s'", path);
	}
	return true;
}

/* --- publishing --- */

static struct json *json_of(const struct cache_entry *entry, const char *seal, uint64_t bytes)
{
	struct json *json = json_new_object();

	json_put_int(json, "schema", SCHEMA);
	json_put_text(json, "place", entry->build.place);
	json_put_text(json, "artefact", entry->build.artefact);
	json_put_text(json, "toolchain", entry->build.toolchain);
	json_put_number(json, "wall_s", entry->build.wall_s);
	json_put_text(json, "reason", entry->failure.reason);
	json_put_text(json, "detail", entry->failure.detail);
	json_put_int(json, "exit_code", entry->failure.exit_code);
	json_put_int(json, "signal", entry->failure.signal);
	json_put_text(json, "seal", seal);
	json_put_int(json, "bytes", (int64_t)bytes);
	return json;
}

static bool move_into(const char *from, const char *folder, const char *name, struct err *err)
{
	scoped(free) char *to = mem_printf("%s/%s", folder, name);

	if (rename(from, to) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "move '%s' to '%s'", from, to);
	}
	return true;
}

/* So that after a power cut no file of a published tree is empty. */
static bool sync_disk(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = fd >= 0 && syncfs(fd) == 0;
	int error_number = errno;

	if (fd >= 0) {
		close(fd);
	}
	return done || err_set_errno(err, ERR_BROKEN, error_number, "sync '%s'", path);
}

static bool fill(const char *folder, const char *tree_path, const char *log_path,
		 const struct cache_entry *entry, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/entry.json", folder);
	scoped(json_free) struct json *json = NULL;
	scoped(free) char *text = NULL;
	char seal[HASH_TEXT_BYTES] = "";
	uint64_t bytes = 0;

	if (!move_into(log_path, folder, "build.log", err)) {
		return false;
	}
	if (tree_path && (!move_into(tree_path, folder, "tree", err) ||
			  !seal_of(folder, seal, &bytes, err) || !sync_disk(folder, err))) {
		return false;
	}
	json = json_of(entry, tree_path ? seal : NULL, bytes);
	text = json_write(json, FORM_PRETTY);
	return str_write_file(path, text, strlen(text), 0644, err);
}

bool cache_publish(const struct place *place, const char *key, const char *tree_path,
		   const char *log_path, struct arena *arena, struct cache_entry *entry,
		   struct err *err)
{
	char *folder = place_path(place, arena, "cache/%s", key);
	char *new_folder = place_path(place, arena, "cache/" NEW_PREFIX "%s", key);

	if (!tree_remove(new_folder, err) || !make_folders(new_folder, err) ||
	    !fill(new_folder, tree_path, log_path, entry, err) || !tree_remove(folder, err)) {
		return false;
	}
	if (rename(new_folder, folder) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "move '%s'", new_folder);
	}
	entry->build.folder = folder;
	return true;
}

/* --- trimming --- */

struct aged {
	char *folder;
	struct timespec used;
	uint64_t bytes;
};

static int by_age(const void *left, const void *right)
{
	const struct timespec *a = &((const struct aged *)left)->used;
	const struct timespec *b = &((const struct aged *)right)->used;

	if (a->tv_sec != b->tv_sec) {
		return a->tv_sec < b->tv_sec ? -1 : 1;
	}
	return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

/* False: it is no whole entry. */
static bool read_age(const char *folder, struct aged *ret_aged)
{
	scoped(free) char *path = mem_printf("%s/entry.json", folder);
	scoped(json_free) struct json *json = NULL;
	struct stat stat_of_entry;

	if (!json_read_file(path, ENTRY_LIMIT_BYTES, &json, NULL) ||
	    stat(path, &stat_of_entry) != 0) {
		return false;
	}
	*ret_aged = (struct aged){ .used = stat_of_entry.st_mtim,
				   .bytes = (uint64_t)json_int(json_get(json, "bytes"), 0) };
	return true;
}

static void close_folder(DIR *folder)
{
	if (folder) {
		closedir(folder);
	}
}
DEFINE_SCOPED(close_folder, DIR *)

bool cache_trim(const struct place *place, const char *key, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	char *root = place_path(place, arena, "cache");
	scoped(close_folder) DIR *folder = opendir(root);
	VEC(struct aged) entries = { 0 };
	uint64_t total_bytes = 0;
	struct dirent *found;
	bool done = folder != NULL;

	while (done && (found = readdir(folder))) {
		char *path = arena_printf(arena, "%s/%s", root, found->d_name);
		struct aged aged;

		if (found->d_name[0] == '.') {
			continue;
		}
		if (str_has_prefix(found->d_name, NEW_PREFIX) || !read_age(path, &aged)) {
			done = tree_remove(path, err);
			continue;
		}
		total_bytes += aged.bytes;
		aged.folder = path;
		if (!key || strcmp(found->d_name, key) != 0) {
			*vec_push(&entries) = aged;
		}
	}
	if (entries.nr > 1) {
		qsort(entries.at, entries.nr, sizeof(struct aged), by_age);
	}
	for (size_t i = 0; done && i < entries.nr && total_bytes > place->cache_limit_bytes; i++) {
		done = tree_remove(entries.at[i].folder, err);
		total_bytes -= entries.at[i].bytes;
	}
	vec_release(&entries);
	return done;
}
