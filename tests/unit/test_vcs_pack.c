/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/vcs/pack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/vcs/mirror.h"
#include "tests/repo.h"
#include "tests/t.h"

#define LIMIT (UINT64_C(100) << 20)

/* The daemon's repository, a worker's mirror, and the file that goes between them. */
struct fixture {
	char *folder;
	char *source_path;
	char *worker_path;
	char *pack_path;
	struct vcs *source;
	struct vcs *worker;
};

#define SOURCE                                                                             \
	"git init -q -b main source; cd source; mkdir -p d/e; seq 10000 >big;"             \
	"c() { echo $1 >d/e/f; echo $1 >$1; git add -A; git commit -qm $1; git tag $1; };" \
	"c 0; c 1; ln -s big link; chmod +x d/e/f; c 2"

static bool open_fixture(struct fixture *fixture)
{
	struct err err = ERR_INIT;

	fixture->folder = t_folder();
	fixture->source_path = mem_printf("%s/source", fixture->folder);
	fixture->worker_path = mem_printf("%s/worker", fixture->folder);
	fixture->pack_path = mem_printf("%s/pack", fixture->folder);
	free(t_git(fixture->folder, SOURCE));
	return CHECK_DONE(vcs_init(&err), &err) &&
	       CHECK_DONE(vcs_open(fixture->source_path, &fixture->source, &err), &err) &&
	       CHECK_DONE(vcs_mirror_open(fixture->worker_path, NULL, &fixture->worker, &err),
			  &err);
}

static void fixture_release(struct fixture *fixture)
{
	vcs_close(fixture->source);
	vcs_close(fixture->worker);
	free(fixture->folder);
	free(fixture->source_path);
	free(fixture->worker_path);
	free(fixture->pack_path);
}
DEFINE_SCOPED_EMBEDDED(fixture_release, struct fixture)

static struct vcs_id id_of(struct fixture *fixture, const char *name)
{
	struct vcs_id id = { "0000000000000000000000000000000000000000" };
	struct err err = ERR_INIT;

	CHECK_DONE(vcs_resolve(fixture->source, name, &id, &err), &err);
	return id;
}

static bool write_pack(struct fixture *fixture, const struct vcs_id *want,
		       const struct vcs_id *haves, size_t nr_haves, struct err *err)
{
	int fd = open(fixture->pack_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool is_done = vcs_pack_write(fixture->source, want, haves, nr_haves, LIMIT, fd, err);

	close(fd);
	return is_done;
}

static bool index_pack(struct fixture *fixture, const struct vcs_id *want, struct err *err)
{
	int fd = open(fixture->pack_path, O_RDONLY | O_CLOEXEC);
	bool is_done = vcs_pack_index(fixture->worker, fd, want, LIMIT, err);

	close(fd);
	return is_done;
}

static int64_t size_of(const char *path)
{
	struct stat status = { 0 };

	CHECK(stat(path, &status) == 0);
	return status.st_size;
}

static void carries_one_commit(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id want;
	struct err err = ERR_INIT;
	scoped(free) char *expected = NULL;
	scoped(free) char *actual = NULL;
	scoped(free) char *check = NULL;
	scoped(free) char *script = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	want = id_of(&fixture, "2");
	CHECK_DONE(write_pack(&fixture, &want, NULL, 0, &err), &err);
	CHECK_DONE(index_pack(&fixture, &want, &err), &err);
	CHECK(vcs_has_commit(fixture.worker, &want));
	script = mem_printf("git ls-tree -r %s; git cat-file -p %s", want.text, want.text);
	expected = t_git(fixture.source_path, script);
	actual = t_git(fixture.worker_path, script);
	CHECK_TEXT(actual, expected);
	check = t_git(fixture.worker_path, "git fsck --full 2>&1; git gc -q --prune=now;"
					   "git count-objects -v | grep in-pack");
	/* 1 commit, 3 trees, big, 0, 1, 2, link; d/e/f is the same file as 2 */
	CHECK_TEXT(check, "notice: HEAD points to an unborn branch (none)\nin-pack: 9");
}

static void sends_only_what_differs(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id haves[2];
	struct vcs_id want;
	struct err err = ERR_INIT;
	scoped(free) char *nr = NULL;
	int64_t whole;

	if (!open_fixture(&fixture)) {
		return;
	}
	haves[0] = id_of(&fixture, "1");
	want = id_of(&fixture, "2");
	CHECK_DONE(vcs_id_parse("0123456789012345678901234567890123456789", &haves[1], &err), &err);
	CHECK_DONE(write_pack(&fixture, &want, NULL, 0, &err), &err);
	whole = size_of(fixture.pack_path);
	CHECK_DONE(write_pack(&fixture, &haves[0], NULL, 0, &err), &err);
	CHECK_DONE(index_pack(&fixture, &haves[0], &err), &err);
	CHECK_DONE(write_pack(&fixture, &want, haves, 2, &err), &err);
	CHECK(size_of(fixture.pack_path) < whole / 10);
	nr = t_git(fixture.folder, "git index-pack -o idx pack >&2; git show-index <idx | wc -l");
	/* the commit, three trees, 2, link */
	CHECK_TEXT(nr, "6");
	CHECK_DONE(index_pack(&fixture, &want, &err), &err);
	CHECK(vcs_has_commit(fixture.worker, &want));
}

static void says_what_is_missing(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id have;
	struct vcs_id want;
	struct vcs_id absent;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture)) {
		return;
	}
	have = id_of(&fixture, "1");
	want = id_of(&fixture, "2");
	CHECK_DONE(vcs_id_parse("0123456789012345678901234567890123456789", &absent, &err), &err);
	CHECK_FAILS(write_pack(&fixture, &absent, NULL, 0, &err), &err, ERR_ABSENT, absent.text);
	/* the worker does not have what it said it had */
	CHECK_DONE(write_pack(&fixture, &want, &have, 1, &err), &err);
	CHECK_FAILS(index_pack(&fixture, &want, &err), &err, ERR_ABSENT, want.text);
	/* a good pack of another commit */
	CHECK_DONE(write_pack(&fixture, &have, NULL, 0, &err), &err);
	CHECK_FAILS(index_pack(&fixture, &absent, &err), &err, ERR_ABSENT, absent.text);
}

static void keeps_to_its_limits(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id want;
	struct err err = ERR_INIT;
	int fd;

	if (!open_fixture(&fixture)) {
		return;
	}
	want = id_of(&fixture, "2");
	CHECK_DONE(write_pack(&fixture, &want, NULL, 0, &err), &err);
	fd = open(fixture.pack_path, O_RDWR | O_CLOEXEC);
	CHECK_FAILS(vcs_pack_index(fixture.worker, fd, &want, 1000, &err), &err, ERR_TOO_BIG,
		    "1000");
	CHECK_FAILS(vcs_pack_write(fixture.source, &want, NULL, 0, 1000, fd, &err), &err,
		    ERR_TOO_BIG, "larger");
	close(fd);
	CHECK_FAILS(vcs_pack_write(fixture.source, &want, NULL, 0, LIMIT, -1, &err), &err,
		    ERR_BROKEN, "write the pack");
}

/* Every length that a broken connection could leave, in steps, and damage at as many places. */
static void refuses_a_damaged_pack(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	scoped(str_release) struct str good = STR_INIT;
	scoped(free) char *left = NULL;
	struct vcs_id want;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture)) {
		return;
	}
	want = id_of(&fixture, "2");
	CHECK_DONE(write_pack(&fixture, &want, NULL, 0, &err), &err);
	CHECK_DONE(str_read_file(&good, fixture.pack_path, LIMIT, &err), &err);
	for (size_t at = 0; at < good.length; at += good.length / 15 + 1) {
		err_clear(&err);
		CHECK_DONE(str_write_file(fixture.pack_path, good.at, at, 0600, &err), &err);
		CHECK_FAILS(index_pack(&fixture, &want, &err), &err, ERR_INPUT, "pack of");
		good.at[at] = (char)(good.at[at] ^ 0x10);
		CHECK_DONE(str_write_file(fixture.pack_path, good.at, good.length, 0600, &err),
			   &err);
		CHECK_FAILS(index_pack(&fixture, &want, &err), &err, ERR_INPUT, "pack of");
		good.at[at] = (char)(good.at[at] ^ 0x10);
	}
	CHECK(!vcs_has_commit(fixture.worker, &want));
	left = t_git(fixture.worker_path, "ls objects/pack");
	CHECK_TEXT(left, "");
}

static const struct t_case cases[] = {
	{ "a pack carries one commit with all its files", carries_one_commit },
	{ "a pack leaves out what the worker has", sends_only_what_differs },
	{ "what is missing at either end is absent and named", says_what_is_missing },
	{ "a pack above its limit is refused at both ends", keeps_to_its_limits },
	{ "a truncated or damaged pack is refused and leaves nothing", refuses_a_damaged_pack },
};
T_MAIN(cases)
