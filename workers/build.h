/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h - from a commit to a tree that is ready to run, made once for each build key and
 * toolchain.
 *
 * A build starts in work/source and may leave what runs need in work/out; where it leaves nothing
 * there, the source tree itself is what runs start in.  Both stand at the same path for every
 * commit, sources have the same time of change, and SOURCE_DATE_EPOCH is set, so that equal sources
 * give equal binaries.  An equal artefact, the hash of all that runs can see, says that two commits
 * need not be told apart; a job that leaves only its binaries in work/out makes that likely.
 */
#ifndef WORKERS_BUILD_H
#define WORKERS_BUILD_H

#include "job.h"

/* A build's limit where nobody sets another. */
#define BUILD_LIMIT_S 7200

/* Clears work/, and fills it and the cache as needed.  The log is left as build.log in the job's
 * folder.  A build that fails is told in *ret_failure ("build-failed", "build-timeout"), and one
 * that failed by itself is remembered.  Texts are in the arena.  Any error: this machine is at
 * fault. */
MUST_CHECK bool build_make(const struct place *place, const struct job *job, struct arena *arena,
			   struct build *ret_build, struct failure *ret_failure, struct err *err);

/* Clears work/ and puts a fresh copy of the build at its path there, which is given back: where
 * setup, run and teardown start.  ERR_BROKEN. */
MUST_CHECK bool build_stage(const struct place *place, const struct build *build,
			    struct arena *arena, const char **ret_folder, struct err *err);

#endif
