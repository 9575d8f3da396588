/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sight.h - what a person sees of a comparison in one cell of a grid: a mark, a word, a number.
 *
 * A cell is never empty and never green by default: where there is no verdict it says why.  The
 * facts come from schema/queries/page_series.sql, all of them may be absent:
 *
 *	{ "state": of the comparison, or "wanted", "reason", "runs": { "nr_ended", "nr_running", "nr" },
 *	  "verdicts": [{ "metric", "verdict", "is_headline", "is_exact", "reason", "percent" }],
 *	  "build": { "state", "reason", "run_url" } }
 *
 * Added are "mark", "word", and where they mean something "text" ("+7.4%"), "metric" (the one that
 * tells most), "nr_more" (that changed too, headlines or not), "why", "log_url" and one of "is_worse", "is_better",
 * "is_same", "is_failed", "is_open", "is_missing".
 *
 *	sight_add(json_at(cells, i), &stack);
 */
#ifndef WEB_PAGES_SIGHT_H
#define WEB_PAGES_SIGHT_H

#include "lib/base/json.h"

/* `stack_state`: a word of the SQL type; says why there is no comparison yet.  `is_base`: the row
 * of the base, which is compared with nothing. */
void sight_add(struct json *facts, const char *stack_state, bool is_base);

/* For documents that hold verdicts in other places: adds "mark", "word", "text", "is_worse" and
 * "is_better" to every object inside that has a "verdict". */
void sight_decorate(struct json *document);

#endif
