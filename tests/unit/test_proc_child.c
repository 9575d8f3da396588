/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a child is given, and what it may take. */
#include "proc_shell.h"

static void gives_exactly_its_environment(void)
{
	static const char *const env[] = { "ONE=1", "TWO=a b", NULL };
	static const char *const argv[] = { "/usr/bin/env", NULL };
	scoped(str_release) struct str text = STR_INIT;
	struct proc_spec spec = { .argv = argv, .env = env };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(proc_capture(&spec, &text, &result, &err), &err);
	CHECK_TEXT(text.at, "ONE=1\nTWO=a b\n");
	str_truncate(&text, 0);
	spec.env = NULL;
	CHECK_DONE(proc_capture(&spec, &text, &result, &err), &err);
	CHECK_TEXT(text.at, "");
}

static void gives_no_descriptors(void)
{
	static const char *const argv[] = { "/bin/ls", "/proc/self/fd", NULL };
	scoped(str_release) struct str text = STR_INIT;
	struct proc_spec spec = { .argv = argv };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;
	int leak = dup(1); /* without O_CLOEXEC */

	CHECK_DONE(proc_capture(&spec, &text, &result, &err), &err);
	close(leak);
	/* 3 is the folder that ls reads. */
	CHECK_TEXT(text.at, "0\n1\n2\n3\n");
}

static void gives_empty_stdin(void)
{
	static const char *const argv[] = { "/bin/cat", NULL };
	scoped(free) char *folder = t_folder();
	scoped(free) char *input = mem_printf("%s/in", folder);
	scoped(str_release) struct str text = STR_INIT;
	struct proc_spec spec = { .argv = argv, .deadline = SPAN_S(10) };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(proc_capture(&spec, &text, &result, &err), &err);
	CHECK_INT(result.end, PROC_EXITED);
	CHECK_TEXT(text.at, "");
	CHECK_DONE(str_write_file(input, "hello", 5, 0644, &err), &err);
	spec.stdin_path = input;
	CHECK_DONE(proc_capture(&spec, &text, &result, &err), &err);
	CHECK_TEXT(text.at, "hello");
}

static void works_without_standard_descriptors(void)
{
	scoped(str_release) struct str text = STR_INIT;
	struct proc_spec spec = { .argv = SHELL("echo out; echo err >&2"), .env = plain_env };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;
	int saved[3];

	for (int fd = 0; fd < 3; fd++) {
		saved[fd] = dup(fd);
	}
	for (int fd = 0; fd < 3; fd++) {
		close(fd);
	}
	bool done = proc_capture(&spec, &text, &result, &err);

	for (int fd = 0; fd < 3; fd++) {
		dup2(saved[fd], fd);
		close(saved[fd]);
	}
	CHECK_DONE(done, &err);
	CHECK_TEXT(text.at, "out\n");
}

static void finds_programs_in_path(void)
{
	static const char *const argv[] = { "true", NULL };
	static const char *const elsewhere[] = { "PATH=/nowhere", NULL };
	struct proc_spec spec = { .argv = argv, .env = plain_env };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(proc_run(&spec, &result, &err), &err);
	CHECK_INT(result.exit_code, 0);
	spec.env = elsewhere;
	CHECK_FAILS(proc_run(&spec, &result, &err), &err, ERR_ABSENT,
		    "start 'true': not found in '/nowhere'");
}

static void explains_why_it_did_not_start(void)
{
	static const char *const absent[] = { "/no/such/program", NULL };
	static const char *const forbidden[] = { "/etc/passwd", NULL };
	static const char *const empty[] = { NULL };
	struct proc_spec spec = { .argv = absent };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	CHECK_FAILS(proc_run(&spec, &result, &err), &err, ERR_ABSENT,
		    "start '/no/such/program': No such file or directory");
	spec.argv = forbidden;
	CHECK_FAILS(proc_run(&spec, &result, &err), &err, ERR_DENIED,
		    "start '/etc/passwd': Permission denied");
	spec.argv = empty;
	CHECK_FAILS(proc_run(&spec, &result, &err), &err, ERR_INPUT, "no name given");
	spec.argv = SHELL("true");
	spec.cwd = "/no/such/folder";
	CHECK_FAILS(proc_run(&spec, &result, &err), &err, ERR_ABSENT,
		    "enter the folder for '/bin/sh'");
	spec.cwd = NULL;
	spec.stdout_path = "/no/such/folder/out";
	CHECK_FAILS(proc_run(&spec, &result, &err), &err, ERR_ABSENT, "open '/no/such/folder/out'");
}

static void says_when_the_disk_is_full(void)
{
	struct proc_spec spec = { .argv = SHELL("echo text; sleep 60"),
				  .env = plain_env,
				  .stdout_path = "/dev/full" };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	CHECK_FAILS(proc_run(&spec, &result, &err), &err, ERR_BROKEN,
		    "store the output of '/bin/sh': No space left on device");
}

static void drops_user(void)
{
	static const char *const argv[] = { "/bin/cat", "/proc/self/status", NULL };
	scoped(str_release) struct str text = STR_INIT;
	struct proc_spec spec = { .argv = argv, .is_user_set = true, .uid = 65534, .gid = 65533 };
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	if (geteuid() != 0) {
		T_SKIP("only root can change the user");
	}
	CHECK_DONE(proc_capture(&spec, &text, &result, &err), &err);
	CHECK(strstr(text.at, "\nUid:\t65534\t65534\t65534\t65534\n"));
	CHECK(strstr(text.at, "\nGid:\t65533\t65533\t65533\t65533\n"));
	CHECK(strstr(text.at, "\nGroups:\t \n"));
	CHECK(strstr(text.at, "\nCapEff:\t0000000000000000\n"));
	CHECK(strstr(text.at, "\nNoNewPrivs:\t1\n"));
	CHECK(strstr(text.at, "\nSigBlk:\t0000000000000000\n"));
	CHECK(strstr(text.at, "\nSigIgn:\t0000000000000000\n"));
}

static void lowers_limits(void)
{
	static const struct proc_limit limits[] = { { RLIMIT_FSIZE, 4096 },
						    { RLIMIT_NOFILE, UINT64_MAX } };
	scoped(free) char *folder = t_folder();
	struct proc_spec spec = { .argv = SHELL("nice; exec head -c 5000 /dev/zero >big"),
				  .env = plain_env,
				  .cwd = folder,
				  .nice = 19,
				  .limits = limits,
				  .nr_limits = countof(limits) };
	scoped(str_release) struct str text = STR_INIT;
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(proc_capture(&spec, &text, &result, &err), &err);
	CHECK_TEXT(text.at, "19\n");
	CHECK_INT(result.signal, SIGXFSZ);
	CHECK_INT(size_of(folder, "big"), 4096);
}

static void measures_usage(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result result = run_in(
		folder, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sleep 0.2", SPAN_S(60));
	double cpu_s = result.usage.user_s + result.usage.system_s;

	CHECK(cpu_s > 0.001);
	CHECK(span_seconds(result.elapsed) >= 0.2);
	CHECK(cpu_s < span_seconds(result.elapsed));
	CHECK(result.usage.minor_faults > 10);
	CHECK(result.usage.voluntary_switches >= 1);
}

/* A child that is smaller than we are would be said to be as large as we. */
static void tells_memory_of_the_child_alone(void)
{
	scoped(free) char *folder = t_folder();
	struct proc_result small;
	struct proc_result large = run_in(
		folder, "dd if=/dev/zero of=/dev/null bs=300M count=1 2>/dev/null", SPAN_S(60));
	size_t ours_bytes = (size_t)1 << 24;
	scoped(free) char *ours = malloc(ours_bytes);

	CHECK(large.usage.maxrss_kib > 290000);
	CHECK(large.usage.maxrss_kib < 400000);
	memset(ours, 1, ours_bytes);
	small = run_in(folder, "exit 0", SPAN_S(60));
	CHECK_INT(ours[ours_bytes / 2], 1);
	CHECK_INT(small.usage.maxrss_kib, 0);
}

static const struct t_case cases[] = {
	{ "a child gets exactly the environment given", gives_exactly_its_environment },
	{ "a child gets no descriptors of the caller", gives_no_descriptors },
	{ "stdin is empty or the file given", gives_empty_stdin },
	{ "a caller without standard descriptors can run children",
	  works_without_standard_descriptors },
	{ "a bare name is searched in the PATH of the environment given", finds_programs_in_path },
	{ "a failed start says what was wrong", explains_why_it_did_not_start },
	{ "a full disk under the output is a failure, not a short file",
	  says_when_the_disk_is_full },
	{ "a dropped user has no groups, no capabilities, no way back", drops_user },
	{ "the memory of a child is its own, or not known", tells_memory_of_the_child_alone },
	{ "limits and niceness hold for the child", lowers_limits },
	{ "usage is that of the child", measures_usage },
};

T_MAIN(cases)
