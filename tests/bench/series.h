/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.h - the noise of real benchmarks, for the lab.
 *
 * Reads a table with a row for each commit and, from the third column on, a column for each
 * benchmark, empty where it did not run.  Of each column it takes the logarithm, takes off the
 * running median of 31 and divides by the robust deviation, as `bisect_sim.py --noise real` does.
 */
#ifndef BENCH_SERIES_H
#define BENCH_SERIES_H

#include "lab.h"

struct series {
	struct lab_series *at;
	size_t nr;
};

/* false: there is no such file. */
MUST_CHECK bool series_read(const char *path, struct series *ret_series);
void series_release(struct series *series);

#endif
