/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "daemon/store/store.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "tests/t.h"

#define ABSENT "0000000000000000000000000000000000000000000000000000000000000000"

/* SHA-256 of "hello\n" and of nothing, by sha256sum. */
#define HELLO "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static struct store *fresh(char **ret_folder)
{
	struct store *store = NULL;
	struct err err = ERR_INIT;

	*ret_folder = t_folder();
	CHECK_DONE(store_open(*ret_folder, &store, &err), &err);
	return store;
}

static bool keep(struct store *store, const char *text, const char *hash, struct err *err)
{
	scoped(upload_close) struct upload *upload = NULL;

	return upload_open(store, "kept", (int64_t)strlen(text), &upload, err) &&
	       upload_write(upload, text, strlen(text), err) && upload_commit(upload, hash, err);
}

static void keeps_bytes_under_their_hash(void)
{
	scoped(free) char *folder = NULL;
	scoped(store_close) struct store *store = fresh(&folder);
	scoped(free) char *path = mem_printf("%s/58/91/" HELLO, folder);
	struct err err = ERR_INIT;
	char read_back[16] = "";
	int64_t size = 0;
	int fd = -1;

	CHECK_DONE(keep(store, "hello\n", HELLO, &err), &err);
	CHECK_INT(access(path, R_OK), 0);
	CHECK_DONE(keep(store, "hello\n", HELLO, &err), &err);
	CHECK_DONE(store_get(store, HELLO, &fd, &size, &err), &err);
	CHECK_INT(size, 6);
	CHECK_INT(read(fd, read_back, sizeof(read_back)), 6);
	CHECK_TEXT(read_back, "hello\n");
	close(fd);
	CHECK_DONE(keep(store, "", EMPTY, &err), &err);
	CHECK_FAILS(store_get(store, ABSENT, &fd, &size, &err), &err, ERR_ABSENT, "open stored");
}

static void goes_on_with_an_upload(void)
{
	scoped(free) char *folder = NULL;
	scoped(store_close) struct store *store = fresh(&folder);
	struct upload *upload = NULL;
	struct err err = ERR_INIT;

	CHECK_INT(store_received(store, "a"), 0);
	CHECK_DONE(upload_open(store, "a", 6, &upload, &err), &err);
	CHECK_DONE(upload_write(upload, "hel", 3, &err), &err);
	upload = upload_close(upload);
	CHECK_INT(store_received(store, "a"), 3);
	CHECK_DONE(upload_open(store, "a", 3, &upload, &err), &err);
	CHECK_INT(upload_received(upload), 3);
	CHECK_DONE(upload_write(upload, "lo\n", 3, &err), &err);
	CHECK_DONE(upload_commit(upload, HELLO, &err), &err);
	upload_close(upload);
	CHECK_INT(store_received(store, "a"), 0);
}

static void forgets_an_upload_with_another_hash(void)
{
	scoped(free) char *folder = NULL;
	scoped(store_close) struct store *store = fresh(&folder);
	scoped(upload_close) struct upload *upload = NULL;
	struct err err = ERR_INIT;
	int64_t size;
	int fd;

	CHECK_DONE(upload_open(store, "a", 6, &upload, &err), &err);
	CHECK_DONE(upload_write(upload, "hellO\n", 6, &err), &err);
	CHECK_FAILS(upload_commit(upload, HELLO, &err), &err, ERR_INPUT, HELLO);
	CHECK_INT(store_received(store, "a"), 0);
	CHECK(!store_get(store, HELLO, &fd, &size, NULL));
}

static void has_one_owner_an_upload(void)
{
	scoped(free) char *folder = NULL;
	scoped(store_close) struct store *store = fresh(&folder);
	struct upload *first = NULL;
	struct upload *second = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(upload_open(store, "a", 1, &first, &err), &err);
	CHECK_FAILS(upload_open(store, "a", 1, &second, &err), &err, ERR_BUSY, "under way");
	CHECK_DONE(upload_open(store, "b", 1, &second, &err), &err);
	upload_close(second);
	upload_close(first);
	CHECK_DONE(upload_open(store, "a", 1, &first, &err), &err);
	upload_close(first);
}

static void refuses_what_does_not_fit_before_it_comes(void)
{
	scoped(free) char *folder = NULL;
	scoped(store_close) struct store *store = fresh(&folder);
	struct upload *upload = NULL;
	struct err err = ERR_INIT;

	CHECK_FAILS(upload_open(store, "a", INT64_C(1) << 60, &upload, &err), &err, ERR_FULL,
		    "disk is full");
}

static void sweeps_what_is_old(void)
{
	scoped(free) char *folder = NULL;
	scoped(store_close) struct store *store = fresh(&folder);
	scoped(free) char *old = mem_printf("%s/incoming/old", folder);
	struct upload *upload = NULL;
	struct err err = ERR_INIT;

	for (int i = 0; i < 2; i++) {
		CHECK_DONE(upload_open(store, i ? "old" : "young", 1, &upload, &err), &err);
		CHECK_DONE(upload_write(upload, "x", 1, &err), &err);
		upload = upload_close(upload);
	}
	CHECK_INT(utime(old, &(struct utimbuf){ 1000, 1000 }), 0);
	store_sweep(store, 3600);
	CHECK_INT(store_received(store, "old"), 0);
	CHECK_INT(store_received(store, "young"), 1);
}

static const struct t_case cases[] = {
	{ "bytes stand once under the hash of their content", keeps_bytes_under_their_hash },
	{ "an upload goes on where it was left", goes_on_with_an_upload },
	{ "an upload with another hash than announced leaves nothing",
	  forgets_an_upload_with_another_hash },
	{ "an upload has one owner at a time", has_one_owner_an_upload },
	{ "what does not fit the disk is refused before it comes",
	  refuses_what_does_not_fit_before_it_comes },
	{ "uploads that nobody went on with are swept away", sweeps_what_is_old },
};
T_MAIN(cases)
