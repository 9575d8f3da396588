/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper.h - the process between the caller and the child (private to lib/proc).
 *
 * It is a fork of a process that may have threads, so it makes system calls and nothing else: no
 * malloc, no stdio, no locks.  All that needs those is done before, in proc.c.
 */
#ifndef PROC_KEEPER_H
#define PROC_KEEPER_H

#include "proc.h"

enum keeper_step {
	STEP_NONE,
	STEP_FORK,
	STEP_USER,
	STEP_LIMIT,
	STEP_CHDIR,
	STEP_EXEC,
	STEP_OUTPUT
};

/* Shared memory; the caller reads it when the keeper has ended. */
struct keeper_report {
	enum keeper_step failed_step; /* of keeper or child */
	int error_number;
	pid_t child;
	bool is_complete; /* set last */
	struct proc_result result;
};

/* All the keeper needs; lives on the caller's stack, that is, in the copy of it. */
struct keeper_plan {
	const struct proc_spec *spec;
	const char *program; /* argv[0], found */
	int control_fd;      /* at its end when the caller wants ours, or is dead */
	int stdin_fd;
	int pipe_read_fds[2], pipe_write_fds[2]; /* stdout, stderr; -1: not captured */
	int file_fds[2];                         /* where they go; /dev/null where not captured */
	struct keeper_report *report;
};

/* Called in the fork, with every signal blocked. */
_Noreturn void keeper_main(const struct keeper_plan *plan);

#endif
