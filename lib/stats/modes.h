/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modes.h - do boots fall into two modes, and which share of them is slow?
 *
 * Internal to lib/stats; bisect.h tells what for.  Where some boots of one commit are slow and some
 * are not (a memory layout, a core, a huge page), no level moves with the culprit but the share of
 * slow boots does.  What is bisected then is that share, a boot being one observation.  Both models
 * are held until the runs have decided between them.
 *
 *	scoped(modes_free) struct modes *modes = modes_find(levels);
 *	if (modes) {
 *		p = modes->p * (by modes->shares) + (1 - modes->p) * (by levels)
 *	}
 */
#ifndef STATS_MODES_H
#define STATS_MODES_H

#include "belief.h"

struct modes {
	struct belief *shares; /* of boots in the upper mode, BISECT_PASS_FAIL */
	double p;              /* that there are modes, against one level that moves */
};

/* NULL where the values of no machine lie in two groups far apart. */
struct modes *modes_find(const struct belief *levels);
struct modes *modes_free(struct modes *modes);
DEFINE_SCOPED(modes_free, struct modes *)

#endif
