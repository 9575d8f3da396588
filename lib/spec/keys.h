/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.h - a map of known keys from a table of rows, into a struct and out of it.
 *
 * A row says where the value lies in the struct, so reading, checking and writing are one loop
 * each.  Rows of KEY_OTHER are known but left to the caller.
 */
#ifndef SPEC_KEYS_H
#define SPEC_KEYS_H

#include "node.h"

enum key_type {
	KEY_TEXT,     /* const char *, checked by the row */
	KEY_TEXTS,    /* struct texts: one line each, at least one */
	KEY_DURATION, /* int64_t seconds within min..max: 30s, 10m, 2h, 1d */
	KEY_COUNT,    /* int64_t within min..max */
	KEY_FLAG,     /* bool: true or false */
	KEY_PERCENT,  /* double: 0.25%, below 100% */
	KEY_OTHER
};

/* A key may belong to the job file, to the recipe in a lease, or to both. */
#define FORM_JOB    1u
#define FORM_RECIPE 2u
#define FORM_BOTH   (FORM_JOB | FORM_RECIPE)

struct key {
	const char *name;
	enum key_type type;
	unsigned forms;
	size_t offset;
	int64_t min, max;
	bool is_needed;                                          /* in the forms it belongs to */
	bool (*check)(const struct node *node, struct err *err); /* of a KEY_TEXT */
};

/* Fills `target`, which holds the defaults, from a map: ERR_INPUT for anything but the keys of this
 * form with values of their type.  Texts live in the arena. */
MUST_CHECK bool keys_read(struct arena *arena, const struct key *keys, size_t nr_keys,
			  unsigned form, const struct node *map, void *target, struct err *err);

/* The object that keys_read() reads back; empty texts, zero percents and false flags stay out. */
struct json *keys_write(const struct key *keys, size_t nr_keys, unsigned form, const void *source);

#endif
