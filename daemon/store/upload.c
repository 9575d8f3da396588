/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "daemon/crash.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "store_parts.h"

/* What uploads leave free, for the logs of runs that end and for the database beside us. */
#define RESERVE_BYTES (INT64_C(64) << 20)

struct upload {
	struct store *store;
	char *path;
	int fd; /* -1: committed */
	int64_t received;
};

static bool is_room(const struct store *store, int64_t room_bytes)
{
	struct statvfs disk;

	if (statvfs(store->incoming, &disk) != 0) {
		return true; /* the write will tell */
	}
	return (double)disk.f_bavail * (double)disk.f_frsize >=
	       (double)(room_bytes + RESERVE_BYTES);
}

/* Whoever holds the lock may find that the name has gone to another file meanwhile: a commit or a
 * sweep came in between. */
static bool is_still_there(const struct upload *upload)
{
	struct stat by_name;
	struct stat by_fd;

	return fstat(upload->fd, &by_fd) == 0 && stat(upload->path, &by_name) == 0 &&
	       by_fd.st_ino == by_name.st_ino && by_fd.st_dev == by_name.st_dev;
}

static enum err_kind kind_of_errno(int error_number)
{
	return error_number == ENOSPC || error_number == EDQUOT ? ERR_FULL : ERR_BROKEN;
}

bool upload_open(struct store *store, const char *key, int64_t room_bytes,
		 struct upload **ret_upload, struct err *err)
{
	scoped(upload_close) struct upload *upload = mem_alloc(sizeof(*upload));

	assert(key[0] != '.' && !strchr(key, '/'));
	upload->fd = -1;
	if (!is_room(store, room_bytes)) {
		return err_set(err, ERR_FULL, "the disk is full: no room for %" PRId64 " bytes",
			       room_bytes);
	}
	upload->store = store;
	upload->path = mem_printf("%s/%s", store->incoming, key);
	upload->fd = open(upload->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (upload->fd < 0) {
		return err_set_errno(err, kind_of_errno(errno), errno, "open upload '%s'", key);
	}
	if (flock(upload->fd, LOCK_EX | LOCK_NB) != 0 || !is_still_there(upload)) {
		return err_set(err, ERR_BUSY, "upload '%s' is under way on another connection",
			       key);
	}
	upload->received = lseek(upload->fd, 0, SEEK_END);
	*ret_upload = move(&upload);
	return true;
}

struct upload *upload_close(struct upload *upload)
{
	if (upload) {
		if (upload->fd >= 0) {
			close(upload->fd);
		}
		free(upload->path);
		free(upload);
	}
	return NULL;
}

int64_t store_received(const struct store *store, const char *key)
{
	scoped(free) char *path = mem_printf("%s/%s", store->incoming, key);
	struct stat stat_now;

	return stat(path, &stat_now) == 0 ? stat_now.st_size : 0;
}

int64_t upload_received(const struct upload *upload)
{
	return upload->received;
}

bool upload_write(struct upload *upload, const void *bytes, size_t length, struct err *err)
{
	const char *at = bytes;

	while (length > 0) {
		ssize_t nr = write(upload->fd, at, length);

		if (nr < 0 && errno == EINTR) {
			continue;
		}
		if (nr < 0) {
			return err_set_errno(err, kind_of_errno(errno), errno, "write upload");
		}
		at += nr;
		length -= (size_t)nr;
		upload->received += nr;
	}
	return true;
}

void upload_reset(struct upload *upload)
{
	if (ftruncate(upload->fd, 0) == 0) {
		upload->received = 0;
	}
}

static bool check_hash(const struct upload *upload, const char *expected, struct err *err)
{
	struct hash_stream *stream = hash_stream_new();
	scoped(free) char *block = mem_alloc(1 << 16);
	char text[HASH_TEXT_BYTES];
	struct hash hash;
	int64_t offset = 0;
	ssize_t nr;

	while ((nr = pread(upload->fd, block, 1 << 16, offset)) > 0) {
		hash_stream_add(stream, block, (size_t)nr);
		offset += nr;
	}
	hash_stream_free(stream, &hash);
	if (nr < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "read upload");
	}
	hash_format(&hash, text);
	if (strcmp(text, expected) != 0) {
		return err_set(err, ERR_INPUT, "the content has SHA-256 %s, not %s as announced",
			       text, expected);
	}
	return true;
}

bool upload_commit(struct upload *upload, const char *hash, struct err *err)
{
	scoped(free) char *path = store_path(upload->store, hash);
	scoped(free) char *folder = mem_strndup(path, strlen(path) - strlen(hash) - 1);

	if (!check_hash(upload, hash, err)) {
		unlink(upload->path);
		return false;
	}
	if (!store_make_folders(upload->store, hash, err)) {
		return false;
	}
	if (fsync(upload->fd) != 0) {
		return err_set_errno(err, kind_of_errno(errno), errno, "sync upload");
	}
	crash_point("store", "before-rename");
	if (rename(upload->path, path) != 0) {
		return err_set_errno(err, kind_of_errno(errno), errno, "keep upload as '%s'", hash);
	}
	if (!store_sync_folder(folder, err)) {
		return false;
	}
	crash_point("store", "after-rename");
	close(upload->fd);
	upload->fd = -1;
	return true;
}
