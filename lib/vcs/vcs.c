/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include "vcs.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "address.h"
#include "header.h"
#include "lib/base/str.h"

/* ids */

bool is_vcs_id_text(const char *text)
{
	return strlen(text) == VCS_ID_BYTES - 1 &&
	       strspn(text, "0123456789abcdef") == VCS_ID_BYTES - 1;
}

bool vcs_id_parse(const char *text, struct vcs_id *ret_id, struct err *err)
{
	if (!is_vcs_id_text(text)) {
		return err_set(err, ERR_INPUT, "'%.60s' is not a commit id of 40 digits", text);
	}
	memcpy(ret_id->text, text, VCS_ID_BYTES);
	return true;
}

void vcs_id_from(struct vcs_id *id, const git_oid *oid)
{
	git_oid_tostr(id->text, VCS_ID_BYTES, oid);
}

void vcs_id_to(const struct vcs_id *id, git_oid *oid)
{
	if (git_oid_fromstr(oid, id->text) != 0) {
		bug("commit id '%.41s'", id->text);
	}
}

/* failures */

static enum err_kind kind_of(int code, int class)
{
	static const struct {
		int code;
		int class;
		enum err_kind kind;
	} rows[] = {
		{ GIT_ENOTFOUND, 0, ERR_ABSENT },
		{ GIT_EEXISTS, 0, ERR_CONFLICT },
		{ GIT_EMODIFIED, 0, ERR_CONFLICT },
		{ GIT_ELOCKED, 0, ERR_BUSY },
		{ GIT_EINVALIDSPEC, 0, ERR_INPUT },
		{ GIT_EPEEL, 0, ERR_INPUT },
		{ GIT_EAUTH, 0, ERR_DENIED },
		{ GIT_ECERTIFICATE, 0, ERR_REMOTE },
		{ GIT_EEOF, 0, ERR_REMOTE },
		{ 0, GIT_ERROR_NET, ERR_REMOTE },
		{ 0, GIT_ERROR_HTTP, ERR_REMOTE },
		{ 0, GIT_ERROR_SSL, ERR_REMOTE },
		{ 0, GIT_ERROR_SSH, ERR_REMOTE },
		{ 0, GIT_ERROR_INVALID, ERR_INPUT },
		{ 0, GIT_ERROR_OBJECT, ERR_INPUT },
		{ 0, GIT_ERROR_TREE, ERR_INPUT },
		{ 0, GIT_ERROR_TAG, ERR_INPUT },
		{ 0, GIT_ERROR_INDEXER, ERR_INPUT },
		{ 0, GIT_ERROR_REPOSITORY, ERR_INPUT },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		if (rows[i].code ? rows[i].code == code : rows[i].class == class) {
			return rows[i].kind;
		}
	}
	return ERR_BROKEN;
}

bool vcs_fail(struct err *err, int code, const char *format, ...)
{
	const git_error *last = git_error_last();
	const char *message = last && last->message ? last->message : "no reason given";
	scoped(str_release) struct str clean = STR_INIT;
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	str_append_clean(&clean, message, strlen(message), false, 400);
	err_set(err, kind_of(code, last ? last->klass : 0), "%s: %s", what, clean.at);
	git_error_clear();
	return false;
}

bool vcs_write_all(int fd, const void *bytes, size_t length)
{
	const char *at = bytes;

	while (length > 0) {
		ssize_t put = write(fd, at, length);

		if (put < 0 && errno == EINTR) {
			continue;
		}
		if (put < 0) {
			return false;
		}
		at += put;
		length -= (size_t)put;
	}
	return true;
}

/* the library */

/* Bounds: what may be mapped and cached, and what a pack may claim to hold before we believe it
 * (libgit2 reserves room for every object that the first 12 bytes announce). */
#define WINDOW_BYTES     ((size_t)32 << 20)
#define MAPPED_BYTES     ((size_t)256 << 20)
#define CACHE_BYTES      ((ssize_t)32 << 20)
#define PACK_OBJECTS_MAX ((size_t)32 << 20)
#define OBJECT_MAX_BYTES ((size_t)1 << 30)

static int set_options(void)
{
	static const int levels[] = {
		GIT_CONFIG_LEVEL_PROGRAMDATA,
		GIT_CONFIG_LEVEL_SYSTEM,
		GIT_CONFIG_LEVEL_XDG,
		GIT_CONFIG_LEVEL_GLOBAL,
	};
	int code = 0;

	for (size_t i = 0; i < countof(levels); i++) {
		code |= git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
	}
	code |= git_libgit2_opts(GIT_OPT_SET_TEMPLATE_PATH, "");
	code |= git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	code |= git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, WINDOW_BYTES);
	code |= git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, MAPPED_BYTES);
	code |= git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, CACHE_BYTES);
	code |= git_libgit2_opts(GIT_OPT_SET_PACK_MAX_OBJECTS, PACK_OBJECTS_MAX);
	code |= git_libgit2_opts(GIT_OPT_SET_PACK_MAX_OBJECT_SIZE, OBJECT_MAX_BYTES);
	code |= git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
	return code;
}

bool vcs_init(struct err *err)
{
	if (git_libgit2_init() < 0 || set_options() != 0) {
		return vcs_fail(err, GIT_ERROR, "prepare libgit2");
	}
	return true;
}

void vcs_shutdown(void)
{
	git_libgit2_shutdown();
}

/* a repository */

bool vcs_open_path(const char *path, struct vcs **ret_vcs, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = mem_alloc(sizeof(*vcs));
	int code = git_repository_open_ext(&vcs->repo, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);

	if (code == GIT_ENOTFOUND) {
		return err_set(err, ERR_ABSENT, "open repository '%s': there is none", path);
	}
	if (code != 0 || (code = git_repository_odb(&vcs->odb, vcs->repo)) != 0) {
		return vcs_fail(err, code, "open repository '%s'", path);
	}
	*ret_vcs = move(&vcs);
	return true;
}

bool vcs_open(const char *where, struct vcs **ret_vcs, struct err *err)
{
	scoped(str_release) struct str path = STR_INIT;

	return vcs_address_path(where, &path, err) && vcs_open_path(path.at, ret_vcs, err);
}

struct vcs *vcs_close(struct vcs *vcs)
{
	if (vcs) {
		git_odb_free(vcs->odb);
		git_repository_free(vcs->repo);
		free(vcs);
	}
	return NULL;
}

bool vcs_has_commit(struct vcs *vcs, const struct vcs_id *id)
{
	scoped(git_odb_object_free) git_odb_object *object = NULL;
	git_oid oid;

	vcs_id_to(id, &oid);
	return commit_object_read(vcs, &oid, &object, NULL);
}
