/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"

#include "number.h"

static void put_str(struct json *object, const char *name, const struct str *text)
{
	json_put(object, name, json_new_text_bytes(text->at, text->length));
}

void view_decorate_cell(const struct view_row *row, size_t index, struct json *cell)
{
	char text[NUMBER_BYTES];

	if (row->rates) {
		scoped(str_release) struct str rate = STR_INIT;

		str_printf(&rate, "%zu:%zu", row->rates[index].fails, row->rates[index].runs);
		put_str(cell, "text", &rate);
		return;
	}
	number_value(row->cells[index].value, text);
	json_put_text(cell, "text", text);
	number_spread(row->cells[index].value, row->cells[index].stddev, text);
	json_put_text(cell, "spread", text);
}

void view_decorate_change(const struct view_row *row, const struct view_change *from,
			  struct json *change)
{
	scoped(str_release) struct str text = STR_INIT;
	scoped(str_release) struct str interval = STR_INIT;
	enum view_meaning meaning = from->verdict->meaning;

	view_change_text(row, from, &text);
	view_interval_text(from, &interval);
	put_str(change, "text", &text);
	put_str(change, "interval", &interval);
	json_put_word(change, "title", from->verdict->title);
	json_put_word(change, "mark", view_mark(meaning));
	json_put_bool(change, "is_worse", meaning == VIEW_WORSE);
	json_put_bool(change, "is_better", meaning == VIEW_BETTER);
}

static void decorate_rows(const struct view *view, const struct view_row *rows, struct json *list)
{
	for (size_t i = 0; i < json_size(list); i++) {
		struct json *row = json_at(list, i);

		if (!rows[i].rates) {
			json_put_bool(row, "is_headline", is_view_headline(&rows[i]));
		}
		for (size_t j = 0; j < view->nr_columns; j++) {
			view_decorate_cell(&rows[i], j, json_at(json_get(row, "cells"), j));
		}
		for (size_t j = 0; j + 1 < view->nr_columns; j++) {
			view_decorate_change(&rows[i], &rows[i].changes[j],
					     json_at(json_get(row, "changes"), j));
		}
	}
}

static void decorate_group(const struct view *view, const struct view_group *from,
			   struct json *group)
{
	scoped(str_release) struct str title = STR_INIT;

	view_group_title(from, &title);
	put_str(group, "title", &title);
	decorate_rows(view, from->rows, json_get(group, "rows"));
	decorate_rows(view, from->failures, json_get(group, "failures"));
}

void view_decorate(const struct view *view, struct json *json)
{
	for (size_t i = 0; i < view->nr_columns; i++) {
		struct json *column = json_at(json_get(json, "columns"), i);
		const char *commit = view->columns[i].commit;

		json_put(column, "short",
			 commit ? json_new_text_bytes(commit, VIEW_SHORT_DIGITS)
				: json_new_text(view->columns[i].name));
	}
	for (size_t i = 0; i < view->groups.nr; i++) {
		decorate_group(view, &view->groups.at[i], json_at(json_get(json, "groups"), i));
	}
	for (size_t i = 0; i + 1 < view->nr_columns; i++) {
		scoped(str_release) struct str text = STR_INIT;

		view_summary_text(view, i, &text);
		put_str(json_at(json_get(json, "summary"), i), "text", &text);
	}
}
