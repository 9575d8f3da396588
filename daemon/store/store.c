/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "store_parts.h"

static bool make_folder(const char *path, struct err *err)
{
	if (mkdir(path, 0700) != 0 && errno != EEXIST) {
		return err_set_errno(err, ERR_BROKEN, errno, "create folder '%s'", path);
	}
	return true;
}

bool store_open(const char *folder, struct store **ret_store, struct err *err)
{
	scoped(store_close) struct store *store = mem_alloc(sizeof(*store));

	store->folder = mem_strdup(folder);
	store->incoming = mem_printf("%s/incoming", folder);
	if (!make_folder(store->folder, err) || !make_folder(store->incoming, err)) {
		return false;
	}
	*ret_store = move(&store);
	return true;
}

struct store *store_close(struct store *store)
{
	if (store) {
		free(store->folder);
		free(store->incoming);
		free(store);
	}
	return NULL;
}

char *store_path(const struct store *store, const char *hash)
{
	if (!is_hash_text(hash)) {
		bug("'%s' is not a hash", hash);
	}
	return mem_printf("%s/%.2s/%.2s/%s", store->folder, hash, hash + 2, hash);
}

bool store_make_folders(const struct store *store, const char *hash, struct err *err)
{
	scoped(free) char *outer = mem_printf("%s/%.2s", store->folder, hash);
	scoped(free) char *inner = mem_printf("%s/%.2s", outer, hash + 2);

	/* A new folder's own name must survive too. */
	return make_folder(outer, err) && store_sync_folder(store->folder, err) &&
	       make_folder(inner, err) && store_sync_folder(outer, err);
}

bool store_sync_folder(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = fd >= 0 && fsync(fd) == 0;

	if (!done) {
		err_set_errno(err, ERR_BROKEN, errno, "sync folder '%s'", path);
	}
	if (fd >= 0) {
		close(fd);
	}
	return done;
}

bool store_get(const struct store *store, const char *hash, int *ret_fd, int64_t *ret_size_bytes,
	       struct err *err)
{
	scoped(free) char *path = store_path(store, hash);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;

	if (fd < 0) {
		return err_set_errno(err, errno == ENOENT ? ERR_ABSENT : ERR_BROKEN, errno,
				     "open stored file '%s'", hash);
	}
	if (fstat(fd, &stat) != 0) {
		err_set_errno(err, ERR_BROKEN, errno, "look at stored file '%s'", hash);
		close(fd);
		return false;
	}
	*ret_fd = fd;
	*ret_size_bytes = stat.st_size;
	return true;
}

bool store_scratch(const struct store *store, int *ret_fd, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/scratch.XXXXXX", store->incoming);
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "create '%s'", path);
	}
	unlink(path);
	*ret_fd = fd;
	return true;
}

void store_sweep(struct store *store, int64_t age_s)
{
	DIR *folder = opendir(store->incoming);
	int64_t oldest_s = wall_now().ns / 1000000000 - age_s;
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		struct stat stat;

		if (entry->d_name[0] != '.' &&
		    fstatat(dirfd(folder), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
		    stat.st_mtim.tv_sec < oldest_s) {
			unlinkat(dirfd(folder), entry->d_name, 0);
		}
	}
	if (folder) {
		closedir(folder);
	}
}
