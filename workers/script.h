/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script.h - runs one of a job's shell texts: always the same environment, a folder, a deadline.
 *
 * The environment is complete and of the same size for every commit, because even the length of the
 * environment moves a stack and with it a benchmark.
 */
#ifndef WORKERS_SCRIPT_H
#define WORKERS_SCRIPT_H

#include "job.h"
#include "lib/proc/proc.h"

struct script {
	const char *name; /* "build", "setup", "run", "teardown": for messages */
	const char *text;
	const char *cwd;
	const char *stdout_path;
	const char *stderr_path; /* NULL: goes where stdout goes */
	struct span deadline;
	const char *out;  /* PATCHMETER_OUT */
	bool is_measured; /* goes before other processes of the machine, where we may */
	bool is_build;    /* sees the sources, and only the parameters that it names */
};

/* Runs it to its end.  An end that is not exit status 0 is told in *ret_failure, with the reason
 * of a `run` step; *ret_failure->reason is NULL otherwise.  Texts are in the arena.  Errors as
 * proc_run; ERR_BROKEN also where something that it left cannot be killed. */
MUST_CHECK bool script_run(const struct script *script, const struct place *place,
			   const struct job *job, struct arena *arena,
			   struct proc_result *ret_result, struct failure *ret_failure,
			   struct err *err);

/* Processors that this process may use: what a percentage is a share of. */
int64_t nr_cpus(void);

#endif
