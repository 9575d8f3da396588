/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * culprits.h - every step in a line of commits, of levels that may step more than once.
 *
 * Internal to lib/stats; bisect.h tells what for.  Up to 16 commits are run twice each before
 * anything is said, so that steps which cancel are seen; a longer line is parted where a step is
 * likely.  Then the commits are run whose neighbours are least told apart, until every step is
 * named or excluded.
 */
#ifndef STATS_CULPRITS_H
#define STATS_CULPRITS_H

#include "bisect.h"

struct culprits;

/* Before any run; copies the weights. */
struct culprits *culprits_new(const struct bisect_options *options);
struct culprits *culprits_free(struct culprits *culprits);

/* As bisect_add(). */
void culprits_add(struct culprits *culprits, const struct bisect_run *run);
/* As bisect_skip(). */
void culprits_skip(struct culprits *culprits, size_t commit);

/* False where the budget has ended before: then a set is still to be said. */
bool culprits_answer(struct culprits *culprits, struct bisect_answer *ret_answer);
/* As bisect_posterior(): of commits in proportion to the steps expected there. */
void culprits_posterior(struct culprits *culprits, double *ret_p);
/* As bisect_found(). */
void culprits_found(struct culprits *culprits, size_t index, struct bisect_found *ret_found);
/* The commits of a set, ascending, `nr` of them. */
void culprits_set(const struct culprits *culprits, size_t last, size_t nr, size_t *ret_commits);

/* What to run now, on a fresh boot; `pending` are given out, and not run yet. */
size_t culprits_next(struct culprits *culprits, const size_t *pending, size_t nr_pending);

#endif
