/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/vcs/remote.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/str.h"
#include "lib/proc/proc.h"
#include "lib/vcs/commit.h"
#include "lib/vcs/mirror.h"
#include "tests/repo.h"
#include "tests/t.h"

#define LIMIT (UINT64_C(100) << 20)

/* Read by LeakSanitizer: libgit2 1.5 leaks a match of PCRE2, which lib/vcs never calls itself, for
 * each remote that it makes. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2-8";
}

/* A repository behind a real git daemon on the loopback, and our mirror of it. */
struct fixture {
	char *folder;
	char *address;
	char *path;
	struct proc *daemon;
	struct vcs *mirror;
	struct arena *arena;
	int port;
};

/* A socket that listens on a port of the loopback that was free. */
static int listen_anywhere(int *ret_port)
{
	struct sockaddr_in where = { .sin_family = AF_INET,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(where);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(bind(fd, (struct sockaddr *)&where, length) == 0);
	CHECK(listen(fd, 16) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&where, &length) == 0);
	*ret_port = ntohs(where.sin_port);
	return fd;
}

static int connect_local(int port)
{
	struct sockaddr_in where = { .sin_family = AF_INET,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				     .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&where, sizeof(where)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool wait_for(int port)
{
	struct mono deadline = mono_after(mono_now(), SPAN_S(10));

	while (!mono_is_past(deadline)) {
		int fd = connect_local(port);

		if (fd >= 0) {
			close(fd);
			return true;
		}
		span_sleep(SPAN_MS(10));
	}
	return CHECK_TEXT("the git daemon does not answer", NULL);
}

static bool start_daemon(struct fixture *fixture)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin",
					   "HOME=/nonexistent",
					   "GIT_CONFIG_NOSYSTEM=1",
					   "GIT_CONFIG_COUNT=1",
					   "GIT_CONFIG_KEY_0=safe.directory",
					   "GIT_CONFIG_VALUE_0=*",
					   NULL };
	scoped(free) char *base = mem_printf("--base-path=%s", fixture->folder);
	scoped(free) char *port = mem_printf("--port=%d", fixture->port);
	const char *argv[] = {
		"git", "daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1", port,
		base,  NULL
	};
	struct proc_spec spec = { .argv = argv, .env = env, .deadline = SPAN_S(60) };
	struct err err = ERR_INIT;

	return CHECK_DONE(proc_start(&spec, &fixture->daemon, &err), &err) &&
	       wait_for(fixture->port);
}

static bool open_fixture(struct fixture *fixture)
{
	struct err err = ERR_INIT;

	close(listen_anywhere(&fixture->port));
	fixture->arena = arena_new();
	fixture->folder = t_folder();
	fixture->path = mem_printf("%s/mirror", fixture->folder);
	fixture->address = mem_printf("git://127.0.0.1:%d/source.git", fixture->port);
	free(t_git(fixture->folder,
		   "git init -q -b main work; cd work; c() { echo $1 >f; git add f;"
		   "git commit -qm $1; }; c 0; git tag -am x v1; git checkout -q -b topic;"
		   "c 1; c 2; git branch other; git clone -q --bare . ../source.git;"
		   "git -C ../source.git symbolic-ref HEAD refs/heads/main"));
	return CHECK_DONE(vcs_init(&err), &err) &&
	       CHECK_DONE(vcs_mirror_open(fixture->path, NULL, &fixture->mirror, &err), &err) &&
	       start_daemon(fixture);
}

static void fixture_release(struct fixture *fixture)
{
	vcs_close(fixture->mirror);
	arena_free(fixture->arena);
	proc_free(fixture->daemon);
	free(fixture->folder);
	free(fixture->path);
	free(fixture->address);
}
DEFINE_SCOPED_EMBEDDED(fixture_release, struct fixture)

static bool fetch_from(struct fixture *fixture, const char *address, uint64_t limit_bytes,
		       struct vcs_heads *heads, struct err *err)
{
	static const char *const globs[] = { "topic*", "main", "refs/tags/*" };
	struct vcs_remote remote = { address, globs, countof(globs), limit_bytes };

	return vcs_remote_fetch(fixture->mirror, &remote, fixture->arena, heads, err);
}

static bool fetch(struct fixture *fixture, struct vcs_heads *heads, struct err *err)
{
	return fetch_from(fixture, fixture->address, LIMIT, heads, err);
}

/* "name=subject", refused ones "name!" */
static char *describe(struct fixture *fixture, const struct vcs_heads *heads)
{
	struct str text = STR_INIT;

	for (size_t i = 0; i < heads->nr; i++) {
		struct vcs_commit commit = { .subject = "?" };

		if (!heads->at[i].refusal) {
			(void)!vcs_commit_read(fixture->mirror, &heads->at[i].id, fixture->arena,
					       &commit, NULL);
		}
		str_printf(&text, "%s%s%s%s", i > 0 ? " " : "", heads->at[i].name,
			   heads->at[i].refusal ? "!" : "=",
			   heads->at[i].refusal ? "" : commit.subject);
	}
	return str_detach(&text);
}

static void brings_what_it_lists(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_heads heads = { 0 };
	struct err err = ERR_INIT;
	scoped(free) char *first = NULL;
	scoped(free) char *second = NULL;
	scoped(free) char *before = NULL;
	scoped(free) char *after = NULL;
	scoped(free) char *whole = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	CHECK_DONE(fetch(&fixture, &heads, &err), &err);
	first = describe(&fixture, &heads);
	CHECK_TEXT(first, "main=0 refs/tags/v1=0 topic=2");
	before = t_git(fixture.path, "find . -type f | sort");
	CHECK_DONE(fetch(&fixture, &heads, &err), &err);
	after = t_git(fixture.path, "find . -type f | sort");
	CHECK_TEXT(after, before);
	/* rewritten, and the branch becomes a folder of branches */
	free(t_git(fixture.folder,
		   "cd work; git reset -q --hard main; echo 3 >f; git commit -qam 3;"
		   "git push -q ../source.git :topic; git push -q ../source.git HEAD:topic/v2"));
	CHECK_DONE(fetch(&fixture, &heads, &err), &err);
	second = describe(&fixture, &heads);
	CHECK_TEXT(second, "main=0 refs/tags/v1=0 topic/v2=3");
	whole = t_git(fixture.path, "git fsck --full --no-dangling 2>&1");
	CHECK_TEXT(whole, "notice: HEAD points to an unborn branch (none)");
}

static void keeps_bad_branches_apart(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_heads heads = { 0 };
	struct err err = ERR_INIT;
	scoped(free) char *found = NULL;

	if (!open_fixture(&fixture)) {
		return;
	}
	free(t_git(fixture.folder,
		   "cd source.git; git update-ref 'refs/heads/topic;-x' topic;"
		   "long=topic-/$(printf '%0120d/%0120d/%0120d' 1 2 3); git update-ref "
		   "refs/heads/$long topic; git rev-parse topic^{tree} >refs/heads/topic-tree;"
		   "git update-ref 'refs/heads/topic--upload-pack=x' topic"));
	CHECK_DONE(fetch(&fixture, &heads, &err), &err);
	for (size_t i = 0; i < heads.nr; i++) {
		if (heads.at[i].refusal && strlen(heads.at[i].name) > 100) {
			heads.at[i].name = "(long)";
		}
	}
	found = describe(&fixture, &heads);
	CHECK_TEXT(found, "main=0 refs/tags/v1=0 topic=2 topic--upload-pack=x=2 (long)! "
			  "topic-tree! topic;-x=2");
}

static void gives_up_above_the_limit(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	struct vcs_heads heads;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture)) {
		return;
	}
	free(t_git(fixture.folder, "cd work; head -c 3000000 /dev/urandom >f; git commit -qam big;"
				   "git push -q ../source.git HEAD:topic"));
	CHECK_FAILS(fetch_from(&fixture, fixture.address, 1000000, &heads, &err), &err, ERR_TOO_BIG,
		    "1000000");
	CHECK_DONE(fetch(&fixture, &heads, &err), &err);
}

static void says_why_not(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	scoped(free) char *absent = NULL;
	struct vcs_heads heads;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture)) {
		return;
	}
	absent = mem_printf("git://127.0.0.1:%d/absent.git", fixture.port);
	CHECK_FAILS(fetch_from(&fixture, absent, LIMIT, &heads, &err), &err, ERR_REMOTE,
		    "absent.git");
	CHECK_FAILS(fetch_from(&fixture, "ext::sh -c id", LIMIT, &heads, &err), &err, ERR_DENIED,
		    "ext::");
	CHECK_FAILS(fetch_from(&fixture, fixture.path, LIMIT, &heads, &err), &err, ERR_INPUT,
		    "local");
	fixture.daemon = proc_free(fixture.daemon);
	CHECK_FAILS(fetch(&fixture, &heads, &err), &err, ERR_REMOTE, fixture.address);
}

/* Hands on what the daemon says, but not more than `limit` bytes. */
static void relay(int listener, int port, size_t limit)
{
	int client = accept(listener, NULL, NULL);
	int server = connect_local(port);
	char buffer[4096];
	pid_t upward = fork();
	ssize_t got;

	if (upward == 0) {
		while ((got = read(client, buffer, sizeof(buffer))) > 0 &&
		       write(server, buffer, (size_t)got) == got) {
		}
		_exit(0);
	}
	while (limit > 0 && (got = read(server, buffer, limit < 4096 ? limit : 4096)) > 0 &&
	       write(client, buffer, (size_t)got) == got) {
		limit -= (size_t)got;
	}
	kill(upward, SIGKILL);
	_exit(0);
}

static void a_connection_that_breaks_changes_nothing(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	scoped(free) char *left = NULL;
	struct vcs_heads heads;
	struct err err = ERR_INIT;

	if (!open_fixture(&fixture)) {
		return;
	}
	for (size_t limit = 0; limit < 1600; limit += 400) {
		scoped(free) char *address = NULL;
		int port;
		int listener = listen_anywhere(&port);
		pid_t child = fork();

		if (child == 0) {
			relay(listener, fixture.port, limit);
		}
		close(listener);
		address = mem_printf("git://127.0.0.1:%d/source.git", port);
		CHECK(!fetch_from(&fixture, address, LIMIT, &heads, &err));
		CHECK_INT(err.kind, ERR_REMOTE);
		waitpid(child, NULL, 0);
	}
	left = t_git(fixture.path, "find objects/pack refs/patchmeter -type f 2>/dev/null || true");
	CHECK_TEXT(left, "");
	CHECK_DONE(fetch(&fixture, &heads, &err), &err);
}

static void a_silent_host_ends_with_its_child(void)
{
	scoped(fixture_release) struct fixture fixture = { 0 };
	scoped(free) char *address = NULL;
	struct vcs_heads heads;
	struct err err = ERR_INIT;
	int port;
	int listener;
	pid_t child;

	if (!open_fixture(&fixture)) {
		return;
	}
	listener = listen_anywhere(&port);
	address = mem_printf("git://127.0.0.1:%d/source.git", port);
	child = fork();
	if (child == 0) {
		(void)!fetch_from(&fixture, address, LIMIT, &heads, &err);
		_exit(0);
	}
	span_sleep(SPAN_MS(300));
	CHECK_INT(waitpid(child, NULL, WNOHANG), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(listener);
	CHECK_DONE(fetch(&fixture, &heads, &err), &err);
}

static const struct t_case cases[] = {
	{ "a fetch brings the heads, once, and follows a rewrite", brings_what_it_lists },
	{ "a bad branch is refused and keeps no other out", keeps_bad_branches_apart },
	{ "a fetch above its limit is given up and can be repeated", gives_up_above_the_limit },
	{ "what cannot be fetched is told with its address", says_why_not },
	{ "a connection that breaks leaves the mirror as it was",
	  a_connection_that_breaks_changes_nothing },
	{ "a silent host holds the child only, which can be killed",
	  a_silent_host_ends_with_its_child },
};
T_MAIN(cases)
