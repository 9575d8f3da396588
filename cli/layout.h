/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h - a document of the API as text for people, from tables.
 *
 *	static const struct field fields[] = { { "commit", "commit" }, { "size", "size_bytes" } };
 *	static const struct part parts[] = { { NULL, "", PART_FIELDS(fields) } };
 *	layout_print(parts, countof(parts), document, &screen);
 *
 * A part shows one place of the document: an object as lines "name  value", an array as a table
 * with a row an element, a text as it is.  What is empty is left out: a part, a line, a column.
 */
#ifndef CLI_LAYOUT_H
#define CLI_LAYOUT_H

#include "lib/base/json.h"
#include "screen.h"

struct field {
	const char *title;
	const char *path; /* members, joined by '.'; numbers in ..._s and ..._bytes get units */
};

struct part {
	const char *title; /* NULL: none */
	const char *path;  /* of the document; "": all of it */
	const struct field *fields;
	size_t nr_fields;
};

#define PART_FIELDS(fields) fields, countof(fields)

void layout_print(const struct part *parts, size_t nr_parts, const struct json *document,
		  const struct screen *screen);

/* The member at "a.b.c"; NULL: there is none. */
const struct json *layout_at(const struct json *document, const char *path);

#endif
