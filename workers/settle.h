/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settle.h - waits until the machine is quiet, so that a run measures the commit and not the rest
 * of the last one.
 */
#ifndef WORKERS_SETTLE_H
#define WORKERS_SETTLE_H

#include "lib/base/clock.h"
#include "lib/base/err.h"

/* Writes dirty pages out, then waits until all processors together were busy for less than
 * SETTLE_QUIET of half a second, at most `limit`.  *ret_busy is what share it ended with, 0..1.
 * ERR_BROKEN: the kernel does not tell. */
#define SETTLE_QUIET 0.05
MUST_CHECK bool settle(struct span limit, double *ret_busy, struct err *err);

#endif
