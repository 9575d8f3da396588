/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - a number for each text, from 1 in the order of first use.
 *
 *	uint32_t boot = names_number(names, "2f1c...");   // the same text gives the same number
 *
 * For whatever arrives as a text and is only ever asked whether it is the same: boots, machines,
 * metrics of a file.
 */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base.h"

struct names;

/* Empty. */
struct names *names_new(void);
struct names *names_free(struct names *names);
DEFINE_SCOPED(names_free, struct names *)

/* The text's number; a new text gets the next one.  Copies the text. */
uint32_t names_number(struct names *names, const char *text);

/* The text's number, 0: it has none. */
uint32_t names_find(const struct names *names, const char *text);

/* The text of a number that was given; lives as long as the names. */
const char *names_text(const struct names *names, uint32_t number);

/* How many texts have a number; the last number given. */
uint32_t names_nr(const struct names *names);

#endif
