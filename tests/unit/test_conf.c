/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/conf.h"

#include <sys/stat.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "tests/t.h"

static const struct conf_key keys[] = {
	{ "daemon", "listen", CONF_TEXT, 0, 0, 0, NULL, "127.0.0.1:8080", "address of the pages" },
	{ "daemon", "threads", CONF_INT, 0, 1, 64, NULL, "4", "threads for the pages" },
	{ "daemon", "quiet", CONF_BOOL, 0, 0, 0, NULL, NULL, "whether to log less" },
	{ "daemon", "poll", CONF_DURATION, 0, 1, 86400, NULL, "60s", "time between looks" },
	{ "tree", "url", CONF_TEXT, CONF_NAMED, 0, 0, NULL, NULL, "where the repository is" },
	{ "tree", "branch", CONF_TEXT, CONF_NAMED | CONF_REPEATED, 0, 0, NULL, NULL, "a glob" },
	{ "tree", "mail", CONF_CHOICE, CONF_NAMED, 0, 0, "dry-run on", "dry-run", "who gets mail" },
};

static struct conf *parse(const char *text)
{
	struct conf *conf = conf_new(keys, countof(keys));
	struct err err = ERR_INIT;

	CHECK_DONE(conf_parse(conf, "x.conf", text, &err), &err);
	return conf;
}

/* The values of a tree's branches, each followed by '|'. */
static void check_branches(const struct conf *conf, const char *tree, const char *expected)
{
	scoped(str_release) struct str got = STR_INIT;
	size_t nr;
	const char *const *branches = conf_list(conf, "tree", tree, "branch", &nr);

	for (size_t i = 0; i < nr; i++) {
		str_printf(&got, "%s|", branches[i]);
	}
	CHECK_TEXT(got.at, expected);
}

/* Checked with `git config --file FILE --list -z` of git 2.39. */
static void reads_as_git_does(void)
{
	static const struct {
		const char *line;
		const char *value;
	} rows[] = {
		{ "branch = plain text  ", "plain text" },
		{ "branch=x\r", "x" },
		{ "branch = \"  kept  \"", "  kept  " },
		{ "branch = one # comment", "one" },
		{ "branch = one ; comment", "one" },
		{ "branch = a#b", "a" },
		{ "branch = \"one # kept\"", "one # kept" },
		{ "branch = in \"the middle  \" of", "in the middle   of" },
		{ "branch = tab\\tnew\\nquote\\\"back\\\\slash", "tab\tnew\nquote\"back\\slash" },
		{ "branch = con\\\ntinued", "continued" },
		{ "branch = con \\\n   tinued \\\n # and \"cut", "con    tinued " },
		{ "branch = \"quoted\\\n continued\"", "quoted continued" },
		{ "branch =", "" },
		{ "branch", "true" },
		{ "branch # comment", "true" },
		{ "branch = \"a\"b\"c\"", "abc" },
		{ "branch = a = b", "a = b" },
		{ "  branch\t=\tb", "b" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(free) char *text = mem_printf("[tree \"x\"]\n%s\n", rows[i].line);
		scoped(free) char *cut = mem_printf("[tree \"x\"]\n%s", rows[i].line);
		scoped(conf_free) struct conf *conf = parse(text);
		scoped(conf_free) struct conf *without_newline = parse(cut);

		CHECK_TEXT(conf_text(conf, "tree", "x", "branch"), rows[i].value);
		CHECK_TEXT(conf_text(without_newline, "tree", "x", "branch"), rows[i].value);
	}
}

static void gives_typed_values(void)
{
	scoped(conf_free) struct conf *conf = parse("[daemon]\n"
						    "threads = 8\n"
						    "quiet\n"
						    "poll = 2h\n"
						    "[tree \"a\"]\n"
						    "mail = on\n");

	CHECK_INT(conf_int(conf, "daemon", "", "threads"), 8);
	CHECK(conf_bool(conf, "daemon", "", "quiet"));
	CHECK_INT(conf_seconds(conf, "daemon", "", "poll"), 7200);
	CHECK_TEXT(conf_text(conf, "tree", "a", "mail"), "on");
}

static void falls_back(void)
{
	scoped(conf_free) struct conf *conf = parse("");
	size_t nr = 42;

	CHECK_TEXT(conf_text(conf, "daemon", "", "listen"), "127.0.0.1:8080");
	CHECK_INT(conf_int(conf, "daemon", "", "threads"), 4);
	CHECK_INT(conf_seconds(conf, "daemon", "", "poll"), 60);
	CHECK(!conf_bool(conf, "daemon", "", "quiet"));
	CHECK_TEXT(conf_text(conf, "tree", "x", "url"), NULL);
	CHECK(conf_list(conf, "tree", "x", "branch", &nr) == NULL && nr == 0);
	nr = 42;
	CHECK(conf_names(conf, "tree", &nr) == NULL && nr == 0);
}

static void keeps_names_and_lists_in_order(void)
{
	scoped(conf_free) struct conf *conf = parse("[tree \"b\"]\nbranch = 1\nbranch = 2\n"
						    "[tree \"a \\\"q\\\"\"]\n"
						    "[daemon]\nthreads = 2\n"
						    "[tree \"b\"]\nbranch = 3\nurl = u\n");
	size_t nr;
	const char *const *names = conf_names(conf, "tree", &nr);

	if (CHECK_INT((int64_t)nr, 2)) {
		CHECK_TEXT(names[0], "b");
		CHECK_TEXT(names[1], "a \"q\"");
	}
	check_branches(conf, "b", "1|2|3|");
	check_branches(conf, "a \"q\"", "");
	CHECK_TEXT(conf_text(conf, "tree", "b", "branch"), "3");
	CHECK_TEXT(conf_text(conf, "tree", "b", "url"), "u");
}

static void refuses_with_the_place(void)
{
	static const struct {
		const char *text;
		const char *message;
	} rows[] = {
		{ "x = 1", "x.conf:1:1: expected a section: [section]" },
		{ "[daemon]\n\tlisen = 1",
		  "x.conf:2:2: unknown key 'lisen', did you mean 'listen'" },
		{ "[daemon]\nzzzzzzzzzz", "x.conf:2:1: unknown key 'zzzzzzzzzz'" },
		{ "[daemon]\nurl = x", "x.conf:2:1: unknown key 'url'" },
		{ "\n[deamon]\n", "x.conf:2:2: unknown section 'deamon', did you mean 'daemon'" },
		{ "[daemon \"x\"]", "x.conf:1:2: section 'daemon' takes no name" },
		{ "[tree]", "x.conf:1:2: section 'tree' needs a name" },
		{ "[tree \"x]\n", "x.conf:1:10: expected a closing '\"'" },
		{ "[tree \"x\\n\"]\n", "x.conf:1:9: unknown escape, expected one of \\\\ \\\"" },
		{ "[tree \"x\"\n", "x.conf:1:10: expected ']'" },
		{ "[daemon] quiet", "x.conf:1:10: expected the end of the line behind ']'" },
		{ "[Daemon]",
		  "x.conf:1:2: expected a section: lower-case letters, digits and '-', a "
		  "letter first" },
		{ "[daemon]\n= 1",
		  "x.conf:2:1: expected a key: lower-case letters, digits and '-', a "
		  "letter first" },
		{ "[daemon]\nquiet yes", "x.conf:2:7: expected '='" },
		{ "[daemon]\nlisten = \"x\n", "x.conf:2:12: expected a closing '\"'" },
		{ "[daemon]\nlisten = \\x",
		  "x.conf:2:10: unknown escape, expected one of \\\\ \\\" \\n \\t" },
		{ "[daemon]\nlisten = \"\\", "x.conf:2:11: unknown escape, expected one of" },
		{ "[daemon]\nthreads = 65", "x.conf:2:11: 'threads': '65' is outside 1 to 64" },
		{ "[daemon]\nthreads = 4x", "x.conf:2:11: 'threads': '4x' is not a whole number" },
		{ "[daemon]\n threads", "x.conf:2:2: 'threads': 'true' is not a whole number" },
		{ "[daemon]\nquiet = maybe", "x.conf:2:9: 'quiet': 'maybe' is not true or false" },
		{ "[daemon]\npoll = 5",
		  "x.conf:2:8: 'poll': '5' is not a duration from 1s to 86400s: a whole number and one "
		  "of s, m, h, d" },
		{ "[daemon]\npoll = 0s", "x.conf:2:8: 'poll': '0s' is not a duration" },
		{ "[daemon]\npoll = 2d", "x.conf:2:8: 'poll': '2d' is not a duration" },
		{ "[daemon]\npoll = -1s", "x.conf:2:8: 'poll': '-1s' is not a duration" },
		{ "[daemon]\npoll = 1h30m", "x.conf:2:8: 'poll': '1h30m' is not a duration" },
		{ "[daemon]\npoll = 9999999999999999999d",
		  "x.conf:2:8: 'poll': '99999999999999999" },
		{ "[tree \"x\"]\nmail = dry", "x.conf:2:8: 'mail': 'dry' is none of: dry-run on" },
		{ "[tree \"x\"]\nmail = dry-run on",
		  "x.conf:2:8: 'mail': 'dry-run on' is none of" },
		{ "[tree \"x\"]\nmail =", "x.conf:2:7: 'mail': '' is none of" },
		{ "[daemon]\nquiet\n[daemon]\nquiet", "x.conf:4:1: 'quiet': given twice" },
		{ "[daemon]\nlisten = a\x01", "x.conf:2:11: byte 0x01 is a control character" },
		{ "[daemon]\nlisten = a\rb", "x.conf:2:11: byte 0x0d is a control character" },
		{ "# \xc3(", "x.conf:1:3: byte 0xc3 is a control character or not UTF-8" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(conf_free) struct conf *conf = conf_new(keys, countof(keys));
		struct err err = ERR_INIT;

		CHECK_FAILS(conf_parse(conf, "x.conf", rows[i].text, &err), &err, ERR_INPUT,
			    rows[i].message);
	}
}

static void later_sources_win(void)
{
	scoped(conf_free) struct conf *conf = conf_new(keys, countof(keys));
	struct err err = ERR_INIT;

	CHECK_DONE(conf_set(conf, "daemon.threads=1", &err), &err);
	CHECK_DONE(conf_set(conf, "daemon.threads=2", &err), &err);
	CHECK_DONE(conf_parse(conf, "a",
			      "[daemon]\nthreads = 3\nlisten = a\n"
			      "[tree \"x\"]\nbranch = a\nbranch = b\n",
			      &err),
		   &err);
	CHECK_DONE(conf_parse(conf, "b", "[daemon]\nlisten = b\n[tree \"x\"]\nbranch = c\n", &err),
		   &err);
	CHECK_INT(conf_int(conf, "daemon", "", "threads"), 2);
	CHECK_TEXT(conf_text(conf, "daemon", "", "listen"), "b");
	check_branches(conf, "x", "c|");
	CHECK_DONE(conf_set(conf, "tree.x.branch=d", &err), &err);
	CHECK_DONE(conf_set(conf, "tree.x.branch=e", &err), &err);
	check_branches(conf, "x", "d|e|");
}

static void sets_from_the_command_line(void)
{
	scoped(conf_free) struct conf *conf = conf_new(keys, countof(keys));
	struct err err = ERR_INIT;
	size_t nr;

	CHECK_DONE(conf_set(conf, "tree.v6.1.url=file:///a.b=c", &err), &err);
	CHECK_TEXT(conf_text(conf, "tree", "v6.1", "url"), "file:///a.b=c");
	CHECK_DONE(conf_set(conf, "daemon.listen=", &err), &err);
	CHECK_TEXT(conf_text(conf, "daemon", "", "listen"), "");
	CHECK_TEXT(conf_names(conf, "tree", &nr)[0], "v6.1");
	CHECK_FAILS(conf_set(conf, "daemon.lisen=1", &err), &err, ERR_INPUT,
		    "'daemon.lisen=1': unknown key 'lisen', did you mean 'listen'");
	CHECK_FAILS(conf_set(conf, "daemon.threads=0", &err), &err, ERR_INPUT, "outside 1 to 64");
	CHECK_FAILS(conf_set(conf, "daemon.x.threads=1", &err), &err, ERR_INPUT, "takes no name");
	CHECK_FAILS(conf_set(conf, "tree.url=1", &err), &err, ERR_INPUT, "needs a name");
	CHECK_FAILS(conf_set(conf, "quiet=1", &err), &err, ERR_INPUT, "expected SECTION.KEY=VALUE");
	CHECK_FAILS(conf_set(conf, "daemon.quiet", &err), &err, ERR_INPUT, "expected SECTION");
	CHECK_FAILS(conf_set(conf, "", &err), &err, ERR_INPUT, "expected SECTION");
}

static void describes_its_rows(void)
{
	scoped(str_release) struct str text = STR_INIT;

	conf_describe(keys, countof(keys), &text);
	CHECK_TEXT(text.at, "[daemon]\n"
			    "  listen   address of the pages (default 127.0.0.1:8080)\n"
			    "  threads  threads for the pages (1 to 64; default 4)\n"
			    "  quiet    whether to log less (true or false; no default)\n"
			    "  poll     time between looks (1s to 86400s; default 60s)\n"
			    "\n"
			    "[tree \"NAME\"]\n"
			    "  url      where the repository is (no default)\n"
			    "  branch   a glob (no default)\n"
			    "  mail     who gets mail (one of dry-run on; default dry-run)\n");
}

/* A file in a folder of its own, with this text; free() the path. */
static char *file_with(const char *text)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = mem_printf("%s/x.conf", folder);
	struct err err = ERR_INIT;

	if (text) {
		CHECK_DONE(str_write_file(path, text, strlen(text), 0640, &err), &err);
	}
	return move(&path);
}

static void check_file(const char *path, const char *expected)
{
	scoped(str_release) struct str text = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_DONE(str_read_file(&text, path, 100000, &err), &err);
	CHECK_TEXT(text.at, expected);
}

static void reads_files(void)
{
	scoped(free) char *path = file_with("[daemon]\nthreads = 7\n");
	scoped(free) char *absent = file_with(NULL);
	scoped(conf_free) struct conf *conf = conf_new(keys, countof(keys));
	struct err err = ERR_INIT;

	CHECK_DONE(conf_read(conf, path, &err), &err);
	CHECK_INT(conf_int(conf, "daemon", "", "threads"), 7);
	CHECK_FAILS(conf_read(conf, absent, &err), &err, ERR_ABSENT, absent);
	CHECK_DONE(str_write_file(path, "[daemon]\0\n", 10, 0600, &err), &err);
	CHECK_FAILS(conf_read(conf, path, &err), &err, ERR_INPUT, "NUL");
}

#define EDITED                                                        \
	"# head\n[daemon]\n\tthreads = 2 # two\n\n# the first tree\n" \
	"[tree \"a\"]\n\turl = x\n\n# tail\n"

static void adding_and_removing_keeps_every_byte(void)
{
	static const char *const values[] = { "url",     "/a b#c ", "branch",
					      "topic/*", "branch",  "say \"x\"\\" };
	scoped(free) char *path = file_with(EDITED);
	scoped(conf_free) struct conf *conf = conf_new(keys, countof(keys));
	struct err err = ERR_INIT;
	struct stat status;

	CHECK_DONE(conf_file_add(path, "tree", "we\"ird", values, 3, &err), &err);
	check_file(path, EDITED "\n[tree \"we\\\"ird\"]\n"
				"\turl = \"/a b#c \"\n"
				"\tbranch = topic/*\n"
				"\tbranch = \"say \\\"x\\\"\\\\\"\n");
	CHECK_DONE(conf_read(conf, path, &err), &err);
	CHECK_TEXT(conf_text(conf, "tree", "we\"ird", "url"), "/a b#c ");
	check_branches(conf, "we\"ird", "topic/*|say \"x\"\\|");
	CHECK_DONE(conf_file_remove(path, "tree", "we\"ird", &err), &err);
	check_file(path, EDITED);
	CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640);
}

static void removes_a_section_wherever_it_stands(void)
{
	scoped(free) char *path = file_with("[tree \"a\"]\n\turl = x\n\tbranch = long\\\n er\n\n"
					    "[daemon]\n\tquiet\n[tree \"a\"]\nbranch = y\n"
					    "# about b\n[tree \"b\"]\n");
	struct err err = ERR_INIT;

	CHECK_DONE(conf_file_remove(path, "tree", "a", &err), &err);
	check_file(path, "[daemon]\n\tquiet\n# about b\n[tree \"b\"]\n");
}

static void refuses_edits(void)
{
	static const char *const values[] = { "url", "x\x01y" };
	scoped(free) char *path = file_with("[tree \"a\"]\n");
	scoped(free) char *broken = file_with("[tree\n");
	scoped(free) char *fresh = file_with(NULL);
	struct err err = ERR_INIT;

	CHECK_FAILS(conf_file_add(path, "tree", "a", NULL, 0, &err), &err, ERR_CONFLICT,
		    "has a section tree 'a' already");
	CHECK_FAILS(conf_file_add(path, "tree", "b\n", NULL, 0, &err), &err, ERR_INPUT, "0x0a");
	CHECK_FAILS(conf_file_add(path, "tree", "b", values, 1, &err), &err, ERR_INPUT,
		    "value of 'url': byte 0x01");
	CHECK_FAILS(conf_file_remove(path, "tree", "b", &err), &err, ERR_ABSENT,
		    "has no section tree 'b'");
	CHECK_FAILS(conf_file_add(broken, "tree", "b", NULL, 0, &err), &err, ERR_INPUT,
		    "x.conf:1:6: expected ']'");
	CHECK_FAILS(conf_file_remove(fresh, "tree", "b", &err), &err, ERR_ABSENT, "x.conf");
	check_file(path, "[tree \"a\"]\n");
	CHECK_DONE(conf_file_add(fresh, "tree", "b", NULL, 0, &err), &err);
	check_file(fresh, "[tree \"b\"]\n");
}

static const struct t_case cases[] = {
	{ "a value is spelt as git spells it", reads_as_git_does },
	{ "values come in their row's type", gives_typed_values },
	{ "where the file is silent the row's fallback holds", falls_back },
	{ "names and repeated keys keep their order", keeps_names_and_lists_in_order },
	{ "a fault is told with file, line, column and what was meant", refuses_with_the_place },
	{ "later sources win over earlier ones, the command line over all", later_sources_win },
	{ "-c sets what a file could, and nothing else", sets_from_the_command_line },
	{ "the help lists every row with its range and default", describes_its_rows },
	{ "a file is read, or its fault named", reads_files },
	{ "adding and removing a section keeps every other byte",
	  adding_and_removing_keeps_every_byte },
	{ "a section goes with all its lines and no others", removes_a_section_wherever_it_stands },
	{ "an edit that makes no sense leaves the file alone", refuses_edits },
};

T_MAIN(cases)
