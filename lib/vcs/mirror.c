/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include "address.h"
#include "lib/base/str.h"
#include "mirror.h"

/* By default each new object is tried against ten others as its base: six times the work to make
 * a pack of one snapshot 5 % smaller (30 s against 5 for 28,000 files).  libgit2 1.5 tries no
 * object larger than this setting. */
static bool configure(git_repository *repo, struct err *err)
{
	scoped(git_config_free) git_config *config = NULL;
	int64_t value = 0;
	int code = git_repository_config(&config, repo);

	if (code == 0 && git_config_get_int64(&value, config, "pack.deltaCacheSize") != 0) {
		code = git_config_set_int64(config, "pack.deltaCacheSize", 1);
	}
	return code == 0 || vcs_fail(err, code, "configure");
}

static bool make(const char *folder, struct err *err)
{
	git_repository_init_options options;
	git_repository *repo = NULL;
	int code = git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
	bool is_done;

	options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKPATH;
	options.initial_head = "none";
	if (code == 0) {
		code = git_repository_init_ext(&repo, folder, &options);
	}
	if (code != 0) {
		return vcs_fail(err, code, "make repository '%s'", folder);
	}
	is_done = configure(repo, err);
	git_repository_free(repo);
	return is_done;
}

char *vcs_item_path(const struct vcs *vcs, git_repository_item_t item, const char *rest)
{
	scoped(git_buf_dispose) git_buf path = { 0 };

	if (git_repository_item_path(&path, vcs->repo, item) != 0) {
		bug("an open repository without folder");
	}
	return mem_printf("%s%s", path.ptr, rest);
}

static bool borrow(const char *folder, const char *source, struct err *err)
{
	scoped(free) char *file = mem_printf("%s/objects/info/alternates", folder);
	scoped(str_release) struct str before = STR_INIT;
	scoped(str_release) struct str after = STR_INIT;
	scoped(free) char *objects = NULL;
	scoped(vcs_close) struct vcs *vcs = NULL;

	if (!vcs_open(source, &vcs, err)) {
		return false;
	}
	objects = vcs_item_path(vcs, GIT_REPOSITORY_ITEM_OBJECTS, "");
	if (*objects != '/' || strchr(objects, '\n')) {
		return err_set(err, ERR_INPUT, "cannot borrow from '%s'", source);
	}
	str_printf(&after, "%s\n", objects);
	if (str_read_file(&before, file, 1 << 16, NULL) && strcmp(before.at, after.at) == 0) {
		return true;
	}
	return str_write_file(file, after.at, after.length, MIRROR_MODE, err);
}

bool vcs_mirror_open(const char *folder, const char *source, struct vcs **ret_vcs, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct err first = ERR_INIT;

	/* Borrowing takes effect when the objects are opened, so it comes before. */
	if (!vcs_open_path(folder, &vcs, &first)) {
		if (first.kind != ERR_ABSENT) {
			*err = first;
			return err_wrap(err, "mirror");
		}
		if (!make(folder, err)) {
			return err_wrap(err, "mirror");
		}
	}
	vcs = vcs_close(vcs);
	if ((source && !borrow(folder, source, err)) || !vcs_open_path(folder, &vcs, err)) {
		return err_wrap(err, "mirror '%s'", folder);
	}
	vcs->is_mirror = true;
	*ret_vcs = move(&vcs);
	return true;
}
