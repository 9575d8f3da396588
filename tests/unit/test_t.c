/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The harness itself: a harness that cannot fail proves nothing. */
#include "tests/t.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"

static void holds(void)
{
	CHECK(true);
	CHECK_INT(1, 1);
	CHECK_TEXT("a", "a");
	CHECK_TEXT(NULL, NULL);
	CHECK_NEAR(1, 1.5, 0.5);
}

static void breaks(void)
{
	struct err err = ERR_INIT;

	err_set(&err, ERR_INPUT, "why");
	CHECK(false);
	CHECK_INT(1, 2);
	CHECK_TEXT("a\nb", NULL);
	CHECK_NEAR(0.0 / 0.0, 1, 9);
	CHECK_DONE(false, &err);
	CHECK_FAILS(true, &err, ERR_INPUT, "why");
	CHECK_FAILS(false, &err, ERR_INPUT, "how");
	CHECK_FAILS(false, &err, ERR_ABSENT, "why");
}

static void leaks(void)
{
	CHECK(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
}

static void crashes(void)
{
	CHECK(true);
	raise(SIGKILL);
}

static void leaves(void)
{
	CHECK(true);
	exit(0);
}

static void does_nothing(void)
{
}

static void skips(void)
{
	T_SKIP("no %s here", "machine");
}

/* What the harness prints about the cases, and its exit status. */
static char *run(const struct t_case *cases, size_t nr_cases, int argc, char **argv, int *ret_exit)
{
	struct str text = STR_INIT;
	char bytes[512];
	ssize_t got;
	int pipes[2];
	int status = 0;
	pid_t child;

	CHECK(pipe2(pipes, O_CLOEXEC) == 0);
	child = fork();
	if (child == 0) {
		dup2(pipes[1], STDOUT_FILENO);
		dup2(pipes[1], STDERR_FILENO);
		exit(t_main(cases, nr_cases, argc, argv));
	}
	close(pipes[1]);
	while ((got = read(pipes[0], bytes, sizeof(bytes))) > 0) {
		str_append_bytes(&text, bytes, (size_t)got);
	}
	close(pipes[0]);
	CHECK(waitpid(child, &status, 0) == child);
	*ret_exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return str_detach(&text);
}

static void passes_what_holds(void)
{
	static const struct t_case good[] = { { "it holds", holds }, { "it skips", skips } };
	int status;
	scoped(free) char *text = run(good, 2, 1, NULL, &status);

	CHECK_TEXT(text, "ok 1 - it holds\nok 2 - it skips # SKIP no machine here\n1..2\n");
	CHECK_INT(status, 0);
}

static void shows_each_failed_check(void)
{
	static const struct t_case bad[] = { { "it breaks", breaks } };
	static const char *const lines[] = {
		": does not hold: false\n",
		"is 1, expected 2\n",
		"is       \"a\n#\tb\"\n#\texpected NULL\n",
		"expected 1 within 9\n",
		"failed: why\n",
		"succeeded, expected 'why'\n",
		"failed with input: why\n#\texpected    input: ...how...\n",
		"failed with input: why\n#\texpected    absent: ...why...\n",
		"not ok 1 - it breaks\n1..1\n",
	};
	int status;
	scoped(free) char *text = run(bad, 1, 1, NULL, &status);
	const char *at = text;

	for (size_t i = 0; i < countof(lines) && at; i++) {
		at = strstr(at, lines[i]);
		if (!CHECK(at != NULL)) {
			CHECK_TEXT(text, lines[i]);
		}
	}
	CHECK_INT(status, 1);
}

static void fails_what_does_not_end_well(void)
{
	static const struct {
		struct t_case row;
		const char *why;
	} rows[] = {
		{ { "leaks", leaks }, "open: /dev/null" },
		{ { "crashes", crashes }, "killed by signal 9" },
		{ { "leaves", leaves }, "exited before its end" },
		{ { "does nothing", does_nothing }, "checked nothing" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		int status;
		scoped(free) char *text = run(&rows[i].row, 1, 1, NULL, &status);

		CHECK(strstr(text, rows[i].why) != NULL);
		CHECK(strstr(text, "not ok 1 - ") != NULL);
		CHECK_INT(status, 1);
	}
}

static void runs_what_is_asked_for(void)
{
	static const struct t_case both[] = { { "it breaks", breaks }, { "it holds", holds } };
	char program[] = "test";
	char part[] = "hold";
	char *argv[] = { program, part };
	int status;
	scoped(free) char *text = run(both, 2, 2, argv, &status);

	CHECK_TEXT(text, "ok 1 - it holds\n1..1\n");
	CHECK_INT(status, 0);
}

static void fill_folder(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *inner = mem_printf("%s/inner", folder);

	printf("# folder %s\n", folder);
	CHECK(mkdir(inner, 0700) == 0);
}

static void removes_folders(void)
{
	static const struct t_case one[] = { { "it fills a folder", fill_folder } };
	int status;
	scoped(free) char *text = run(one, 1, 1, NULL, &status);
	char *folder = strstr(text, "/");

	CHECK_INT(status, 0);
	if (CHECK(folder != NULL)) {
		folder[strcspn(folder, "\n")] = '\0';
		CHECK(access(folder, F_OK) != 0);
	}
}

static const struct t_case cases[] = {
	{ "what holds passes, what is skipped says why", passes_what_holds },
	{ "each failed check is shown with its values", shows_each_failed_check },
	{ "leaks, crashes, early exits and empty cases fail", fails_what_does_not_end_well },
	{ "an argument picks the promises that hold it", runs_what_is_asked_for },
	{ "a case's folder is removed with its content", removes_folders },
};

T_MAIN(cases)
