/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * template_set.h - the templates of a program, by name.
 *
 * They are parsed once, at start, so that a broken one stops the start and not Tuesday night.
 *
 *	scoped(template_set_free) struct template_set *set = template_set_new();
 *	if (!template_set_add_files(set, web_templates, nr_web_templates, err) ||
 *	    !template_set_check(set, err))
 *		return false;
 *	template_render(template_set_get(set, "home"), set, document, &out, err);
 *
 * A file NAME.html is a page and NAME.txt is plain; its template and the partial {{> NAME}} are
 * called NAME.  Build it in one thread; after that any thread may read it.
 */
#ifndef TEXT_TEMPLATE_SET_H
#define TEXT_TEMPLATE_SET_H

#include "template.h"

struct template_set;

/* A file compiled into the program by lib/text/embed.py. */
struct template_file {
	const char *name; /* with the suffix: "report.txt" */
	const char *text;
	size_t length;
};

/* Empty. */
struct template_set *template_set_new(void);
struct template_set *template_set_free(struct template_set *set);
DEFINE_SCOPED(template_set_free, struct template_set *)

/* Parses one.  ERR_INPUT "NAME:LINE: ..."; ERR_CONFLICT: the name is taken. */
MUST_CHECK bool template_set_add(struct template_set *set, const char *name, const char *bytes,
				 size_t length, enum template_mode mode, struct err *err);
/* Parses compiled-in files; the mode follows the suffix, others than .html and .txt are passed
 * over. */
MUST_CHECK bool template_set_add_files(struct template_set *set, const struct template_file *files,
				       size_t nr_files, struct err *err);

/* Whether every partial that is asked for is there and has the mode of who asks.  ERR_ABSENT. */
MUST_CHECK bool template_set_check(const struct template_set *set, struct err *err);

/* NULL: no such template. */
const struct template *template_set_get(const struct template_set *set, const char *name);

#endif
