/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - `patchmeter compare --lkp-compat`: what lkp-tests would have said of these results.
 */
#ifndef CLI_COMPAT_H
#define CLI_COMPAT_H

#include "lib/report/results.h"
#include "verb.h"

struct compat_options {
	bool is_all;
	bool is_json; /* the decisions instead of the table */
};

/* Prints to stdout, and on stderr whose verdicts these are.  Gives the exit code. */
int compat_compare(const struct call *call, const struct results *const *sides, size_t nr_sides,
		   const struct compat_options *options);

#endif
