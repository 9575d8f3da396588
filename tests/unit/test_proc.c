/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc_shell.h"

static void separates_streams(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result =
		run_in(folder, "echo to out; echo to err >&2; exit 3", SPAN_S(10));
	scoped(free) char *out = text_of(folder, "out");
	scoped(free) char *errors = text_of(folder, "err");

	CHECK_INT(result.end, PROC_EXITED);
	CHECK_INT(result.exit_code, 3);
	CHECK_INT(result.signal, 0);
	CHECK_TEXT(out, "to out\n");
	CHECK_TEXT(errors, "to err\n");
}

static void reports_signals(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result = run_in(folder, "echo before; kill -SEGV $$", SPAN_S(10));
	scoped(free) char *out = text_of(folder, "out");

	CHECK_INT(result.end, PROC_SIGNALLED);
	CHECK_INT(result.signal, SIGSEGV);
	CHECK_INT(result.exit_code, -1);
	CHECK_TEXT(out, "before\n");
}

static void accepts_silence(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result = run_in(folder, "exit 0", SPAN_S(10));

	CHECK_INT(result.end, PROC_EXITED);
	CHECK_INT(size_of(folder, "out"), 0);
	CHECK_INT(size_of(folder, "err"), 0);
}

static void ends_hang(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result = run_in(folder, "echo here; sleep 60", SPAN_MS(300));
	scoped(free) char *out = text_of(folder, "out");

	CHECK_INT(result.end, PROC_TIMED_OUT);
	CHECK_INT(result.signal, SIGTERM);
	CHECK(span_seconds(result.elapsed) > 0.29 && span_seconds(result.elapsed) < 10);
	CHECK_TEXT(out, "here\n");
}

static void ends_who_ignores_sigterm(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result =
		run_in(folder, "trap '' TERM; while :; do sleep 1; done", SPAN_MS(200));

	CHECK_INT(result.end, PROC_TIMED_OUT);
	CHECK_INT(result.signal, SIGKILL);
	CHECK(span_seconds(result.elapsed) > 0.39 && span_seconds(result.elapsed) < 10);
}

static void ends_who_is_stopped(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result = run_in(folder, "kill -STOP $$", SPAN_MS(200));

	CHECK_INT(result.end, PROC_TIMED_OUT);
}

static void grants_grace(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result =
		run_in(folder, "trap 'echo tidy; exit 5' TERM; while :; do sleep 0.05; done",
		       SPAN_MS(200));
	scoped(free) char *out = text_of(folder, "out");

	CHECK_INT(result.end, PROC_TIMED_OUT);
	CHECK_INT(result.exit_code, 5);
	CHECK_TEXT(out, "tidy\n");
}

static void kills_daemon(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result = run_in(
		folder,
		"setsid sh -c 'trap \"\" TERM HUP; (sleep 600 & echo $! >inner; wait) & wait' &\n"
		"while ! [ -s inner ]; do sleep 0.01; done; echo $! >outer; exit 0",
		SPAN_S(20));

	CHECK_INT(result.end, PROC_EXITED);
	CHECK_INT(result.exit_code, 0);
	CHECK(result.nr_leftovers >= 2);
	CHECK_INT(result.nr_survivors, 0);
	CHECK(is_gone(folder, "inner"));
	CHECK(is_gone(folder, "outer"));
}

static void kills_daemon_after_timeout(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result =
		run_in(folder, "setsid sleep 600 & echo $! >daemon; sleep 600", SPAN_MS(300));

	CHECK_INT(result.end, PROC_TIMED_OUT);
	CHECK_INT(result.nr_leftovers, 1);
	CHECK(is_gone(folder, "daemon"));
}

/* Each generation has a new session and a new number: only catching one ends it. */
static void kills_who_forks_away(void)
{
	const char *python[] = { "/usr/bin/python3", "-c",
				 "import os\n"
				 "for generation in range(100000):\n"
				 "    if os.fork():\n"
				 "        os._exit(0)\n"
				 "    os.setsid()\n",
				 NULL };
	struct proc_spec spec = { .argv = python, .env = plain_env, .deadline = SPAN_S(20) };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	if (access(python[0], X_OK) != 0) {
		T_SKIP("no python3");
	}
	CHECK_DONE(proc_run(&spec, &result, &err), &err);
	CHECK_INT(result.end, PROC_EXITED);
	CHECK_INT(result.nr_survivors, 0);
}

/* Orphans that end by themselves are no leftovers; a zombie of them would be a leak of numbers. */
static void reaps_orphans(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result =
		run_in(folder, "(true & echo $! >orphan); sleep 0.3", SPAN_S(20));

	CHECK_INT(result.end, PROC_EXITED);
	CHECK_INT(result.nr_leftovers, 0);
	CHECK(is_gone(folder, "orphan"));
}

static void cuts_flood(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result =
		run_in(folder, "head -c 104857600 /dev/zero; echo $? >status", SPAN_S(60));

	CHECK_INT(result.end, PROC_FLOODED);
	CHECK(result.is_stdout_cut);
	CHECK(!result.is_stderr_cut);
	CHECK_INT(size_of(folder, "out"), (int64_t)PROC_OUTPUT_LIMIT_BYTES);
}

static void takes_exactly_the_limit(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *out = mem_printf("%s/out", folder);
	struct proc_spec spec = { .argv = SHELL("head -c 100000 /dev/zero"),
				  .env = plain_env,
				  .stdout_path = out,
				  .output_limit_bytes = 100000 };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(proc_run(&spec, &result, &err), &err);
	CHECK_INT(result.end, PROC_EXITED);
	CHECK(!result.is_stdout_cut);
	spec.output_limit_bytes = 99999;
	CHECK_DONE(proc_run(&spec, &result, &err), &err);
	CHECK_INT(result.end, PROC_FLOODED);
	CHECK_INT(size_of(folder, "out"), 99999);
}

static void does_not_wait_on_a_full_stderr(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result =
		run_in(folder, "head -c 20000000 /dev/zero >&2; echo done", SPAN_S(30));
	scoped(free) char *out = text_of(folder, "out");

	CHECK_INT(result.end, PROC_EXITED);
	CHECK_TEXT(out, "done\n");
	CHECK_INT(size_of(folder, "err"), 20000000);
}

static void bears_closed_stdout(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result =
		run_in(folder, "exec >&- ; sleep 0.2; echo still here >&2", SPAN_S(10));
	scoped(free) char *errors = text_of(folder, "err");

	CHECK_INT(result.end, PROC_EXITED);
	CHECK_INT(result.exit_code, 0);
	CHECK_TEXT(errors, "still here\n");
	/* A closed pipe is always readable: who polls it on spins. */
	CHECK(result.usage.user_s < 0.2);
}

static void keeps_output_across_reopening(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result =
		run_in(folder, "echo one >/dev/stdout; echo two >/dev/stdout", SPAN_S(10));
	scoped(free) char *out = text_of(folder, "out");

	CHECK_INT(result.exit_code, 0);
	CHECK_TEXT(out, "one\ntwo\n");
}

static void merges_streams(void)
{
	scoped(str_release) struct str text = STR_INIT;
	struct proc_spec spec = { .argv = SHELL("echo a; echo b >&2; echo c"),
				  .env = plain_env,
				  .is_merged = true };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(proc_capture(&spec, &text, &result, &err), &err);
	CHECK_TEXT(text.at, "a\nb\nc\n");
}

static void stops_on_a_descriptor(void)
{
	struct proc_spec spec = { .argv = SHELL("sleep 60"), .env = plain_env };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;
	int ends[2];

	CHECK(pipe(ends) == 0);
	close(ends[1]); /* readable: at its end */
	spec.stop_fd = ends[0];
	CHECK_DONE(proc_run(&spec, &result, &err), &err);
	close(ends[0]);
	CHECK_INT(result.end, PROC_STOPPED);
	CHECK(span_seconds(result.elapsed) < 10);
}

static void keeps_long_lived_child(void)
{
	scoped(proc_free) struct proc *proc = NULL;
	struct proc_spec spec = { .argv = SHELL("trap 'exit 9' INT; while :; do sleep 0.02; done"),
				  .env = plain_env,
				  .stop_signal = SIGINT };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;
	struct pollfd fd;

	CHECK_DONE(proc_start(&spec, &proc, &err), &err);
	span_sleep(SPAN_MS(200));
	CHECK(!is_proc_over(proc));
	CHECK(proc_pid(proc) > 1 && kill(proc_pid(proc), 0) == 0);
	proc_stop(proc);
	fd = (struct pollfd){ .fd = proc_fd(proc), .events = POLLIN };
	CHECK_INT(poll(&fd, 1, 10000), 1);
	CHECK(is_proc_over(proc));
	CHECK_DONE(proc_wait(proc, &result, &err), &err);
	CHECK_INT(result.end, PROC_STOPPED);
	CHECK_INT(result.exit_code, 9);
}

static void frees_what_runs(void)
{
	struct proc_spec spec = { .argv = SHELL("exec sleep 600"), .env = plain_env };
	struct proc *proc = NULL;
	struct err err = ERR_INIT;
	pid_t pid;

	CHECK_DONE(proc_start(&spec, &proc, &err), &err);
	while ((pid = proc_pid(proc)) == 0) {
		span_sleep(SPAN_MS(1));
	}
	proc_free(proc);
	CHECK(kill(pid, 0) != 0 && errno == ESRCH);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static void child_dies_with_caller(void)
{
	struct proc_spec spec = { .argv = SHELL("trap '' TERM; setsid sleep 600"),
				  .env = plain_env,
				  .grace = SPAN_MS(100) };
	struct proc *proc = NULL;
	struct err err = ERR_INIT;
	int numbers[2];
	pid_t pid = 0;
	pid_t caller;

	CHECK(pipe(numbers) == 0);
	caller = fork();
	if (caller == 0) {
		if (!proc_start(&spec, &proc, &err)) {
			_exit(1);
		}
		while ((pid = proc_pid(proc)) == 0) {
			span_sleep(SPAN_MS(1));
		}
		if (write(numbers[1], &pid, sizeof(pid)) != sizeof(pid)) {
			_exit(1);
		}
		raise(SIGKILL);
	}
	waitpid(caller, NULL, 0);
	close(numbers[1]);
	CHECK(read(numbers[0], &pid, sizeof(pid)) == sizeof(pid));
	close(numbers[0]);
	for (int i = 0; i < 500 && kill(pid, 0) == 0; i++) {
		span_sleep(SPAN_MS(10));
	}
	CHECK(kill(pid, 0) != 0 && errno == ESRCH);
}

static void says_when_its_keeper_dies(void)
{
	struct proc_spec spec = { .argv = SHELL("exec sleep 600"), .env = plain_env };
	scoped(proc_free) struct proc *proc = NULL;
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;
	char path[64];
	char stat[256] = "";
	FILE *file;
	pid_t pid;
	pid_t keeper = 0;

	CHECK_DONE(proc_start(&spec, &proc, &err), &err);
	while ((pid = proc_pid(proc)) == 0) {
		span_sleep(SPAN_MS(1));
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	CHECK(file && fgets(stat, sizeof(stat), file) && strchr(stat, ')'));
	fclose(file);
	keeper = (pid_t)strtol(strchr(stat, ')') + 4, NULL, 10);
	CHECK(keeper > 1 && keeper != getpid());
	span_sleep(SPAN_MS(100));
	kill(keeper, SIGKILL);
	CHECK_FAILS(proc_wait(proc, &result, &err), &err, ERR_BROKEN, "its keeper was killed");
	for (int i = 0; i < 500 && kill(pid, 0) == 0; i++) {
		span_sleep(SPAN_MS(10));
	}
	CHECK(kill(pid, 0) != 0);
}

static void *run_many(void *nr_wrong)
{
	for (int i = 0; i < 20; i++) {
		char text[64];
		const char *const argv[] = { "/bin/sh", "-c", text, NULL };
		struct proc_spec spec = { .argv = argv, .env = plain_env };
		struct proc_result result = { 0 };
		scoped(str_release) struct str printed = STR_INIT;
		char expected[32];

		snprintf(text, sizeof(text), "(sleep 0.01 &) ; echo %d; exit %d", i, i);
		snprintf(expected, sizeof(expected), "%d\n", i);
		if (!proc_capture(&spec, &printed, &result, NULL) || result.exit_code != i ||
		    strcmp(printed.at, expected) != 0) {
			__atomic_fetch_add((int *)nr_wrong, 1, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

static void may_be_called_from_any_thread(void)
{
	pthread_t threads[4];
	int nr_wrong = 0;

	signal(SIGCHLD, SIG_IGN); /* even then */
	for (size_t i = 0; i < countof(threads); i++) {
		CHECK(pthread_create(&threads[i], NULL, run_many, &nr_wrong) == 0);
	}
	for (size_t i = 0; i < countof(threads); i++) {
		pthread_join(threads[i], NULL);
	}
	CHECK_INT(nr_wrong, 0);
}

static const struct t_case cases[] = {
	{ "the two streams are kept apart, with the exit code", separates_streams },
	{ "a signal is told from an exit code, and what was printed is kept", reports_signals },
	{ "a child may print nothing", accepts_silence },
	{ "a child that hangs ends at its deadline", ends_hang },
	{ "a child that ignores SIGTERM ends after the grace", ends_who_ignores_sigterm },
	{ "a child that stopped itself ends at its deadline", ends_who_is_stopped },
	{ "a child may tidy up within the grace", grants_grace },
	{ "a daemon in a session of its own is found, killed and counted", kills_daemon },
	{ "a daemon is killed after a timeout too", kills_daemon_after_timeout },
	{ "a process that forks away for ever is caught", kills_who_forks_away },
	{ "orphans that end by themselves are reaped and not counted", reaps_orphans },
	{ "100 MB of output are cut at the limit and end the child", cuts_flood },
	{ "exactly the limit is no flood, one byte more is", takes_exactly_the_limit },
	{ "a full stderr does not block the child", does_not_wait_on_a_full_stderr },
	{ "a child may close stdout and go on", bears_closed_stdout },
	{ "output survives a script that opens /dev/stdout again", keeps_output_across_reopening },
	{ "merged streams keep their order", merges_streams },
	{ "a readable descriptor ends a blocking run", stops_on_a_descriptor },
	{ "a long-lived child is polled, stopped by its own signal, and waited for",
	  keeps_long_lived_child },
	{ "freeing a running child ends it and leaves no zombie", frees_what_runs },
	{ "a child dies with a caller killed by SIGKILL", child_dies_with_caller },
	{ "a killed keeper is an error, and the child dies", says_when_its_keeper_dies },
	{ "threads run children at once, also where SIGCHLD is ignored",
	  may_be_called_from_any_thread },
};
T_MAIN(cases)
