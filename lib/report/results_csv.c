/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV with named columns (fields.h).  A row is a run, and a column of numbers a metric:
 *
 *	benchmark,mode,time (s),params.size
 *	sort,fast,0.25,1000
 *
 * or, where there are columns `metric` and `value`, a row is one value:
 *
 *	benchmark,size,metric,value,unit
 *	sort,1000,time,0.25,s
 *
 * Columns called as the members of a line of runs mean the same (roles[]).  Others are parameters
 * if their first cell is a text, if they are called params.NAME, or if a row is one value.
 */
#include <math.h>

#include "fields.h"

enum role_kind {
	ROLE_UNKNOWN, /* the first cell will tell */
	ROLE_METRIC,
	ROLE_PARAM,
	ROLE_PASSED, /* means nothing here */
	ROLE_BENCHMARK,
	ROLE_ID,
	ROLE_NUMBER,
	ROLE_WARMUP,
	ROLE_OUTCOME,
	ROLE_REASON,
	ROLE_NAME, /* this and the next two: of the one value of a row */
	ROLE_VALUE,
	ROLE_UNIT
};

static const struct role {
	const char *name;
	enum role_kind kind;
	size_t place; /* in judge_run */
} roles[] = {
	{ "benchmark", ROLE_BENCHMARK, 0 },
	{ "run", ROLE_PASSED, 0 },
	{ "boot", ROLE_ID, offsetof(struct judge_run, boot) },
	{ "build", ROLE_ID, offsetof(struct judge_run, build) },
	{ "machine", ROLE_ID, offsetof(struct judge_run, machine) },
	{ "block", ROLE_NUMBER, offsetof(struct judge_run, block) },
	{ "order", ROLE_NUMBER, offsetof(struct judge_run, order) },
	{ "warmup", ROLE_WARMUP, 0 },
	{ "outcome", ROLE_OUTCOME, 0 },
	{ "reason", ROLE_REASON, 0 },
	{ "metric", ROLE_NAME, 0 },
	{ "value", ROLE_VALUE, 0 },
	{ "unit", ROLE_UNIT, 0 },
};

struct column {
	const char *name; /* without prefix and unit */
	const char *unit; /* of a metric; NULL: unknown */
	enum role_kind kind;
	size_t place;
	size_t first_line; /* that told what the column is */
};

struct csv {
	const struct input *input;
	struct fields fields;
	VEC(struct column) columns;
	bool is_long; /* a row is one value */
	uint32_t nr_rows;
};

/* --- the first line --- */

/* Names of several columns, or of one with a number below it. */
bool is_results_csv(const char *text, size_t length)
{
	const char *end = text + length;
	const char *at = fields_first(text, length);
	struct input input = { .text = at, .length = (size_t)(end - at) };
	struct line line = { 0 };
	double value;

	return fields_separator(at, end) || (line_next(&input, &line) && line_next(&input, &line) &&
					     text_to_number(line.at, line.length, &value));
}

/* "time (s)" or "time [s]": the name and the unit. */
static void take_unit(struct arena *arena, struct column *column)
{
	size_t length = strlen(column->name);
	char last = *(length > 3 ? column->name + length - 1 : "");
	const char *open = last == ')'   ? strrchr(column->name, '(')
			   : last == ']' ? strrchr(column->name, '[')
					 : NULL;

	if (open && open > column->name && open[-1] == ' ' && open[1] != last) {
		column->unit = arena_strndup(arena, open + 1, strlen(open) - 2);
		column->name =
			arena_strndup(arena, column->name, (size_t)(open - column->name) - 1);
	}
}

static struct column column_of(const struct csv *csv, const char *name)
{
	struct arena *arena = csv->input->results->arena;
	const char *by = csv->input->options->by;
	struct column column = { .name = arena_strdup(arena, name) };

	for (size_t i = 0; i < countof(roles); i++) {
		if (strcmp(roles[i].name, name) == 0) {
			column.kind = roles[i].kind;
			column.place = roles[i].place;
			return column;
		}
	}
	if (str_has_prefix(name, "params.")) {
		column.name += strlen("params.");
		column.kind = ROLE_PARAM;
	} else if (by && strcmp(by, name) == 0) {
		column.kind = ROLE_PARAM;
	} else if (str_has_prefix(name, "metrics.")) {
		column.name += strlen("metrics.");
		column.kind = ROLE_METRIC;
	}
	return column;
}

static bool has_column(const struct csv *csv, enum role_kind kind)
{
	for (size_t i = 0; i < csv->columns.nr; i++) {
		if (csv->columns.at[i].kind == kind) {
			return true;
		}
	}
	return false;
}

/* With a column for the metric's name every unknown column is a parameter; without it `value` and
 * `unit` are columns like any other. */
static void settle_columns(struct csv *csv)
{
	csv->is_long = has_column(csv, ROLE_NAME) && has_column(csv, ROLE_VALUE);
	for (size_t i = 0; i < csv->columns.nr; i++) {
		struct column *column = &csv->columns.at[i];
		bool is_of_value = column->kind == ROLE_NAME || column->kind == ROLE_VALUE ||
				   column->kind == ROLE_UNIT;

		if (csv->is_long && column->kind == ROLE_UNKNOWN) {
			column->kind = ROLE_PARAM;
		} else if (!csv->is_long && is_of_value) {
			column->kind = ROLE_UNKNOWN;
		}
		if (column->kind == ROLE_UNKNOWN || column->kind == ROLE_METRIC) {
			take_unit(csv->input->results->arena, column);
		}
	}
}

static bool read_columns(struct csv *csv, struct err *err)
{
	scoped(names_free) struct names *names = names_new();
	bool is_row;

	if (!fields_next(&csv->fields, &is_row, err)) {
		return false;
	}
	for (size_t i = 0; i < csv->fields.cells.nr; i++) {
		const struct cell *cell = &csv->fields.cells.at[i];
		const char *name = fields_text(&csv->fields, cell);
		double value;

		if (cell->length == 0 || text_to_number(name, cell->length, &value)) {
			return fields_refuse(
				&csv->fields, cell->place, err,
				"expected the name of a column: the first line names them");
		}
		if (names_number(names, name) <= i) {
			return fields_refuse(&csv->fields, cell->place, err,
					     "a second column of this name");
		}
		*vec_push(&csv->columns) = column_of(csv, name);
	}
	csv->fields.has_names = true;
	settle_columns(csv);
	return true;
}

/* --- a row's meaning --- */

struct row {
	struct judge_run run;
	const char *benchmark;
	const char *metric, *unit; /* of the one value */
	const char *reason;
	bool is_failed;
	bool is_warmup;
	VEC(struct results_param) params;
};

static bool is_any(const char *text, const char *const *words)
{
	for (; *words; words++) {
		if (strcmp(text, *words) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_missing(const char *text)
{
	return is_any(text, (const char *const[]){ "", "NA", "null", "NULL", NULL });
}

/* NaN and infinity in any spelling of C, and what is too large for a double. */
static bool is_not_finite(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	return end != text && *end == '\0' && !isfinite(value);
}

static bool refuse_not_finite(const struct csv *csv, const struct cell *cell, struct err *err)
{
	return fields_refuse(&csv->fields, cell->place, err,
			     "not a finite number; a missing value is an empty field");
}

/* The first cell that holds something tells what an unknown column is. */
static bool settle_column(const struct csv *csv, struct column *column, const struct cell *cell,
			  struct err *err)
{
	const char *text = fields_text(&csv->fields, cell);
	double value;

	if (column->kind != ROLE_UNKNOWN || is_missing(text)) {
		return true;
	}
	if (is_not_finite(text)) {
		return refuse_not_finite(csv, cell, err);
	}
	column->kind = text_to_number(text, cell->length, &value) ? ROLE_METRIC : ROLE_PARAM;
	column->first_line = csv->fields.line.number;
	return true;
}

static bool read_id(const struct csv *csv, const struct column *column, const struct cell *cell,
		    struct judge_run *run)
{
	const char *text = fields_text(&csv->fields, cell);
	scoped(free) char *key = NULL;
	double number;

	key = text_to_number(text, cell->length, &number)
		      ? results_key_number(csv->input, column->name, number)
		      : results_key_text(column->name, text);
	*(uint32_t *)(void *)((char *)run + column->place) =
		names_number(csv->input->options->ids, key);
	return true;
}

static bool read_whole(const struct csv *csv, const struct column *column, const struct cell *cell,
		       struct judge_run *run, struct err *err)
{
	double number;

	if (!text_to_number(fields_text(&csv->fields, cell), cell->length, &number) ||
	    !(number >= 0 && number <= UINT32_MAX) || number > floor(number)) {
		return fields_refuse(&csv->fields, cell->place, err, "expected a whole number");
	}
	*(uint32_t *)(void *)((char *)run + column->place) = (uint32_t)number;
	return true;
}

static bool read_warmup(const struct csv *csv, const struct cell *cell, struct row *row,
			struct err *err)
{
	const char *text = fields_text(&csv->fields, cell);

	row->is_warmup = is_any(text, (const char *const[]){ "true", "TRUE", "True", "1", NULL });
	if (!row->is_warmup &&
	    !is_any(text, (const char *const[]){ "false", "FALSE", "False", "0", NULL })) {
		return fields_refuse(&csv->fields, cell->place, err, "expected true or false");
	}
	return true;
}

/* What a cell says of its row; the metrics come when all of that is known. */
static bool read_about(const struct csv *csv, const struct column *column, const struct cell *cell,
		       struct row *row, struct err *err)
{
	const char *text = fields_text(&csv->fields, cell);

	if (is_missing(text)) {
		return true;
	}
	switch (column->kind) {
	case ROLE_PARAM:
		*vec_push(&row->params) = (struct results_param){ column->name, text };
		break;
	case ROLE_BENCHMARK:
		row->benchmark = text;
		break;
	case ROLE_ID:
		return read_id(csv, column, cell, &row->run);
	case ROLE_NUMBER:
		return read_whole(csv, column, cell, &row->run, err);
	case ROLE_WARMUP:
		return read_warmup(csv, cell, row, err);
	case ROLE_OUTCOME:
		row->is_failed = strcmp(text, "ok") != 0;
		row->reason = row->reason ? row->reason : text;
		break;
	case ROLE_REASON:
		row->reason = text;
		break;
	case ROLE_NAME:
		row->metric = text;
		break;
	case ROLE_UNIT:
		row->unit = text;
		break;
	case ROLE_UNKNOWN:
	case ROLE_METRIC:
	case ROLE_PASSED:
	case ROLE_VALUE:
		break;
	}
	return true;
}

static bool add_value(const struct csv *csv, const struct column *column, const struct cell *cell,
		      const struct row *row, struct results_part *part, struct err *err)
{
	const char *text = fields_text(&csv->fields, cell);
	struct results_metric *metric;
	const char *unit = csv->is_long ? row->unit : column->unit;
	double value = NAN;

	if (!is_missing(text) && !text_to_number(text, cell->length, &value)) {
		char what[200];

		snprintf(what, sizeof(what), "expected a number in '%.80s', as in line %zu",
			 column->name, column->first_line);
		return is_not_finite(text) ? refuse_not_finite(csv, cell, err)
		       : column->first_line > 0
			       ? fields_refuse(&csv->fields, cell->place, err, what)
			       : fields_refuse(&csv->fields, cell->place, err, "expected a number");
	}
	metric = results_metric(csv->input, part, csv->is_long ? row->metric : column->name);
	if (!metric->unit && unit) {
		metric->unit = arena_strdup(csv->input->results->arena, unit);
	}
	results_add(metric, value, &row->run);
	return true;
}

static bool is_value(const struct csv *csv, const struct column *column)
{
	return column->kind == (csv->is_long ? ROLE_VALUE : ROLE_METRIC);
}

static bool add_row(struct csv *csv, const struct row *row, struct err *err)
{
	struct results_part *part =
		results_part(csv->input, row->benchmark, row->params.at, row->params.nr);

	if (row->is_warmup) {
		part->nr_warmups++;
		return true;
	}
	if (row->is_failed) {
		results_add_failure(part, arena_strdup(csv->input->results->arena, row->reason));
		return true;
	}
	if (csv->is_long && !row->metric) {
		return fields_refuse(&csv->fields, csv->fields.line.at, err,
				     "a row without a metric's name");
	}
	part->nr_runs++;
	for (size_t i = 0; i < csv->columns.nr; i++) {
		const struct column *column = &csv->columns.at[i];

		if (is_value(csv, column) &&
		    !add_value(csv, column, &csv->fields.cells.at[i], row, part, err)) {
			return false;
		}
	}
	return true;
}

static bool read_cells(struct csv *csv, struct row *row, struct err *err)
{
	if (csv->fields.cells.nr != csv->columns.nr) {
		scoped(free) char *what =
			mem_printf("expected %zu fields as in the first line, found %zu",
				   csv->columns.nr, csv->fields.cells.nr);

		return fields_refuse(&csv->fields, csv->fields.line.at, err, what);
	}
	row->run.order = csv->nr_rows++;
	for (size_t i = 0; i < csv->columns.nr; i++) {
		struct column *column = &csv->columns.at[i];
		const struct cell *cell = &csv->fields.cells.at[i];

		if (!settle_column(csv, column, cell, err) ||
		    !read_about(csv, column, cell, row, err)) {
			return false;
		}
	}
	return true;
}

static bool read_rows(struct csv *csv, struct err *err)
{
	bool is_row = true;

	while (is_row) {
		struct row row = { 0 };
		bool is_read;

		if (!fields_next(&csv->fields, &is_row, err)) {
			return false;
		}
		is_read = !is_row || (read_cells(csv, &row, err) && add_row(csv, &row, err));
		vec_release(&row.params);
		if (!is_read) {
			return false;
		}
	}
	return true;
}

bool results_read_csv(const struct input *input, struct err *err)
{
	struct csv csv = { .input = input };
	bool is_read = fields_open(&csv.fields, input, err) && read_columns(&csv, err) &&
		       read_rows(&csv, err);

	fields_release(&csv.fields);
	vec_release(&csv.columns);
	return is_read;
}
