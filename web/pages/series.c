/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of commits, and single commits. */
#include "page.h"
#include "sight.h"
#include "web/handlers.h"

/* stacks ------------------------------------------------------------------------------------- */

static bool is_stack_state(const char *word)
{
	static const char *const words[] = { "new",  "building",   "measuring",
					     "done", "superseded", "refused" };

	for (size_t i = 0; i < countof(words); i++) {
		if (strcmp(words[i], word) == 0) {
			return true;
		}
	}
	return false;
}

/* The address of the older ones, with the filters kept. */
static void add_next(const struct request *request, struct json *document)
{
	int64_t before = json_int(json_get(document, "before"), 0);
	const char *tree = request_query(request, "tree");
	const char *state = request_query(request, "state");

	if (before > 0) {
		scoped(str_release) struct str url = STR_INIT;

		str_printf(&url, "/series?before=%" PRId64, before);
		if (tree) {
			str_printf(&url, "&tree=%s", tree);
		}
		if (state) {
			str_printf(&url, "&state=%s", state);
		}
		json_put_text(document, "next", url.at);
	}
}

bool get_series_list(struct request *request, struct reply *reply, struct err *err)
{
	const char *state = request_query(request, "state");
	struct json *document;
	int64_t tree;
	int64_t before;

	if (state && *state == '\0') {
		state = NULL; /* the form's "any" */
	}
	if (state && !is_stack_state(state)) {
		return err_set(err, ERR_INPUT, "parameter 'state': no state of a stack is '%s'",
			       state);
	}
	if (!page_number(request, "tree", &tree, err) ||
	    !page_number(request, "before", &before, err) ||
	    !page_query(request, Q_PAGE_SERIES_LIST,
			ARGS(arg_id(tree), arg_text(state), arg_id(before)), &document, err)) {
		return false;
	}
	add_next(request, document);
	page_title(document, "Series");
	reply_document(reply, document);
	return true;
}

static void add_sights(struct json *document)
{
	const char *state = json_text(json_get(document, "state"));
	struct json *rows = json_get(document, "rows");
	struct json *ends = json_get(document, "ends");
	struct json *columns = json_get(document, "columns");

	for (size_t i = 0; i < json_size(rows); i++) {
		struct json *cells = json_get(json_at(rows, i), "cells");
		bool is_base = json_bool(json_get(json_at(rows, i), "is_base"), false);

		for (size_t j = 0; j < json_size(cells); j++) {
			sight_add(json_at(cells, j), state, is_base);
		}
	}
	for (size_t i = 0; i < json_size(ends); i++) {
		sight_add(json_at(ends, i), state, false);
	}
	for (size_t i = 0; i < json_size(columns); i++) {
		page_params(json_at(columns, i));
	}
}

bool get_series(struct request *request, struct reply *reply, struct err *err)
{
	struct json *document;
	int64_t id;

	if (!request_id(request, 0, &id, err) ||
	    !page_query(request, Q_PAGE_SERIES, ARGS(arg_int(id)), &document, err)) {
		return false;
	}
	add_sights(document);
	sight_decorate(json_get(document, "findings"));
	page_title(document, "%s: %s, version %" PRId64, json_text(json_get(document, "tree")),
		   json_text(json_get(document, "ref")),
		   json_int(json_get(document, "version"), 0));
	reply_document(reply, document);
	return true;
}

/* commits ------------------------------------------------------------------------------------ */

bool get_commit(struct request *request, struct reply *reply, struct err *err)
{
	struct json *document;
	struct json *comparisons;
	const char *oid;

	if (!page_commit(request, request->parts[0], &oid, err)) {
		return false;
	}
	if (strcmp(oid, request->parts[0]) != 0 && !is_request_json(request)) {
		reply_empty(reply, 302);
		reply_header(request, reply, "Location", "/commit/%s", oid);
		return true;
	}
	if (!page_query(request, Q_PAGE_COMMIT, ARGS(arg_text(oid)), &document, err)) {
		return false;
	}
	comparisons = json_get(document, "comparisons");
	for (size_t i = 0; i < json_size(comparisons); i++) {
		sight_add(json_at(comparisons, i), NULL, false);
		page_params(json_at(comparisons, i));
	}
	page_title(document, "Commit %.10s", oid);
	reply_document(reply, document);
	return true;
}
