/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thing_bisect.h - how a bisection looks as text; rows of thing.c's tables.
 */
#ifndef CLI_THING_BISECT_H
#define CLI_THING_BISECT_H

#include "layout.h"

extern const struct part bisection_parts[4];
extern const struct part bisection_list[1];

/* To each row is added what it is about: a commit, or a range of them that was not asked for. */
void bisection_prepare(struct json *document);

#endif
