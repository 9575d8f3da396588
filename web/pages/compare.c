/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two commits side by side: the stored verdicts and the samples behind them, as one document for
 * the page and the API, and as the table of mails.
 */
#include <math.h>

#include "daemon/comparison.h"
#include "lib/report/format.h"
#include "lib/report/number.h"
#include "lib/report/view.h"
#include "page.h"
#include "plot.h"
#include "web/handlers.h"

/* So many cells are shown at once; a link to each is more than anybody reads. */
#define MAX_CELLS 16

struct pair {
	const char *base;
	const char *head;
	int64_t cell; /* 0: all */
};

static bool read_pair(struct request *request, struct pair *pair, struct err *err)
{
	const char *base = request_query(request, "base");
	const char *head = request_query(request, "head");

	if (!base || !head) {
		return err_set(err, ERR_INPUT, "parameters 'base' and 'head' name two commits");
	}
	return page_commit(request, base, &pair->base, err) &&
	       page_commit(request, head, &pair->head, err) &&
	       page_number(request, "cell", &pair->cell, err);
}

/* "identical" where all blocks that count ran in one environment; within a block both sides always
 * do. */
static void add_environment(struct json *document)
{
	size_t nr = json_size(json_get(document, "environments"));

	json_put_bool(document, "is_environment_identical", nr == 1);
	json_put_bool(document, "is_environment_mixed", nr > 1);
}

static void add_lkp(const struct view *view, bool is_all, struct json *document)
{
	scoped(str_release) struct str text = STR_INIT;

	format_get("lkp")->write(view, &(struct format_options){ .is_all = is_all }, &text);
	json_put(document, "lkp", json_new_text_bytes(text.at, text.length));
}

/* Rows that no side has a value of, and nothing to say about, are only a count. */
static void drop_unmeasured(const struct view *view, struct json *json, bool is_all)
{
	struct json *groups = json_get(json, "groups");

	for (size_t i = 0; !is_all && i < json_size(groups); i++) {
		const struct json *rows = json_get(json_at(groups, i), "rows");
		struct json *shown = json_new_array();
		int64_t nr_hidden = 0;

		for (size_t j = 0; j < json_size(rows); j++) {
			if (format_is_shown(view, &view->groups.at[i].rows[j],
					    &(struct format_options){ 0 })) {
				json_append(shown, json_clone(json_at(rows, j)));
			} else {
				nr_hidden++;
			}
		}
		json_put_int(json_at(groups, i), "nr_hidden", nr_hidden);
		json_put(json_at(groups, i), "rows", shown);
		if (nr_hidden > 0) {
			scoped(free) char *text = mem_printf("%" PRId64 " more metric%s", nr_hidden,
							     nr_hidden > 1 ? "s" : "");

			json_put_text(json_at(groups, i), "hidden", text);
		}
	}
}

static void dress_row(struct json *row)
{
	struct json *cells = json_get(row, "cells");
	struct json *changes = json_get(row, "changes");
	char text[NUMBER_BYTES];

	for (size_t i = 0; i < json_size(cells); i++) {
		struct json *cell = json_at(cells, i);

		json_put_bool(cell, "has_value", json_int(json_get(cell, "n"), 0) > 0);
	}
	for (size_t i = 0; i < json_size(changes); i++) {
		struct json *change = json_at(changes, i);

		number_probability(json_number(json_get(change, "q"), (double)NAN), text);
		json_put_text(change, "q_text", text);
	}
}

static void dress(struct json *json)
{
	struct json *groups = json_get(json, "groups");

	for (size_t i = 0; i < json_size(groups); i++) {
		struct json *rows = json_get(json_at(groups, i), "rows");

		for (size_t j = 0; j < json_size(rows); j++) {
			dress_row(json_at(rows, j));
		}
	}
}

static bool load_one(struct request *request, int64_t cell, int64_t id, bool is_all,
		     struct json **ret_document, struct err *err)
{
	scoped(comparison_free) struct comparison *comparison = NULL;
	scoped(view_free) struct view *view = NULL;
	struct json *document;
	struct json *json;

	if (!page_query(request, Q_PAGE_COMPARE, ARGS(arg_int(cell), arg_int(id)), &document,
			err)) {
		return false;
	}
	if (!comparison_load(request->db, cell, id, &comparison, err) ||
	    !comparison_load_verdicts(request->db, comparison, err)) {
		json_free(document);
		return false;
	}
	view = comparison_view(comparison, comparison);
	add_lkp(view, is_all, document);
	json = view_json(view);
	view_decorate(view, json);
	drop_unmeasured(view, json, is_all);
	dress(json);
	if (!is_request_json(request)) {
		plot_add(json);
	}
	json_put(document, "view", json);
	add_environment(document);
	page_params(document);
	*ret_document = document;
	return true;
}

static bool load(struct request *request, const struct pair *pair, bool is_all,
		 struct json *comparisons, struct err *err)
{
	struct db *db = request_db(request, err);
	scoped(rows_free) struct rows *rows = NULL;

	if (!db || !db_query(db, Q_COMPARE_MATCH,
			     ARGS(arg_text(pair->base), arg_text(pair->head), arg_id(pair->cell)),
			     &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_ABSENT,
			       "'%.10s' and '%.10s' were not measured side by side", pair->base,
			       pair->head);
	}
	for (int i = 0; i < rows_nr(rows) && i < MAX_CELLS; i++) {
		struct json *document;

		if (!load_one(request, rows_int(rows, i, "cell_id"), rows_int(rows, i, "id"),
			      is_all, &document, err)) {
			return false;
		}
		json_append(comparisons, document);
	}
	return true;
}

static struct json *side(const char *oid, const struct json *comparisons, size_t column)
{
	const struct json *view = json_get(json_at(comparisons, 0), "view");
	const struct json *at = json_at(json_get(view, "columns"), column);
	struct json *document = json_new_object();
	scoped(free) char *url = mem_printf("/commit/%s", oid);

	json_put_text(document, "commit", oid);
	json_put_text(document, "short", json_text(json_get(at, "short")));
	json_put_text(document, "subject", json_text(json_get(at, "subject")));
	json_put_text(document, "url", url);
	return document;
}

/* The table alone: ?format=lkp and the other clothes of lib/report. */
static bool reply_table(struct reply *reply, const struct json *comparisons, const char *name,
			bool is_all, struct err *err)
{
	const struct format *format = format_get(name);
	struct str text = STR_INIT;

	if (!format) {
		return err_set(err, ERR_INPUT, "parameter 'format': there is no format '%.40s'",
			       name);
	}
	for (size_t i = 0; i < json_size(comparisons); i++) {
		scoped(view_free) struct view *view = NULL;

		if (!view_read(json_get(json_at(comparisons, i), "view"), &view, err)) {
			str_release(&text);
			return false;
		}
		format->write(view, &(struct format_options){ .is_all = is_all }, &text);
	}
	reply_bytes(reply, format->content_type, &text);
	return true;
}

bool get_compare(struct request *request, struct reply *reply, struct err *err)
{
	scoped(json_free) struct json *document = json_new_object();
	const char *format = request_query(request, "format");
	const char *show = request_query(request, "show");
	bool is_all = show && strcmp(show, "all") == 0;
	struct json *comparisons = json_new_array();
	struct pair pair;

	json_put(document, "comparisons", comparisons);
	if (show && !is_all) {
		return err_set(err, ERR_INPUT, "parameter 'show': only 'all' can be asked for");
	}
	if (!read_pair(request, &pair, err) || !load(request, &pair, is_all, comparisons, err)) {
		return false;
	}
	if (format && strcmp(format, "json") != 0 && strcmp(format, "html") != 0) {
		return reply_table(reply, comparisons, format, is_all, err);
	}
	json_put(document, "base", side(pair.base, comparisons, 0));
	json_put(document, "head", side(pair.head, comparisons, 1));
	json_put_bool(document, "is_all", is_all);
	page_title(document, "%.10s against %.10s", pair.head, pair.base);
	reply_document(reply, move(&document));
	return true;
}
