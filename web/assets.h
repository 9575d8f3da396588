/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The templates and the style, compiled in by lib/text/embed.py. */
#ifndef WEB_ASSETS_H
#define WEB_ASSETS_H

#include "lib/text/template_set.h"

extern const struct template_file web_templates[];
extern const size_t nr_web_templates;

extern const struct template_file web_static[];
extern const size_t nr_web_static;

/* All templates, parsed and checked.  ERR_INPUT, ERR_ABSENT: a template is wrong. */
MUST_CHECK bool assets_pages(struct template_set **ret_set, struct err *err);

#endif
