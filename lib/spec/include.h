/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * include.h - a job file and what it includes, as one tree.
 *
 * `include: FILE` names a file of the same folder, whose keys are defaults: a key of the including
 * file replaces the included one as a whole, but `params` and `needs` are joined name by name.
 * Parameters keep the order of the included file, so that the order of variants does not depend on
 * who overrides what.
 */
#ifndef SPEC_INCLUDE_H
#define SPEC_INCLUDE_H

#include "node.h"

#define INCLUDE_LIMIT_FILES 8

/* Blocks.  ERR_ABSENT, ERR_TOO_BIG, ERR_INPUT: also for a cycle and for a name with a '/'. */
MUST_CHECK bool include_read(struct arena *arena, const char *path, const struct node **ret_root,
			     struct err *err);

#endif
