/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/vcs/revert.h"

#include "lib/vcs/mirror.h"
#include "tests/repo.h"
#include "tests/t.h"

/* Of topic: "one" writes a, "two" b, "again" a once more, "merge" brings in c, "undo" takes two
 * back. */
#define SOURCE                                                                        \
	"git init -q -b topic source; cd source;"                                     \
	"c() { echo $1 >$2; git add -A; git commit -qm $1; git tag $1; };"            \
	"c zero a; c one a; c two b; c again a; git checkout -q -b side; c beside c;" \
	"git checkout -q topic; git merge -q --no-ff -m merge side; git tag merge;"   \
	"c last d; git rm -q b; git commit -qm undo; git tag undo"

struct fixture {
	char *folder;
	char *source;
	char *path;
	struct vcs *mirror;
};

static bool open_fixture(struct fixture *fixture)
{
	struct err err = ERR_INIT;

	fixture->folder = t_folder();
	fixture->source = mem_printf("%s/source", fixture->folder);
	fixture->path = mem_printf("%s/mirror", fixture->folder);
	free(t_git(fixture->folder, SOURCE));
	return CHECK_DONE(vcs_init(&err), &err) &&
	       CHECK_DONE(vcs_mirror_open(fixture->path, fixture->source, &fixture->mirror, &err),
			  &err);
}

static void fixture_release(struct fixture *fixture)
{
	vcs_close(fixture->mirror);
	free(fixture->folder);
	free(fixture->source);
	free(fixture->path);
}
DEFINE_SCOPED_EMBEDDED(fixture_release, struct fixture)

static struct vcs_id id_of(const struct fixture *fixture, const char *name)
{
	scoped(free) char *script = mem_printf("git rev-parse %s^0", name);
	scoped(free) char *text = t_git(fixture->source, script);
	struct vcs_id id = { "" };
	struct err err = ERR_INIT;

	(void)CHECK_DONE(vcs_id_parse(text, &id, &err), &err);
	return id;
}

/* What git says of the mirror. */
static char *ask(const struct fixture *fixture, const char *command, const struct vcs_id *id)
{
	scoped(free) char *script = mem_printf("git --git-dir=mirror %s %s", command, id->text);

	return t_git(fixture->folder, script);
}

static bool revert(struct fixture *fixture, const char *tip, const char *culprit,
		   struct vcs_id *ret_id)
{
	struct vcs_id on = id_of(fixture, tip);
	struct vcs_id what = id_of(fixture, culprit);
	bool is_made = false;
	struct err err = ERR_INIT;

	(void)CHECK_DONE(vcs_mirror_revert(fixture->mirror, &on, &what, ret_id, &is_made, &err),
			 &err);
	return is_made;
}

static void takes_a_commit_back(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id id;
	struct vcs_id again;
	scoped(free) char *files = NULL;
	scoped(free) char *commit = NULL;
	scoped(free) char *expected = NULL;
	scoped(free) char *pins = NULL;

	if (!open_fixture(&fixture) || !CHECK(revert(&fixture, "last", "two", &id))) {
		return;
	}
	files = ask(&fixture, "ls-tree --name-only", &id);
	CHECK_TEXT(files, "a\nc\nd");
	commit = ask(&fixture, "cat-file commit", &id);
	expected = mem_printf("\nparent %s\nauthor patchmeter ", id_of(&fixture, "last").text);
	CHECK(strstr(commit, expected) != NULL);
	pins = ask(&fixture, "for-each-ref --format='%(objectname)' --points-at", &id);
	CHECK_TEXT(pins, id.text);
	CHECK(revert(&fixture, "last", "two", &again));
	CHECK_TEXT(again.text, id.text);
}

static void takes_a_merge_back(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id id;
	scoped(free) char *files = NULL;

	if (open_fixture(&fixture) && CHECK(revert(&fixture, "last", "merge", &id))) {
		files = ask(&fixture, "ls-tree --name-only", &id);
		CHECK_TEXT(files, "a\nb\nd");
	}
}

static void says_where_it_does_not_apply(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id id;

	if (open_fixture(&fixture)) {
		CHECK(!revert(&fixture, "last", "one", &id));
		CHECK(!revert(&fixture, "undo", "two", &id));
	}
}

static void needs_a_parent_and_the_commits(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id missing = { "1111111111111111111111111111111111111111" };
	struct vcs_id last;
	struct vcs_id root;
	struct vcs_id id;
	bool is_made;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture)) {
		return;
	}
	last = id_of(&fixture, "last");
	root = id_of(&fixture, "zero");
	CHECK_FAILS(vcs_mirror_revert(fixture.mirror, &last, &root, &id, &is_made, &err), &err,
		    ERR_INPUT, "no parent");
	CHECK_FAILS(vcs_mirror_revert(fixture.mirror, &last, &missing, &id, &is_made, &err), &err,
		    ERR_ABSENT, missing.text);
}

static const struct t_case cases[] = {
	{ "a commit is taken back on the tip, pinned, and the same each time",
	  takes_a_commit_back },
	{ "of a merge, what it brought to its first parent", takes_a_merge_back },
	{ "where it conflicts, or leaves nothing, none is made", says_where_it_does_not_apply },
	{ "without a parent, or a commit, it fails", needs_a_parent_and_the_commits },
};

T_MAIN(cases)
