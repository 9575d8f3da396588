/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/vcs/mirror.h"

#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/vcs/commit.h"
#include "lib/vcs/stack.h"
#include "tests/repo.h"
#include "tests/t.h"

/* A source with three patches on main, its mirror beside it, and the place of both. */
struct fixture {
	char *folder;
	char *source;
	char *path;
	struct vcs *mirror;
	struct arena *arena;
};

#define SOURCE                                                                             \
	"git init -q -b main source; cd source; mkdir -p d/e;"                             \
	"c() { echo $1 >d/e/f; echo $1 >$1; git add -A; git commit -qm $1; git tag $1; };" \
	"c 0; git checkout -q -b topic; c 1; c 2; c 3; git pack-refs --all"

static bool open_mirror(struct fixture *fixture)
{
	struct err err = ERR_INIT;

	fixture->mirror = vcs_close(fixture->mirror);
	return CHECK_DONE(vcs_mirror_open(fixture->path, fixture->source, &fixture->mirror, &err),
			  &err);
}

static bool open_fixture(struct fixture *fixture)
{
	struct err err = ERR_INIT;

	fixture->arena = arena_new();
	fixture->folder = t_folder();
	fixture->source = mem_printf("%s/source", fixture->folder);
	fixture->path = mem_printf("%s/mirrors/1", fixture->folder);
	free(t_git(fixture->folder, SOURCE));
	return CHECK_DONE(vcs_init(&err), &err) && open_mirror(fixture);
}

static void fixture_release(struct fixture *fixture)
{
	vcs_close(fixture->mirror);
	arena_free(fixture->arena);
	free(fixture->folder);
	free(fixture->source);
	free(fixture->path);
}
DEFINE_SCOPED_EMBEDDED(fixture_release, struct fixture)

static struct vcs_id id_of(struct fixture *fixture, const char *name)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_id id = { "0000000000000000000000000000000000000000" };
	struct err err = ERR_INIT;

	(void)(CHECK_DONE(vcs_open(fixture->source, &vcs, &err), &err) &&
	       CHECK_DONE(vcs_resolve(vcs, name, &id, &err), &err));
	return id;
}

static void reads_what_it_borrows(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_stack stack = { 0 };
	struct vcs_id base;
	struct vcs_id tip;
	struct err err = ERR_INIT;
	scoped(free) char *nr = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	base = id_of(&fixture, "main");
	tip = id_of(&fixture, "topic");
	CHECK_DONE(vcs_stack_read(fixture.mirror, &base, &tip, 128, fixture.arena, &stack, &err),
		   &err);
	CHECK_INT((int64_t)stack.nr_steps, 3);
	nr = t_git(fixture.path, "find objects -type f -name '*.pack'");
	CHECK_TEXT(nr, "");
}

/* Rewrites topic and drops what it held, as `git gc` does in time. */
#define FORCE_PUSH                                                                              \
	"cd source; git tag -d 1 2 3 >/dev/null; git checkout -q main; git branch -q -D topic;" \
	"git checkout -q -b topic; echo new >new; git add -A; git commit -qm new;"              \
	"git reflog expire --expire=now --all; git gc -q --prune=now"

static void keeps_pinned_commits_after_a_force_push(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id pinned[2];
	struct vcs_id lost;
	struct vcs_commit commit;
	struct err err = ERR_INIT;
	scoped(free) char *files = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	pinned[0] = id_of(&fixture, "1");
	pinned[1] = id_of(&fixture, "2");
	lost = id_of(&fixture, "3");
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, pinned, 2, &err), &err);
	free(t_git(fixture.folder, FORCE_PUSH));
	if (!open_mirror(&fixture)) {
		return;
	}
	CHECK(vcs_has_commit(fixture.mirror, &pinned[0]));
	CHECK(vcs_has_commit(fixture.mirror, &pinned[1]));
	CHECK(!vcs_has_commit(fixture.mirror, &lost));
	CHECK_DONE(vcs_commit_read(fixture.mirror, &pinned[1], fixture.arena, &commit, &err), &err);
	CHECK_TEXT(commit.subject, "2");
	files = t_git(fixture.path, "git archive $(git for-each-ref --format='%(refname)' | "
				    "xargs git log --no-walk --format='%H %s' | sed -n 's/ 2$//p')"
				    " | tar xO d/e/f");
	CHECK_TEXT(files, "2");
}

static void stays_whole_for_git(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id ids[2];
	struct err err = ERR_INIT;
	scoped(free) char *found = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	ids[0] = id_of(&fixture, "1");
	ids[1] = id_of(&fixture, "3");
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, &ids[0], 1, &err), &err);
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, &ids[1], 1, &err), &err);
	free(t_git(fixture.folder, "rm -rf source mirrors/1/objects/info/alternates"));
	found = t_git(fixture.path, "git fsck --full --strict 2>&1 | grep -v '^notice' || true;"
				    "git gc -q --prune=now 2>&1; git fsck --full 2>&1;"
				    "git cat-file -t $(git for-each-ref --format='%(objectname)' | "
				    "head -1)");
	CHECK_TEXT(found, "notice: HEAD points to an unborn branch (none)\ncommit");
}

static void pinning_again_costs_nothing(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id ids[2];
	struct err err = ERR_INIT;
	scoped(free) char *before = NULL;
	scoped(free) char *after = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	ids[0] = id_of(&fixture, "1");
	ids[1] = id_of(&fixture, "1");
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, ids, 2, &err), &err);
	before = t_git(fixture.path, "find . -type f -exec stat -c '%n %Y %i' {} + | sort");
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, ids, 2, &err), &err);
	after = t_git(fixture.path, "find . -type f -exec stat -c '%n %Y %i' {} + | sort");
	CHECK_TEXT(after, before);
}

static void copies_only_what_differs(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id ids[2];
	struct err err = ERR_INIT;
	scoped(free) char *nr = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	ids[0] = id_of(&fixture, "2");
	ids[1] = id_of(&fixture, "3");
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, &ids[0], 1, &err), &err);
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, &ids[1], 1, &err), &err);
	/* new in 3: the commit, three trees, one file of which d/e/f and 3 are two names */
	nr = t_git(fixture.path,
		   "for i in objects/pack/*.idx; do git show-index <$i | wc -l; done |"
		   "sort -n | head -1");
	CHECK_TEXT(nr, "5");
}

static void pins_all_or_none(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id ids[2];
	struct vcs_id *pins = NULL;
	size_t nr_pins = 99;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture)) {
		return;
	}
	ids[0] = id_of(&fixture, "1");
	CHECK_DONE(vcs_id_parse("0123456789012345678901234567890123456789", &ids[1], &err), &err);
	CHECK_FAILS(vcs_mirror_pin(fixture.mirror, ids, 2, &err), &err, ERR_ABSENT, ids[1].text);
	CHECK_DONE(vcs_mirror_pins(fixture.mirror, 10, fixture.arena, &pins, &nr_pins, &err), &err);
	CHECK_INT((int64_t)nr_pins, 0);
}

static void lists_and_drops_pins(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id ids[2];
	struct vcs_id *pins = NULL;
	size_t nr_pins = 0;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture)) {
		return;
	}
	free(t_git(fixture.source, "export GIT_COMMITTER_DATE='1800000000 +0000';"
				   "git commit -q --allow-empty -m newest; git tag newest"));
	ids[0] = id_of(&fixture, "1");
	ids[1] = id_of(&fixture, "newest");
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, ids, 2, &err), &err);
	CHECK_DONE(vcs_mirror_pins(fixture.mirror, 10, fixture.arena, &pins, &nr_pins, &err), &err);
	if (CHECK_INT((int64_t)nr_pins, 2)) {
		CHECK_TEXT(pins[0].text, ids[1].text);
		CHECK_TEXT(pins[1].text, ids[0].text);
	}
	CHECK_DONE(vcs_mirror_unpin(fixture.mirror, &ids[0], &err), &err);
	CHECK_DONE(vcs_mirror_unpin(fixture.mirror, &ids[0], &err), &err);
	CHECK_DONE(vcs_mirror_pins(fixture.mirror, 10, fixture.arena, &pins, &nr_pins, &err), &err);
	CHECK_INT((int64_t)nr_pins, 1);
}

static void survives_the_loss_of_its_source(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	scoped(vcs_close) struct vcs *again = NULL;
	struct vcs_id id;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture)) {
		return;
	}
	id = id_of(&fixture, "2");
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, &id, 1, &err), &err);
	free(t_git(fixture.folder, "mv source moved"));
	CHECK_FAILS(vcs_mirror_open(fixture.path, fixture.source, &again, &err), &err, ERR_ABSENT,
		    "source");
	if (CHECK_DONE(vcs_mirror_open(fixture.path, NULL, &again, &err), &err)) {
		CHECK(vcs_has_commit(again, &id));
		again = vcs_close(again);
	}
	free(fixture.source);
	fixture.source = mem_printf("%s/moved", fixture.folder);
	if (open_mirror(&fixture)) {
		id = id_of(&fixture, "3");
		CHECK(vcs_has_commit(fixture.mirror, &id));
	}
}

static void goes_on_after_a_crash(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id id;
	struct err err = ERR_INIT;
	scoped(free) char *script = NULL;
	scoped(free) char *left = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	id = id_of(&fixture, "2");
	script = mem_printf("mkdir -p refs/patchmeter/pin; touch refs/patchmeter/pin/%s.lock;"
			    "touch -d '1 hour ago' objects/pack/pack_git2_abcdef",
			    id.text);
	free(t_git(fixture.path, script));
	CHECK_FAILS(vcs_mirror_pin(fixture.mirror, &id, 1, &err), &err, ERR_BUSY, id.text);
	free(script);
	script = mem_printf("touch -d '1 hour ago' refs/patchmeter/pin/%s.lock", id.text);
	free(t_git(fixture.path, script));
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, &id, 1, &err), &err);
	left = t_git(fixture.path, "ls objects/pack | grep -c git2 || true");
	CHECK_TEXT(left, "0");
}

static void makes_itself_anew_after_half_a_start(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };

	if (!open_fixture(&fixture)) {
		return;
	}
	free(t_git(fixture.path, "rm -rf HEAD refs"));
	open_mirror(&fixture);
}

static void does_not_touch_the_source(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_id id;
	struct err err = ERR_INIT;
	scoped(free) char *before = NULL;
	scoped(free) char *after = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	id = id_of(&fixture, "2");
	before = t_git(fixture.source, "find .git | xargs stat -c '%n %y %i' | sort");
	CHECK_DONE(vcs_mirror_pin(fixture.mirror, &id, 1, &err), &err);
	after = t_git(fixture.source, "find .git | xargs stat -c '%n %y %i' | sort");
	CHECK_TEXT(after, before);
}

static const struct t_case cases[] = {
	{ "a mirror reads its source without copying it", reads_what_it_borrows },
	{ "pinned commits survive a force-push with their files",
	  keeps_pinned_commits_after_a_force_push },
	{ "git finds a mirror whole, also after gc and without its source", stays_whole_for_git },
	{ "pinning what is pinned changes nothing", pinning_again_costs_nothing },
	{ "pinning the next patch copies what differs", copies_only_what_differs },
	{ "a missing commit pins none", pins_all_or_none },
	{ "pins are listed newest first and can be dropped", lists_and_drops_pins },
	{ "a mirror outlives its source and finds it at a new place",
	  survives_the_loss_of_its_source },
	{ "what a killed process left is in the way for a time only", goes_on_after_a_crash },
	{ "a mirror that was half made is made", makes_itself_anew_after_half_a_start },
	{ "the source is only read", does_not_touch_the_source },
};
T_MAIN(cases)
