/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lkp_compat.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/base/names.h"
#include "lkp_compat_parts.h"

#define INCOMPLETE "last_state.is_incomplete_run"

static const struct lkp_metric *metric_of(const struct lkp_compat *compat, size_t row,
					  size_t column)
{
	return compat->rows.at[row].metrics[column];
}

static void add_row(struct lkp_compat *compat, const char *name)
{
	size_t nr = compat->input->nr_columns;

	*vec_push(&compat->rows) = (struct lkp_row){
		.name = name,
		.class = lkp_class_of(name),
		.metrics = arena_array(compat->arena, nr, sizeof(struct lkp_metric *)),
		.changes = arena_array(compat->arena, nr, sizeof(struct lkp_change *)),
	};
}

static void find_rows(struct lkp_compat *compat)
{
	for (size_t i = 0; i < compat->input->nr_columns; i++) {
		const struct lkp_column *column = &compat->input->columns[i];

		for (size_t j = 0; j < column->nr_metrics; j++) {
			uint32_t number = names_number(compat->names, column->metrics[j].name);

			if (number > compat->rows.nr) {
				add_row(compat, column->metrics[j].name);
			}
			compat->rows.at[number - 1].metrics[i] = &column->metrics[j];
		}
	}
}

static size_t count_runs(const struct lkp_column *column)
{
	size_t first;
	size_t last;

	if (column->nr_runs > 0 || column->nr_metrics == 0) {
		return column->nr_runs;
	}
	first = column->metrics[0].nr;
	last = column->metrics[column->nr_metrics - 1].nr;
	return first > last ? first : last;
}

/* complete runs */

static const struct lkp_metric *incomplete_of(const struct lkp_compat *compat, size_t column)
{
	uint32_t number = names_find(compat->names, INCOMPLETE);

	return number > 0 ? metric_of(compat, number - 1, column) : NULL;
}

static bool is_complete(const struct lkp_metric *incomplete, size_t run)
{
	return !incomplete || run >= incomplete->nr || fabs(incomplete->samples[run] - 1) > 0;
}

/* The samples of a metric in all runs, or in the complete ones. */
static struct lkp_side side_of(const struct lkp_compat *compat, size_t row, size_t column,
			       bool is_filtered)
{
	const struct lkp_metric *metric = metric_of(compat, row, column);
	const struct lkp_metric *incomplete = is_filtered ? incomplete_of(compat, column) : NULL;
	size_t nr_runs = compat->nr_runs[column];
	struct lkp_side side = { 0 };
	double *kept;

	for (size_t run = 0; run < nr_runs; run++) {
		side.nr_runs += is_complete(incomplete, run);
	}
	if (!metric) {
		return side;
	}
	side.has_fractions = metric->has_fractions;
	if (!incomplete) {
		side.samples = metric->samples;
		side.nr = metric->nr;
		return side;
	}
	kept = arena_array(compat->arena, metric->nr, sizeof(*kept));
	for (size_t run = 0; run < metric->nr; run++) {
		if (is_complete(incomplete, run)) {
			kept[side.nr++] = metric->samples[run];
		}
	}
	side.samples = kept;
	return side;
}

struct lkp_side lkp_compat_side(const struct lkp_compat *compat, size_t row, size_t column)
{
	return side_of(compat, row, column, !compat->rows.at[row].class.is_failure);
}

/* what one metric says about another */

static bool is_known_in_base(const struct lkp_compat *compat, const char *stem, size_t length,
			     const char *tail)
{
	scoped(free) char *name = mem_printf("%.*s%s", (int)length, stem, tail);
	uint32_t number = names_find(compat->names, name);

	return number > 0 && metric_of(compat, number - 1, 0);
}

static bool starts_with(const char *text, const char *head)
{
	return strncmp(text, head, strlen(head)) == 0;
}

/* A fail counts only where the base knows of a pass, and the reverse. */
static bool has_counterpart(const struct lkp_compat *compat, const char *name)
{
	const char *dot = strrchr(name, '.');
	size_t length = dot ? (size_t)(dot - name) : 0;

	if (!dot || starts_with(name, "dmesg.") || starts_with(name, "kmsg.") ||
	    starts_with(name, "last_state.") || starts_with(name, "stderr.")) {
		return true;
	}
	if (strcmp(dot, ".fail") == 0 || strcmp(dot, ".error") == 0 || strcmp(dot, ".warn") == 0) {
		return is_known_in_base(compat, name, length, ".pass");
	}
	return strcmp(dot, ".pass") != 0 || is_known_in_base(compat, name, length, ".fail") ||
	       is_known_in_base(compat, name, length, ".error") ||
	       is_known_in_base(compat, name, length, ".warn");
}

static bool does_base_have(const struct lkp_compat *compat, const char *monitor)
{
	for (size_t i = 0; i < compat->rows.nr; i++) {
		if (metric_of(compat, i, 0) && starts_with(compat->rows.at[i].name, monitor)) {
			return true;
		}
	}
	return false;
}

/* What is new is lost, but for failures and for monitors that the base had. */
static bool is_comparable(const struct lkp_compat *compat, size_t row)
{
	const struct lkp_row *of = &compat->rows.at[row];

	if (of->class.is_failure) {
		return has_counterpart(compat, of->name);
	}
	return metric_of(compat, row, 0) ||
	       (of->class.is_profile && does_base_have(compat, "perf-profile.")) ||
	       (starts_with(of->name, "lock_stat.") && does_base_have(compat, "lock_stat."));
}

/* deciding */

struct pass {
	size_t head;
	bool is_listing; /* finds the rows of the table, else the decisions */
	bool is_base_filtered;
	bool is_head_filtered;
	bool is_logs_only; /* what tells of runs that were not complete */
};

static void note_change(struct lkp_compat *compat, size_t row, const struct pass *pass,
			const struct lkp_change *change)
{
	struct lkp_row *of = &compat->rows.at[row];

	if (pass->is_listing && !of->is_listed) {
		of->is_listed = true;
		*vec_push(&compat->listed) = row;
	}
	if (!pass->is_listing) {
		struct lkp_change *kept = arena_alloc(compat->arena, sizeof(*kept));

		*kept = *change;
		of->changes[pass->head] = kept;
		of->has_changed = true;
	}
}

static void decide_row(struct lkp_compat *compat, size_t row, const struct pass *pass)
{
	const struct lkp_row *of = &compat->rows.at[row];
	struct lkp_change change;
	struct lkp_side base;
	struct lkp_side head;

	if (!metric_of(compat, row, 0) && !metric_of(compat, row, pass->head)) {
		return;
	}
	if (pass->is_logs_only
		    ? !starts_with(of->name, "dmesg.") && !starts_with(of->name, "last_state.") &&
			      !starts_with(of->name, "stderr.")
		    : pass->is_base_filtered && strcmp(of->name, INCOMPLETE) == 0) {
		return;
	}
	if (!is_comparable(compat, row)) {
		return;
	}
	base = side_of(compat, row, 0, pass->is_base_filtered);
	head = side_of(compat, row, pass->head, pass->is_head_filtered);
	if (lkp_rule_decide(of->name, &of->class, &base, &head, &compat->options.rule, &change)) {
		note_change(compat, row, pass, &change);
	}
}

/* The peer walks the later column's names, then those that only the base has. */
static void decide_all(struct lkp_compat *compat, const struct pass *pass)
{
	const struct lkp_column *column = &compat->input->columns[pass->head];

	for (size_t i = 0; i < column->nr_metrics; i++) {
		decide_row(compat, names_find(compat->names, column->metrics[i].name) - 1, pass);
	}
	for (size_t row = 0; row < compat->rows.nr; row++) {
		if (!metric_of(compat, row, pass->head)) {
			decide_row(compat, row, pass);
		}
	}
}

/* Runs that were not complete count for failures only.  For its table the peer throws them out of
 * the base for good once it has seen any, for its decisions anew for each column. */
static void decide(struct lkp_compat *compat, bool is_listing)
{
	bool is_base_filtered = false;

	for (size_t head = 1; head < compat->input->nr_columns; head++) {
		struct pass pass = { .head = head, .is_listing = is_listing };

		is_base_filtered = is_base_filtered && is_listing;
		pass.is_base_filtered = is_base_filtered;
		if (incomplete_of(compat, head) ||
		    (incomplete_of(compat, 0) && !is_base_filtered)) {
			pass.is_logs_only = true;
			decide_all(compat, &pass);
			pass.is_logs_only = false;
			pass.is_base_filtered = is_base_filtered = true;
			pass.is_head_filtered = true;
		}
		decide_all(compat, &pass);
	}
}

struct lkp_compat *lkp_compat_new(const struct lkp_input *input,
				  const struct lkp_compat_options *options)
{
	struct lkp_compat *compat = mem_alloc(sizeof(*compat));

	compat->arena = arena_new();
	compat->names = names_new();
	compat->input = input;
	compat->options = *options;
	compat->nr_runs = arena_array(compat->arena, input->nr_columns, sizeof(*compat->nr_runs));
	for (size_t i = 0; i < input->nr_columns; i++) {
		compat->nr_runs[i] = count_runs(&input->columns[i]);
	}
	find_rows(compat);
	decide(compat, true);
	decide(compat, false);
	return compat;
}

struct lkp_compat *lkp_compat_free(struct lkp_compat *compat)
{
	if (compat) {
		vec_release(&compat->listed);
		vec_release(&compat->rows);
		names_free(compat->names);
		arena_free(compat->arena);
		free(compat);
	}
	return NULL;
}

/* the document */

static struct json *json_of_change(const struct lkp_row *row, const struct lkp_change *change)
{
	struct json *json = json_new_object();
	scoped(str_release) struct str interval = STR_INIT;

	lkp_append_range(change->min_a, change->max_a, &interval);
	str_append(&interval, " -- ");
	lkp_append_range(change->min_b, change->max_b, &interval);
	json_put_number(json, "delta", change->delta);
	json_put_text(json, "interval", interval.at);
	json_put_bool(json, "is_function_stat", row->class.is_failure);
	json_put_number(json, "max", change->max);
	json_put_number(json, "max_a", change->max_a);
	json_put_number(json, "max_b", change->max_b);
	json_put_number(json, "mean_a", change->mean_a);
	json_put_number(json, "mean_b", change->mean_b);
	json_put_number(json, "min_a", change->min_a);
	json_put_number(json, "min_b", change->min_b);
	json_put_number(json, "ratio", change->ratio);
	json_put_number(json, "x", change->x);
	json_put_number(json, "y", change->y);
	json_put_number(json, "z", change->z);
	return json;
}

static struct json *json_of_class(const struct lkp_class *class)
{
	struct json *json = json_new_object();

	json_put_bool(json, "absolute", class->is_absolute);
	json_put_bool(json, "bisectable", class->is_shown);
	json_put(json, "direction",
		 class->direction ? json_new_int(class->direction) : json_new_null());
	json_put_bool(json, "function", class->is_failure);
	json_put_bool(json, "kpi", class->is_kpi);
	json_put_bool(json, "perf_metric", class->is_performance);
	json_put_bool(json, "report_allow", class->is_reported);
	return json;
}

struct json *lkp_compat_json(const struct lkp_compat *compat)
{
	struct json *json = json_new_object();
	struct json *changed = json_new_object();
	struct json *classes = json_new_object();

	for (size_t i = 0; i < compat->rows.nr; i++) {
		const struct lkp_row *row = &compat->rows.at[i];
		struct json *heads = row->has_changed ? json_new_object() : NULL;

		json_put(classes, row->name, json_of_class(&row->class));
		for (size_t head = 1; heads && head < compat->input->nr_columns; head++) {
			char name[32];

			snprintf(name, sizeof(name), "%zu", head);
			if (row->changes[head]) {
				json_put(heads, name, json_of_change(row, row->changes[head]));
			}
		}
		if (heads) {
			json_put(changed, row->name, heads);
		}
	}
	json_put(json, "changed", changed);
	json_put(json, "class", classes);
	json_put(json, "error", json_new_null());
	return json;
}
