/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_shell.h - runs shell texts in folders, for tests of lib/proc.
 */
#ifndef UNIT_PROC_SHELL_H
#define UNIT_PROC_SHELL_H

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/proc/proc.h"
#include "tests/t.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL(text) ((const char *const[]){ "/bin/sh", "-c", text, NULL })

static const char *const plain_env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C", NULL };

/* Runs a shell text with its streams in the folder's files `out` and `err`. */
static inline struct proc_result run_in(const char *folder, const char *text, struct span deadline)
{
	scoped(free) char *out = mem_printf("%s/out", folder);
	scoped(free) char *errors = mem_printf("%s/err", folder);
	struct proc_spec spec = {
		.argv = SHELL(text),
		.env = plain_env,
		.cwd = folder,
		.stdout_path = out,
		.stderr_path = errors,
		.deadline = deadline,
		.grace = SPAN_MS(200),
	};
	struct proc_result result = { 0 };
	struct err err = ERR_INIT;

	CHECK_DONE(proc_run(&spec, &result, &err), &err);
	return result;
}

static inline char *text_of(const char *folder, const char *name)
{
	scoped(free) char *path = mem_printf("%s/%s", folder, name);
	scoped(str_release) struct str text = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_DONE(str_read_file(&text, path, (size_t)256 << 20, &err), &err);
	return str_detach(&text);
}

static inline int64_t size_of(const char *folder, const char *name)
{
	scoped(free) char *path = mem_printf("%s/%s", folder, name);
	struct stat status = { 0 };

	CHECK(stat(path, &status) == 0);
	return status.st_size;
}

/* The process number that a script wrote into a file; it is gone or a zombie of nobody. */
static inline bool is_gone(const char *folder, const char *name)
{
	scoped(free) char *text = text_of(folder, name);
	pid_t pid = (pid_t)strtol(text, NULL, 10);

	CHECK(pid > 1);
	return kill(pid, 0) != 0 && errno == ESRCH;
}

#endif
