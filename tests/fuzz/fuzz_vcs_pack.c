/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker takes any bytes for a pack; what it accepts is whole, so that it can be sent on. */
#include <fcntl.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/vcs/mirror.h"
#include "lib/vcs/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* The commit in the packs of the corpus. */
static const struct vcs_id want = { "040a33a4e9898657247765714d7de2d02cdaf6e5" };

static int remove_one(const char *path, const struct stat *status UNUSED, int kind UNUSED,
		      struct FTW *at UNUSED)
{
	return remove(path);
}

static void try_pack(const char *folder, int fd)
{
	scoped(vcs_close) struct vcs *mirror = NULL;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct err err = ERR_INIT;

	if (!vcs_mirror_open(folder, NULL, &mirror, &err)) {
		bug("%s", err.message);
	}
	if (vcs_pack_index(mirror, fd, &want, 1 << 20, NULL) &&
	    !vcs_pack_write(mirror, &want, NULL, 0, 1 << 30, null, &err)) {
		bug("an incomplete pack was taken: %s", err.message);
	}
	close(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(free) char *folder = mem_strdup("/tmp/patchmeter-fuzz.XXXXXX");
	int fd = memfd_create("pack", MFD_CLOEXEC);
	struct err err = ERR_INIT;

	if (fd < 0 || !mkdtemp(folder) || write(fd, bytes, length) != (ssize_t)length ||
	    lseek(fd, 0, SEEK_SET) != 0 || !vcs_init(&err)) {
		bug("no place for the pack %s", err.message);
	}
	try_pack(folder, fd);
	vcs_shutdown();
	close(fd);
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
