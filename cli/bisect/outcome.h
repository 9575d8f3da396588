/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - what a bisection ends with: the commit, how sure that is, what it rests on, the
 * comparison with its parent, and the log for git.
 */
#ifndef CLI_BISECT_OUTCOME_H
#define CLI_BISECT_OUTCOME_H

#include "evidence.h"

struct outcome {
	const struct question *question;
	const struct range *range;
	const struct journal *journal;
	const struct evidence *evidence;
	const char *folder; /* where the comparison may put the runs of two commits */
};

/* To stdout, as text or JSON.  Blocks on the disk.  ERR_BROKEN. */
MUST_CHECK bool outcome_print(const struct outcome *outcome, struct err *err);

/* The two commits that are compared: the culprit, or the last of a set, and the nearest measured
 * one before it.  False: there is no culprit. */
bool outcome_sides(const struct range *range, const struct evidence *evidence, size_t *ret_before,
		   size_t *ret_culprit);

#endif
