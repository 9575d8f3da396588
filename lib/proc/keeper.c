/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keeper.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAMS = 2 };

struct stream {
	int pipe_fd; /* -1: at its end, or not captured */
	int file_fd;
	uint64_t room_bytes;
	bool is_cut;
};

enum phase { RUNNING, STOPPING, KILLING };

struct keeper {
	const struct proc_spec *spec;
	struct keeper_report *report;
	struct stream streams[STREAMS];
	int control_fd; /* -1: it has spoken */
	int signal_fd;
	pid_t child;
	bool is_ended; /* the child has been reaped */
	enum phase phase;
	bool has_until;
	struct mono until; /* the end of the phase */
	struct mono started;
};

static void note_failure(struct keeper_report *report, enum keeper_step step)
{
	report->failed_step = step;
	report->error_number = errno;
}

/* --- in the child --- */

static _Noreturn void fail(const struct keeper_plan *plan, enum keeper_step step)
{
	note_failure(plan->report, step);
	_exit(127);
}

static void default_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++) {
		signal(number, SIG_DFL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void lower_limits(const struct keeper_plan *plan)
{
	const struct proc_spec *spec = plan->spec;

	for (size_t i = 0; i < spec->nr_limits; i++) {
		__rlimit_resource_t resource = (__rlimit_resource_t)spec->limits[i].resource;
		struct rlimit limit;

		if (getrlimit(resource, &limit) != 0) {
			fail(plan, STEP_LIMIT);
		}
		if (spec->limits[i].value < limit.rlim_max) {
			limit.rlim_max = spec->limits[i].value;
		}
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(resource, &limit) != 0) {
			fail(plan, STEP_LIMIT);
		}
	}
}

/* The kernel's own calls: libc's would have every thread of the process follow, by a list that may
 * be in any state in the fork of a program with threads. */
#ifdef SYS_setresuid32
#define SYS_ID(name) SYS_##name##32
#else
#define SYS_ID(name) SYS_##name
#endif

static void drop_user(const struct keeper_plan *plan)
{
	const struct proc_spec *spec = plan->spec;

	if (!spec->is_user_set) {
		return;
	}
	if ((geteuid() == 0 && syscall(SYS_ID(setgroups), 0, NULL) != 0) ||
	    syscall(SYS_ID(setresgid), spec->gid, spec->gid, spec->gid) != 0 ||
	    syscall(SYS_ID(setresuid), spec->uid, spec->uid, spec->uid) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
		fail(plan, STEP_USER);
	}
}

static int output_of(const struct keeper_plan *plan, int stream)
{
	int fd = plan->pipe_write_fds[stream];

	return fd >= 0 ? fd : plan->file_fds[stream];
}

static _Noreturn void become_child(const struct keeper_plan *plan, pid_t keeper)
{
	static const char *const no_env[] = { NULL };
	const struct proc_spec *spec = plan->spec;
	const char *const *env = spec->env ? spec->env : no_env;

	setsid();
	umask(022);
	if (dup2(plan->stdin_fd, 0) < 0 || dup2(output_of(plan, 0), 1) < 0 ||
	    dup2(spec->is_merged ? 1 : output_of(plan, 1), 2) < 0) {
		fail(plan, STEP_EXEC);
	}
	close_range(3, ~0U, 0);
	if (spec->nice != 0 && setpriority(PRIO_PROCESS, 0, spec->nice) != 0) {
		fail(plan, STEP_LIMIT);
	}
	lower_limits(plan);
	drop_user(plan);
	if (spec->cwd && chdir(spec->cwd) != 0) {
		fail(plan, STEP_CHDIR);
	}
	/* After the change of user, which clears it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != keeper) {
		_exit(127);
	}
	default_signals();
	execve(plan->program, (char *const *)(uintptr_t)spec->argv, (char *const *)(uintptr_t)env);
	fail(plan, STEP_EXEC);
}

/* --- in the keeper --- */

static void signal_group(const struct keeper *keeper, int number)
{
	if (keeper->is_ended) {
		return; /* its number may be somebody else's by now */
	}
	/* The child may have left its group, or not made it yet: so both. */
	kill(keeper->child, number);
	kill(-keeper->child, number);
}

static void enter(struct keeper *keeper, enum phase phase, struct span length)
{
	keeper->phase = phase;
	keeper->has_until = true;
	keeper->until = mono_after(mono_now(), length);
}

static void stop(struct keeper *keeper, enum proc_end why)
{
	const struct proc_spec *spec = keeper->spec;

	if (keeper->phase != RUNNING) {
		return;
	}
	keeper->report->result.end = why;
	enter(keeper, STOPPING, spec->grace.ns > 0 ? spec->grace : SPAN_S(PROC_GRACE_S));
	signal_group(keeper, spec->stop_signal ? spec->stop_signal : SIGTERM);
	signal_group(keeper, SIGCONT);
}

static void write_all(struct keeper *keeper, int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t put = write(fd, bytes, length);

		if (put < 0) {
			note_failure(keeper->report, STEP_OUTPUT);
			stop(keeper, PROC_STOPPED);
			return;
		}
		bytes += put;
		length -= (size_t)put;
	}
}

/* Moves a piece to the file; what is above the limit is thrown away.  False: nothing there. */
static bool pump(struct keeper *keeper, struct stream *stream)
{
	static char bytes[65536];
	ssize_t got = stream->pipe_fd < 0 ? -1 : read(stream->pipe_fd, bytes, sizeof(bytes));
	size_t keep;

	if (got == 0) {
		close(stream->pipe_fd);
		stream->pipe_fd = -1;
	}
	if (got <= 0) {
		return false;
	}
	keep = (uint64_t)got < stream->room_bytes ? (size_t)got : (size_t)stream->room_bytes;
	write_all(keeper, stream->file_fd, bytes, keep);
	stream->room_bytes -= keep;
	if (keep < (size_t)got) {
		stream->is_cut = true;
		stop(keeper, PROC_FLOODED);
	}
	return true;
}

/* Linux counts the pages of a process in batches a processor. */
#define MAXRSS_SLACK_KIB 1024

/* A child begins as our image, and Linux counts that as its own largest one: what is no larger says
 * how large we are. */
static int64_t maxrss_of(const struct rusage *usage)
{
	struct rusage ours;

	getrusage(RUSAGE_SELF, &ours);
	return usage->ru_maxrss > ours.ru_maxrss + MAXRSS_SLACK_KIB ? usage->ru_maxrss : 0;
}

static struct proc_usage usage_of(const struct rusage *usage)
{
	return (struct proc_usage){
		.user_s = (double)usage->ru_utime.tv_sec + (double)usage->ru_utime.tv_usec / 1e6,
		.system_s = (double)usage->ru_stime.tv_sec + (double)usage->ru_stime.tv_usec / 1e6,
		.minor_faults = usage->ru_minflt,
		.major_faults = usage->ru_majflt,
		.voluntary_switches = usage->ru_nvcsw,
		.involuntary_switches = usage->ru_nivcsw,
		.maxrss_kib = maxrss_of(usage),
	};
}

static void reap_child(struct keeper *keeper)
{
	struct proc_result *result = &keeper->report->result;
	struct rusage usage;
	int status;

	result->elapsed = mono_between(keeper->started, mono_now());
	/* While the dead child still holds its number, the group is surely ours. */
	kill(-keeper->child, SIGKILL);
	wait4(keeper->child, &status, 0, &usage);
	keeper->is_ended = true;
	result->usage = usage_of(&usage);
	result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (keeper->phase == RUNNING) {
		result->end = WIFEXITED(status) ? PROC_EXITED : PROC_SIGNALLED;
	}
}

/* Reaps all that have died, orphans too; false: there are no children any more. */
static bool reap(struct keeper *keeper)
{
	for (;;) {
		siginfo_t info = { 0 };
		int status;

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
			return false;
		}
		if (info.si_pid == 0) {
			return true;
		}
		if (info.si_pid == keeper->child) {
			reap_child(keeper);
			continue;
		}
		waitpid(info.si_pid, &status, 0);
		if (keeper->is_ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
			keeper->report->result.nr_leftovers++;
		}
	}
}

static void look(struct keeper *keeper, int limit_ms)
{
	enum { SIGNALLED = STREAMS, CONTROL, WATCHED };
	struct signalfd_siginfo info;
	struct pollfd fds[WATCHED] = {
		[SIGNALLED] = { .fd = keeper->signal_fd, .events = POLLIN },
		[CONTROL] = { .fd = keeper->control_fd, .events = POLLIN },
	};

	for (int i = 0; i < STREAMS; i++) {
		fds[i] = (struct pollfd){ .fd = keeper->streams[i].pipe_fd, .events = POLLIN };
	}
	poll(fds, WATCHED, limit_ms);
	for (int i = 0; i < STREAMS; i++) {
		if (fds[i].revents) {
			pump(keeper, &keeper->streams[i]);
		}
	}
	if (fds[CONTROL].revents) {
		keeper->control_fd = -1; /* stays open: its close tells the caller of our end */
		if (!keeper->is_ended) {
			stop(keeper, PROC_STOPPED);
		}
	}
	if (fds[SIGNALLED].revents) {
		while (read(keeper->signal_fd, &info, sizeof(info)) > 0) {
		}
	}
}

static void watch(struct keeper *keeper)
{
	while (!keeper->is_ended) {
		look(keeper, keeper->has_until ? mono_left_ms(keeper->until) : -1);
		reap(keeper);
		if (keeper->is_ended || !keeper->has_until || !mono_is_past(keeper->until)) {
			continue;
		}
		if (keeper->phase == RUNNING) {
			stop(keeper, PROC_TIMED_OUT);
		} else if (keeper->phase == STOPPING) {
			enter(keeper, KILLING, SPAN_S(PROC_SWEEP_S));
			signal_group(keeper, SIGKILL);
		} else {
			return; /* it hangs in the kernel: the sweep will count it */
		}
	}
}

/* "PID (NAME) STATE PPID ...", where NAME may hold anything. */
static pid_t parent_in(char *stat)
{
	char *at = strrchr(stat, ')');
	pid_t parent = 0;

	if (!at || strlen(at) < 5) {
		return 0;
	}
	for (at += 4; isdigit((unsigned char)*at); at++) {
		parent = 10 * parent + (*at - '0');
	}
	return parent;
}

static pid_t parent_of(const char *pid_text, int proc_fd)
{
	char path[32] = { 0 };
	char stat[512];
	ssize_t got;
	int fd;

	if (strlen(pid_text) > sizeof(path) - sizeof("/stat")) {
		return 0;
	}
	stpcpy(stpcpy(path, pid_text), "/stat");
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return 0;
	}
	got = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	stat[got > 0 ? got : 0] = '\0';
	return parent_in(stat);
}

static pid_t to_pid(const char *text)
{
	pid_t pid = 0;

	for (; isdigit((unsigned char)*text); text++) {
		pid = 10 * pid + (*text - '0');
	}
	return *text == '\0' ? pid : 0;
}

/* All whose parent is the keeper; their children come to it when they are dead.  By the list in
 * /proc, because not every kernel has /proc/PID/task/TID/children. */
static int kill_children(void)
{
	char entries[4096] __attribute__((aligned(8)));
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int nr = 0;
	ssize_t got;

	while ((got = getdents64(proc_fd, entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *entry = (const void *)(entries + at);
			pid_t pid = to_pid(entry->d_name);

			at += entry->d_reclen;
			if (pid > 0 && parent_of(entry->d_name, proc_fd) == getpid()) {
				kill(pid, SIGKILL);
				nr++;
			}
		}
	}
	close(proc_fd);
	return nr;
}

static void sweep(struct keeper *keeper)
{
	struct mono limit = mono_after(mono_now(), SPAN_S(PROC_SWEEP_S));

	while (reap(keeper)) {
		int nr = kill_children();

		if (mono_is_past(limit)) {
			keeper->report->result.nr_survivors = nr;
			return;
		}
		look(keeper, 20);
	}
}

/* Leaves the keeper's descriptors and no other, so that no pipe of another child stays open. */
static void take_fds(struct keeper *keeper, const struct keeper_plan *plan)
{
	enum { OUT, ERR, OUT_FILE, ERR_FILE, CONTROL, KEPT };
	const int from[KEPT] = { plan->pipe_read_fds[0], plan->pipe_read_fds[1], plan->file_fds[0],
				 plan->file_fds[1], plan->control_fd };
	int kept[KEPT];

	for (int i = 0; i < KEPT; i++) {
		kept[i] = from[i] < 0 ? -1 : fcntl(from[i], F_DUPFD_CLOEXEC, KEPT);
	}
	for (int i = 0; i < KEPT; i++) {
		close(i);
		kept[i] = kept[i] < 0 ? -1 : dup3(kept[i], i, O_CLOEXEC);
	}
	close_range(KEPT, ~0U, 0);
	for (int i = 0; i < STREAMS; i++) {
		uint64_t limit_bytes = plan->spec->output_limit_bytes;

		keeper->streams[i] = (struct stream){
			.pipe_fd = kept[i],
			.file_fd = kept[STREAMS + i],
			.room_bytes = limit_bytes ? limit_bytes : PROC_OUTPUT_LIMIT_BYTES,
		};
	}
	keeper->control_fd = kept[CONTROL];
}

static int open_child_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

_Noreturn void keeper_main(const struct keeper_plan *plan)
{
	struct keeper keeper = { .spec = plan->spec, .report = plan->report };
	pid_t self = getpid();

	setsid();
	signal(SIGCHLD, SIG_DFL); /* where it is ignored, the dead leave no trace */
	prctl(PR_SET_NAME, "keeper", 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	keeper.started = mono_now();
	keeper.has_until = plan->spec->deadline.ns > 0;
	keeper.until = mono_after(keeper.started, plan->spec->deadline);
	keeper.child = _Fork(); /* takes no locks */
	if (keeper.child == 0) {
		become_child(plan, self);
	}
	if (keeper.child < 0) {
		note_failure(plan->report, STEP_FORK);
		_exit(0);
	}
	plan->report->child = keeper.child;
	take_fds(&keeper, plan);
	keeper.signal_fd = open_child_signals();
	watch(&keeper);
	sweep(&keeper);
	for (int i = 0; i < STREAMS; i++) {
		while (pump(&keeper, &keeper.streams[i]) && !keeper.streams[i].is_cut) {
		}
	}
	plan->report->result.is_stdout_cut = keeper.streams[0].is_cut;
	plan->report->result.is_stderr_cut = keeper.streams[1].is_cut;
	plan->report->is_complete = true;
	_exit(0);
}
