/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcs - does one job of lib/vcs and prints its cost; vcs.py compares it with git's.
 *
 *	bench_vcs poll REPOSITORY...           look at the branches of each
 *	bench_vcs stack REPOSITORY BASE TIP    list the commits of TIP, and read each
 *	bench_vcs pin REPOSITORY COMMIT MIRROR copy one commit into a mirror
 *	bench_vcs pack MIRROR COMMIT FILE      pack it for a worker
 *	bench_vcs export MIRROR COMMIT FOLDER  write its files
 *
 * Prints "COUNT CPU_MS WALL_MS MAXRSS_KIB"; the time of starting the process is not in it.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/vcs/commit.h"
#include "lib/vcs/export.h"
#include "lib/vcs/mirror.h"
#include "lib/vcs/pack.h"
#include "lib/vcs/stack.h"

#define LIMIT_BYTES (UINT64_C(8) << 30)

static bool poll_all(char **args, size_t *count, struct err *err)
{
	static const char *const globs[] = { "topic/*", "main" };

	for (; *args; args++) {
		scoped(arena_free) struct arena *arena = arena_new();
		scoped(vcs_close) struct vcs *vcs = NULL;
		struct vcs_heads heads;

		if (!vcs_open(*args, &vcs, err) ||
		    !vcs_heads(vcs, globs, countof(globs), arena, &heads, err)) {
			return false;
		}
		*count += heads.nr;
	}
	return true;
}

static bool read_stack(char **args, size_t *count, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_stack stack;
	struct vcs_id base;
	struct vcs_id tip;

	if (!vcs_open(args[0], &vcs, err) || !vcs_resolve(vcs, args[1], &base, err) ||
	    !vcs_resolve(vcs, args[2], &tip, err) ||
	    !vcs_stack_read(vcs, &base, &tip, 128, arena, &stack, err)) {
		return false;
	}
	for (size_t i = 0; i < stack.nr_steps; i++) {
		struct vcs_commit commit;

		if (!vcs_commit_read(vcs, &stack.steps[i].id, arena, &commit, err)) {
			return false;
		}
	}
	*count = stack.nr_steps;
	return true;
}

static bool pin(char **args, size_t *count, struct err *err)
{
	scoped(vcs_close) struct vcs *source = NULL;
	scoped(vcs_close) struct vcs *mirror = NULL;
	struct vcs_id id;

	*count = 1;
	return vcs_open(args[0], &source, err) && vcs_resolve(source, args[1], &id, err) &&
	       vcs_mirror_open(args[2], args[0], &mirror, err) &&
	       vcs_mirror_pin(mirror, &id, 1, err);
}

static bool write_pack(char **args, size_t *count, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_id id;
	int fd = open(args[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool is_done = vcs_open(args[0], &vcs, err) && vcs_resolve(vcs, args[1], &id, err) &&
		       vcs_pack_write(vcs, &id, NULL, 0, LIMIT_BYTES, fd, err);

	*count = (size_t)lseek(fd, 0, SEEK_END);
	close(fd);
	return is_done;
}

static bool export_files(char **args, size_t *count, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_id id;

	*count = 1;
	return vcs_open(args[0], &vcs, err) && vcs_resolve(vcs, args[1], &id, err) &&
	       vcs_export(vcs, &id, args[2], LIMIT_BYTES, err);
}

static const struct job {
	const char *name;
	int nr_args; /* at least */
	bool (*run)(char **args, size_t *count, struct err *err);
} jobs[] = {
	{ "poll", 1, poll_all },   { "stack", 3, read_stack },    { "pin", 3, pin },
	{ "pack", 3, write_pack }, { "export", 3, export_files },
};

static double cpu_ms(const struct rusage *usage)
{
	return 1e3 * (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       1e-3 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static int run(const struct job *job, char **args)
{
	struct mono begin = mono_now();
	struct rusage before;
	struct rusage after;
	struct err err = ERR_INIT;
	size_t count = 0;

	getrusage(RUSAGE_SELF, &before);
	if (!job->run(args, &count, &err)) {
		fprintf(stderr, "bench_vcs: %s\n", err.message);
		return 1;
	}
	getrusage(RUSAGE_SELF, &after);
	printf("%zu %.3f %.3f %ld\n", count, cpu_ms(&after) - cpu_ms(&before),
	       1e3 * span_seconds(mono_between(begin, mono_now())), after.ru_maxrss);
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;

	if (!vcs_init(&err)) {
		fprintf(stderr, "bench_vcs: %s\n", err.message);
		return 1;
	}
	for (size_t i = 0; i < countof(jobs); i++) {
		if (argc > 1 && strcmp(argv[1], jobs[i].name) == 0 && argc >= jobs[i].nr_args + 2) {
			return run(&jobs[i], argv + 2);
		}
	}
	fprintf(stderr, "usage: see the head of tests/bench/vcs.c\n");
	return 2;
}
