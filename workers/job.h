/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.h - one thing to build and measure, and what came of it, whether it was leased from a daemon
 * or asked for on a command line.
 */
#ifndef WORKERS_JOB_H
#define WORKERS_JOB_H

#include "lib/proto/proto.h"
#include "lib/spec/spec.h"
#include "place.h"

/* Where the sources come from; none of both: the job has none. */
struct source {
	const char *folder;     /* a tree of files, copied without .git */
	const char *repository; /* a git repository that holds the commit */
};

/* Read-only for the steps. */
struct job {
	const char *benchmark;
	const struct spec *spec;
	const struct json *params; /* of the variant */
	const char *compiler;      /* NULL: whatever `cc` is */
	struct source source;
	const char *commit;    /* 40 digits; NULL: none */
	const char *build_key; /* 64 digits: equal keys are one build */
	int64_t layout;        /* as in the lease; the build key tells them apart */
	const char *boot_id;
	bool is_build_only;
	bool is_warmup;
	const char *folder; /* where the files of the run go */
	int settle_s;       /* how long to wait at most for a quiet machine */
	int build_limit_s;
	int stop_fd; /* readable: end it; 0: none */
};

/* Why it is no measurement: a word of proto_reasons, a sentence, what the process said last. */
struct failure {
	const char *reason; /* NULL: there is none */
	const char *detail;
	int exit_code; /* -1: none */
	int signal;
};

/* A tree that is ready to run. */
struct build {
	const char *folder;   /* holds entry.json, build.log, tree/; NULL: there is none */
	const char *place;    /* "source" or "out": where below work/ it was built and must stand */
	const char *artefact; /* 64 digits */
	const char *toolchain;
	bool is_cached;
	double wall_s;
};

#endif
