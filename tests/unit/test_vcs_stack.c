/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/vcs/stack.h"

#include "lib/base/str.h"
#include "tests/repo.h"
#include "tests/t.h"

/* "FORK: OLDEST ... TIP" by their first 7 digits; '^' behind a merge; "..." in front where cut. */
static char *describe(const struct vcs_stack *stack)
{
	struct str text = STR_INIT;

	if (stack->is_unrelated) {
		str_append(&text, "unrelated");
		return str_detach(&text);
	}
	str_printf(&text, "%.7s:", stack->fork.text);
	str_append(&text, stack->is_cut ? " ..." : "");
	for (size_t i = 0; i < stack->nr_steps; i++) {
		str_printf(&text, " %.7s%s", stack->steps[i].id.text,
			   stack->steps[i].is_merge ? "^" : "");
	}
	return str_detach(&text);
}

static char *stack_of(const char *folder, const char *base, const char *tip, size_t limit)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	scoped(arena_free) struct arena *arena = arena_new();
	struct vcs_stack stack = { 0 };
	struct vcs_id base_id;
	struct vcs_id tip_id;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(vcs_init(&err), &err) || !CHECK_DONE(vcs_open(folder, &vcs, &err), &err) ||
	    !CHECK_DONE(vcs_resolve(vcs, base, &base_id, &err), &err) ||
	    !CHECK_DONE(vcs_resolve(vcs, tip, &tip_id, &err), &err) ||
	    !CHECK_DONE(vcs_stack_read(vcs, &base_id, &tip_id, limit, arena, &stack, &err), &err)) {
		return mem_strdup("failed");
	}
	return describe(&stack);
}

/* What git says: the first-parent commits that the base has not, on the parent of the oldest. */
static char *expect(const char *folder, const char *base, const char *tip)
{
	scoped(free) char *script = mem_printf(
		"list() { git log --reverse --first-parent --format=\"$1\" %s..%s; };"
		"f=$(list %%P | head -1 | cut -d' ' -f1); [ \"$f\" ] || f=$(git merge-base %s %s);"
		"printf %%.7s: $f; list '%%H %%P' |"
		"awk '{printf \" %%s%%s\", substr($1, 1, 7), (NF > 2 ? \"^\" : \"\")}'",
		base, tip, base, tip);

	return t_git(folder, script);
}

#define START "git init -q -b main .; c() { git commit -q --allow-empty -m \"$1\"; };"

static void is_what_git_lists(void)
{
	static const struct {
		const char *what;
		const char *script;
	} rows[] = {
		{ "three patches on the base", "c 0; git checkout -q -b topic; c 1; c 2; c 3" },
		{ "the base moved on",
		  "c 0; git checkout -q -b topic; c 1; c 2; git checkout -q main;"
		  "c 3; c 4" },
		{ "the base was merged into it",
		  "c 0; git checkout -q -b topic; c 1; git checkout -q main; c 2; c 3;"
		  "git checkout -q topic; git merge -q --no-ff -m m main; c 4;"
		  "git checkout -q main; c 5" },
		{ "it was merged twice",
		  "c 0; git checkout -q -b topic; c 1; git checkout -q main; c 2;"
		  "git checkout -q topic; git merge -q -m m main; c 3; git checkout -q main; c 4;"
		  "git checkout -q topic; git merge -q -m n main; c 5" },
		{ "a side branch was merged",
		  "c 0; git checkout -q -b side; c s; git checkout -q main;"
		  "git checkout -q -b topic; c 1;"
		  "git merge -q --no-ff -m m side; c 2" },
		{ "it is the base", "c 0; git branch topic" },
		{ "the base holds it", "c 0; git branch topic; c 1; c 2" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(free) char *folder = t_folder();
		scoped(free) char *script = mem_printf("%s%s", START, rows[i].script);
		scoped(free) char *actual = NULL;
		scoped(free) char *expected = NULL;

		free(t_git(folder, script));
		actual = stack_of(folder, "main", "topic", 128);
		expected = expect(folder, "main", "topic");
		if (!CHECK_TEXT(actual, expected)) {
			CHECK_TEXT(rows[i].what, NULL);
		}
	}
}

static void ends_at_the_limit(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *fits = NULL;
	scoped(free) char *cut = NULL;
	scoped(free) char *expected = NULL;
	scoped(free) char *newest = NULL;
	scoped(free) char *moved = NULL;

	free(t_git(folder, START "c 0; git checkout -q -b topic;"
				 "for i in $(seq 129); do c $i; git tag t$i; done"));
	fits = stack_of(folder, "main", "t128", 128);
	cut = stack_of(folder, "main", "t129", 128);
	expected = expect(folder, "main", "t128");
	CHECK_TEXT(fits, expected);
	newest = t_git(folder, "printf '%.7s: ...' $(git rev-parse main);"
			       "git log --reverse --format=%H t1..t129 |"
			       "awk '{printf \" %s\", substr($1, 1, 7)}'");
	CHECK_TEXT(cut, newest);
	free(t_git(folder,
		   "git checkout -q main; c() { git commit -q --allow-empty -m $1; }; c x"));
	moved = stack_of(folder, "main", "t129", 128);
	CHECK_TEXT(moved, newest);
}

static void knows_strangers(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *actual = NULL;

	free(t_git(folder, START "c 0; git checkout -q --orphan topic; c 1; c 2"));
	actual = stack_of(folder, "main", "topic", 128);
	CHECK_TEXT(actual, "unrelated");
}

static void survives_a_force_push(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *before = NULL;
	scoped(free) char *after = NULL;
	scoped(free) char *expected = NULL;

	free(t_git(folder, START "c 0; git checkout -q -b topic; c 1; c 2; git branch old"));
	before = stack_of(folder, "main", "topic", 128);
	free(t_git(folder, START "git reset -q --hard main; c 3"));
	after = stack_of(folder, "main", "topic", 128);
	expected = expect(folder, "main", "topic");
	CHECK(strcmp(before, after) != 0);
	CHECK_TEXT(after, expected);
}

/* Commits that git fast-import takes and libgit2's own parser does not, in the middle of a
 * stack. */
static void walks_past_hostile_commits(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *actual = NULL;
	scoped(free) char *expected = NULL;

	expected =
		t_git(folder,
		      "git init -q --bare -b main .; t=$(git mktree </dev/null);"
		      "h() { git hash-object -t commit -w --literally --stdin; };"
		      "a=$(printf 'tree %s\\nauthor x\\n\\nbase' $t | h);"
		      "b=$(printf 'tree %s\\nparent %s\\nauthor <>\\ncommitter\\n\\n1' $t $a | h);"
		      "c=$(printf 'tree %s\\nparent %s\\n\\n2' $t $b | h);"
		      "echo $a >refs/heads/main; echo $c >refs/heads/topic;"
		      "printf '%.7s: %.7s %.7s' $a $b $c");
	actual = stack_of(folder, "main", "topic", 128);
	CHECK_TEXT(actual, expected);
}

static void says_where_history_ends(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *clone = mem_printf("%s/clone", folder);
	scoped(vcs_close) struct vcs *vcs = NULL;
	scoped(arena_free) struct arena *arena = arena_new();
	struct vcs_stack stack;
	struct vcs_id base;
	struct vcs_id tip;
	struct err err = ERR_INIT;

	free(t_git(folder,
		   START "c 0; git checkout -q -b topic; c 1; c 2; git checkout -q main; c 3;"
			 "git clone -q --depth 1 --no-single-branch file://$PWD clone"));
	if (CHECK_DONE(vcs_init(&err), &err) && CHECK_DONE(vcs_open(clone, &vcs, &err), &err) &&
	    CHECK_DONE(vcs_resolve(vcs, "refs/remotes/origin/main", &base, &err), &err) &&
	    CHECK_DONE(vcs_resolve(vcs, "refs/remotes/origin/topic", &tip, &err), &err)) {
		CHECK_FAILS(vcs_stack_read(vcs, &base, &tip, 128, arena, &stack, &err), &err,
			    ERR_ABSENT, "stack of");
	}
}

static const struct t_case cases[] = {
	{ "a stack is what git lists of first parents", is_what_git_lists },
	{ "a stack of 128 fits, one of 129 is cut to its newest", ends_at_the_limit },
	{ "a branch with another root is unrelated", knows_strangers },
	{ "a rewritten branch has its new commits", survives_a_force_push },
	{ "commits with broken people are walked past", walks_past_hostile_commits },
	{ "a history that was cut off is absent, not short", says_where_history_ends },
};
T_MAIN(cases)
