/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"
#include "header.h"
#include "lib/base/str.h"

#define DEPTH_MAX 256

struct export
{
	struct vcs *vcs;
	struct str path; /* of the entry at hand, for messages */
	uint64_t left_bytes;
	uint64_t left_files;
};

static void close_fd(int fd)
{
	if (fd >= 0) {
		close(fd);
	}
}
DEFINE_SCOPED(close_fd, int)

static bool export_tree(struct export *export, const git_oid *oid, int folder, int depth,
			struct err *err);

/* The path is hostile text. */
static bool fail(const struct export *export, struct err *err, enum err_kind kind,
		 const char *reason)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, export->path.at, export->path.length, false, 300);
	return err_set(err, kind, "'%s': %s", clean.at, reason);
}

static bool fail_errno(const struct export *export, struct err *err)
{
	enum err_kind kind = errno == EEXIST || errno == ENAMETOOLONG ? ERR_INPUT : ERR_BROKEN;

	return fail(export, err, kind, errno == EEXIST ? "it is there twice" : strerror(errno));
}

static bool is_fit_name(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strcasecmp(name, ".git") != 0;
}

static bool read_file(struct export *export, const git_oid *oid, git_odb_object **ret_object,
		      struct err *err)
{
	git_object_t type;
	size_t size;
	int code = git_odb_read_header(&size, &type, export->vcs->odb, oid);

	if (code == 0 && type != GIT_OBJECT_BLOB) {
		return fail(export, err, ERR_INPUT, "not a file");
	}
	if (code == 0 && size > export->left_bytes) {
		return fail(export, err, ERR_TOO_BIG, "the files are larger than allowed");
	}
	if (code != 0 || (code = git_odb_read(ret_object, export->vcs->odb, oid)) != 0) {
		return vcs_fail(err, code, "read file '%s'", git_oid_tostr_s(oid));
	}
	export->left_bytes -= size;
	return true;
}

static bool export_link(struct export *export, const char *name, git_odb_object *object, int folder,
			struct err *err)
{
	size_t length = git_odb_object_size(object);
	scoped(free) char *target = mem_strndup(git_odb_object_data(object), length);

	if (length == 0 || strlen(target) != length) {
		return fail(export, err, ERR_INPUT, "a symbolic link to no name");
	}
	return symlinkat(target, folder, name) == 0 || fail_errno(export, err);
}

static bool export_file(struct export *export, const git_tree_entry *entry, int folder,
			struct err *err)
{
	scoped(git_odb_object_free) git_odb_object *object = NULL;
	const char *name = git_tree_entry_name(entry);
	git_filemode_t type = git_tree_entry_filemode(entry);
	mode_t mode = type == GIT_FILEMODE_BLOB_EXECUTABLE ? 0755 : 0644;
	scoped(close_fd) int fd = -1;

	if (!read_file(export, git_tree_entry_id(entry), &object, err)) {
		return false;
	}
	if (type == GIT_FILEMODE_LINK) {
		return export_link(export, name, object, folder, err);
	}
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0 ||
	    !vcs_write_all(fd, git_odb_object_data(object), git_odb_object_size(object)) ||
	    fchmod(fd, mode) != 0) {
		return fail_errno(export, err);
	}
	return true;
}

static bool export_folder(struct export *export, const git_tree_entry *entry, int folder, int depth,
			  struct err *err)
{
	const char *name = git_tree_entry_name(entry);
	scoped(close_fd) int fd = -1;

	if (mkdirat(folder, name, 0755) != 0) {
		return fail_errno(export, err);
	}
	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, 0755) != 0) {
		return fail_errno(export, err);
	}
	if (git_tree_entry_type(entry) == GIT_OBJECT_COMMIT) {
		return true;
	}
	return export_tree(export, git_tree_entry_id(entry), fd, depth + 1, err);
}

static bool export_entry(struct export *export, const git_tree_entry *entry, int folder, int depth,
			 struct err *err)
{
	const char *name = git_tree_entry_name(entry);
	size_t length = export->path.length;
	bool is_done;

	str_printf(&export->path, "%s%s", length > 0 ? "/" : "", name);
	if (!is_fit_name(name)) {
		return fail(export, err, ERR_INPUT, "a name that git would not check out");
	}
	if (export->left_files-- == 0) {
		return fail(export, err, ERR_TOO_BIG, "more files than allowed");
	}
	if (git_tree_entry_type(entry) == GIT_OBJECT_BLOB) {
		is_done = export_file(export, entry, folder, err);
	} else {
		is_done = export_folder(export, entry, folder, depth, err);
	}
	str_truncate(&export->path, length);
	return is_done;
}

static bool export_tree(struct export *export, const git_oid *oid, int folder, int depth,
			struct err *err)
{
	scoped(git_tree_free) git_tree *tree = NULL;
	int code = git_tree_lookup(&tree, export->vcs->repo, oid);

	if (code != 0) {
		return vcs_fail(err, code, "read tree '%s'", git_oid_tostr_s(oid));
	}
	if (depth > DEPTH_MAX) {
		return fail(export, err, ERR_TOO_BIG, "folders nest too deep");
	}
	for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
		if (!export_entry(export, git_tree_entry_byindex(tree, i), folder, depth, err)) {
			return false;
		}
	}
	return true;
}

static bool is_empty_folder(int folder, bool *ret_is_empty)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!dir) {
		close_fd(copy);
		return false;
	}
	*ret_is_empty = true;
	while ((entry = readdir(dir))) {
		*ret_is_empty &=
			strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	}
	closedir(dir);
	return true;
}

static bool check_empty(int folder, const char *path, struct err *err)
{
	bool is_empty;

	if (folder < 0 || !is_empty_folder(folder, &is_empty)) {
		return err_set_errno(err, errno == ENOENT ? ERR_ABSENT : ERR_BROKEN, errno,
				     "open folder '%s'", path);
	}
	return is_empty || err_set(err, ERR_CONFLICT, "folder '%s' is not empty", path);
}

bool vcs_export(struct vcs *vcs, const struct vcs_id *id, const char *folder, uint64_t limit_bytes,
		struct err *err)
{
	scoped(close_fd) int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct export export = { vcs, STR_INIT, limit_bytes, VCS_EXPORT_FILES_MAX };
	struct commit_links links;
	git_oid oid;
	bool is_done;

	vcs_id_to(id, &oid);
	is_done = check_empty(fd, folder, err) && commit_links_read(vcs, &oid, &links, err) &&
		  export_tree(&export, &links.tree, fd, 0, err);
	str_release(&export.path);
	return is_done || err_wrap(err, "files of commit '%s'", id->text);
}
