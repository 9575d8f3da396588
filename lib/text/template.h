/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * template.h - a JSON document through a Mustache template.
 *
 * Pages and mails are a document and a template, so that what is said (C) and how it looks
 * (a file that anybody can read) stay apart.  The language is Mustache as its specification has
 * it: {{name}} {{a.b}} {{.}} {{#list}}..{{/list}} {{^list}}..{{/list}} {{> partial}} {{! note }}.
 *
 *	scoped(template_free) struct template *page = NULL;
 *	if (!template_parse("runs", text, length, TEMPLATE_HTML, &page, err) ||
 *	    !template_render(page, set, document, &out, err))
 *		return err_wrap(err, "page 'runs'");
 *
 * What is falsy: absent, null, false, "" and [].  The number 0 is a value and truthy.
 * A name that is absent, or is an object or a list, renders as nothing.
 *
 * Values are hostile.  In every mode their control and bidirectional characters become U+FFFD
 * (line ends and tabs stay); in a page & < > " ' are escaped, and a template that asks for raw
 * output is refused when it is parsed.  A page's attributes must be quoted, and a document must
 * give whole, percent-encoded addresses: escaping cannot make `href="{{x}}"` a safe scheme.
 *
 * A template does not change once parsed: any number of threads may render it.
 */
#ifndef TEXT_TEMPLATE_H
#define TEXT_TEMPLATE_H

#include "lib/base/json.h"
#include "lib/base/str.h"

struct template;
struct template_set;

enum template_mode {
	TEMPLATE_HTML,    /* escapes, and refuses {{{name}}} and {{&name}} */
	TEMPLATE_PLAIN,   /* escapes nothing: mails and text */
	TEMPLATE_STANDARD /* the specification's: escapes, allows raw output; never for pages */
};

#define TEMPLATE_MAX_BYTES        (1U << 20)  /* of a template */
#define TEMPLATE_MAX_OUTPUT_BYTES (64U << 20) /* of one rendering */

/* Compiles the text.  Keeps a copy of what it needs.  ERR_INPUT "NAME:LINE: ..." */
MUST_CHECK bool template_parse(const char *name, const char *bytes, size_t length,
			       enum template_mode mode, struct template **ret_template,
			       struct err *err);
struct template *template_free(struct template *template);
DEFINE_SCOPED(template_free, struct template *)

/* As template_parse() was told. */
const char *template_name(const struct template *template);
enum template_mode template_mode(const struct template *template);

/* Walks the names of the partials that the template asks for: 0, 1, ... until NULL. */
const char *template_partial(const struct template *template, size_t index);

/* Appends the document, rendered.  Partials are looked up in `set`, which may be NULL; one that
 * is not there renders as nothing.  On failure *out is as before.  ERR_TOO_BIG "NAME:LINE: ..."
 * for endless recursion, for more than TEMPLATE_MAX_OUTPUT_BYTES and for more than 20 million
 * steps; ERR_INPUT for a partial of another mode. */
MUST_CHECK bool template_render(const struct template *template, const struct template_set *set,
				const struct json *document, struct str *out, struct err *err);

#endif
