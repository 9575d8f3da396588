/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show.h - fetches a document and prints it, or its JSON; gives the exit code of the verb.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "online.h"
#include "thing.h"

/* NULL: all. */
struct show_filter {
	const char *tree, *state, *before;
};

/* EXIT_NOTHING where the list is empty. */
int show_list(const struct call *call, struct online *online, const struct thing *list,
	      const struct show_filter *filter);

/* `sight`: what to show of the thing instead; NULL: itself. */
int show_thing(const struct call *call, struct online *online, const struct thing *thing,
	       const char *id, const struct thing *sight);

#endif
