/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "tests/t.h"

static const struct owner nobody;

static void put(const char *folder, const char *name, const char *text)
{
	scoped(free) char *path = mem_printf("%s/%s", folder, name);
	struct err err = ERR_INIT;

	CHECK_DONE(str_write_file(path, text, strlen(text), 0644, &err), &err);
}

static char *sample(void)
{
	char *folder = t_folder();
	scoped(free) char *sub = mem_printf("%s/sub", folder);
	scoped(free) char *link = mem_printf("%s/sub/link", folder);
	scoped(free) char *script = mem_printf("%s/sub/script", folder);
	scoped(free) char *pipe = mem_printf("%s/pipe", folder);

	CHECK(mkdir(sub, 0755) == 0);
	put(folder, "a", "first");
	put(folder, "sub/script", "#!/bin/sh\n");
	CHECK(chmod(script, 04755) == 0);
	CHECK(symlink("/etc/passwd", link) == 0);
	CHECK(mkfifo(pipe, 0600) == 0);
	return folder;
}

static struct tree *read_tree(const char *folder)
{
	struct tree *tree = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(tree_read(folder, NULL, &tree, &err), &err);
	return tree;
}

static char *hash_text(const char *folder)
{
	scoped(tree_free) struct tree *tree = read_tree(folder);
	struct err err = ERR_INIT;
	struct hash hash = { { 0 } };
	char text[HASH_TEXT_BYTES];

	CHECK_DONE(tree_hash(tree, &hash, &err), &err);
	hash_format(&hash, text);
	return mem_strdup(text);
}

static char *seal_text(const char *folder)
{
	scoped(tree_free) struct tree *tree = read_tree(folder);
	struct hash hash = tree_seal(tree);
	char text[HASH_TEXT_BYTES];

	hash_format(&hash, text);
	return mem_strdup(text);
}

static void lists_in_one_order(void)
{
	scoped(free) char *folder = sample();
	scoped(tree_free) struct tree *tree = read_tree(folder);
	static const char *const expected[] = { "a", "sub", "sub/link", "sub/script" };

	if (!CHECK_INT((int64_t)tree_nr(tree), 4)) {
		return;
	}
	for (size_t i = 0; i < 4; i++) {
		CHECK_TEXT(tree_name(tree, i), expected[i]);
	}
	CHECK(is_tree_file(tree, 0) && !is_tree_file(tree, 1) && !is_tree_file(tree, 2));
}

static void leaves_out_one_name_at_the_top(void)
{
	scoped(free) char *folder = sample();
	scoped(tree_free) struct tree *tree = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(tree_read(folder, "sub", &tree, &err), &err);
	CHECK_INT((int64_t)tree_nr(tree), 1);
}

static void copies_what_matters(void)
{
	scoped(free) char *folder = sample();
	scoped(free) char *parent = t_folder();
	scoped(free) char *copy = mem_printf("%s/copy", parent);
	scoped(free) char *script = mem_printf("%s/sub/script", copy);
	scoped(free) char *link = mem_printf("%s/sub/link", copy);
	scoped(free) char *pipe = mem_printf("%s/pipe", copy);
	scoped(free) char *before = hash_text(folder);
	scoped(tree_free) struct tree *tree = read_tree(folder);
	struct err err = ERR_INIT;
	struct stat status = { 0 };
	char target[64] = "";

	CHECK_DONE(tree_settle(tree, &nobody, &err), &err);
	tree_free(tree);
	tree = read_tree(folder);
	CHECK_DONE(tree_copy(tree, copy, &nobody, &err), &err);
	scoped(free) char *after = hash_text(copy);

	CHECK_TEXT(after, before);
	CHECK(stat(script, &status) == 0 && (status.st_mode & 07777) == 04755);
	CHECK_INT(status.st_mtim.tv_sec, TREE_SOURCE_TIME_S);
	CHECK(readlink(link, target, sizeof(target) - 1) == 11);
	CHECK_TEXT(target, "/etc/passwd");
	CHECK(access(pipe, F_OK) != 0);
	CHECK_FAILS(tree_copy(tree, copy, &nobody, &err), &err, ERR_BROKEN, "File exists");
}

static void hash_is_of_content(void)
{
	scoped(free) char *folder = sample();
	scoped(free) char *one = hash_text(folder);
	scoped(free) char *path = mem_printf("%s/a", folder);

	CHECK(utimensat(AT_FDCWD, path, NULL, 0) == 0);
	scoped(free) char *touched = hash_text(folder);

	CHECK_TEXT(touched, one);
	put(folder, "a", "First");
	scoped(free) char *changed = hash_text(folder);

	CHECK(strcmp(changed, one) != 0);
	put(folder, "a", "first");
	CHECK(chmod(path, 0755) == 0);
	scoped(free) char *executable = hash_text(folder);

	CHECK(strcmp(executable, one) != 0);
}

/* As a job could try: same size, same time of change. */
static void seal_sees_what_hides(void)
{
	scoped(free) char *folder = sample();
	scoped(free) char *path = mem_printf("%s/a", folder);
	scoped(free) char *before = seal_text(folder);
	scoped(free) char *again = seal_text(folder);
	struct stat status = { 0 };

	CHECK_TEXT(again, before);
	CHECK(stat(path, &status) == 0);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	CHECK(write(fd, "FIRST", 5) == 5);
	close(fd);
	CHECK(utimensat(AT_FDCWD, path, (struct timespec[]){ status.st_mtim, status.st_mtim }, 0) ==
	      0);
	scoped(free) char *after = seal_text(folder);

	CHECK(strcmp(after, before) != 0);
}

static void removes_anything(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *root = mem_printf("%s/top", folder);
	scoped(free) char *locked = mem_printf("%s/top/locked", folder);
	char deep[201];
	struct err err = ERR_INIT;
	int home = open(".", O_RDONLY | O_CLOEXEC);

	memset(deep, 'd', 200);
	deep[200] = '\0';
	CHECK(mkdir(root, 0755) == 0 && mkdir(locked, 0755) == 0);
	put(locked, "inside", "x");
	CHECK(chmod(locked, 0) == 0);
	CHECK(chdir(root) == 0);
	put(".", "a\nb", "x");
	for (int i = 0; i < 40; i++) { /* 8,000 bytes: twice PATH_MAX */
		CHECK(mkdir(deep, 0755) == 0 && chdir(deep) == 0);
	}
	CHECK(fchdir(home) == 0);
	close(home);
	CHECK_DONE(tree_remove(root, &err), &err);
	CHECK(access(root, F_OK) != 0);
	CHECK_DONE(tree_remove(root, &err), &err);
}

static void never_follows(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *precious = mem_printf("%s/precious", folder);
	scoped(free) char *root = mem_printf("%s/top", folder);
	scoped(free) char *link = mem_printf("%s/top/link", folder);
	struct err err = ERR_INIT;

	CHECK(mkdir(precious, 0755) == 0 && mkdir(root, 0755) == 0);
	put(precious, "file", "x");
	CHECK(symlink(precious, link) == 0);
	scoped(tree_free) struct tree *tree = read_tree(root);

	CHECK_INT((int64_t)tree_nr(tree), 1);
	CHECK_DONE(tree_remove(root, &err), &err);
	scoped(free) char *file = mem_printf("%s/file", precious);

	CHECK(access(file, F_OK) == 0);
}

static const struct t_case cases[] = {
	{ "a tree is listed in one order, parents first, without pipes", lists_in_one_order },
	{ "one name at the top may be left out", leaves_out_one_name_at_the_top },
	{ "a copy has the contents, modes, links and times", copies_what_matters },
	{ "the hash is of contents and execute bits, not of times", hash_is_of_content },
	{ "the seal sees a change that hides its time", seal_sees_what_hides },
	{ "removal manages locked folders, odd names and depths beyond any path",
	  removes_anything },
	{ "symbolic links are never followed", never_follows },
};
T_MAIN(cases)
