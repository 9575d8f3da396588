/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.h - runs a build: setup, warm-up, the iterations that count, teardown.
 *
 * Every iteration is a new process in the same folder.  Its raw output goes to the job's folder:
 * `stdout`, `stderr`, and as `output` what it wrote to PATCHMETER_RESULT; `stdout.1`, `stdout.2`
 * ... where the job repeats.  Nothing is read or judged here, and while an iteration runs this
 * process sleeps.
 *
 *	struct measurement measurement;
 *	measure_start(&measurement, folder);
 *	measure_setup(...), measure_run(...), measure_teardown(...)   // the last one always
 *
 * Each gives false only where this machine is at fault; what the job does wrong is a failure value.
 */
#ifndef WORKERS_MEASURE_H
#define WORKERS_MEASURE_H

#include "job.h"

struct measurement {
	const char *folder;       /* where the steps start */
	struct proto_usage usage; /* of the iterations together */
	int nr_leftovers;         /* processes that they left behind, now dead */
	bool is_timed_out;
};

void measure_start(struct measurement *measurement, const char *folder);

/* Checks that the commands the job needs are there, and runs `setup`: "setup-failed". */
MUST_CHECK bool measure_setup(const struct place *place, const struct job *job, struct arena *arena,
			      const struct measurement *measurement, struct failure *ret_failure,
			      struct err *err);

/* "exit-status", "signal", "timeout", "output-too-large", "left-processes", "cancelled".  Writes
 * the file `exit`. */
MUST_CHECK bool measure_run(const struct place *place, const struct job *job, struct arena *arena,
			    struct measurement *measurement, struct failure *ret_failure,
			    struct err *err);

/* Runs `teardown`, also after a failure. */
MUST_CHECK bool measure_teardown(const struct place *place, const struct job *job,
				 struct arena *arena, const struct measurement *measurement,
				 struct failure *ret_failure, struct err *err);

/* "stdout" or "stdout.3": what the file of iteration `i` (from 0) of `nr` is called.  In the
 * arena. */
const char *measure_file(struct arena *arena, const char *name, int64_t i, int64_t nr);

#endif
