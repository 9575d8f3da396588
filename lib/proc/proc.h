/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.h - run a program, bounded in time and output, and leave nothing of it behind.
 *
 *	const char *argv[] = { "/bin/sh", "-c", recipe->run, NULL };
 *	struct proc_spec spec = { .argv = argv, .env = env, .cwd = scratch,
 *				  .stdout_path = "out", .stderr_path = "err",
 *				  .deadline = SPAN_S(600) };
 *	struct proc_result result;
 *	if (!proc_run(&spec, &result, err)) ...		// it could not be started or watched
 *	if (result.end != PROC_EXITED || result.exit_code != 0) ...	// an outcome
 *
 * Between the caller and the child stands a keeper, a fork of the caller that only waits:
 *
 *	caller ──socket── keeper ──fork, exec──> child ──> whatever the child starts
 *
 * The keeper adopts orphans (PR_SET_CHILD_SUBREAPER), so when the child ends it can kill all that
 * is left: a daemon that left its session, too.  When the caller dies, by kill -9 as well, the
 * socket closes and the keeper ends the child.  The caller needs no SIGCHLD handler and no wait()
 * of its own, so everything here may be called from any thread.  A quiet child costs no wake-up.
 *
 * No shell is in between unless argv names one.  The child sees the environment given and nothing
 * else, has no descriptors but 0, 1 and 2, default signal actions, umask 022, its own session.
 */
#ifndef PROC_PROC_H
#define PROC_PROC_H

#include <signal.h>
#include <sys/types.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"

struct str;

#define PROC_OUTPUT_LIMIT_BYTES (UINT64_C(64) << 20)
#define PROC_GRACE_S            5
#define PROC_SWEEP_S            10

struct proc_limit {
	int resource; /* RLIMIT_... */
	uint64_t value;
};

/* Zero in every field but argv is a good default. */
struct proc_spec {
	const char *const
		*argv;          /* NULL-terminated; argv[0] without '/' is searched in env's PATH */
	const char *const *env; /* "NAME=value", NULL-terminated; NULL: an empty environment */
	const char *cwd;        /* NULL: the caller's */

	const char *stdin_path;                /* NULL: /dev/null */
	const char *stdout_path, *stderr_path; /* created or emptied, mode 0600; NULL: /dev/null */
	bool is_merged; /* stderr goes where stdout goes; stderr_path is not looked at */
	uint64_t output_limit_bytes; /* each stream; 0: PROC_OUTPUT_LIMIT_BYTES */

	struct span deadline; /* from the start; 0: none */
	struct span grace;    /* from stop_signal to SIGKILL; 0: PROC_GRACE_S */
	int stop_signal;      /* 0: SIGTERM */
	int stop_fd;          /* proc_run stops the child when it is readable; 0: none; not read */

	bool is_user_set; /* drop to uid and gid, no further groups, no_new_privs */
	uid_t uid;
	gid_t gid;
	int nice;
	const struct proc_limit *limits; /* lowered only: never above the caller's hard limit */
	size_t nr_limits;
};

/* What ended it, first cause first. */
enum proc_end {
	PROC_EXITED,    /* by itself, with exit_code */
	PROC_SIGNALLED, /* by a signal that was not ours */
	PROC_TIMED_OUT, /* the deadline passed */
	PROC_FLOODED,   /* more output than the limit; the file holds the first part */
	PROC_STOPPED    /* by proc_stop() or stop_fd */
};

/* Of the child and all it waited for; what it left behind is not counted. */
struct proc_usage {
	double user_s, system_s;
	int64_t minor_faults, major_faults;
	int64_t voluntary_switches, involuntary_switches;
	int64_t maxrss_kib; /* of the largest process; 0: not above ours, so not known */
};

struct proc_result {
	enum proc_end end;
	int exit_code; /* 0..255; -1: ended by a signal */
	int signal;    /* 0: none */
	bool is_stdout_cut, is_stderr_cut;
	int nr_leftovers; /* processes alive after the child's end, and killed */
	int nr_survivors; /* that SIGKILL did not end in PROC_SWEEP_S: the machine needs a person */
	struct span elapsed;
	struct proc_usage usage;
};

/* "exited", "signalled", "timed-out", "flooded", "stopped" */
const char *proc_end_name(enum proc_end end);

/* Runs it to its end.  Blocks: at most deadline + grace + PROC_SWEEP_S.
 * ERR_ABSENT: no such program or folder; ERR_DENIED: may not run it; ERR_INPUT: argv is empty;
 * ERR_BROKEN: no process, no disk space for the output, the keeper was killed. */
MUST_CHECK bool proc_run(const struct proc_spec *spec, struct proc_result *ret_result,
			 struct err *err);

/* The same, and appends what it printed on stdout (at most output_limit_bytes); stdout_path is not
 * looked at. */
MUST_CHECK bool proc_capture(const struct proc_spec *spec, struct str *stdout_text,
			     struct proc_result *ret_result, struct err *err);

/* long-lived children */

struct proc;

/* Returns at once; stop_fd is not looked at.  The spec may go away.  Errors as proc_run, except
 * that what is wrong with cwd, user or program only shows in proc_wait(). */
MUST_CHECK bool proc_start(const struct proc_spec *spec, struct proc **ret_proc, struct err *err);

/* Poll it for POLLIN: readable once the child has ended.  Lent. */
int proc_fd(const struct proc *proc);

/* Asks whether it has ended; does not block. */
bool is_proc_over(const struct proc *proc);

/* Process id of the child, for people and for tests; 0 before it exists. */
pid_t proc_pid(const struct proc *proc);

/* Asks it to end: stop_signal now, SIGKILL after grace.  Does not block. */
void proc_stop(struct proc *proc);

/* Blocks until it has ended, once.  Errors as proc_run. */
MUST_CHECK bool proc_wait(struct proc *proc, struct proc_result *ret_result, struct err *err);

/* Stops it first if it still runs: blocks at most grace + PROC_SWEEP_S. */
struct proc *proc_free(struct proc *proc);
DEFINE_SCOPED(proc_free, struct proc *)

#endif
