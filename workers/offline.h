/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offline.h - `patchmeter-worker run`: build and measure here and now, without a daemon.
 *
 * Leaves a result folder that `patchmeter compare` reads:
 *
 *	DIR/result.json			{schema, benchmark, job, params, commit, machine, env}
 *	DIR/runs.jsonl			a line a run, as soon as it has ended
 *	DIR/raw/RUN/stdout, ...		what it printed
 *
 * A job with several variants leaves one such folder for each below DIR.
 */
#ifndef WORKERS_OFFLINE_H
#define WORKERS_OFFLINE_H

#include "lib/base/err.h"

/* argv[0] is "run".  Gives the exit code of the program; complains on stderr by itself. */
int offline_main(int argc, char **argv, int stop_fd);

#endif
