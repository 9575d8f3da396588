/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view_builder.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/stats/summary.h"

struct json *view_new(const struct view_column *columns, size_t nr_columns)
{
	struct json *view = json_new_object();
	struct json *array = json_new_array();

	if (nr_columns == 0 || nr_columns > VIEW_MAX_COLUMNS) {
		bug("a comparison of %zu columns", nr_columns);
	}
	for (size_t i = 0; i < nr_columns; i++) {
		const struct view_column *from = &columns[i];
		struct json *column = json_new_object();
		scoped(free) char *digits =
			mem_strndup(from->commit ? from->commit : "?",
				    from->commit ? strnlen(from->commit, VIEW_SHORT_DIGITS) : 1);

		json_put_text(column, "name", from->name ? from->name : digits);
		json_put_text(column, "commit", from->commit);
		json_put_text(column, "subject", from->subject);
		json_append(array, column);
	}
	json_put_int(view, "schema", VIEW_SCHEMA);
	json_put(view, "columns", array);
	json_put(view, "groups", json_new_array());
	return view;
}

static struct json *cell_json(const struct view_cell *from)
{
	struct json *cell = json_new_object();
	bool is_there = from->n > 0 && isfinite(from->value);

	json_put_number(cell, "value", is_there ? from->value : (double)NAN);
	json_put_number(cell, "stddev", is_there ? from->stddev : (double)NAN);
	json_put_int(cell, "n", is_there ? (int64_t)from->n : 0);
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

static const struct view_verdict *verdict_of(const struct view_change *change)
{
	const struct view_verdict *verdict = view_verdict(change->verdict);

	if (!verdict) {
		bug("'%s' is no verdict", change->verdict);
	}
	return verdict;
}

/* What all changes have: of rows, and of failures. */
static struct json *change_json(const struct view_change *from, double percent, double absolute)
{
	struct json *change = json_new_object();
	double scale = from->is_ratio ? 100 : 1;

	json_put_number(change, "percent", percent);
	json_put_number(change, "absolute", absolute);
	json_put_number(change, "low", scale * from->low);
	json_put_number(change, "high", scale * from->high);
	json_put_bool(change, "is_ratio", from->is_ratio);
	json_put_number(change, "p", from->p);
	json_put_number(change, "q", from->q);
	json_put_word(change, "verdict", verdict_of(from)->word);
	json_put_text(change, "reason", from->reason);
	return change;
}

static double value_of(const struct view_cell *cell)
{
	return cell->n > 0 ? cell->value : (double)NAN;
}

static struct json *row_change_json(const struct view_change *from, const struct view_cell *base,
				    const struct view_cell *head)
{
	double before = value_of(base);
	double absolute = value_of(head) - before;
	double percent = from->is_ratio ? 100 * from->effect : (double)NAN;

	if (!isfinite(percent) && fabs(before) > 0) {
		percent = 100 * absolute / fabs(before);
	}
	return change_json(from, isfinite(absolute) ? percent : (double)NAN, absolute);
}

static struct json *steps_json(const struct view_row *from, size_t nr_columns)
{
	struct json *steps = json_new_array();

	for (size_t i = 1; i < nr_columns; i++) {
		const struct view_step *step = &from->steps[i - 1];
		struct json *change = row_change_json(&step->change, &from->cells[step->against],
						      &from->cells[i]);

		assert(step->against < i);
		json_put_int(change, "against", (int64_t)step->against);
		json_append(steps, change);
	}
	return steps;
}

static struct json *row_json(const struct view_row *from, size_t nr_columns)
{
	static const char *const classes[] = { "headline", "supporting", "monitor" };
	struct json *row = json_new_object();
	struct json *cells = json_new_array();
	struct json *changes = json_new_array();

	json_put_text(row, "metric", from->metric);
	json_put_text(row, "unit", from->unit);
	json_put_word(row, "better", from->is_higher_better ? "higher" : "lower");
	json_put_word(row, "class", classes[from->class]);
	json_put_bool(row, "is_exact", from->is_exact);
	json_put_text(row, "estimator", from->estimator);
	json_put_text(row, "note", from->note);
	if (from->worst) {
		json_put_text(row, "worst", from->worst);
	}
	for (size_t i = 0; i < nr_columns; i++) {
		json_append(cells, cell_json(&from->cells[i]));
	}
	for (size_t i = 1; i < nr_columns; i++) {
		json_append(changes, row_change_json(&from->changes[i - 1], &from->cells[0],
						     &from->cells[i]));
	}
	json_put(row, "cells", cells);
	json_put(row, "changes", changes);
	if (from->steps) {
		json_put(row, "steps", steps_json(from, nr_columns));
	}
	return row;
}

static double rate_of(const struct view_rate *rate)
{
	return rate->runs > 0 ? 100 * (double)rate->fails / (double)rate->runs : (double)NAN;
}

static struct json *failure_json(const struct view_failure *from, size_t nr_columns)
{
	struct json *failure = json_new_object();
	struct json *cells = json_new_array();
	struct json *changes = json_new_array();

	for (size_t i = 0; i < nr_columns; i++) {
		const struct view_rate *rate = &from->rates[i];
		struct json *cell = json_new_object();

		if (rate->fails > rate->runs) {
			bug("'%s' fails in %zu of %zu runs", from->metric, rate->fails, rate->runs);
		}
		json_put_int(cell, "fails", (int64_t)rate->fails);
		json_put_int(cell, "runs", (int64_t)rate->runs);
		json_append(cells, cell);
	}
	for (size_t i = 1; i < nr_columns; i++) {
		struct view_change change = from->changes[i - 1];

		change.low = change.high = NAN;
		json_append(changes,
			    change_json(&change, NAN,
					rate_of(&from->rates[i]) - rate_of(&from->rates[0])));
	}
	json_put_text(failure, "metric", from->metric);
	json_put(failure, "cells", cells);
	json_put(failure, "changes", changes);
	return failure;
}

static int compare_axes(const void *a, const void *b)
{
	const struct view_axis *left = a;
	const struct view_axis *right = b;

	return strcmp(left->name, right->name);
}

static struct json *axes_json(const struct view_group *group)
{
	scoped(free) struct view_axis *sorted = mem_array(group->nr_axes, sizeof(*sorted));
	struct json *axes = json_new_array();

	for (size_t i = 0; i < group->nr_axes; i++) {
		sorted[i] = group->axes[i];
	}
	qsort(sorted, group->nr_axes, sizeof(*sorted), compare_axes);
	for (size_t i = 0; i < group->nr_axes; i++) {
		struct json *axis = json_new_object();

		json_put_text(axis, "name", sorted[i].name);
		json_put_text(axis, "value", sorted[i].value);
		json_append(axes, axis);
	}
	return axes;
}

/* Where a row belongs: rows are written place after place. */
static int place_of(const struct view_row *row, size_t nr_columns)
{
	enum { CHANGED, QUIET, MISSING, RANKS };
	int rank = row->class == VIEW_HEADLINE ? CHANGED : QUIET;

	for (size_t i = 0; i + 1 < nr_columns; i++) {
		enum view_meaning meaning = verdict_of(&row->changes[i])->meaning;

		if (meaning == VIEW_WORSE || meaning == VIEW_BETTER) {
			rank = CHANGED;
			break;
		}
		if (meaning == VIEW_MISSING) {
			rank = MISSING;
		}
	}
	return (int)row->class * RANKS + rank;
}

static struct json *rows_json(const struct view_group *group, size_t nr_columns)
{
	scoped(free) int *places = mem_array(group->nr_rows, sizeof(*places));
	struct json *rows = json_new_array();
	int last = 0;

	for (size_t i = 0; i < group->nr_rows; i++) {
		places[i] = place_of(&group->rows[i], nr_columns);
		last = places[i] > last ? places[i] : last;
	}
	for (int place = 0; place <= last; place++) {
		for (size_t i = 0; i < group->nr_rows; i++) {
			if (places[i] == place) {
				json_append(rows, row_json(&group->rows[i], nr_columns));
			}
		}
	}
	return rows;
}

void view_add_group(struct json *view, const struct view_group *group)
{
	size_t nr_columns = json_size(json_get(view, "columns"));
	struct json *object = json_new_object();
	struct json *failures = json_new_array();

	for (size_t i = 0; i < group->nr_failures; i++) {
		json_append(failures, failure_json(&group->failures[i], nr_columns));
	}
	json_put(object, "axes", axes_json(group));
	json_put(object, "failures", failures);
	json_put(object, "rows", rows_json(group, nr_columns));
	json_append(json_get(view, "groups"), object);
}

struct view_cell view_cell_of(const double *samples, size_t nr_samples, const char *reason)
{
	scoped(free) double *there = mem_array(nr_samples, sizeof(*there));
	struct view_cell cell = { .samples = samples, .nr_samples = nr_samples };

	for (size_t i = 0; i < nr_samples; i++) {
		if (isfinite(samples[i])) {
			there[cell.n++] = samples[i];
		}
	}
	cell.value = summary_mean(there, cell.n);
	cell.stddev = cell.n > 1 ? summary_population_sd(there, cell.n) : (double)NAN;
	cell.reason = cell.n ? NULL : reason;
	return cell;
}

struct view_cell view_cell_judged(const struct judge_side *side, const char *reason)
{
	return (struct view_cell){ .value = side->level,
				   .stddev = side->sd,
				   .n = side->nr,
				   .reason = side->nr ? NULL : reason };
}

struct view_change view_change_judged(const struct judge_verdict *verdict)
{
	return (struct view_change){ .is_ratio = verdict->is_ratio,
				     .effect = verdict->effect,
				     .low = verdict->interval_95.low,
				     .high = verdict->interval_95.high,
				     .p = verdict->p,
				     .q = verdict->q,
				     .verdict = judge_word(verdict->kind),
				     .reason = verdict->reason[0] ? verdict->reason : NULL };
}
