/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source for workers: one commit as a git pack, from our mirror of its repository. */
#include <sys/stat.h>

#include "daemon/store/store.h"
#include "lib/vcs/pack.h"
#include "web/handlers.h"

#define MAX_PACK_BYTES (UINT64_C(4) << 30)
#define MAX_HAVES      64

struct wanted {
	int64_t repository;
	struct vcs_id want;
	struct vcs_id haves[MAX_HAVES];
	size_t nr_haves; /* more than we look at are passed over: they only save bytes */
};

static bool read_wanted(const struct request *request, struct wanted *wanted, struct err *err)
{
	const char *want = request_query(request, "want");

	*wanted = (struct wanted){ 0 };
	if (!want) {
		return err_set(err, ERR_INPUT, "parameter 'want' is missing");
	}
	if (!request_id(request, 0, &wanted->repository, err) ||
	    !vcs_id_parse(want, &wanted->want, err)) {
		return false;
	}
	for (size_t i = 0; i < request->query.nr && wanted->nr_haves < MAX_HAVES; i++) {
		const struct field *field = &request->query.at[i];

		if (strcmp(field->name, "have") == 0 &&
		    !vcs_id_parse(field->value, &wanted->haves[wanted->nr_haves++], err)) {
			return false;
		}
	}
	return true;
}

/* Only what a stack of ours names: a repository holds more than what it shows. */
static bool check_known(struct db *db, const struct wanted *wanted, struct err *err)
{
	int64_t is_known;

	if (!db_query_int(db, Q_COMMIT_OF_REPOSITORY,
			  ARGS(arg_int(wanted->repository), arg_text(wanted->want.text)), &is_known,
			  err)) {
		return false;
	}
	return is_known ||
	       err_set(err, ERR_ABSENT, "repository %" PRId64 " has no planned commit '%s'",
		       wanted->repository, wanted->want.text);
}

bool get_pack(struct request *request, struct reply *reply, struct err *err)
{
	struct db *db = request_db(request, err);
	scoped(vcs_close) struct vcs *mirror = NULL;
	struct wanted wanted;
	struct stat stat;
	const char *path;
	int fd;

	if (!db || !read_wanted(request, &wanted, err) || !check_known(db, &wanted, err)) {
		return false;
	}
	path = arena_printf(request->arena, "%s/mirror/%" PRId64 ".git", request->site->data,
			    wanted.repository);
	if (!vcs_open(path, &mirror, err) || !store_scratch(request->site->store, &fd, err)) {
		return false;
	}
	reply_file(reply, "application/x-git-packed-objects", fd, 0, 0);
	if (!vcs_pack_write(mirror, &wanted.want, wanted.haves, wanted.nr_haves, MAX_PACK_BYTES, fd,
			    err)) {
		return false;
	}
	if (fstat(fd, &stat) != 0) {
		return err_set(err, ERR_BROKEN, "look at a pack");
	}
	reply->size = stat.st_size;
	return true;
}
