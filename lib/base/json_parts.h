/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_parts.h - how a struct json is kept; for json*.c alone (docs/decisions/0015).
 *
 * A struct json * is 64 bits that are a node's address or, to save the node, the value itself:
 *
 *	0000 0000 0000 0000   NULL, no value
 *	0000 0000 0000 0001   null; 2 is false, 3 is true
 *	0000 AAAA AAAA AAAA   the address of a node: a text, an array, an object, or a wide integer
 *	0002 to fff1 ...      a double: its bits plus 2^49, which no finite one carries further
 *	fffd AAAA AAAA AAAA   the address of a word: a text that lasts forever
 *	fffe IIII IIII IIII   an integer of 48 bits
 */
#ifndef BASE_JSON_PARTS_H
#define BASE_JSON_PARTS_H

#include "json.h"

/* Which also means: 64-bit machines only. */
static_assert(sizeof(struct json *) == sizeof(uint64_t), "values are kept in pointers");

#define JSON_NULL       1U
#define JSON_FALSE      2U
#define JSON_TRUE       3U
#define JSON_TAG_SHIFT  48
#define JSON_PAYLOAD    ((1ULL << JSON_TAG_SHIFT) - 1)
#define JSON_TAG_DOUBLE 2ULL
#define JSON_TAG_WORD   0xfffdULL
#define JSON_TAG_INT    0xfffeULL

/* A node's head.  A text follows it at once. */
struct json {
	uint8_t kind;
	uint32_t nr; /* elements or members */
};

static inline uint64_t json_bits(const struct json *json)
{
	return (uintptr_t)json;
}

static inline struct json *json_of_bits(uint64_t bits)
{
	return (struct json *)(uintptr_t)bits;
}

static inline uint64_t json_tag(const struct json *json)
{
	return json_bits(json) >> JSON_TAG_SHIFT;
}

static inline bool is_json_node(const struct json *json)
{
	return json_bits(json) > JSON_TRUE && json_tag(json) == 0;
}

static inline bool is_json_node_of(const struct json *json, enum json_kind kind)
{
	return is_json_node(json) && json->kind == kind;
}

/* A zeroed node. */
struct json *json_node_new(enum json_kind kind, size_t size_bytes);

/* Frees the values of an object, but not the node. */
void json_release_members(struct json *object);

/* What is not UTF-8 in it is replaced; false: nothing had to be, and `clean` is untouched. */
struct str;
bool is_json_text_mended(const char *bytes, size_t length, struct str *clean);

#endif
