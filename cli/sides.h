/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sides.h - what `compare` puts side by side: one side an input, or one a value of a parameter.
 *
 *	scoped(sides_release) struct sides sides = { 0 };
 *	if (!sides_read(&sides, paths, nr_paths, "size", err)) ...
 *
 * `--by PARAM` makes a table of each value where there are several inputs; one input alone is
 * divided by it, and its values are compared with the first one.  "benchmark" is a parameter, too.
 */
#ifndef CLI_SIDES_H
#define CLI_SIDES_H

#include "lib/report/results.h"

struct side {
	const char *name;
	bool is_named; /* by the user */
	const struct results *results;
	const struct results_part **parts;
	size_t nr_parts;
};

struct sides {
	struct arena *arena;
	struct names *ids;
	struct results **inputs;
	const char **names; /* of the inputs, as NAME=PATH gives them; NULL: none */
	size_t nr_inputs;
	struct side *at;
	size_t nr;
	const char *by;          /* the parameter that --by names; NULL: none */
	bool is_divided;         /* by it, and not in tables by it */
	VEC(const char *) notes; /* what was left out, and why */
};

/* Blocks.  `by` may be NULL.  The kinds of results_read(); ERR_CONFLICT: what --by asks for does
 * not fit the inputs. */
MUST_CHECK bool sides_read(struct sides *sides, char *const *paths, size_t nr_paths, const char *by,
			   struct err *err);
/* Frees what was measured, once it is judged: names, failures and counts stay. */
void sides_forget_metrics(struct sides *sides);

void sides_release(struct sides *sides);
DEFINE_SCOPED_EMBEDDED(sides_release, struct sides)

#endif
