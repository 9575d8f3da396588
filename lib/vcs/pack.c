/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <errno.h>
#include <unistd.h>

#include "mirror.h"
#include "pack.h"
#include "snapshot.h"

#define CHUNK_BYTES 65536

/* writing */

struct sink {
	int fd;
	uint64_t left_bytes;
	int error_number;
	bool is_full;
};

/* Called by libgit2 for each piece of the pack. */
static int write_piece(void *bytes, size_t length, void *payload)
{
	struct sink *sink = payload;

	if (length > sink->left_bytes) {
		sink->is_full = true;
		return GIT_EUSER;
	}
	sink->left_bytes -= length;
	if (!vcs_write_all(sink->fd, bytes, length)) {
		sink->error_number = errno;
		return GIT_EUSER;
	}
	return 0;
}

static bool write_pack(struct vcs *vcs, const struct snapshot_object *objects, size_t nr,
		       struct sink *sink, struct err *err)
{
	scoped(git_packbuilder_free) git_packbuilder *pack = NULL;
	int code = git_packbuilder_new(&pack, vcs->repo);

	for (size_t i = 0; code == 0 && i < nr; i++) {
		code = git_packbuilder_insert(pack, &objects[i].oid, NULL);
	}
	if (code == 0) {
		code = git_packbuilder_foreach(pack, write_piece, sink);
	}
	if (sink->is_full) {
		return err_set(err, ERR_TOO_BIG, "the pack is larger than allowed");
	}
	if (sink->error_number) {
		return err_set_errno(err, ERR_BROKEN, sink->error_number, "write the pack");
	}
	return code == 0 || vcs_fail(err, code, "build the pack");
}

bool vcs_pack_write(struct vcs *vcs, const struct vcs_id *want, const struct vcs_id *haves,
		    size_t nr_haves, uint64_t limit_bytes, int fd, struct err *err)
{
	scoped(snapshot_release) struct snapshot snapshot = { 0 };
	struct sink sink = { .fd = fd, .left_bytes = limit_bytes };
	size_t nr_known;
	git_oid oid;

	for (size_t i = 0; i < nr_haves; i++) {
		/* What was found before something was missing here is there all the same. */
		vcs_id_to(&haves[i], &oid);
		(void)!snapshot_add(vcs, &oid, &snapshot, NULL);
	}
	nr_known = snapshot.objects.nr;
	vcs_id_to(want, &oid);
	if (!snapshot_add(vcs, &oid, &snapshot, err) ||
	    !write_pack(vcs, snapshot.objects.at + nr_known, snapshot.objects.nr - nr_known, &sink,
			err)) {
		return err_wrap(err, "pack of '%s'", want->text);
	}
	return true;
}

/* reading */

/* Whatever is wrong with what came in is the sender's fault, unless the disk is full. */
static bool fail_index(struct err *err, int code)
{
	const git_error *last = git_error_last();
	bool is_ours = last && (last->klass == GIT_ERROR_OS || last->klass == GIT_ERROR_FILESYSTEM);

	vcs_fail(err, code, "read the pack");
	if (err && !is_ours) {
		err->kind = ERR_INPUT;
	}
	return false;
}

/* Feeds the file to the indexer. */
static bool index_all(git_indexer *indexer, int fd, uint64_t limit_bytes,
		      git_indexer_progress *progress, struct err *err)
{
	scoped(free) char *chunk = mem_alloc(CHUNK_BYTES);
	uint64_t total = 0;

	for (;;) {
		ssize_t got = read(fd, chunk, CHUNK_BYTES);
		int code;

		if (got < 0 && errno == EINTR) {
			continue;
		}
		if (got < 0) {
			return err_set_errno(err, ERR_BROKEN, errno, "read the pack");
		}
		if (got == 0) {
			return true;
		}
		total += (uint64_t)got;
		if (total > limit_bytes) {
			return err_set(err, ERR_TOO_BIG,
				       "the pack is larger than %" PRIu64 " bytes", limit_bytes);
		}
		code = git_indexer_append(indexer, chunk, (size_t)got, progress);
		if (code != 0) {
			return fail_index(err, code);
		}
	}
}

static bool index_pack(struct vcs *mirror, int fd, uint64_t limit_bytes, struct err *err)
{
	scoped(free) char *folder = vcs_item_path(mirror, GIT_REPOSITORY_ITEM_OBJECTS, "pack");
	scoped(git_indexer_free) git_indexer *indexer = NULL;
	git_indexer_progress progress = { 0 };
	int code = git_indexer_new(&indexer, folder, MIRROR_MODE, NULL, NULL);

	if (code != 0) {
		return vcs_fail(err, code, "start a pack in '%s'", folder);
	}
	if (!index_all(indexer, fd, limit_bytes, &progress, err)) {
		return false;
	}
	code = git_indexer_commit(indexer, &progress);
	return code == 0 || fail_index(err, code);
}

bool vcs_pack_index(struct vcs *mirror, int fd, const struct vcs_id *want, uint64_t limit_bytes,
		    struct err *err)
{
	if (!index_pack(mirror, fd, limit_bytes, err) || !vcs_mirror_pin(mirror, want, 1, err)) {
		return err_wrap(err, "pack of '%s'", want->text);
	}
	return true;
}
