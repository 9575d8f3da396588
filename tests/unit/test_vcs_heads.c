/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/vcs/vcs.h"
#include "tests/repo.h"
#include "tests/t.h"

#define INIT \
	"git init -q --bare -b main .; t=$(git mktree </dev/null); c=$(git commit-tree -m one $t);"

/* "name=id name=id!" of the matching heads, ! for refused ones; ids are left out where `short`. */
static char *list(const char *folder, const char *const *globs, size_t nr_globs)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	scoped(arena_free) struct arena *arena = arena_new();
	struct str text = STR_INIT;
	struct vcs_heads heads = { 0 };
	struct err err = ERR_INIT;

	if (CHECK_DONE(vcs_init(&err), &err) && CHECK_DONE(vcs_open(folder, &vcs, &err), &err) &&
	    CHECK_DONE(vcs_heads(vcs, globs, nr_globs, arena, &heads, &err), &err)) {
		for (size_t i = 0; i < heads.nr; i++) {
			str_printf(&text, "%s%s%s", i > 0 ? " " : "", heads.at[i].name,
				   heads.at[i].refusal ? "!" : "");
		}
	}
	return str_detach(&text);
}

static char *list_all(const char *folder)
{
	static const char *const globs[] = { "*" };

	return list(folder, globs, countof(globs));
}

static void finds_by_glob(void)
{
	static const char *const globs[] = { "topic/*", "main", "refs/tags/v?" };
	scoped(free) char *folder = t_folder();
	scoped(free) char *found = NULL;

	free(t_git(folder,
		   INIT "for b in main other topic/a topic/b/c topic2; do git branch $b $c; done;"
			"git tag v1 $c; git tag -a -m x v2 $c; git tag v10 $c;"
			"git symbolic-ref refs/heads/topic/alias refs/heads/main;"
			"git symbolic-ref refs/heads/topic/nowhere refs/heads/absent"));
	found = list(folder, globs, countof(globs));
	CHECK_TEXT(found, "main refs/tags/v1 refs/tags/v2 topic/a topic/alias topic/b/c");
}

static void gives_the_commit_of_a_tag(void)
{
	static const char *const globs[] = { "refs/tags/*", "topic" };
	scoped(free) char *folder = t_folder();
	scoped(free) char *id = t_git(folder, INIT "git tag -a -m x v2 $c; git branch topic $c;"
						   "git rev-parse topic");
	scoped(vcs_close) struct vcs *vcs = NULL;
	scoped(arena_free) struct arena *arena = arena_new();
	struct vcs_heads heads = { 0 };
	struct err err = ERR_INIT;

	if (CHECK_DONE(vcs_init(&err), &err) && CHECK_DONE(vcs_open(folder, &vcs, &err), &err) &&
	    CHECK_DONE(vcs_heads(vcs, globs, 2, arena, &heads, &err), &err) &&
	    CHECK_INT((int64_t)heads.nr, 2)) {
		CHECK_TEXT(heads.at[0].id.text, id);
		CHECK_TEXT(heads.at[1].id.text, id);
	}
}

static void shows_unfit_names_as_refused(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *found = NULL;

	free(t_git(folder, INIT "git update-ref 'refs/heads/--upload-pack=x' $c;"
				"git update-ref refs/heads/good $c;"
				"echo $c >\"refs/heads/$(printf 'a\\nb')\""));
	found = list_all(folder);
	CHECK_TEXT(found, "--upload-pack=x! a\xef\xbf\xbd"
			  "b! good");
}

/* Practice case C31. */
static void sees_a_branch_become_a_folder(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *before = NULL;
	scoped(free) char *after = NULL;

	free(t_git(folder, INIT "git branch topic $c; git pack-refs --all"));
	before = list_all(folder);
	free(t_git(folder, "c=$(git rev-parse topic); git branch -D topic;"
			   "git branch topic/v2 $c; git branch topic/v3 $c"));
	after = list_all(folder);
	CHECK_TEXT(before, "topic");
	CHECK_TEXT(after, "topic/v2 topic/v3");
}

static void sees_packed_and_loose_alike(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *loose = NULL;
	scoped(free) char *packed = NULL;

	free(t_git(folder, INIT "for i in $(seq 1000); do echo create refs/heads/b/$i $c; done |"
				"git update-ref --stdin"));
	loose = list_all(folder);
	free(t_git(folder, "git pack-refs --all; git update-ref refs/heads/b/7 "
			   "$(git commit-tree -m two $(git mktree </dev/null))"));
	packed = list_all(folder);
	CHECK(strlen(loose) > 4000);
	CHECK_TEXT(packed, loose);
}

static void opens_any_layout(void)
{
	scoped(free) char *folder = t_folder();
	static const char *const good[] = { "work", "work/.git", "bare.git", "tree" };

	free(t_git(folder, "git init -q -b main work; cd work; mkdir sub;"
			   "git commit -q --allow-empty -m one; git clone -q --bare . ../bare.git;"
			   "git worktree add -q ../tree; git branch -q -D -f absent || true"));
	for (size_t i = 0; i < countof(good); i++) {
		scoped(free) char *path = mem_printf("%s/%s", folder, good[i]);
		scoped(free) char *address = mem_printf("file://%s", path);
		scoped(free) char *found = list_all(path);
		scoped(free) char *found_by_address = list_all(address);

		CHECK(strstr(found, "main") != NULL);
		CHECK_TEXT(found_by_address, found);
	}
}

static void a_repository_that_is_gone_is_absent(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *sub = mem_printf("%s/work/sub", folder);
	scoped(free) char *gone = mem_printf("%s/work/gone", folder);
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct err err = ERR_INIT;

	free(t_git(folder, "git init -q work; mkdir work/sub"));
	CHECK_DONE(vcs_init(&err), &err);
	CHECK_FAILS(vcs_open(sub, &vcs, &err), &err, ERR_ABSENT, "work/sub");
	CHECK_FAILS(vcs_open(gone, &vcs, &err), &err, ERR_ABSENT, "work/gone");
	CHECK_FAILS(vcs_open("git://127.0.0.1/x", &vcs, &err), &err, ERR_INPUT, "not on this");
}

static void resolves_names_of_commits(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *id = t_git(folder, INIT "git branch main $c; git tag -a -m x v1 $c;"
						   "git tag blob $(echo x | git hash-object -w "
						   "--stdin); git rev-parse main");
	const char *const names[] = { "main", "v1", "HEAD", "refs/tags/v1", id };
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_id found;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(vcs_init(&err), &err) || !CHECK_DONE(vcs_open(folder, &vcs, &err), &err)) {
		return;
	}
	for (size_t i = 0; i < countof(names); i++) {
		found.text[0] = '\0';
		CHECK_DONE(vcs_resolve(vcs, names[i], &found, &err), &err);
		CHECK_TEXT(found.text, id);
	}
	CHECK(vcs_has_commit(vcs, &found));
	CHECK_FAILS(vcs_resolve(vcs, "v2", &found, &err), &err, ERR_ABSENT, "'v2'");
	CHECK_FAILS(vcs_resolve(vcs, "blob", &found, &err), &err, ERR_ABSENT, "'blob'");
	CHECK_FAILS(vcs_resolve(vcs, "main~1", &found, &err), &err, ERR_INPUT, "main~1");
	CHECK_DONE(vcs_id_parse("0123456789012345678901234567890123456789", &found, &err), &err);
	CHECK(!vcs_has_commit(vcs, &found));
	CHECK_FAILS(vcs_id_parse("0123", &found, &err), &err, ERR_INPUT, "40 digits");
}

static void ignores_the_users_configuration(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *found = NULL;

	free(t_git(folder, INIT "git branch main $c; echo '[garbage' >.gitconfig"));
	setenv("HOME", folder, 1);
	setenv("XDG_CONFIG_HOME", folder, 1);
	found = list_all(folder);
	CHECK_TEXT(found, "main");
}

static const struct t_case cases[] = {
	{ "branches and asked-for tags are found by glob, dangling ones are not", finds_by_glob },
	{ "an annotated tag stands for its commit", gives_the_commit_of_a_tag },
	{ "a branch with an unfit name is shown as refused", shows_unfit_names_as_refused },
	{ "a branch that became a folder of branches is seen so", sees_a_branch_become_a_folder },
	{ "a thousand branches look alike loose and packed", sees_packed_and_loose_alike },
	{ "bare, plain and linked repositories open by path and address", opens_any_layout },
	{ "a folder that is no repository is absent, not broken",
	  a_repository_that_is_gone_is_absent },
	{ "ids, branches, tags and HEAD resolve to commits", resolves_names_of_commits },
	{ "a broken configuration of the user does not matter", ignores_the_users_configuration },
};
T_MAIN(cases)
