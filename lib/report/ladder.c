/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ladder.h"

static struct json *step_json(const struct view_row *row, const struct view_change *from)
{
	struct json *step = view_change_json(from);

	view_decorate_change(row, from, step);
	return step;
}

static struct json *against_parent(const struct view *view, const struct view_row *row, size_t i)
{
	const struct view_change *from = &row->steps[i - 1];
	struct json *step = step_json(row, from);

	json_put_int(step, "against", (int64_t)from->against);
	if (from->against + 1 != i) {
		json_put_text(step, "parent", view->columns[from->against].name);
	}
	return step;
}

static struct json *line_of(const struct view *view, const struct view_row *row, size_t i)
{
	const struct view_column *column = &view->columns[i];
	const struct view_cell *cell = &row->cells[i];
	struct json *line = json_new_object();

	json_put_int(line, "column", (int64_t)i);
	json_put_bool(line, "is_base", i == 0);
	json_put_text(line, "name", column->name);
	json_put_text(line, "commit", column->commit);
	json_put_text(line, "subject", column->subject);
	view_decorate_cell(row, i, line);
	json_put_int(line, "n", (int64_t)cell->n);
	json_put_text(line, "reason", cell->reason);
	json_put_bool(line, "has_value", cell->n > 0);
	if (i > 0) {
		json_put(line, "against_base", step_json(row, &row->changes[i - 1]));
		json_put(line, "against_parent", against_parent(view, row, i));
	}
	return line;
}

static bool has_changed(const struct view *view, const struct view_row *row)
{
	for (size_t i = 0; i + 1 < view->nr_columns; i++) {
		enum view_meaning meaning = row->steps[i].verdict->meaning;

		if (meaning == VIEW_WORSE || meaning == VIEW_BETTER) {
			return true;
		}
	}
	return view_has_changed(view, row);
}

static struct json *ladder_from(const struct view *view, const struct view_row *row)
{
	struct json *ladder = json_new_object();
	struct json *lines = json_new_array();

	json_put_text(ladder, "metric", row->metric);
	json_put_text(ladder, "unit", row->unit);
	json_put_word(ladder, "better", view_better(row));
	json_put_word(ladder, "class", view_class(row));
	json_put_bool(ladder, "is_exact", row->is_exact);
	json_put_bool(ladder, "is_headline", is_view_headline(row));
	for (size_t i = 0; i < view->nr_columns; i++) {
		json_append(lines, line_of(view, row, i));
	}
	json_put(ladder, "lines", lines);
	return ladder;
}

bool is_ladder(const struct view *view)
{
	for (size_t i = 0; i < view->groups.nr; i++) {
		for (size_t j = 0; j < view->groups.at[i].nr_rows; j++) {
			if (!view->groups.at[i].rows[j].steps) {
				return false;
			}
		}
	}
	return true;
}

struct json *ladder_of(const struct view *view, bool is_all)
{
	struct json *ladders = json_new_array();

	for (size_t i = 0; i < view->groups.nr; i++) {
		const struct view_group *group = &view->groups.at[i];

		for (size_t j = 0; j < group->nr_rows; j++) {
			const struct view_row *row = &group->rows[j];

			if (is_all || is_view_headline(row) || has_changed(view, row)) {
				json_append(ladders, ladder_from(view, row));
			}
		}
	}
	return ladders;
}
