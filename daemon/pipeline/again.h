/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.h - fresh runs where a stack goes up and down again.
 *
 * A patch that costs ten per cent and the next one that gives them back are rare; runs of the one
 * patch that were unlucky are not, and both comparisons of it hold them.  So before the findings of
 * a stack are written, its joint fit is asked, and both comparisons get one more look, once, if
 * they have one left.  It is a look as any other: the runs before it count in it as well, by the
 * threshold of that look, and it is the confirmation that judges fresh runs alone.  So a comparison
 * that has a finding already, which another stack has shared, is left as it was found.
 */
#ifndef PIPELINE_AGAIN_H
#define PIPELINE_AGAIN_H

#include "pipeline.h"

/* The reason of such a want; by it a comparison is known to have been asked again. */
#define AGAIN_REASON "the commit stands out from both its neighbours: fresh runs"

/* In a transaction.  *ret_nr: how many comparisons measure again, so that the stack has not ended;
 * on 0 nothing was written.  Blocks; as db_query. */
MUST_CHECK bool again_ask(struct tick *tick, int64_t stack, int64_t *ret_nr, struct err *err);

#endif
