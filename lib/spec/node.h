/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node.h - a strict subset of YAML as a tree in which every node knows its place.
 *
 * One document of maps, lists and texts.  Refused, each with FILE:LINE:COLUMN: tags, anchors,
 * aliases, directives, a second document, a name that stands twice, tabs as indentation, plain
 * texts that run over lines, control characters, what is nested or grown beyond the limits below.
 * All scalars are texts here; what a text may be is the reader's business.
 *
 *	scoped(arena_free) struct arena *arena = arena_new();
 *	const struct node *root;
 *	if (!node_read_yaml(arena, "job.yaml", text.at, text.length, &root, err)) ...
 *	const struct node *name = node_get(root, "name");
 *	if (name->kind != NODE_TEXT)
 *		return node_fail(name, err, "'name': expected a text");
 */
#ifndef SPEC_NODE_H
#define SPEC_NODE_H

#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/mem.h"

#define NODE_LIMIT_BYTES 262144
#define NODE_LIMIT_DEPTH 8
#define NODE_LIMIT_NAMES 256   /* of one map */
#define NODE_LIMIT_ITEMS 10000 /* of one list */

enum node_kind { NODE_TEXT, NODE_LIST, NODE_MAP };

struct place {
	const char *file;
	int line, column; /* from 1; line 0: the tree was made from JSON and has no places */
};

struct node {
	enum node_kind kind;
	bool is_quoted;   /* NODE_TEXT: in quotes or a block, so it is meant as a text */
	const char *name; /* of a map's member; else NULL */
	const char *text; /* NODE_TEXT: no control characters but '\n' and '\t' */
	struct place place, name_place;
	struct node *first, *next; /* elements or members, in their order */
	size_t nr;
};

/* The tree lives in the arena.  ERR_INPUT, ERR_TOO_BIG. */
MUST_CHECK bool node_read_yaml(struct arena *arena, const char *file, const char *bytes,
			       size_t length, const struct node **ret_root, struct err *err);

/* The same tree of a JSON value, in the arena: numbers and booleans become unquoted texts, null an
 * empty one. */
const struct node *node_read_json(struct arena *arena, const char *file, const struct json *json);

/* NULL: no such member.  Accepts NULL. */
const struct node *node_get(const struct node *map, const char *name);

/* Sets ERR_INPUT "FILE:LINE:COLUMN: ..."; returns false. */
bool node_fail(const struct node *node, struct err *err, const char *format, ...) PRINTF_LIKE(3, 4);
/* The same with "'name' is 'text'; expected ...", "a list; expected ..." */
bool node_refuse(const struct node *node, struct err *err, const char *expected);
bool place_fail(const struct place *place, struct err *err, const char *format, ...)
	PRINTF_LIKE(3, 4);

#endif
