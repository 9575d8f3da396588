/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ancestry.h - which commit's tree holds which other, in a history with merges.
 *
 * Commits are numbers, parents before children; 0 is the base, and stands for everything before it,
 * too.  A commit of which nothing is said has the one before it as its only parent.
 *
 *	scoped(ancestry_free) struct ancestry *ancestry = ancestry_new(nr_commits);
 *
 *	ancestry_set(ancestry, 7, (size_t[]){ 6, 4 }, 2);	// 4 was merged into 6
 *	ancestry_settle(ancestry);
 *	options.graph = ancestry;
 *	options.holds = ancestry_holds;
 *	options.is_side = ancestry_is_side;
 */
#ifndef STATS_ANCESTRY_H
#define STATS_ANCESTRY_H

#include "lib/base/base.h"

/* Memory grows with the square: 12.5 MB for this many. */
#define ANCESTRY_MOST_COMMITS 10000

struct ancestry;

/* Commits 0 to nr_commits, the tip; at most ANCESTRY_MOST_COMMITS. */
struct ancestry *ancestry_new(size_t nr_commits);
struct ancestry *ancestry_free(struct ancestry *ancestry);
DEFINE_SCOPED(ancestry_free, struct ancestry *)

/* At least one parent, the first in front, all less than `commit`; said once. */
void ancestry_set(struct ancestry *ancestry, size_t commit, const size_t *parents, size_t nr);

/* Whether ancestry_set() was called for it. */
bool ancestry_is_set(const struct ancestry *ancestry, size_t commit);

/* After the last ancestry_set(), before any question. */
void ancestry_settle(struct ancestry *ancestry);

/* Questions, in the shape of struct bisect_options. */

/* A commit holds itself and what its parents hold. */
bool ancestry_holds(const void *ancestry, size_t commit, size_t other);

/* Not reached from the tip by first parents. */
bool ancestry_is_side(const void *ancestry, size_t commit);

#endif
