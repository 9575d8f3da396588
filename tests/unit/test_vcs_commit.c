/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/vcs/commit.h"

#include "tests/repo.h"
#include "tests/t.h"

#define TREE "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
#define WHO \
	"author A <a@example.org> 1700000000 +0000\ncommitter C <c@example.org> 1700000001 +0000\n"

static struct vcs_commit parse(struct arena *arena, const char *bytes, size_t length)
{
	struct vcs_commit commit = { .subject = "(not read)" };
	struct err err = ERR_INIT;

	CHECK_DONE(vcs_commit_parse(bytes, length, arena, &commit, &err), &err);
	return commit;
}

static struct vcs_commit parse_text(struct arena *arena, const char *text)
{
	return parse(arena, text, strlen(text));
}

static void reads_a_plain_commit(void)
{
	scoped(arena_free) struct arena *arena = arena_new();
	struct vcs_commit commit = parse_text(
		arena, TREE "parent 0123456789abcdef0123456789abcdef01234567\n"
			    "parent 1123456789abcdef0123456789abcdef01234567\n" WHO
			    "gpgsig -----BEGIN\n author F <f@example.org> 1 +0000\n -----END\n"
			    "\n  a subject\non two lines \n\nbody\n\tindented\n");

	CHECK_TEXT(commit.tree.text, "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
	CHECK_INT((int64_t)commit.nr_parents, 2);
	CHECK_TEXT(commit.parents[1].text, "1123456789abcdef0123456789abcdef01234567");
	CHECK_TEXT(commit.author_name, "A");
	CHECK_TEXT(commit.author_email, "a@example.org");
	CHECK_INT(commit.author_time.ns, 1700000000 * INT64_C(1000000000));
	CHECK_INT(commit.commit_time.ns, 1700000001 * INT64_C(1000000000));
	CHECK(!commit.is_author_time_odd && !commit.is_commit_time_odd);
	CHECK_TEXT(commit.subject, "  a subject on two lines");
	CHECK_TEXT(commit.message, "  a subject\non two lines \n\nbody\n\tindented\n");
	CHECK(!commit.is_message_cut);
}

static void clamps_and_flags_odd_times(void)
{
	static const struct {
		const char *rest;
		int64_t seconds;
		bool is_odd;
	} rows[] = {
		{ "A <a@b> 0 +0000", 0, false },
		{ "A <a@b> 1700000000 +9999", 1700000000, false },
		{ "A <a@b> 9223372036854775807 +0000", 9223372036, true },
		{ "A <a@b> 99999999999999999999999999999999999999999999 +0000", 9223372036, true },
		{ "A <a@b> 9223372036 +0000", 9223372036, false },
		{ "A <a@b> 9223372037 +0000", 9223372036, true },
		{ "A <a@b> -1 +0000", 0, true },
		{ "A <a@b> +0000", 0, false },
		{ "A <a@b>", 0, true },
		{ "A <a@b> yesterday", 0, true },
		{ "A a@b 1700000000 +0000", 0, true },
		{ "", 0, true },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(arena_free) struct arena *arena = arena_new();
		scoped(free) char *text = mem_printf(TREE "author %s\n\nx", rows[i].rest);
		struct vcs_commit commit = parse_text(arena, text);

		CHECK_INT(commit.author_time.ns, rows[i].seconds * INT64_C(1000000000));
		CHECK_INT(commit.is_author_time_odd, rows[i].is_odd);
		CHECK_INT(commit.is_commit_time_odd, true);
	}
}

static void takes_names_apart(void)
{
	static const char *const rows[][3] = {
		{ "A U Thor <a@example.org>", "A U Thor", "a@example.org" },
		{ "<a@example.org>", "", "a@example.org" },
		{ " <> ", "", "" },
		{ "nobody", "nobody 1 +0000", "" },
		{ "A <not an address>", "A", "" },
		{ "A <a@b> <c@d>", "A", "a@b" },
		{ "A <@b>", "A", "" },
		{ "A <a@b\r\n Bcc: x@y>", "A", "" },
		{ "J\xc3\xb6rg <j@example.org>", "J\xc3\xb6rg", "j@example.org" },
		{ "J\xf6rg <j@example.org>", "J\xc3\xb6rg", "j@example.org" },
		{ "A\x1b[31m\xe2\x80\xae\xe2\x80\xac <a@b>",
		  "A\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd", "a@b" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(arena_free) struct arena *arena = arena_new();
		scoped(free) char *text = mem_printf(TREE "author %s 1 +0000\n\nx", rows[i][0]);
		struct vcs_commit commit = parse_text(arena, text);

		CHECK_TEXT(commit.author_name, rows[i][1]);
		CHECK_TEXT(commit.author_email, rows[i][2]);
	}
}

/* Practice case C23.  The expected texts come from the tables of the encodings, not from iconv. */
static void decodes_as_declared_else_as_it_can(void)
{
	static const char *const rows[][3] = {
		{ "", "\xc3\xa9t\xc3\xa9 \xf0\x9f\x9a\x80\xc2\xa0x",
		  "\xc3\xa9t\xc3\xa9 "
		  "\xf0\x9f\x9a\x80\xc2\xa0x" },
		{ "", "\xe9t\xe9", "\xc3\xa9t\xc3\xa9" },
		{ "encoding ISO-8859-2\n",
		  "\xb3\xf3"
		  "d\xbc",
		  "\xc5\x82\xc3\xb3"
		  "d\xc5\xba" },
		{ "encoding koi8-r\n", "\xf2\xf5\xf3", "\xd0\xa0\xd0\xa3\xd0\xa1" },
		{ "encoding Shift_JIS\n", "\x93\xfa\x96\x7b", "\xe6\x97\xa5\xe6\x9c\xac" },
		{ "encoding ../../tmp/evil\n", "\xe9", "\xc3\xa9" },
		{ "encoding ISO-2022-CN-EXT\n", "\xe9", "\xc3\xa9" },
		{ "encoding UTF-8\n", "\xff\xfe", "\xc3\xbf\xc3\xbe" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(arena_free) struct arena *arena = arena_new();
		scoped(free) char *text = mem_printf(TREE WHO "%s\n%s", rows[i][0], rows[i][1]);

		CHECK_TEXT(parse_text(arena, text).subject, rows[i][2]);
	}
}

static void a_bad_line_does_not_spoil_the_others(void)
{
	scoped(arena_free) struct arena *arena = arena_new();
	struct vcs_commit commit =
		parse_text(arena, TREE WHO "\n\xc3\xb6k\n\n\xf6\n\xe2\x82\xac\n");

	CHECK_TEXT(commit.subject, "\xc3\xb6k");
	CHECK_TEXT(commit.message, "\xc3\xb6k\n\n\xc3\xb6\n\xe2\x82\xac\n");
}

static void bounds_everything(void)
{
	static const char head[] = TREE "author ";
	static const size_t size = 1 << 20;
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(free) char *bytes = mem_alloc(2 * size + 200);
	char *at = mempcpy(bytes, head, strlen(head));
	struct vcs_commit commit;

	memset(at, 'n', size);
	at = mempcpy(at + size, " <a@b> 1 +0\n\n", 13);
	memset(at, 's', size);
	commit = parse(arena, bytes, (size_t)(at - bytes) + size);
	CHECK_INT((int64_t)strlen(commit.author_name), VCS_NAME_MAX_BYTES);
	CHECK_INT((int64_t)strlen(commit.subject), VCS_SUBJECT_MAX_BYTES);
	CHECK_INT((int64_t)strlen(commit.message), VCS_MESSAGE_MAX_BYTES);
	CHECK(commit.is_message_cut);
}

static void shows_a_nul_as_a_replacement(void)
{
	static const char bytes[] = TREE WHO "\nsub\0ject\n\nbo\0dy\n";
	scoped(arena_free) struct arena *arena = arena_new();
	struct vcs_commit commit = parse(arena, bytes, sizeof(bytes) - 1);

	CHECK_TEXT(commit.subject, "sub\xef\xbf\xbdject");
	CHECK_TEXT(commit.message, "sub\xef\xbf\xbdject\n\nbo\xef\xbf\xbd"
				   "dy\n");
}

static void refuses_what_is_no_commit(void)
{
	static const char bad_parent[] = TREE "parent 12\n\nx";
	static const char *const rows[] = {
		"",
		"\n",
		"tree 12\n\n",
		"parent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\nx",
		"tree 4B825DC642CB6EB9A060E54BF8D69288FBEE4904\n\n",
		bad_parent,
	};
	scoped(arena_free) struct arena *arena = arena_new();
	struct vcs_commit commit;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < countof(rows); i++) {
		CHECK_FAILS(vcs_commit_parse(rows[i], strlen(rows[i]), arena, &commit, &err), &err,
			    ERR_INPUT, "malformed commit");
	}
}

/* with a repository */

struct fixture {
	char *folder;
	struct vcs *vcs;
	struct arena *arena;
};

static bool open_fixture(struct fixture *fixture, const char *script)
{
	struct err err = ERR_INIT;

	fixture->arena = arena_new();
	fixture->folder = t_folder();
	free(t_git(fixture->folder, script));
	return CHECK_DONE(vcs_init(&err), &err) &&
	       CHECK_DONE(vcs_open(fixture->folder, &fixture->vcs, &err), &err);
}

static void fixture_release(struct fixture *fixture)
{
	vcs_close(fixture->vcs);
	arena_free(fixture->arena);
	free(fixture->folder);
}
DEFINE_SCOPED_EMBEDDED(fixture_release, struct fixture)

static struct vcs_commit read_commit(struct fixture *fixture, const char *name)
{
	struct vcs_commit commit = { .subject = "" };
	struct vcs_id id;
	struct err err = ERR_INIT;

	(void)(CHECK_DONE(vcs_resolve(fixture->vcs, name, &id, &err), &err) &&
	       CHECK_DONE(vcs_commit_read(fixture->vcs, &id, fixture->arena, &commit, &err), &err));
	return commit;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One a line, like git's. */
static char *sorted_paths(const struct vcs_commit *commit)
{
	const char *paths[16];
	size_t nr = commit->nr_paths < countof(paths) ? commit->nr_paths : countof(paths);
	struct str text = STR_INIT;

	for (size_t i = 0; i < nr; i++) {
		paths[i] = commit->paths[i];
	}
	qsort(paths, nr, sizeof(*paths), by_text);
	for (size_t i = 0; i < nr; i++) {
		str_printf(&text, "%s%s", i > 0 ? "\n" : "", paths[i]);
	}
	return str_detach(&text);
}

#define START \
	"git init -q -b main .; c() { git add -A; git commit -q --allow-empty -m \"$1\"; git tag \"$1\"; };"

static void lists_what_a_commit_changes(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	static const char *const tags[] = {
		"root", "edit", "mode", "remove", "empty", "turn", "sort",
	};

	if (!open_fixture(&fixture, START
			  "mkdir -p d/e; echo a >a; echo f >d/e/f; echo g >d/g; c root;"
			  "echo 2 >>d/e/f; c edit; chmod +x a; c mode; rm d/e/f; c remove;"
			  "c empty; rm -r d; ln -s a d; c turn;"
			  "echo 1 >x; c pre; rm x; mkdir x; echo 1 >x/y; echo 1 >x-z; c sort")) {
		return;
	}
	for (size_t i = 0; i < countof(tags); i++) {
		struct vcs_commit commit = read_commit(&fixture, tags[i]);
		scoped(free) char *script = mem_printf(
			"git show --format= --name-only --no-renames --root %s | sort", tags[i]);
		scoped(free) char *expected = t_git(fixture.folder, script);
		scoped(free) char *paths = sorted_paths(&commit);

		CHECK_TEXT(commit.subject, tags[i]);
		CHECK_TEXT(paths, expected);
		CHECK_INT((int64_t)commit.nr_changed, (int64_t)commit.nr_paths);
		CHECK(!commit.is_docs_only);
	}
}

static void knows_documentation(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	static const struct {
		const char *tag;
		bool is_docs_only;
	} rows[] = {
		{ "docs", true },
		{ "cmake", false },
		{ "mixed", false },
		{ "none", false },
	};

	if (!open_fixture(&fixture, START "mkdir doc; echo >doc/x.txt; echo >README; echo >a.md;"
					  "c docs; echo >CMakeLists.txt; c cmake;"
					  "echo >b.md; echo >b.c; c mixed; c none")) {
		return;
	}
	for (size_t i = 0; i < countof(rows); i++) {
		CHECK_INT(read_commit(&fixture, rows[i].tag).is_docs_only, rows[i].is_docs_only);
	}
}

static void bounds_the_list_of_paths(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_commit commit;

	if (!open_fixture(&fixture, START "for i in $(seq 500); do echo $i >f$i; done; c many")) {
		return;
	}
	commit = read_commit(&fixture, "many");
	CHECK_INT((int64_t)commit.nr_changed, 500);
	CHECK_INT((int64_t)commit.nr_paths, VCS_PATHS_KEPT);
	CHECK_TEXT(commit.paths ? commit.paths[0] : NULL, "f1");
}

/* 2^60 folders, none with a file in it. */
static void is_not_caught_in_a_tree_bomb(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_commit commit;
	struct vcs_id id;
	struct err err = ERR_INIT;

	if (!open_fixture(
		    &fixture,
		    "git init -q -b main .; t=$(git mktree </dev/null);"
		    "for i in $(seq 60); do t=$(printf '040000 tree %s\\ta\\n040000 tree %s\\tb\\n'"
		    " $t $t | git mktree); done; git branch main $(git commit-tree -m x $t)") ||
	    !CHECK_DONE(vcs_resolve(fixture.vcs, "main", &id, &err), &err)) {
		return;
	}
	CHECK_FAILS(vcs_commit_read(fixture.vcs, &id, fixture.arena, &commit, &err), &err,
		    ERR_TOO_BIG, "folders");
}

static void names_what_is_missing(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_commit commit;
	struct vcs_id id;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture, START "echo 1 >a; c one;"
					  "t=$(git rev-parse HEAD^{tree});"
					  "rm -f .git/objects/$(echo $t | cut -c1-2)/*")) {
		return;
	}
	CHECK_DONE(vcs_resolve(fixture.vcs, "one", &id, &err), &err);
	CHECK_FAILS(vcs_commit_read(fixture.vcs, &id, fixture.arena, &commit, &err), &err,
		    ERR_ABSENT, id.text);
	CHECK_DONE(vcs_id_parse("0123456789012345678901234567890123456789", &id, &err), &err);
	CHECK_FAILS(vcs_commit_read(fixture.vcs, &id, fixture.arena, &commit, &err), &err,
		    ERR_ABSENT, id.text);
}

static void reads_hostile_commits(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_commit commit;

	/* hash-object --literally writes what git itself would refuse to make */
	if (!open_fixture(
		    &fixture,
		    "git init -q -b main .; t=$(git mktree </dev/null);"
		    "h() { git hash-object -t commit -w --literally --stdin; };"
		    "printf 'tree %s\\n\\nno people' $t | h >.git/refs/heads/people;"
		    "printf 'tree %s\\nauthor <script> 99999999999999999999 +0000\\n\\n\\0\\377' $t |"
		    "h >.git/refs/heads/script;"
		    "{ printf 'tree %s\\nauthor A <a@b> 1 +0000\\n\\n' $t;"
		    "head -c 1048576 /dev/zero | tr '\\0' x; } | h >.git/refs/heads/long")) {
		return;
	}
	commit = read_commit(&fixture, "people");
	CHECK_TEXT(commit.subject, "no people");
	CHECK_TEXT(commit.author_name, "");
	commit = read_commit(&fixture, "script");
	CHECK_TEXT(commit.author_email, "");
	CHECK(commit.is_author_time_odd);
	CHECK_TEXT(commit.subject, "\xef\xbf\xbd\xc3\xbf");
	commit = read_commit(&fixture, "long");
	CHECK_INT((int64_t)strlen(commit.subject), VCS_SUBJECT_MAX_BYTES);
}

static const struct t_case cases[] = {
	{ "a plain commit is read in all its parts", reads_a_plain_commit },
	{ "odd times are clamped and flagged", clamps_and_flags_odd_times },
	{ "names and addresses are taken apart and cleaned", takes_names_apart },
	{ "text is decoded as declared, else as well as it can be",
	  decodes_as_declared_else_as_it_can },
	{ "a line that is not UTF-8 does not spoil the others",
	  a_bad_line_does_not_spoil_the_others },
	{ "a megabyte of name or subject is cut", bounds_everything },
	{ "a NUL in a message does not end it", shows_a_nul_as_a_replacement },
	{ "what is no commit is refused", refuses_what_is_no_commit },
	{ "changed files are those that git show counts", lists_what_a_commit_changes },
	{ "a change to documentation alone is known as one", knows_documentation },
	{ "the list of changed files has an end", bounds_the_list_of_paths },
	{ "folders that unfold without end are given up", is_not_caught_in_a_tree_bomb },
	{ "a missing object is absent and named", names_what_is_missing },
	{ "commits that git would not make are read", reads_hostile_commits },
};
T_MAIN(cases)
