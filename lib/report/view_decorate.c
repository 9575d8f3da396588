/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"

#include <math.h>

#include "lib/base/str.h"
#include "number.h"

static void put_str(struct json *object, const char *name, const struct str *text)
{
	json_put(object, name, json_new_text_bytes(text->at, text->length));
}

static void decorate_cells(struct json *row)
{
	struct json *cells = json_get(row, "cells");
	char text[NUMBER_BYTES];

	for (size_t i = 0; i < json_size(cells); i++) {
		struct json *cell = json_at(cells, i);
		double value = json_number(json_get(cell, "value"), NAN);

		number_value(value, text);
		json_put_text(cell, "text", text);
		number_spread(value, json_number(json_get(cell, "stddev"), NAN), text);
		json_put_text(cell, "spread", text);
	}
}

static void decorate_changes(struct json *row)
{
	struct json *changes = json_get(row, "changes");

	for (size_t i = 0; i < json_size(changes); i++) {
		scoped(str_release) struct str text = STR_INIT;
		scoped(str_release) struct str interval = STR_INIT;
		struct json *change = json_at(changes, i);
		enum view_meaning meaning = view_meaning(row, i);

		view_change_text(row, i, &text);
		view_interval_text(row, i, &interval);
		put_str(change, "text", &text);
		put_str(change, "interval", &interval);
		json_put_word(change, "title",
			      view_verdict(json_text(json_get(change, "verdict")))->title);
		json_put_word(change, "mark", view_mark(meaning));
		json_put_bool(change, "is_worse", meaning == VIEW_WORSE);
		json_put_bool(change, "is_better", meaning == VIEW_BETTER);
	}
}

static void decorate_failures(struct json *failures)
{
	for (size_t i = 0; i < json_size(failures); i++) {
		struct json *cells = json_get(json_at(failures, i), "cells");

		for (size_t j = 0; j < json_size(cells); j++) {
			scoped(str_release) struct str text = STR_INIT;
			struct json *cell = json_at(cells, j);

			str_printf(&text, "%" PRId64 ":%" PRId64,
				   json_int(json_get(cell, "fails"), 0),
				   json_int(json_get(cell, "runs"), 0));
			put_str(cell, "text", &text);
		}
		decorate_changes(json_at(failures, i));
	}
}

void view_decorate_row(struct json *row)
{
	json_put_bool(row, "is_headline", is_view_headline(row));
	decorate_cells(row);
	decorate_changes(row);
}

static void decorate_group(struct json *group)
{
	scoped(str_release) struct str title = STR_INIT;
	struct json *rows = json_get(group, "rows");

	view_group_title(group, &title);
	put_str(group, "title", &title);
	for (size_t i = 0; i < json_size(rows); i++) {
		view_decorate_row(json_at(rows, i));
	}
	decorate_failures(json_get(group, "failures"));
}

void view_decorate(struct json *view)
{
	struct json *columns = json_get(view, "columns");
	struct json *groups = json_get(view, "groups");
	struct json *summary = json_get(view, "summary");

	for (size_t i = 0; i < json_size(columns); i++) {
		struct json *column = json_at(columns, i);
		const char *commit = json_text(json_get(column, "commit"));

		json_put(column, "short",
			 commit ? json_new_text_bytes(commit, VIEW_SHORT_DIGITS)
				: json_clone(json_get(column, "name")));
	}
	for (size_t i = 0; i < json_size(groups); i++) {
		decorate_group(json_at(groups, i));
	}
	for (size_t i = 0; i < json_size(summary); i++) {
		scoped(str_release) struct str text = STR_INIT;

		view_summary_text(view, i, &text);
		put_str(json_at(summary, i), "text", &text);
	}
}
