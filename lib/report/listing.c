/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "listing.h"

#include "lib/text/csv.h"
#include "lib/text/table.h"
#include "number.h"

/* One later column of one group, as a table. */
struct section {
	const struct view *view;
	const struct view_group *group;
	size_t index; /* of the change; its column is the next one */
};

static const struct table_column columns[] = {
	{ "", TABLE_LEFT }, /* mark */
	{ "metric", TABLE_LEFT },    { "unit", TABLE_LEFT },          { "base", TABLE_DECIMAL },
	{ "sd", TABLE_DECIMAL },     { "head", TABLE_DECIMAL },       { "sd", TABLE_DECIMAL },
	{ "change", TABLE_DECIMAL }, { "95 % interval", TABLE_LEFT }, { "q", TABLE_DECIMAL },
	{ "n", TABLE_LEFT },         { "verdict", TABLE_LEFT },
};

static void append_reason(const char *before, const char *reason, struct str *out)
{
	if (reason) {
		str_append(out, before);
		view_text(reason, out);
	}
}

static void append_verdict(const struct view_row *row, size_t index, struct str *out)
{
	const struct view_change *change = &row->changes[index];

	str_append(out, change->verdict->title);
	append_reason(": ", change->reason, out);
	if (!row->rates) {
		append_reason("; base: ", row->cells[0].reason, out);
		append_reason("; head: ", row->cells[index + 1].reason, out);
	}
}

/* The texts of a row's cells, of one row after the other. */
struct texts {
	struct str changed;
	struct str interval;
	struct str runs;
	struct str verdict;
};

static void texts_release(struct texts *texts)
{
	str_release(&texts->changed);
	str_release(&texts->interval);
	str_release(&texts->runs);
	str_release(&texts->verdict);
}
DEFINE_SCOPED_EMBEDDED(texts_release, struct texts)

static void write_texts(struct texts *texts, const struct view_row *row, size_t index)
{
	str_truncate(&texts->changed, 0);
	str_truncate(&texts->interval, 0);
	str_truncate(&texts->runs, 0);
	str_truncate(&texts->verdict, 0);
	view_change_text(row, &row->changes[index], &texts->changed);
	view_interval_text(&row->changes[index], &texts->interval);
	if (texts->interval.length == 0) {
		str_append_char(&texts->interval, '-');
	}
	append_verdict(row, index, &texts->verdict);
}

static void add_row(struct table *table, const struct view_row *row, size_t index,
		    struct texts *texts)
{
	char numbers[5][NUMBER_BYTES];
	const struct view_cell *base = &row->cells[0];
	const struct view_cell *head = &row->cells[index + 1];

	write_texts(texts, row, index);
	str_append_int(&texts->runs, (int64_t)base->n);
	str_append_char(&texts->runs, '+');
	str_append_int(&texts->runs, (int64_t)head->n);
	number_value(base->value, numbers[0]);
	number_spread(base->value, base->stddev, numbers[1]);
	number_value(head->value, numbers[2]);
	number_spread(head->value, head->stddev, numbers[3]);
	number_probability(row->changes[index].q, numbers[4]);
	table_add(table, (const char *[]){ view_mark(view_meaning(row, index)), row->metric,
					   row->unit, numbers[0], numbers[1], numbers[2],
					   numbers[3], texts->changed.at, texts->interval.at,
					   numbers[4], texts->runs.at, texts->verdict.at });
}

/* A failure in the same columns: how often it was seen, of how many runs. */
static void add_failure(struct table *table, const struct view_row *failure, size_t index,
			struct texts *texts)
{
	const struct view_rate *rates[] = { &failure->rates[0], &failure->rates[index + 1] };
	char numbers[2][64];
	char q[NUMBER_BYTES];

	write_texts(texts, failure, index);
	for (size_t i = 0; i < countof(rates); i++) {
		snprintf(numbers[i], sizeof(numbers[i]), "%zu of %zu", rates[i]->fails,
			 rates[i]->runs);
	}
	str_printf(&texts->runs, "%zu+%zu", rates[0]->runs, rates[1]->runs);
	number_probability(failure->changes[index].q, q);
	table_add(table,
		  (const char *[]){ view_mark(view_meaning(failure, index)), failure->metric,
				    "fails", numbers[0], "", numbers[1], "", texts->changed.at, "-",
				    q, texts->runs.at, texts->verdict.at });
}

/* Gives how many rows are not shown. */
static size_t fill(struct table *table, const struct section *section,
		   const struct format_options *options)
{
	scoped(texts_release) struct texts texts = { STR_INIT, STR_INIT, STR_INIT, STR_INIT };
	const struct view_group *group = section->group;
	size_t nr = 0;

	for (size_t i = 0; i < group->nr_failures; i++) {
		if (format_is_shown(section->view, &group->failures[i], options)) {
			add_failure(table, &group->failures[i], section->index, &texts);
			nr++;
		}
	}
	for (size_t i = 0; i < group->nr_rows; i++) {
		if (format_is_shown(section->view, &group->rows[i], options)) {
			add_row(table, &group->rows[i], section->index, &texts);
			nr++;
		}
	}
	return group->nr_failures + group->nr_rows - nr;
}

static void append_column(const struct view_column *column, struct str *out)
{
	view_text(column->name, out);
	if (column->subject) {
		str_append(out, " (\"");
		view_text(column->subject, out);
		str_append(out, "\")");
	}
}

static void write_section(const struct section *section, const struct format_options *options,
			  enum table_form form, struct str *out)
{
	scoped(table_free) struct table *table = table_new(columns, countof(columns));
	size_t nr_hidden = fill(table, section, options);

	if (section->group->nr_axes > 0) {
		str_append(out, form == TABLE_MARKDOWN ? "### " : "");
		view_group_title(section->group, out);
		str_append(out, form == TABLE_MARKDOWN ? "\n\n" : "\n");
	}
	str_append(out, "base ");
	append_column(&section->view->columns[0], out);
	str_append(out, form == TABLE_MARKDOWN ? "  \nhead " : "\nhead ");
	append_column(&section->view->columns[section->index + 1], out);
	str_append(out, "\n\n");
	if (table_nr_rows(table) > 0) {
		table_write(table, form, out);
	}
	if (nr_hidden > 0) {
		str_printf(out, "%s%zu %s without a change not shown\n",
			   table_nr_rows(table) > 0 ? "\n" : "", nr_hidden,
			   nr_hidden == 1 ? "row" : "rows");
	}
	str_append_char(out, '\n');
}

static void write_sections(const struct view *view, const struct format_options *options,
			   enum table_form form, struct str *out)
{
	size_t nr_changes = view->nr_columns - 1;

	for (size_t i = 0; i < view->groups.nr; i++) {
		for (size_t j = 0; j < nr_changes; j++) {
			struct section section = { view, &view->groups.at[i], j };

			write_section(&section, options, form, out);
		}
	}
	for (size_t j = 0; j < nr_changes; j++) {
		view_text(view->columns[j + 1].name, out);
		str_append(out, ": ");
		view_summary_text(view, j, out);
		str_append(out, form == TABLE_MARKDOWN && j + 1 < nr_changes ? "  \n" : "\n");
	}
}

void listing_text(const struct view *view, const struct format_options *options, struct str *out)
{
	write_sections(view, options, TABLE_TEXT, out);
}

void listing_markdown(const struct view *view, const struct format_options *options,
		      struct str *out)
{
	write_sections(view, options, TABLE_MARKDOWN, out);
}

/* csv */

static void csv_clean(struct csv *csv, const char *text)
{
	scoped(str_release) struct str clean = STR_INIT;

	view_text(text, &clean);
	csv_text(csv, clean.at);
}

static void csv_front(struct csv *csv, const struct section *section, const struct view_row *row)
{
	scoped(str_release) struct str title = STR_INIT;

	view_group_title(section->group, &title);
	csv_text(csv, title.at);
	csv_text(csv, row->rates ? "failure" : view_class(row));
	csv_clean(csv, row->metric);
	csv_clean(csv, row->unit);
	csv_text(csv, row->rates ? NULL : view_better(row));
	csv_clean(csv, section->view->columns[0].name);
	csv_clean(csv, section->view->columns[section->index + 1].name);
}

static void csv_cell(struct csv *csv, const struct view_row *row, size_t column)
{
	if (row->rates) {
		csv_number(csv, (double)row->rates[column].fails);
		csv_text(csv, NULL);
		csv_number(csv, (double)row->rates[column].runs);
	} else {
		csv_number(csv, row->cells[column].value);
		csv_number(csv, row->cells[column].stddev);
		csv_number(csv, (double)row->cells[column].n);
	}
}

static void csv_row(struct csv *csv, const struct section *section, const struct view_row *row)
{
	const struct view_change *change = &row->changes[section->index];
	double numbers[] = { change->percent, change->absolute, change->low,
			     change->high,    change->p,        change->q };

	csv_front(csv, section, row);
	csv_cell(csv, row, 0);
	csv_cell(csv, row, section->index + 1);
	for (size_t i = 0; i < countof(numbers); i++) {
		csv_number(csv, numbers[i]);
	}
	csv_text(csv, change->verdict->word);
	csv_clean(csv, change->reason);
	csv_end(csv);
	str_drain(csv->out);
}

static void csv_section(struct csv *csv, const struct section *section)
{
	const struct view_group *group = section->group;

	for (size_t i = 0; i < group->nr_failures; i++) {
		csv_row(csv, section, &group->failures[i]);
	}
	for (size_t i = 0; i < group->nr_rows; i++) {
		csv_row(csv, section, &group->rows[i]);
	}
}

void listing_csv(const struct view *view, const struct format_options *options UNUSED,
		 struct str *out)
{
	static const char *const titles[] = {
		"parameters", "class",      "metric",      "unit",   "better",     "base",
		"head",       "base_value", "base_stddev", "base_n", "head_value", "head_stddev",
		"head_n",     "percent",    "absolute",    "low",    "high",       "p",
		"q",          "verdict",    "reason",
	};
	struct csv csv = { .out = out };

	for (size_t i = 0; i < countof(titles); i++) {
		csv_text(&csv, titles[i]);
	}
	csv_end(&csv);
	for (size_t i = 0; i < view->groups.nr; i++) {
		for (size_t j = 0; j + 1 < view->nr_columns; j++) {
			struct section section = { view, &view->groups.at[i], j };

			csv_section(&csv, &section);
		}
	}
}
