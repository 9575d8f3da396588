/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#define PIPE_BYTES (1 << 20)

struct proc {
	char *name;
	pid_t keeper;
	int fd; /* to the keeper: each end sees the other's close */
	bool is_reaped;
	struct keeper_report *report;
};

const char *proc_end_name(enum proc_end end)
{
	static const char *const names[] = { "exited", "signalled", "timed-out", "flooded",
					     "stopped" };

	return names[end];
}

/* --- what the keeper and the child need, made where malloc and messages are allowed --- */

/* All that start() opens; -1: not open. */
struct fds {
	int control[2];
	int streams[2][2];
	int files[2];
	int input;
};

static void fd_close(int *fd)
{
	if (*fd >= 0) {
		close(*fd);
		*fd = -1;
	}
}

static void fds_init(struct fds *fds)
{
	*fds = (struct fds){ { -1, -1 }, { { -1, -1 }, { -1, -1 } }, { -1, -1 }, -1 };
}

static void fds_release(struct fds *fds)
{
	for (int i = 0; i < 2; i++) {
		fd_close(&fds->control[i]);
		fd_close(&fds->streams[i][0]);
		fd_close(&fds->streams[i][1]);
		fd_close(&fds->files[i]);
	}
	fd_close(&fds->input);
}
DEFINE_SCOPED_EMBEDDED(fds_release, struct fds)

/* A caller without stdin must not get descriptor 0 here: the child overwrites 0, 1 and 2. */
static bool keep_high(int *fd)
{
	if (*fd >= 0 && *fd <= 2) {
		int high = fcntl(*fd, F_DUPFD_CLOEXEC, 3);

		close(*fd);
		*fd = high;
	}
	return *fd >= 0;
}

static bool open_pipe(int ends[2], struct err *err)
{
	if (pipe2(ends, O_CLOEXEC) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "open a pipe");
	}
	if (!keep_high(&ends[0]) || !keep_high(&ends[1])) {
		return err_set_errno(err, ERR_BROKEN, errno, "open a pipe");
	}
	return true;
}

/* A socket because both ends are to see the other one go. */
static bool open_control(int ends[2], struct err *err)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 || !keep_high(&ends[0]) ||
	    !keep_high(&ends[1])) {
		return err_set_errno(err, ERR_BROKEN, errno, "open a socket");
	}
	return true;
}

static bool open_path(const char *path, int flags, int *ret_fd, struct err *err)
{
	*ret_fd = open(path, flags | O_CLOEXEC, 0600);
	if (!keep_high(ret_fd)) {
		return err_set_errno(err, errno == ENOENT ? ERR_ABSENT : ERR_BROKEN, errno,
				     "open '%s'", path);
	}
	return true;
}

/* A pipe, although a file would do without us: `echo x > /dev/stderr` in a script empties a
 * file. */
static bool open_stream(const char *path, int memory_fd, int ends[2], int *ret_file_fd,
			struct err *err)
{
	if (!path && memory_fd < 0) {
		return open_path("/dev/null", O_WRONLY, ret_file_fd, err);
	}
	if (path && !open_path(path, O_WRONLY | O_CREAT | O_TRUNC, ret_file_fd, err)) {
		return false;
	}
	if (!path) {
		*ret_file_fd = fcntl(memory_fd, F_DUPFD_CLOEXEC, 3);
	}
	if (*ret_file_fd < 0 || !open_pipe(ends, err)) {
		return err_set_errno(err, ERR_BROKEN, errno, "open the output");
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* more room: fewer waits; else 64 KiB */
	return true;
}

static bool open_all(const struct proc_spec *spec, int memory_fd, struct fds *fds, struct err *err)
{
	const char *input = spec->stdin_path ? spec->stdin_path : "/dev/null";
	const char *error_path = spec->is_merged ? NULL : spec->stderr_path;

	return open_control(fds->control, err) && open_path(input, O_RDONLY, &fds->input, err) &&
	       open_stream(memory_fd < 0 ? spec->stdout_path : NULL, memory_fd, fds->streams[0],
			   &fds->files[0], err) &&
	       open_stream(error_path, -1, fds->streams[1], &fds->files[1], err);
}

static const char *search_path_of(const struct proc_spec *spec)
{
	for (size_t i = 0; spec->env && spec->env[i]; i++) {
		if (str_has_prefix(spec->env[i], "PATH=")) {
			return spec->env[i] + strlen("PATH=");
		}
	}
	return "/usr/bin:/bin";
}

static bool find_program(const struct proc_spec *spec, char **ret_program, struct err *err)
{
	const char *name = spec->argv[0];
	const char *folders = search_path_of(spec);

	if (!name || !*name) {
		return err_set(err, ERR_INPUT, "start a program: no name given");
	}
	if (strchr(name, '/')) {
		*ret_program = mem_strdup(name);
		return true;
	}
	for (const char *at = folders; *at; at += strspn(at, ":")) {
		size_t length = strcspn(at, ":");
		scoped(free) char *path = mem_printf("%.*s/%s", (int)length, at, name);

		if (access(path, X_OK) == 0) {
			*ret_program = move(&path);
			return true;
		}
		at += length;
	}
	return err_set(err, ERR_ABSENT, "start '%s': not found in '%s'", name, folders);
}

/* --- the caller's side --- */

struct proc *proc_free(struct proc *proc)
{
	struct proc_result result;

	if (!proc) {
		return NULL;
	}
	if (!proc->is_reaped && proc->fd >= 0) {
		proc_stop(proc);
		(void)!proc_wait(proc, &result, NULL);
	}
	fd_close(&proc->fd);
	if (proc->report) {
		munmap(proc->report, sizeof(*proc->report));
	}
	free(proc->name);
	free(proc);
	return NULL;
}

static struct proc *proc_new(const char *name)
{
	struct proc *proc = mem_alloc(sizeof(*proc));

	proc->name = mem_strdup(name);
	proc->fd = -1;
	proc->report = mmap(NULL, sizeof(*proc->report), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (proc->report == MAP_FAILED) {
		bug("no shared memory for a child");
	}
	proc->report->result.exit_code = -1;
	return proc;
}

static pid_t fork_keeper(const struct keeper_plan *plan)
{
	sigset_t all;
	sigset_t before;
	pid_t pid;

	/* No handler of the caller may run in the fork. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0) {
		keeper_main(plan);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static bool start(const struct proc_spec *spec, int memory_fd, struct proc **ret_proc,
		  struct err *err)
{
	scoped(proc_free) struct proc *proc = NULL;
	scoped(free) char *program = NULL;
	scoped(fds_release) struct fds fds;
	struct keeper_plan plan;

	fds_init(&fds);
	if (!find_program(spec, &program, err) || !open_all(spec, memory_fd, &fds, err)) {
		return false;
	}
	proc = proc_new(spec->argv[0]);
	plan = (struct keeper_plan){
		.spec = spec,
		.program = program,
		.control_fd = fds.control[0],
		.stdin_fd = fds.input,
		.pipe_read_fds = { fds.streams[0][0], fds.streams[1][0] },
		.pipe_write_fds = { fds.streams[0][1], fds.streams[1][1] },
		.file_fds = { fds.files[0], fds.files[1] },
		.report = proc->report,
	};
	proc->keeper = fork_keeper(&plan);
	if (proc->keeper < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "start '%s'", proc->name);
	}
	proc->fd = fds.control[1];
	fds.control[1] = -1;
	*ret_proc = move(&proc);
	return true;
}

bool proc_start(const struct proc_spec *spec, struct proc **ret_proc, struct err *err)
{
	return start(spec, -1, ret_proc, err);
}

int proc_fd(const struct proc *proc)
{
	return proc->fd;
}

pid_t proc_pid(const struct proc *proc)
{
	return proc->report->child;
}

bool is_proc_over(const struct proc *proc)
{
	struct pollfd fd = { .fd = proc->fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

void proc_stop(struct proc *proc)
{
	shutdown(proc->fd, SHUT_WR);
}

static bool explain(const struct proc *proc, struct err *err)
{
	static const char *const steps[] = {
		[STEP_NONE] = "watch",
		[STEP_FORK] = "start",
		[STEP_USER] = "change the user of",
		[STEP_LIMIT] = "set the limits of",
		[STEP_CHDIR] = "enter the folder for",
		[STEP_EXEC] = "start",
		[STEP_OUTPUT] = "store the output of",
	};
	const struct keeper_report *report = proc->report;
	int error_number = report->error_number;
	enum err_kind kind = ERR_BROKEN;

	if (report->failed_step == STEP_NONE) {
		return err_set(err, ERR_BROKEN, "watch '%s': its keeper was killed", proc->name);
	}
	if (report->failed_step != STEP_OUTPUT &&
	    (error_number == ENOENT || error_number == ENOTDIR)) {
		kind = ERR_ABSENT;
	} else if (error_number == EACCES || error_number == EPERM) {
		kind = ERR_DENIED;
	}
	return err_set_errno(err, kind, error_number, "%s '%s'", steps[report->failed_step],
			     proc->name);
}

/* Waits for the end of either: true, `proc` has ended. */
static bool wait_for(const struct proc *proc, int other_fd)
{
	struct pollfd fds[] = { { .fd = proc->fd, .events = POLLIN },
				{ .fd = other_fd > 0 ? other_fd : -1, .events = POLLIN } };

	while (poll(fds, countof(fds), -1) < 0) {
		assert(errno == EINTR);
	}
	return fds[0].revents != 0;
}

bool proc_wait(struct proc *proc, struct proc_result *ret_result, struct err *err)
{
	if (proc->is_reaped) {
		bug("second wait for '%s'", proc->name);
	}
	(void)wait_for(proc, -1);
	/* ECHILD: a caller that ignores SIGCHLD has its dead taken away; the report remains. */
	while (waitpid(proc->keeper, NULL, 0) < 0 && errno == EINTR) {
	}
	proc->is_reaped = true;
	if (!proc->report->is_complete || proc->report->failed_step != STEP_NONE) {
		return explain(proc, err);
	}
	*ret_result = proc->report->result;
	return true;
}

static bool run(const struct proc_spec *spec, int memory_fd, struct proc_result *ret_result,
		struct err *err)
{
	scoped(proc_free) struct proc *proc = NULL;

	if (!start(spec, memory_fd, &proc, err)) {
		return false;
	}
	if (!wait_for(proc, spec->stop_fd)) {
		proc_stop(proc);
	}
	return proc_wait(proc, ret_result, err);
}

bool proc_run(const struct proc_spec *spec, struct proc_result *ret_result, struct err *err)
{
	return run(spec, -1, ret_result, err);
}

static bool read_back(int fd, struct str *text, struct err *err)
{
	char bytes[4096];
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		str_append_bytes(text, bytes, (size_t)got);
		at += got;
	}
	return got == 0 || err_set_errno(err, ERR_BROKEN, errno, "read what a child printed");
}

bool proc_capture(const struct proc_spec *spec, struct str *stdout_text,
		  struct proc_result *ret_result, struct err *err)
{
	int memory_fd = memfd_create("stdout", MFD_CLOEXEC);
	bool done;

	if (memory_fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "capture '%s'", spec->argv[0]);
	}
	done = run(spec, memory_fd, ret_result, err) && read_back(memory_fd, stdout_text, err);
	close(memory_fd);
	return done;
}
