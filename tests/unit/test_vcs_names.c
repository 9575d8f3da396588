/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/mem.h"
#include "lib/vcs/address.h"
#include "lib/vcs/refname.h"
#include "tests/repo.h"
#include "tests/t.h"

/* names */

static void takes_what_people_use(void)
{
	static const char *const names[] = {
		"main",         "topic/one", "v6.1",          "x",
		"user/a-b_c",   "release+1", "a/b/c/d/e",     "feature#3",
		"mot\xc3\xb6r", "a.lock.b",  "wip/2024.06-x", "\xe6\x97\xa5",
		"a@b",          "foo(bar)",  "lock",
	};

	for (size_t i = 0; i < countof(names); i++) {
		CHECK_TEXT(vcs_refname_refusal(names[i]), NULL);
	}
}

static void refuses_with_a_reason(void)
{
	static const char *const names[] = {
		"",
		"@",
		"--upload-pack=x",
		"-h",
		"a..b",
		"../../x",
		"a/../b",
		"a\\b",
		"a b",
		"a~1",
		"a^",
		"a:b",
		"a?",
		"a*",
		"a[b",
		"a\nb",
		"a\x7f",
		"a\tb",
		"a//b",
		"/a",
		"a/",
		".a",
		"a/.b",
		"a.",
		"a.lock",
		"a.lock/b",
		"a@{1}",
		"caf\xe9",
		"a\xe2\x80\xae\xe2\x80\xac",
		"\xed\xa0\x80",
		"a\xc2\x85",
	};

	for (size_t i = 0; i < countof(names); i++) {
		const char *reason = vcs_refname_refusal(names[i]);

		CHECK(reason && strlen(reason) > 5);
	}
}

static void counts_bytes(void)
{
	char name[VCS_REFNAME_MAX_BYTES + 2];

	memset(name, 'a', sizeof(name));
	name[VCS_REFNAME_MAX_BYTES] = '\0';
	CHECK_TEXT(vcs_refname_refusal(name), NULL);
	name[VCS_REFNAME_MAX_BYTES] = 'a';
	name[VCS_REFNAME_MAX_BYTES + 1] = '\0';
	CHECK(vcs_refname_refusal(name) != NULL);
}

/* Each byte at the start, in the middle and at the end of a name, against git itself. */
static void is_at_least_as_strict_as_git(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = mem_printf("%s/names", folder);
	scoped(str_release) struct str fit = STR_INIT;
	struct err err = ERR_INIT;
	int nr_fit = 0;

	for (int byte = 1; byte < 128; byte++) {
		for (int form = 0; form < 4; form++) {
			static const char *const before[] = { "", "a", "a", "a/" };
			static const char *const after[] = { "b", "b", "", "b" };
			char name[8];

			snprintf(name, sizeof(name), "%s%c%s", before[form], byte, after[form]);
			if (!vcs_refname_refusal(name)) {
				str_printf(&fit, "refs/heads/%s", name);
				str_append_char(&fit, '\0');
				nr_fit++;
			}
		}
	}
	CHECK(nr_fit > 300);
	if (CHECK_DONE(str_write_file(path, fit.at, fit.length, 0600, &err), &err)) {
		free(t_git(folder, "xargs -0 -n 1 git check-ref-format <names"));
	}
}

/* addresses */

static void follows_these(void)
{
	static const struct {
		const char *address;
		enum vcs_address kind;
	} rows[] = {
		{ "https://git.example.org/linux.git", VCS_NETWORK },
		{ "git://127.0.0.1:9418/x", VCS_NETWORK },
		{ "ssh://git@example.org:22/~a/x.git", VCS_NETWORK },
		{ "git@example.org:group/x.git", VCS_NETWORK },
		{ "https://[::1]:8080/x", VCS_NETWORK },
		{ "/srv/git/x.git", VCS_LOCAL },
		{ "/srv/with blank/x:y", VCS_LOCAL },
		{ "./x", VCS_LOCAL },
		{ "file:///srv/git/x.git", VCS_LOCAL },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		enum vcs_address kind = VCS_LOCAL;
		struct err err = ERR_INIT;

		CHECK_DONE(vcs_address_check(rows[i].address, &kind, &err), &err);
		CHECK_INT(kind, rows[i].kind);
	}
}

static void never_follows_these(void)
{
	static const struct {
		const char *address;
		enum err_kind kind;
		const char *part;
	} rows[] = {
		{ "", ERR_INPUT, "empty" },
		{ "ext::sh -c id", ERR_DENIED, "only https://" },
		{ "fd::17", ERR_DENIED, "only https://" },
		{ "http://example.org/x", ERR_DENIED, "only https://" },
		{ "ftp://example.org/x", ERR_DENIED, "only https://" },
		{ "HTTPS://example.org/x", ERR_DENIED, "only https://" },
		{ "--upload-pack=x", ERR_DENIED, "option" },
		{ "ssh://-oProxyCommand=id/x", ERR_DENIED, "option" },
		{ "ssh://git@-oProxyCommand=id/x", ERR_DENIED, "option" },
		{ "git@host:--upload-pack", ERR_DENIED, "option" },
		{ "https:///x", ERR_INPUT, "no host" },
		{ "https://user:secret@example.org/x", ERR_INPUT, "password" },
		{ "https://exam`id`ple.org/x", ERR_INPUT, "no host's name" },
		{ "https://a\nb/x", ERR_INPUT, "control" },
		{ "file://-x", ERR_INPUT, "file:///PATH" },
		{ "file://host/x", ERR_INPUT, "file:///PATH" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		enum vcs_address kind;
		struct err err = ERR_INIT;

		CHECK_FAILS(vcs_address_check(rows[i].address, &kind, &err), &err, rows[i].kind,
			    rows[i].part);
	}
}

static void a_password_is_not_repeated(void)
{
	enum vcs_address kind;
	struct err err = ERR_INIT;

	CHECK(!vcs_address_check("https://user:secret@example.org/x", &kind, &err));
	CHECK(!strstr(err.message, "secret"));
}

static void reads_file_addresses(void)
{
	static const char *const rows[][2] = {
		{ "/srv/a%20b", "/srv/a%20b" },
		{ "file:///srv/a%20b%C3%B6", "/srv/a b\xc3\xb6" },
		{ "file://localhost/srv", "/srv" },
	};
	struct err err = ERR_INIT;
	scoped(str_release) struct str none = STR_INIT;

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(str_release) struct str path = STR_INIT;

		CHECK_DONE(vcs_address_path(rows[i][0], &path, &err), &err);
		CHECK_TEXT(path.at, rows[i][1]);
	}
	CHECK_FAILS(vcs_address_path("file://other/srv", &none, &err), &err, ERR_INPUT, "file:///");
	CHECK_FAILS(vcs_address_path("file:///a%0", &none, &err), &err, ERR_INPUT, "file:///");
	CHECK_FAILS(vcs_address_path("file:///a%00b", &none, &err), &err, ERR_INPUT, "file:///");
	CHECK_FAILS(vcs_address_path("git://h/x", &none, &err), &err, ERR_INPUT, "not on this");
}

static const struct t_case cases[] = {
	{ "names that people give to branches are taken", takes_what_people_use },
	{ "a name that git or a shell could misread is refused with a reason",
	  refuses_with_a_reason },
	{ "a name may have 250 bytes and not one more", counts_bytes },
	{ "no name is taken that git check-ref-format refuses", is_at_least_as_strict_as_git },
	{ "https, git, ssh and local paths are followed", follows_these },
	{ "no other address is followed, nor one that is an option", never_follows_these },
	{ "a password in an address does not get into the message", a_password_is_not_repeated },
	{ "a file:// address is a path with its escapes undone", reads_file_addresses },
};
T_MAIN(cases)
