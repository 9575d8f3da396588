/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bisections: what they ended with, from which runs, at what cost. */
#include <math.h>

#include "bisect_plot.h"
#include "bisect_words.h"
#include "page.h"
#include "sight.h"
#include "web/handlers.h"

/* The address of the older ones, with the filter kept. */
static void add_next(struct json *document, const char *state)
{
	int64_t before = json_int(json_get(document, "before"), 0);

	if (before > 0) {
		scoped(free) char *next = mem_printf("/bisect?before=%" PRId64 "%s%s", before,
						     state ? "&state=" : "", state ? state : "");

		json_put_text(document, "next", next);
	}
}

bool get_bisections(struct request *request, struct reply *reply, struct err *err)
{
	const char *state = request_query(request, "state");
	struct json *document;
	struct json *rows;
	int64_t before;

	if (state && *state == '\0') {
		state = NULL; /* the form's "any" */
	}
	if (state && !is_bisect_state(state)) {
		return err_set(err, ERR_INPUT, "parameter 'state': no state of a bisection is '%s'",
			       state);
	}
	if (!page_number(request, "before", &before, err) ||
	    !page_query(request, Q_PAGE_BISECT_LIST, ARGS(arg_text(state), arg_id(before)),
			&document, err)) {
		return false;
	}
	rows = json_get(document, "bisections");
	for (size_t i = 0; i < json_size(rows); i++) {
		bisect_words_short(json_at(rows, i));
	}
	add_next(document, state);
	page_title(document, "Bisections");
	reply_document(reply, document);
	return true;
}

bool get_bisection(struct request *request, struct reply *reply, struct err *err)
{
	struct json *document;
	int64_t id;

	if (!request_id(request, 0, &id, err) ||
	    !page_query(request, Q_PAGE_BISECT, ARGS(arg_int(id)), &document, err)) {
		return false;
	}
	page_params(document);
	sight_decorate(document);
	bisect_words(document);
	bisect_plot_add(document);
	page_title(document, "Bisection %" PRId64 ": %s", id,
		   json_text(json_get(document, "metric")));
	reply_document(reply, document);
	return true;
}
