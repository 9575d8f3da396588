/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect_words.h - a bisection in words: what its state means, how sure it is, what each row is.
 *
 * Added to the document of a bisection (schema/queries/page_bisect.sql) are
 *
 *	"meaning"	of its state, a sentence
 *	"p_text", also in each row, and "p_none_text"	"0.996"; "over 0.999", "under 0.001"
 *	"before_text", "after_text", "change" and
 *	"is_worse" or "is_better"	where levels are fitted
 *	"expected_text"	runs still to come, rounded up
 * and to each row "mark" and "why" where it was skipped or is under way, "mean_text" where it has
 * runs, "range" ("4 to 17") where it is several commits.
 */
#ifndef WEB_PAGES_BISECT_WORDS_H
#define WEB_PAGES_BISECT_WORDS_H

#include "lib/base/json.h"

/* A word of the SQL type. */
bool is_bisect_state(const char *word);

void bisect_words(struct json *document);

/* For a list: "p_text" and "expected_text" alone. */
void bisect_words_short(struct json *document);

#endif
