/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ladder.h - a stack's view stood on end: a table a metric, a line a commit.
 *
 *	scoped(json_free) struct json *ladders = ladder_of(view, is_all);
 *
 *	[{ "metric", "unit", "better", "is_headline", "is_exact",
 *	   "lines": [{ "column", "is_base", "name", "commit", "subject", "text", "spread", "n",
 *	               "has_value", "reason",
 *	               "against_base": STEP, "against_parent": STEP }] }]
 *
 *	STEP  a CHANGE of view.h with what view_decorate() adds, and "parent": the name of the
 *	      commit it is against where that is not the line before; the base's line has none
 *
 * A screen is wider than it is high only for three commits or so; a stack of 128 fits this way.
 */
#ifndef REPORT_LADDER_H
#define REPORT_LADDER_H

#include "view.h"

/* Whether every row of a view has steps. */
bool is_ladder(const struct view *view);

/* From a view of which that holds.  Only headlines and what changed somewhere, unless is_all. */
struct json *ladder_of(const struct view *view, bool is_all);

#endif
