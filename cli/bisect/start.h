/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.h - what a program tells `patchmeter bisect choose` before the first run.
 *
 * Lines START to GO of docs/bisecting-protocol.md.
 */
#ifndef CLI_BISECT_START_H
#define CLI_BISECT_START_H

#include "lib/base/mem.h"
#include "lib/stats/ancestry.h"
#include "lib/stats/bisect.h"
#include "words.h"

struct bisect_start {
	struct bisect_options options; /* points into what follows */
	size_t nr_machines;
	double *weights;           /* NULL: all alike */
	struct ancestry *ancestry; /* NULL: one after the other */
	VEC(struct bisect_run) given;
};

void bisect_start_release(struct bisect_start *start);
DEFINE_SCOPED_EMBEDDED(bisect_start_release, struct bisect_start)

/* `words` holds the START line; reads to GO where it says so.  ERR_INPUT, ERR_BROKEN. */
MUST_CHECK bool bisect_start_read(struct words *words, struct bisect_start *ret_start,
				  struct err *err);

/* Word `index` of a line as the value of a run.  ERR_INPUT. */
MUST_CHECK bool bisect_start_value(const struct bisect_start *start, const struct words *words,
				   size_t index, double *ret_value, struct err *err);

#endif
