/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit.h - from samples to the numbers that a test may treat as independent.
 *
 * Internal to lib/stats.  Two runs in one boot share that boot's luck (page placement, clock,
 * thermal state), so a boot of one side is one unit however often it ran.  Where a boot ran both
 * sides its luck cancels in their difference, and each of its runs is a unit.
 */
#ifndef STATS_UNIT_H
#define STATS_UNIT_H

#include "judge.h"
#include "lib/base/mem.h"

struct unit {
	uint32_t block;
	uint32_t machine;
	uint32_t build;
	bool is_head;
	double value;
};

struct units {
	VEC(struct unit) units; /* sorted by block, base before head; only what can be compared */
	size_t nr_values[2];    /* samples that are not missing: base, head */
	size_t nr_lone;         /* blocks that held one side only */
	size_t nr_moved;        /* blocks that more than one machine ran */
};

/* Zeroed ones may be filled as often as one likes: the room stays. */
void units_fill(struct units *units, const struct judge_metric *metric);
void units_release(struct units *units);
DEFINE_SCOPED_EMBEDDED(units_release, struct units)

#endif
