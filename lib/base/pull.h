/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pull.h - reads JSON item by item, without building a tree.
 *
 * For files of results: a hundred thousand numbers take a few milliseconds, where json.h needs
 * fifty and memory for each.  All other JSON is json.h's business.
 *
 *	scoped(pull_release) struct pull pull;
 *	struct pull_item item;
 *
 *	pull_init(&pull, path, bytes, length, 0);
 *	do {
 *		if (!pull_next(&pull, &item, err))
 *			return false;                   // "runs.jsonl: byte 17: expected ..."
 *	} while (item.kind != PULL_END);
 *
 * Refused, as json.h refuses it, with the offset of the byte: what is not JSON, NaN and infinity, a
 * number too large for a double, a name twice in one object, text that is not UTF-8 or holds a
 * NUL, more than 128 levels, and anything behind the value.
 */
#ifndef BASE_PULL_H
#define BASE_PULL_H

#include "err.h"
#include "mem.h"
#include "str.h"

#define PULL_LEVELS 128

enum pull_kind {
	PULL_END, /* the value is complete and nothing stands behind it */
	PULL_OBJECT,
	PULL_OBJECT_END,
	PULL_ARRAY,
	PULL_ARRAY_END,
	PULL_NAME, /* of a member; its value is what comes next */
	PULL_TEXT,
	PULL_NUMBER,
	PULL_TRUE,
	PULL_FALSE,
	PULL_NULL
};

struct pull_item {
	enum pull_kind kind;
	size_t offset;    /* of its first byte, counted from where `first_offset` was */
	const char *text; /* of a name or text: UTF-8, ends in NUL, gone at the next call */
	size_t length;
	double number;
};

/* All members are pull.c's own. */
struct pull {
	const char *what;
	const char *bytes;
	size_t length;
	size_t first_offset;
	size_t at;
	int expects;
	size_t level;
	struct {
		bool is_object;
		size_t first_name;
	} levels[PULL_LEVELS];
	struct str text;
	struct str
		names; /* of the objects that are open, one behind the other, each with its NUL */
	VEC(struct pull_name) name_list;
};

struct pull_name {
	size_t at; /* in names */
	size_t offset;
};

/* `what` begins the errors; it and the bytes are borrowed.  `first_offset` is added to the offsets:
 * that of a line in its file. */
void pull_init(struct pull *pull, const char *what, const char *bytes, size_t length,
	       size_t first_offset);
void pull_release(struct pull *pull);
DEFINE_SCOPED_EMBEDDED(pull_release, struct pull)

/* The next item.  ERR_INPUT, and again at every later call. */
MUST_CHECK bool pull_next(struct pull *pull, struct pull_item *ret_item, struct err *err);

/* The next item has to be of this kind.  ERR_INPUT "...: expected an object". */
MUST_CHECK bool pull_need(struct pull *pull, enum pull_kind kind, struct pull_item *ret_item,
			  struct err *err);

/* Passes over the rest of what `item` began: of an object or array its end, of a name its value,
 * else nothing.  ERR_INPUT. */
MUST_CHECK bool pull_skip(struct pull *pull, const struct pull_item *item, struct err *err);

/* Whether the number that was just given is written as a whole one: 5, but not 5.0 or 5e0. */
bool pull_is_whole(const struct pull *pull, const struct pull_item *number);

/* ERR_INPUT at an item that is JSON, but not what the caller can use: "WHAT: byte N: ...". */
bool pull_refuse(const struct pull *pull, const struct pull_item *item, struct err *err,
		 const char *format, ...) PRINTF_LIKE(4, 5);

#endif
