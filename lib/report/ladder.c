/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ladder.h"

static const char *const metric_members[] = { "metric", "unit", "better", "class", "is_exact" };

static void copy(struct json *to, const struct json *from, const char *name)
{
	const struct json *value = json_get(from, name);

	json_put(to, name, value ? json_clone(value) : json_new_null());
}

/* One column of a row as a row of its own, with both of its changes: view.h's texts are of rows. */
static struct json *column_of(const struct json *row, size_t i)
{
	struct json *part = json_new_object();
	struct json *cells = json_new_array();
	struct json *changes = json_new_array();

	for (size_t j = 0; j < countof(metric_members); j++) {
		copy(part, row, metric_members[j]);
	}
	json_append(cells, json_clone(json_at(json_get(row, "cells"), i)));
	if (i > 0) {
		json_append(changes, json_clone(json_at(json_get(row, "changes"), i - 1)));
		json_append(changes, json_clone(json_at(json_get(row, "steps"), i - 1)));
	}
	json_put(part, "cells", cells);
	json_put(part, "changes", changes);
	view_decorate_row(part);
	return part;
}

static void put_parent(struct json *step, const struct json *columns, size_t i)
{
	int64_t against = json_int(json_get(step, "against"), 0);

	if (against + 1 != (int64_t)i) {
		json_put_text(step, "parent",
			      json_text(json_get(json_at(columns, (size_t)against), "name")));
	}
}

static struct json *line_of(const struct json *columns, const struct json *row, size_t i)
{
	static const char *const names[] = { "name", "commit", "subject" };
	static const char *const texts[] = { "text", "spread", "n", "reason" };
	scoped(json_free) struct json *part = column_of(row, i);
	const struct json *cell = json_at(json_get(part, "cells"), 0);
	const struct json *changes = json_get(part, "changes");
	struct json *line = json_new_object();

	json_put_int(line, "column", (int64_t)i);
	json_put_bool(line, "is_base", i == 0);
	for (size_t j = 0; j < countof(names); j++) {
		copy(line, json_at(columns, i), names[j]);
	}
	for (size_t j = 0; j < countof(texts); j++) {
		copy(line, cell, texts[j]);
	}
	json_put_bool(line, "has_value", json_int(json_get(cell, "n"), 0) > 0);
	if (i > 0) {
		json_put(line, "against_base", json_clone(json_at(changes, 0)));
		json_put(line, "against_parent", json_clone(json_at(changes, 1)));
		put_parent(json_get(line, "against_parent"), columns, i);
	}
	return line;
}

static bool has_changed(const struct json *row)
{
	const struct json *steps = json_get(row, "steps");

	for (size_t i = 0; i < json_size(steps); i++) {
		const char *word = json_text(json_get(json_at(steps, i), "verdict"));
		enum view_meaning meaning = view_verdict(word)->meaning;

		if (meaning == VIEW_WORSE || meaning == VIEW_BETTER) {
			return true;
		}
	}
	return view_has_changed(row);
}

static struct json *ladder_from(const struct json *columns, const struct json *row)
{
	struct json *ladder = json_new_object();
	struct json *lines = json_new_array();

	for (size_t i = 0; i < countof(metric_members); i++) {
		copy(ladder, row, metric_members[i]);
	}
	json_put_bool(ladder, "is_headline", is_view_headline(row));
	for (size_t i = 0; i < json_size(columns); i++) {
		json_append(lines, line_of(columns, row, i));
	}
	json_put(ladder, "lines", lines);
	return ladder;
}

bool is_ladder(const struct json *view)
{
	const struct json *groups = json_get(view, "groups");

	for (size_t i = 0; i < json_size(groups); i++) {
		const struct json *rows = json_get(json_at(groups, i), "rows");

		for (size_t j = 0; j < json_size(rows); j++) {
			if (!json_get(json_at(rows, j), "steps")) {
				return false;
			}
		}
	}
	return true;
}

struct json *ladder_of(const struct json *view, bool is_all)
{
	const struct json *columns = json_get(view, "columns");
	const struct json *groups = json_get(view, "groups");
	struct json *ladders = json_new_array();

	for (size_t i = 0; i < json_size(groups); i++) {
		const struct json *rows = json_get(json_at(groups, i), "rows");

		for (size_t j = 0; j < json_size(rows); j++) {
			const struct json *row = json_at(rows, j);

			if (is_all || is_view_headline(row) || has_changed(row)) {
				json_append(ladders, ladder_from(columns, row));
			}
		}
	}
	return ladders;
}
