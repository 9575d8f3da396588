/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack as one table, and beside the version before it.  Both are joint fits of all blocks.
 * The API gives the views; the page of the first stands them on end.
 */
#include "daemon/stack_fit.h"
#include "lib/report/ladder.h"
#include "page.h"
#include "web/handlers.h"

/* Each cell is a fit of all its samples; there is a link to each one alone. */
#define MAX_CELLS 16

static bool add_view(struct request *request, int64_t stack, struct json *cell, bool is_all,
		     struct err *err)
{
	scoped(stack_fit_free) struct stack_fit *fit = NULL;
	scoped(view_free) struct view *view = NULL;

	if (!stack_fit_load(request->db, json_int(json_get(cell, "cell"), 0), &stack, 1, &fit,
			    err)) {
		return false;
	}
	view = stack_fit_view(fit);
	if (is_request_json(request)) {
		json_put(cell, "view", view_json(view));
		return true;
	}
	json_put(cell, "metrics", ladder_of(view, is_all));
	json_put_text(cell, "reason", view->reason);
	page_params(cell);
	return true;
}

static bool add_views(struct request *request, int64_t stack, struct json *document, bool is_all,
		      struct err *err)
{
	struct json *cells = json_get(document, "cells");
	struct json *shown = json_new_array();

	for (size_t i = 0; i < json_size(cells) && i < MAX_CELLS; i++) {
		struct json *cell = json_clone(json_at(cells, i));

		json_append(shown, cell);
		if (!add_view(request, stack, cell, is_all, err)) {
			json_free(shown);
			return false;
		}
	}
	if (json_size(cells) > MAX_CELLS) {
		json_put_int(document, "nr_more_cells", (int64_t)json_size(cells) - MAX_CELLS);
	}
	json_put(document, "cells", shown);
	return true;
}

bool get_cumulative(struct request *request, struct reply *reply, struct err *err)
{
	const char *show = request_query(request, "show");
	bool is_all = show && strcmp(show, "all") == 0;
	struct json *document;
	int64_t stack;
	int64_t cell;

	if (show && !is_all) {
		return err_set(err, ERR_INPUT, "parameter 'show': only 'all' can be asked for");
	}
	if (!request_id(request, 0, &stack, err) || !page_number(request, "cell", &cell, err) ||
	    !page_query(request, Q_PAGE_CUMULATIVE, ARGS(arg_int(stack), arg_id(cell)), &document,
			err)) {
		return false;
	}
	if (!add_views(request, stack, document, is_all, err)) {
		json_free(document);
		return false;
	}
	json_put_bool(document, "is_all", is_all);
	page_title(document, "%s: %s, version %" PRId64 ", patch by patch",
		   json_text(json_get(document, "tree")), json_text(json_get(document, "ref")),
		   json_int(json_get(document, "version"), 0));
	reply_document(reply, document);
	return true;
}

/* versions ----------------------------------------------------------------------------------- */

static bool add_versions(struct request *request, const struct json *document, struct json *cell,
			 struct err *err)
{
	scoped(stack_fit_free) struct stack_fit *fit = NULL;
	const struct json *old = json_get(document, "old");
	const int64_t stacks[] = { json_int(json_get(old, "id"), 0),
				   json_int(json_get(document, "id"), 0) };
	const char *const names[] = { json_text(json_get(old, "name")),
				      json_text(json_get(document, "name")) };
	scoped(view_free) struct view *view = NULL;
	struct json *json;

	if (!stack_fit_load(request->db, json_int(json_get(cell, "cell"), 0), stacks,
			    countof(stacks), &fit, err)) {
		return false;
	}
	view = stack_fit_versions(fit, names);
	json = view_json(view);
	if (!is_request_json(request)) {
		view_decorate(view, json);
		page_params(cell);
	}
	json_put(cell, "view", json);
	return true;
}

bool get_versions(struct request *request, struct reply *reply, struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	struct json *cells;
	int64_t stack;
	int64_t against;

	if (!request_id(request, 0, &stack, err) ||
	    !page_number(request, "against", &against, err) ||
	    !page_query(request, Q_PAGE_VERSIONS, ARGS(arg_int(stack), arg_id(against)), &document,
			err)) {
		return false;
	}
	cells = json_get(document, "cells");
	for (size_t i = 0; i < json_size(cells) && i < MAX_CELLS; i++) {
		if (!add_versions(request, document, json_at(cells, i), err)) {
			return false;
		}
	}
	page_title(document, "%s: %s, %s against %s", json_text(json_get(document, "tree")),
		   json_text(json_get(document, "ref")), json_text(json_get(document, "name")),
		   json_text(json_get(json_get(document, "old"), "name")));
	reply_document(reply, move(&document));
	return true;
}
