/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"

static struct json *cell_json(const struct view_cell *from)
{
	struct json *cell = json_new_object();

	json_put_number(cell, "value", from->value);
	json_put_number(cell, "stddev", from->stddev);
	json_put_int(cell, "n", (int64_t)from->n);
	json_put_text(cell, "reason", from->reason);
	if (from->samples) {
		struct json *samples = json_new_array();

		for (size_t i = 0; i < from->nr_samples; i++) {
			json_append(samples, json_new_number(from->samples[i]));
		}
		json_put(cell, "samples", samples);
	}
	return cell;
}

static struct json *rate_json(const struct view_rate *from)
{
	struct json *cell = json_new_object();

	json_put_int(cell, "fails", (int64_t)from->fails);
	json_put_int(cell, "runs", (int64_t)from->runs);
	return cell;
}

struct json *view_change_json(const struct view_change *from)
{
	struct json *change = json_new_object();

	json_put_number(change, "percent", from->percent);
	json_put_number(change, "absolute", from->absolute);
	json_put_number(change, "low", from->low);
	json_put_number(change, "high", from->high);
	json_put_bool(change, "is_ratio", from->is_ratio);
	json_put_number(change, "p", from->p);
	json_put_number(change, "q", from->q);
	json_put_word(change, "verdict", from->verdict->word);
	json_put_text(change, "reason", from->reason);
	return change;
}

static struct json *changes_json(const struct view *view, const struct view_change *from)
{
	struct json *changes = json_new_array();

	for (size_t i = 0; i + 1 < view->nr_columns; i++) {
		json_append(changes, view_change_json(&from[i]));
	}
	return changes;
}

static struct json *steps_json(const struct view *view, const struct view_change *from)
{
	struct json *steps = changes_json(view, from);

	for (size_t i = 0; i + 1 < view->nr_columns; i++) {
		json_put_int(json_at(steps, i), "against", (int64_t)from[i].against);
	}
	return steps;
}

static void put_cells(const struct view *view, const struct view_row *from, struct json *row)
{
	struct json *cells = json_new_array();

	for (size_t i = 0; i < view->nr_columns; i++) {
		json_append(cells,
			    from->rates ? rate_json(&from->rates[i]) : cell_json(&from->cells[i]));
	}
	json_put(row, "cells", cells);
	json_put(row, "changes", changes_json(view, from->changes));
}

static struct json *failure_json(const struct view *view, const struct view_row *from)
{
	struct json *failure = json_new_object();

	json_put_text(failure, "metric", from->metric);
	put_cells(view, from, failure);
	return failure;
}

static struct json *row_json(const struct view *view, const struct view_row *from)
{
	struct json *row = json_new_object();

	json_put_text(row, "metric", from->metric);
	json_put_text(row, "unit", from->unit);
	json_put_word(row, "better", view_better(from));
	json_put_word(row, "class", view_class(from));
	json_put_bool(row, "is_exact", from->is_exact);
	json_put_text(row, "estimator", from->estimator);
	json_put_text(row, "note", from->note);
	if (from->worst) {
		json_put_text(row, "worst", from->worst);
	}
	put_cells(view, from, row);
	if (from->steps) {
		json_put(row, "steps", steps_json(view, from->steps));
	}
	return row;
}

static struct json *group_json(const struct view *view, const struct view_group *from)
{
	struct json *group = json_new_object();
	struct json *axes = json_new_array();
	struct json *failures = json_new_array();
	struct json *rows = json_new_array();

	for (size_t i = 0; i < from->nr_axes; i++) {
		struct json *axis = json_new_object();

		json_put_text(axis, "name", from->axes[i].name);
		json_put_text(axis, "value", from->axes[i].value);
		json_append(axes, axis);
	}
	for (size_t i = 0; i < from->nr_failures; i++) {
		json_append(failures, failure_json(view, &from->failures[i]));
	}
	for (size_t i = 0; i < from->nr_rows; i++) {
		json_append(rows, row_json(view, &from->rows[i]));
	}
	json_put(group, "axes", axes);
	json_put(group, "failures", failures);
	json_put(group, "rows", rows);
	return group;
}

static struct json *sum_json(const struct view_sum *from)
{
	struct json *sum = json_new_object();
	struct json *overall = json_new_object();
	const struct view_count *count;
	int64_t nr;

	for (size_t i = 0; (count = view_count(from, i, &nr)); i++) {
		json_put_int(sum, count->name, nr);
	}
	json_put_number(overall, "percent", from->percent);
	json_put_int(overall, "nr", from->nr_overall);
	json_put_int(overall, "nr_left_out", from->nr_left_out);
	json_put(sum, "overall", overall);
	return sum;
}

static struct json *columns_json(const struct view *view)
{
	struct json *columns = json_new_array();

	for (size_t i = 0; i < view->nr_columns; i++) {
		struct json *column = json_new_object();

		json_put_text(column, "name", view->columns[i].name);
		json_put_text(column, "commit", view->columns[i].commit);
		json_put_text(column, "subject", view->columns[i].subject);
		json_append(columns, column);
	}
	return columns;
}

static struct json *notes_json(const struct view *view)
{
	struct json *notes = json_new_array();

	for (size_t i = 0; i < view->nr_notes; i++) {
		json_append(notes, json_new_text(view->notes[i]));
	}
	return notes;
}

struct json *view_json(const struct view *view)
{
	struct json *json = json_new_object();
	struct json *groups = json_new_array();
	struct json *summary = json_new_array();

	json_put_int(json, "schema", VIEW_SCHEMA);
	json_put(json, "columns", columns_json(view));
	for (size_t i = 0; i < view->groups.nr; i++) {
		json_append(groups, group_json(view, &view->groups.at[i]));
	}
	json_put(json, "groups", groups);
	if (view->reason) {
		json_put_text(json, "reason", view->reason);
	}
	if (view->notes) {
		json_put(json, "notes", notes_json(view));
	}
	for (size_t i = 0; view->sums && i + 1 < view->nr_columns; i++) {
		json_append(summary, sum_json(&view->sums[i]));
	}
	json_put(json, "summary", summary);
	return json;
}
