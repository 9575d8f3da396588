/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * template_parts.h - a compiled template; for template.c and template_parse.c alone.
 *
 * A template is a flat list of parts.  A section's body is the parts from the one after it up to,
 * without, `end`; so to skip a section is one assignment.
 *
 *	"{{#rows}}\n  {{name}}\n{{/rows}}\n"
 *	0 SECTION rows end=5 | 1 INDENT | 2 TEXT "  " | 3 VALUE name | 4 TEXT "\n"
 */
#ifndef TEXT_TEMPLATE_PARTS_H
#define TEXT_TEMPLATE_PARTS_H

#include "lib/base/mem.h"
#include "template.h"

enum part_kind {
	PART_TEXT,     /* literal; no line end but at its end */
	PART_INDENT,   /* a line begins here: an indented partial prints its indentation */
	PART_VALUE,    /* {{name}} */
	PART_RAW,      /* {{{name}}} and {{&name}} */
	PART_SECTION,  /* {{#name}} */
	PART_INVERTED, /* {{^name}} */
	PART_PARTIAL   /* {{> name}} */
};

struct part {
	enum part_kind kind;
	int line;           /* where it stands in the source, from 1 */
	const char *text;   /* PART_TEXT: the bytes; PART_PARTIAL: the name */
	size_t length;      /* of text */
	const char *indent; /* PART_PARTIAL alone on its line: what stands before it; else "" */
	bool is_standalone; /* PART_PARTIAL alone on its line */
	const char **path;  /* names to follow, "a.b" as "a", "b"; none for "{{.}}" */
	size_t nr_path;
	size_t end; /* sections */
};

struct template
{
	struct arena *arena; /* holds all that the parts point to */
	const char *name;
	enum template_mode mode;
	VEC(struct part) parts;
};

#define TEMPLATE_MAX_NESTING 64 /* of sections in a template */

#endif
