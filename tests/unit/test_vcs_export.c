/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/vcs/export.h"

#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "tests/repo.h"
#include "tests/t.h"

#define LIMIT (UINT64_C(100) << 20)

/* Exports the branch main of folder/source to folder/out. */
static bool export_main(const char *folder, uint64_t limit_bytes, struct err *err)
{
	scoped(free) char *source = mem_printf("%s/source", folder);
	scoped(free) char *out = mem_printf("%s/out", folder);
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_id id;

	return vcs_init(err) && vcs_open(source, &vcs, err) && vcs_resolve(vcs, "main", &id, err) &&
	       vcs_export(vcs, &id, out, limit_bytes, err);
}

/* As TREE entries for `git mktree`; then the branch main with that tree. */
#define TREE(entries)                                                                     \
	"mkdir out; git init -q --bare -b main source; cd source;"                        \
	"b=$(echo content | git hash-object -w --stdin);"                                 \
	"l=$(printf /etc/passwd | git hash-object -w --stdin);"                           \
	"e=$(git mktree </dev/null); x=$(printf \"100644 blob $b\\tx\\n\" | git mktree);" \
	"t=$(printf \"" entries "\" | git mktree);"                                       \
	"git branch main $(git commit-tree -m m $t)"

static void is_what_git_archive_gives(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *difference = NULL;
	struct err err = ERR_INIT;

	free(t_git(folder,
		   "mkdir out ref; git init -q -b main source; cd source; mkdir -p a/b c;"
		   "echo 1 >a/b/f; printf '#!/bin/sh\\n' >run; chmod +x run; ln -s ../run c/link;"
		   "ln -s /nowhere dangling; printf 'a\\r\\nb' >crlf; : >empty;"
		   "printf '\\377\\000' >'bin \\\"q'; echo '* text=auto eol=crlf' >.gitattributes;"
		   "git add -A 2>/dev/null; git commit -qm m; rm .gitattributes;"
		   "git config core.attributesFile /dev/null; git archive HEAD | tar x -C ../ref"));
	umask(077);
	CHECK_DONE(export_main(folder, LIMIT, &err), &err);
	umask(022);
	free(t_git(folder, "cd source; git show HEAD:crlf >../ref/crlf;"
			   "git show HEAD:run >../ref/run;"
			   "for f in a/b/f .gitattributes; do git show HEAD:$f >../ref/$f; done"));
	difference = t_git(folder,
			   "diff -r --no-dereference out ref || true;"
			   "cd out; find . -type f -printf '%m %p\\n' | sort >../out.modes;"
			   "cd ../ref; chmod -R u=rwX,go=rX .; find . -type f -printf '%m %p\\n' |"
			   "sort >../ref.modes; cd ..; diff out.modes ref.modes || true");
	CHECK_TEXT(difference, "");
}

static void a_submodule_is_an_empty_folder(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *found = NULL;
	struct err err = ERR_INIT;

	free(t_git(folder, TREE("160000 commit 0123456789012345678901234567890123456789\\tsub\\n"
				"100644 blob $b\\tz\\n")));
	CHECK_DONE(export_main(folder, LIMIT, &err), &err);
	found = t_git(folder, "find out | sort");
	CHECK_TEXT(found, "out\nout/sub\nout/z");
}

static void refuses_dangerous_names(void)
{
	static const char *const scripts[] = {
		TREE("100644 blob $b\\t..\\n"),
		TREE("040000 tree $x\\t.git\\n"),
		TREE("040000 tree $x\\t.GIT\\n"),
		TREE("100644 blob $b\\t.\\n"),
	};

	for (size_t i = 0; i < countof(scripts); i++) {
		scoped(free) char *folder = t_folder();
		struct err err = ERR_INIT;

		free(t_git(folder, scripts[i]));
		CHECK_FAILS(export_main(folder, LIMIT, &err), &err, ERR_INPUT, "check out");
	}
}

/* A link and a folder of one name: the second would be written through the first. */
static void does_not_write_through_a_link(void)
{
	static const char *const orders[] = {
		"{ printf '120000 a\\0'; h $l; printf '40000 a\\0'; h $x; }",
		"{ printf '40000 a\\0'; h $x; printf '120000 a\\0'; h $l; }",
		"{ printf '120000 a\\0'; h $l; printf '100644 a\\0'; h $b; }",
	};

	for (size_t i = 0; i < countof(orders); i++) {
		scoped(free) char *folder = t_folder();
		scoped(free) char *script = mem_printf(
			"mkdir out target; git init -q --bare -b main source; cd source;"
			"b=$(echo bad | git hash-object -w --stdin);"
			"l=$(printf ../target | git hash-object -w --stdin);"
			"x=$(printf \"100644 blob $b\\tx\\n\" | git mktree);"
			"h() { python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex("
			"sys.argv[1]))' $1; };"
			"t=$(%s | git hash-object -t tree -w --literally --stdin);"
			"git branch main $(git commit-tree -m m $t)",
			orders[i]);
		scoped(free) char *found = NULL;
		struct err err = ERR_INIT;

		free(t_git(folder, script));
		CHECK_FAILS(export_main(folder, LIMIT, &err), &err, ERR_INPUT, "twice");
		found = t_git(folder, "ls target");
		CHECK_TEXT(found, "");
	}
}

static void is_bounded(void)
{
	scoped(free) char *folder = t_folder();
	struct err err = ERR_INIT;

	free(t_git(folder, "mkdir out; git init -q -b main source; cd source;"
			   "for i in 1 2 3; do head -c 1000 /dev/zero >$i; done;"
			   "git add -A; git commit -qm m"));
	CHECK_FAILS(export_main(folder, 2999, &err), &err, ERR_TOO_BIG, "'3'");
	free(t_git(folder, "rm -r out; mkdir out"));
	CHECK_DONE(export_main(folder, 3000, &err), &err);
}

static void needs_an_empty_folder(void)
{
	scoped(free) char *folder = t_folder();
	struct err err = ERR_INIT;

	free(t_git(folder, TREE("100644 blob $b\\tz\\n")));
	free(t_git(folder, "touch out/here"));
	CHECK_FAILS(export_main(folder, LIMIT, &err), &err, ERR_CONFLICT, "not empty");
	free(t_git(folder, "rm -r out"));
	CHECK_FAILS(export_main(folder, LIMIT, &err), &err, ERR_ABSENT, "out");
}

static const struct t_case cases[] = {
	{ "an export is what the commit holds, byte for byte", is_what_git_archive_gives },
	{ "a submodule is an empty folder", a_submodule_is_an_empty_folder },
	{ "names that leave the folder or make a repository are refused", refuses_dangerous_names },
	{ "nothing is written through a symbolic link", does_not_write_through_a_link },
	{ "an export above its limit is given up", is_bounded },
	{ "an export needs an empty folder", needs_an_empty_folder },
};
T_MAIN(cases)
