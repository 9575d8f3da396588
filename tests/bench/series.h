/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.h - the histories of real benchmarks, and their noise for the lab.
 *
 * Reads a table with a row for each commit and, from the third column on, a column for each
 * benchmark, empty where it did not run.  A series is the noise of a column: of the logarithms it
 * takes off the running median of 31 and divides by the robust deviation, as
 * `bisect_sim.py --noise real` does.
 */
#ifndef BENCH_SERIES_H
#define BENCH_SERIES_H

#include "lab.h"
#include "lib/base/mem.h"

struct column {
	VEC(double) logs; /* of the values */
	VEC(size_t) rows; /* where each of them stands, from 0 */
};

struct columns {
	struct column *at;
	size_t nr;
};

/* false: there is no such file. */
MUST_CHECK bool columns_read(const char *path, struct columns *ret_columns);
void columns_release(struct columns *columns);

struct series {
	struct lab_series *at;
	size_t nr;
};

MUST_CHECK bool series_read(const char *path, struct series *ret_series);
void series_release(struct series *series);

#endif
