/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"

struct entry {
	const char *name; /* below the root */
	struct stat stat;
};

struct tree {
	struct arena *arena;
	char *root;
	VEC(struct entry) entries;
};

struct tree *tree_free(struct tree *tree)
{
	if (!tree) {
		return NULL;
	}
	vec_release(&tree->entries);
	arena_free(tree->arena);
	free(tree->root);
	free(tree);
	return NULL;
}

static void close_walk(FTS *walk)
{
	if (walk) {
		fts_close(walk);
	}
}
DEFINE_SCOPED(close_walk, FTS *)

static FTS *open_walk(const char *path, int options)
{
	char *const paths[] = { (char *)(uintptr_t)path, NULL };

	return fts_open(paths, FTS_PHYSICAL | options, NULL);
}

static int compare_entries(const void *left, const void *right)
{
	return strcmp(((const struct entry *)left)->name, ((const struct entry *)right)->name);
}

static bool is_kept(const struct stat *stat)
{
	return S_ISDIR(stat->st_mode) || S_ISREG(stat->st_mode) || S_ISLNK(stat->st_mode);
}

bool tree_read(const char *path, const char *except, struct tree **ret_tree, struct err *err)
{
	scoped(tree_free) struct tree *tree = mem_alloc(sizeof(*tree));
	scoped(close_walk) FTS *walk = open_walk(path, FTS_NOCHDIR);
	size_t skip = strlen(path) + 1;
	FTSENT *found;

	tree->arena = arena_new();
	tree->root = mem_strdup(path);
	while (walk && (errno = 0, found = fts_read(walk))) {
		if (found->fts_info == FTS_ERR || found->fts_info == FTS_DNR ||
		    found->fts_info == FTS_NS) {
			return err_set_errno(err,
					     found->fts_errno == ENOENT ? ERR_ABSENT : ERR_BROKEN,
					     found->fts_errno, "read '%s'", found->fts_path);
		}
		if (except && found->fts_level == 1 && strcmp(found->fts_name, except) == 0) {
			fts_set(walk, found, FTS_SKIP);
			continue;
		}
		if (found->fts_info != FTS_DP && found->fts_level > 0 &&
		    is_kept(found->fts_statp)) {
			*vec_push(&tree->entries) =
				(struct entry){ arena_strdup(tree->arena, found->fts_path + skip),
						*found->fts_statp };
		}
	}
	if (!walk || errno != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "read '%s'", path);
	}
	if (tree->entries.nr > 0) {
		qsort(tree->entries.at, tree->entries.nr, sizeof(struct entry), compare_entries);
	}
	*ret_tree = move(&tree);
	return true;
}

size_t tree_nr(const struct tree *tree)
{
	return tree->entries.nr;
}

uint64_t tree_bytes(const struct tree *tree)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < tree->entries.nr; i++) {
		bytes += (uint64_t)tree->entries.at[i].stat.st_blocks * 512;
	}
	return bytes;
}

const char *tree_name(const struct tree *tree, size_t index)
{
	return tree->entries.at[index].name;
}

bool is_tree_file(const struct tree *tree, size_t index)
{
	return S_ISREG(tree->entries.at[index].stat.st_mode);
}

/* --- copy --- */

static bool copy_bytes(int from, int to)
{
	static char bytes[1 << 17];
	ssize_t got;

	if (ioctl(to, FICLONE, from) == 0) {
		return true;
	}
	while ((got = copy_file_range(from, NULL, to, NULL, (size_t)1 << 30, 0)) > 0) {
	}
	if (got == 0) {
		return true;
	}
	/* Not on every file system; both offsets are still where the last piece ended. */
	while ((got = read(from, bytes, sizeof(bytes))) > 0) {
		for (ssize_t at = 0; at < got;) {
			ssize_t put = write(to, bytes + at, (size_t)(got - at));

			if (put < 0) {
				return false;
			}
			at += put;
		}
	}
	return got == 0;
}

static bool copy_file(const char *from_path, const char *to_path)
{
	int from = open(from_path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int to = open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool done = from >= 0 && to >= 0 && copy_bytes(from, to);
	int error_number = errno;

	if (from >= 0) {
		close(from);
	}
	if (to >= 0 && close(to) != 0 && done) {
		return false;
	}
	errno = error_number;
	return done;
}

static bool copy_link(const char *from_path, const char *to_path)
{
	char target[4096];
	ssize_t length = readlink(from_path, target, sizeof(target) - 1);

	if (length < 0) {
		return false;
	}
	target[length] = '\0';
	return symlink(target, to_path) == 0;
}

static bool copy_entry(const struct entry *entry, const char *from, const char *to)
{
	if (S_ISDIR(entry->stat.st_mode)) {
		return mkdir(to, 0700) == 0;
	}
	return S_ISLNK(entry->stat.st_mode) ? copy_link(from, to) : copy_file(from, to);
}

/* Owner before mode, for a change of owner takes set-user-id away; and the time last. */
static bool dress(const char *path, const struct stat *like, const struct owner *owner)
{
	const struct timespec times[] = { like->st_mtim, like->st_mtim };

	return (!owner->is_set || lchown(path, owner->uid, owner->gid) == 0) &&
	       (S_ISLNK(like->st_mode) || chmod(path, like->st_mode & 07777) == 0) &&
	       utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0;
}

bool tree_copy(const struct tree *tree, const char *to, const struct owner *owner, struct err *err)
{
	if (mkdir(to, 0755) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "create '%s'", to);
	}
	for (size_t i = 0; i < tree->entries.nr; i++) {
		const struct entry *entry = &tree->entries.at[i];
		scoped(free) char *from_path = mem_printf("%s/%s", tree->root, entry->name);
		scoped(free) char *to_path = mem_printf("%s/%s", to, entry->name);

		if (!copy_entry(entry, from_path, to_path)) {
			return err_set_errno(err, ERR_BROKEN, errno, "copy '%s'", from_path);
		}
	}
	/* Children first: what is put into a folder changes its time, and its mode may forbid
	 * it. */
	for (size_t i = tree->entries.nr; i-- > 0;) {
		const struct entry *entry = &tree->entries.at[i];
		scoped(free) char *to_path = mem_printf("%s/%s", to, entry->name);

		if (!dress(to_path, &entry->stat, owner)) {
			return err_set_errno(err, ERR_BROKEN, errno, "copy '%s'", to_path);
		}
	}
	if (owner->is_set && chown(to, owner->uid, owner->gid) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "copy '%s'", to);
	}
	return true;
}

/* --- look --- */

static bool settle(const char *path, const struct owner *owner)
{
	const struct timespec times[] = { { .tv_sec = TREE_SOURCE_TIME_S },
					  { .tv_sec = TREE_SOURCE_TIME_S } };

	return (!owner->is_set || lchown(path, owner->uid, owner->gid) == 0) &&
	       utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0;
}

bool tree_settle(const struct tree *tree, const struct owner *owner, struct err *err)
{
	for (size_t i = tree->entries.nr; i-- > 0;) {
		scoped(free) char *path = mem_printf("%s/%s", tree->root, tree->entries.at[i].name);

		if (!settle(path, owner)) {
			return err_set_errno(err, ERR_BROKEN, errno, "settle '%s'", path);
		}
	}
	return settle(tree->root, owner) ||
	       err_set_errno(err, ERR_BROKEN, errno, "settle '%s'", tree->root);
}

static bool hash_content(struct hash_stream *stream, const char *path, const struct stat *stat)
{
	static char bytes[1 << 17];
	ssize_t got;
	int fd;

	if (S_ISLNK(stat->st_mode)) {
		got = readlink(path, bytes, sizeof(bytes));
		hash_stream_add(stream, bytes, got > 0 ? (size_t)got : 0);
		return got >= 0;
	}
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	while (fd >= 0 && (got = read(fd, bytes, sizeof(bytes))) > 0) {
		hash_stream_add(stream, bytes, (size_t)got);
	}
	if (fd < 0) {
		return false;
	}
	close(fd);
	return got == 0;
}

bool tree_hash(const struct tree *tree, struct hash *ret_hash, struct err *err)
{
	struct hash_stream *stream = hash_stream_new();

	for (size_t i = 0; i < tree->entries.nr; i++) {
		const struct entry *entry = &tree->entries.at[i];
		scoped(free) char *path = mem_printf("%s/%s", tree->root, entry->name);
		scoped(free) char *facts =
			mem_printf("%o %" PRId64, entry->stat.st_mode & (S_IFMT | 0111),
				   (int64_t)entry->stat.st_size);

		if (S_ISDIR(entry->stat.st_mode)) {
			continue;
		}
		/* With the NULs, so that no name can pretend to be a content. */
		hash_stream_add(stream, entry->name, strlen(entry->name) + 1);
		hash_stream_add(stream, facts, strlen(facts) + 1);
		if (!hash_content(stream, path, &entry->stat)) {
			hash_stream_free(stream, NULL);
			return err_set_errno(err, ERR_BROKEN, errno, "read '%s'", path);
		}
	}
	hash_stream_free(stream, ret_hash);
	return true;
}

struct hash tree_seal(const struct tree *tree)
{
	struct hash_stream *stream = hash_stream_new();
	struct hash hash;

	for (size_t i = 0; i < tree->entries.nr; i++) {
		const struct entry *entry = &tree->entries.at[i];
		const struct stat *stat = &entry->stat;
		const int64_t facts[] = { (int64_t)stat->st_ino, (int64_t)stat->st_mode,
					  stat->st_size,         stat->st_mtim.tv_sec,
					  stat->st_mtim.tv_nsec, stat->st_ctim.tv_sec,
					  stat->st_ctim.tv_nsec };

		hash_stream_add(stream, entry->name, strlen(entry->name) + 1);
		hash_stream_add(stream, facts, sizeof(facts));
	}
	hash_stream_free(stream, &hash);
	return hash;
}

/* --- remove --- */

bool tree_remove(const char *path, struct err *err)
{
	/* With chdir: a stranger may nest deeper than any path is long. */
	scoped(close_walk) FTS *walk = open_walk(path, 0);
	FTSENT *found;

	while (walk && (errno = 0, found = fts_read(walk))) {
		int error_number = found->fts_errno;
		bool done = true;

		if (found->fts_info == FTS_D) {
			/* Or its owner could lock us out. */
			done = chmod(found->fts_accpath, 0700) == 0;
		} else if (found->fts_info == FTS_DP) {
			done = rmdir(found->fts_accpath) == 0;
		} else if (found->fts_info == FTS_ERR || found->fts_info == FTS_DNR) {
			return err_set_errno(err, ERR_BROKEN, error_number, "remove '%s'",
					     found->fts_path);
		} else {
			done = unlink(found->fts_accpath) == 0;
		}
		if (!done && errno != ENOENT) {
			return err_set_errno(err, ERR_BROKEN, errno, "remove '%s'",
					     found->fts_path);
		}
	}
	if (!walk || errno != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "remove '%s'", path);
	}
	return true;
}
