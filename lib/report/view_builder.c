/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view_builder.h"

#include <math.h>

#include "lib/stats/summary.h"

struct view *view_new(const struct view_column *columns, size_t nr_columns)
{
	struct view *view = mem_alloc(sizeof(*view));
	struct view_column *own;

	if (nr_columns == 0 || nr_columns > VIEW_MAX_COLUMNS) {
		bug("a comparison of %zu columns", nr_columns);
	}
	view->arena = arena_new();
	own = arena_array(view->arena, nr_columns, sizeof(*own));
	for (size_t i = 0; i < nr_columns; i++) {
		const char *commit = columns[i].commit ? columns[i].commit : "?";

		own[i] = columns[i];
		if (!own[i].name) {
			own[i].name = arena_strndup(view->arena, commit,
						    strnlen(commit, VIEW_SHORT_DIGITS));
		}
	}
	view->columns = own;
	view->nr_columns = nr_columns;
	return view;
}

struct view *view_free(struct view *view)
{
	if (view) {
		vec_release(&view->groups);
		arena_free(view->arena);
		free(view);
	}
	return NULL;
}

static void finish_cells(struct view_row *row, size_t nr_columns)
{
	for (size_t i = 0; i < nr_columns; i++) {
		struct view_cell *cell = &row->cells[i];

		if (cell->n == 0 || !isfinite(cell->value)) {
			cell->n = 0;
			cell->value = cell->stddev = NAN;
		}
	}
}

static void finish_change(struct view_change *change, double before, double after)
{
	double absolute = after - before;
	double percent = change->is_ratio ? change->percent : (double)NAN;

	if (!isfinite(percent) && fabs(before) > 0) {
		percent = 100 * absolute / fabs(before);
	}
	change->absolute = absolute;
	change->percent = isfinite(absolute) ? percent : (double)NAN;
}

static void finish_row(struct view_row *row, size_t nr_columns)
{
	finish_cells(row, nr_columns);
	for (size_t i = 1; i < nr_columns; i++) {
		finish_change(&row->changes[i - 1], row->cells[0].value, row->cells[i].value);
	}
	for (size_t i = 1; row->steps && i < nr_columns; i++) {
		struct view_change *step = &row->steps[i - 1];

		assert(step->against < i);
		finish_change(step, row->cells[step->against].value, row->cells[i].value);
	}
}

static double rate_of(const struct view_rate *rate)
{
	return rate->runs > 0 ? 100 * (double)rate->fails / (double)rate->runs : (double)NAN;
}

static void finish_failure(struct view_row *failure, size_t nr_columns)
{
	for (size_t i = 0; i < nr_columns; i++) {
		const struct view_rate *rate = &failure->rates[i];

		if (rate->fails > rate->runs) {
			bug("'%s' fails in %zu of %zu runs", failure->metric, rate->fails,
			    rate->runs);
		}
	}
	for (size_t i = 1; i < nr_columns; i++) {
		struct view_change *change = &failure->changes[i - 1];

		change->percent = change->low = change->high = NAN;
		change->absolute = rate_of(&failure->rates[i]) - rate_of(&failure->rates[0]);
	}
}

static int compare_axes(const void *a, const void *b)
{
	const struct view_axis *left = a;
	const struct view_axis *right = b;

	return strcmp(left->name, right->name);
}

static const struct view_axis *sort_axes(struct view *view, const struct view_group *group)
{
	struct view_axis *sorted = arena_array(view->arena, group->nr_axes, sizeof(*sorted));

	for (size_t i = 0; i < group->nr_axes; i++) {
		sorted[i] = group->axes[i];
	}
	qsort(sorted, group->nr_axes, sizeof(*sorted), compare_axes);
	return sorted;
}

/* Where a row belongs: rows stand place after place. */
enum { CHANGED, QUIET, MISSING, RANKS, PLACES = RANKS * (VIEW_MONITOR + 1) };

static size_t place_of(const struct view_row *row, size_t nr_columns)
{
	size_t rank = row->class == VIEW_HEADLINE ? CHANGED : QUIET;

	for (size_t i = 0; i + 1 < nr_columns; i++) {
		enum view_meaning meaning = view_meaning(row, i);

		if (meaning == VIEW_WORSE || meaning == VIEW_BETTER) {
			rank = CHANGED;
			break;
		}
		if (meaning == VIEW_MISSING) {
			rank = MISSING;
		}
	}
	return row->class * RANKS + rank;
}

static struct view_row *sort_rows(struct view *view, const struct view_group *group)
{
	struct view_row *sorted = arena_array(view->arena, group->nr_rows, sizeof(*sorted));
	size_t nr[PLACES + 1] = { 0 }; /* first the rows up to a place, then where the next goes */

	for (size_t i = 0; i < group->nr_rows; i++) {
		nr[place_of(&group->rows[i], view->nr_columns) + 1]++;
	}
	for (size_t place = 1; place < PLACES; place++) {
		nr[place] += nr[place - 1];
	}
	for (size_t i = 0; i < group->nr_rows; i++) {
		sorted[nr[place_of(&group->rows[i], view->nr_columns)]++] = group->rows[i];
	}
	return sorted;
}

void view_add_group(struct view *view, const struct view_group *group)
{
	struct view_group *own = vec_push(&view->groups);

	*own = *group;
	own->axes = sort_axes(view, group);
	own->rows = sort_rows(view, group);
	own->failures = arena_array(view->arena, group->nr_failures, sizeof(*own->failures));
	for (size_t i = 0; i < own->nr_rows; i++) {
		finish_row(&own->rows[i], view->nr_columns);
	}
	for (size_t i = 0; i < own->nr_failures; i++) {
		own->failures[i] = group->failures[i];
		finish_failure(&own->failures[i], view->nr_columns);
	}
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

struct view_change view_change_judged(const struct judge_verdict *verdict, struct arena *arena)
{
	double scale = verdict->is_ratio ? 100 : 1;

	return (struct view_change){ .verdict = view_verdict(judge_word(verdict->kind)),
				     .reason = judge_reason_in(arena, verdict),
				     .is_ratio = verdict->is_ratio,
				     .percent = verdict->is_ratio ? 100 * verdict->effect
								  : (double)NAN,
				     .low = scale * verdict->interval_95.low,
				     .high = scale * verdict->interval_95.high,
				     .p = verdict->p,
				     .q = verdict->q };
}

struct view_change view_change_bare(const char *verdict, const char *reason)
{
	if (!view_verdict(verdict)) {
		bug("'%s' is no verdict", verdict);
	}
	return (struct view_change){ .verdict = view_verdict(verdict),
				     .reason = reason,
				     .percent = (double)NAN,
				     .low = (double)NAN,
				     .high = (double)NAN,
				     .p = (double)NAN,
				     .q = (double)NAN };
}
