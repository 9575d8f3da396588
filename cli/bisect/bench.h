/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h - commits built and measured on this machine, each by a worker of its own.
 *
 * `patchmeter-worker run` does it, so that nothing else builds or measures; the work tree of the
 * user is never touched.  Each of several runs at once has a place of its own, with its builds.
 *
 *	scoped(bench_close) struct bench *bench = NULL;
 *	struct bench_run runs[] = { { .id = &range->at[7].id } };
 *	if (!bench_open(&question, range->repository, folder, stop_fd, &bench, err) ||
 *	    !bench_measure(bench, runs, 1, &is_stopped, err))
 *		return false;
 */
#ifndef CLI_BISECT_BENCH_H
#define CLI_BISECT_BENCH_H

#include "lib/base/json.h"
#include "lib/vcs/vcs.h"
#include "question.h"

struct bench;

/* `folder` keeps the builds; a readable `stop_fd` ends what runs.  The question must live as long.
 * Blocks.  ERR_BROKEN. */
MUST_CHECK bool bench_open(const struct question *question, const char *repository,
			   const char *folder, int stop_fd, struct bench **ret_bench,
			   struct err *err);
struct bench *bench_close(struct bench *bench);
DEFINE_SCOPED(bench_close, struct bench *)

/* Of the kernel that runs now: what is measured in another one is not compared blindly. */
const char *bench_boot(const struct bench *bench);

struct bench_run {
	const struct vcs_id *id; /* of a commit of the repository */
	struct json *run;        /* a line of runs.jsonl; json_free() it; NULL: it was stopped */
	double took_s;           /* building included */
};

/* All at once, the first at the first place; at most question->jobs.  Blocks till all have ended,
 * which the job's timeouts bound.  ERR_REMOTE: a worker failed in a way that is not the commit's
 * doing; ERR_BROKEN: there is no patchmeter-worker.  Then no run is given. */
MUST_CHECK bool bench_measure(struct bench *bench, struct bench_run *runs, size_t nr,
			      bool *ret_is_stopped, struct err *err);

/* What the last run at the first place left: build.log, stdout, stderr. */
const char *bench_output(const struct bench *bench);

#endif
