/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thing.h - what a daemon knows, by kind: where its document is, and how it looks as text.
 *
 *	const struct thing *thing = thing_find(things, nr_things, "run");
 *	...
 *	thing_print(thing, document, &screen);
 */
#ifndef CLI_THING_H
#define CLI_THING_H

#include "layout.h"

struct thing {
	const char *name;
	const char *path; /* of the API; what a person named goes behind it */
	const char *id;   /* what names it; NULL: it is the only one */
	bool is_number;   /* the id is one */
	const struct part *parts;
	size_t nr_parts;
	void (*prepare)(struct json *document); /* adds what the parts show; NULL: nothing */
};

/* Single things, for `show`. */
extern const struct thing things[];
extern const size_t nr_things;

/* Lists, for `ls`: the array of a list's document has its name. */
extern const struct thing lists[];
extern const size_t nr_lists;

/* What runs and what waits. */
extern const struct thing thing_status;

/* A stack of commits patch by patch, and beside the version before it; their paths are what stands
 * behind that of the stack. */
extern const struct thing thing_cumulative, thing_versions;

/* NULL: there is none of this name. */
const struct thing *thing_find(const struct thing *table, size_t nr, const char *name);

/* The document may gain members. */
void thing_print(const struct thing *thing, struct json *document, const struct screen *screen);

#endif
