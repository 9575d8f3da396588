/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.h - the numbers of a run, read from the files that it left.
 *
 * A leased run's are read by the daemon; this is for runs without one.
 */
#ifndef WORKERS_SAMPLES_H
#define WORKERS_SAMPLES_H

#include "job.h"

/* {"outcome": "ok" | "failed", "reason", "detail", "metrics": {name: number}, "iterations":
 * {name: [number...]}}: one number a metric by its estimator over the iterations, and where the job
 * repeats each of them in its order.  A run that failed has no metrics; a metric that is missing is
 * absent.  Blocks.  ERR_BROKEN. */
MUST_CHECK bool samples_read(const char *folder, const struct spec *spec,
			     const struct failure *failure, const struct proto_usage *usage,
			     struct json **ret_samples, struct err *err);

#endif
