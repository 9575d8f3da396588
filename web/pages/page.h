/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.h - from a statement to a document, and from a document to what a template needs.
 *
 *	if (!page_query(request, Q_PAGE_RUN, ARGS(arg_int(id)), &document, err))
 *		return false;
 *	page_title(document, "Run %" PRId64, id);
 *	reply_document(reply, document);
 */
#ifndef WEB_PAGES_PAGE_H
#define WEB_PAGES_PAGE_H

#include "web/request.h"

/* The one document of the statement.  ERR_ABSENT: it gave none. */
MUST_CHECK bool page_query(struct request *request, enum query query, const struct arg *args,
			   size_t nr_args, struct json **ret_document, struct err *err);

/* The name of the page, in its head and in the browser's list. */
void page_title(struct json *document, const char *format, ...) PRINTF_LIKE(2, 3);

/* A query parameter that is a positive number; 0: absent.  ERR_INPUT. */
MUST_CHECK bool page_number(const struct request *request, const char *name, int64_t *ret_number,
			    struct err *err);

/* The one commit whose name begins with `text`, at least 8 digits.  ERR_INPUT: no such form;
 * ERR_ABSENT: nobody planned it; ERR_CONFLICT: there are several. */
MUST_CHECK bool page_commit(struct request *request, const char *text, const char **ret_oid,
			    struct err *err);

/* Adds "params_text": "groups=4 ipc=pipe" from "params". */
void page_params(struct json *object);

/* What Mustache cannot work out: for each member anywhere inside adds
 *	"has_NAME": true	where NAME is an array with elements,
 *	"NAME_text"		where NAME ends in _s or _bytes ("1 min 20 s", "3.2 MiB"), or is a
 *				time ("2026-11-30 22:29:54").
 * For HTML alone; the JSON twin stays as it is. */
void page_dress(struct json *document);

#endif
