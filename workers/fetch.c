/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/vcs/mirror.h"
#include "lib/vcs/pack.h"

#define PACK_LIMIT_BYTES (UINT64_C(4) << 30)
#define NR_HAVES         16
#define NR_PINS          256

static bool index_pack(struct vcs *mirror, const char *path, const struct vcs_id *want,
		       struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool done;

	if (fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "open '%s'", path);
	}
	done = vcs_pack_index(mirror, fd, want, PACK_LIMIT_BYTES, err);
	close(fd);
	return done;
}

/* The oldest builds are unlikely to be asked for again. */
static bool forget_oldest(struct vcs *mirror, const struct vcs_id *ids, size_t nr, struct err *err)
{
	for (size_t i = NR_PINS; i < nr; i++) {
		if (!vcs_mirror_unpin(mirror, &ids[i], err)) {
			return false;
		}
	}
	return true;
}

bool fetch_commit(const struct place *place, struct client *client, int64_t repository,
		  const char *commit, struct span patience, struct arena *arena,
		  const char **ret_mirror, struct err *err)
{
	const char *folder = place_path(place, arena, "repos/%" PRId64 ".git", repository);
	const char *pack_path = place_path(place, arena, "repos/%" PRId64 ".pack", repository);
	scoped(vcs_close) struct vcs *mirror = NULL;
	scoped(str_release) struct str path = STR_INIT;
	struct vcs_id *pins;
	struct vcs_id want;
	size_t nr_pins;
	bool done;

	if (!vcs_id_parse(commit, &want, err) || !vcs_mirror_open(folder, NULL, &mirror, err)) {
		return false;
	}
	*ret_mirror = folder;
	if (vcs_has_commit(mirror, &want)) {
		return true;
	}
	if (!vcs_mirror_pins(mirror, 4 * (size_t)NR_PINS, arena, &pins, &nr_pins, err)) {
		return false;
	}
	str_printf(&path, "/api/v1/repos/%" PRId64 "/pack?want=%s", repository, want.text);
	for (size_t i = 0; i < nr_pins && i < NR_HAVES; i++) {
		str_printf(&path, "&have=%s", pins[i].text);
	}
	done = client_get_file(client, path.at, pack_path, PACK_LIMIT_BYTES, patience, err) &&
	       index_pack(mirror, pack_path, &want, err) &&
	       forget_oldest(mirror, pins, nr_pins, err);
	unlink(pack_path);
	return done;
}
