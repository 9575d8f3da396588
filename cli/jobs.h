/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.h - finds the job file of a benchmark for a person who gives its name.
 *
 * Looked for as FOLDER/NAME/job.yaml in the folder that --jobs names, else in the folders `jobs`
 * and `share/patchmeter/jobs` of the places above the program: of the checkout, or of the
 * installation.
 */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/spec/spec.h"

/* `benchmark` is a name, or the path of a job file where it has a '/'; `folder` may be NULL.
 * ERR_ABSENT. */
MUST_CHECK bool jobs_path(const char *folder, const char *benchmark, struct str *ret_path,
			  struct err *err);

/* The same, and reads it.  ERR_ABSENT, or what spec_read() gives. */
MUST_CHECK bool jobs_read(const char *folder, const char *benchmark, struct spec **ret_spec,
			  struct err *err);

/* The job files that could be read, for the benchmarks of a comparison. */
struct jobs {
	VEC(struct spec *) specs;
};

/* NULL: there is no such job. */
const struct spec *jobs_find(const struct jobs *jobs, const char *benchmark);
void jobs_release(struct jobs *jobs);
DEFINE_SCOPED_EMBEDDED(jobs_release, struct jobs)

#endif
