/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "listing.h"

#include <math.h>

#include "lib/text/csv.h"
#include "lib/text/table.h"
#include "number.h"
#include "view.h"

static double number_at(const struct json *object, const char *name)
{
	return json_number(json_get(object, name), NAN);
}

/* One later column of one group, as a table. */
struct section {
	const struct json *view;
	const struct json *group;
	size_t index; /* of the change; its column is the next one */
};

static const struct table_column columns[] = {
	{ "", TABLE_LEFT }, /* mark */
	{ "metric", TABLE_LEFT },    { "unit", TABLE_LEFT },          { "base", TABLE_DECIMAL },
	{ "sd", TABLE_DECIMAL },     { "head", TABLE_DECIMAL },       { "sd", TABLE_DECIMAL },
	{ "change", TABLE_DECIMAL }, { "95 % interval", TABLE_LEFT }, { "q", TABLE_DECIMAL },
	{ "n", TABLE_LEFT },         { "verdict", TABLE_LEFT },
};

static void append_verdict(const struct json *row, size_t index, struct str *out)
{
	const struct json *change = json_at(json_get(row, "changes"), index);
	const struct view_verdict *verdict = view_verdict(json_text(json_get(change, "verdict")));
	const char *names[] = { "base", "head" };
	size_t cells[] = { 0, index + 1 };

	str_append(out, verdict ? verdict->title : "");
	if (json_text(json_get(change, "reason"))) {
		str_append(out, ": ");
		view_text(change, "reason", out);
	}
	for (size_t i = 0; i < countof(cells); i++) {
		const struct json *cell = json_at(json_get(row, "cells"), cells[i]);

		if (json_text(json_get(cell, "reason"))) {
			str_printf(out, "; %s: ", names[i]);
			view_text(cell, "reason", out);
		}
	}
}

static void add_row(struct table *table, const struct json *row, size_t index)
{
	scoped(str_release) struct str changed = STR_INIT;
	scoped(str_release) struct str interval = STR_INIT;
	scoped(str_release) struct str runs = STR_INIT;
	scoped(str_release) struct str verdict = STR_INIT;
	char numbers[5][NUMBER_BYTES];
	const struct json *cells = json_get(row, "cells");
	const struct json *base = json_at(cells, 0);
	const struct json *head = json_at(cells, index + 1);
	const struct json *change = json_at(json_get(row, "changes"), index);

	number_value(number_at(base, "value"), numbers[0]);
	number_spread(number_at(base, "value"), number_at(base, "stddev"), numbers[1]);
	number_value(number_at(head, "value"), numbers[2]);
	number_spread(number_at(head, "value"), number_at(head, "stddev"), numbers[3]);
	number_probability(number_at(change, "q"), numbers[4]);
	view_change_text(row, index, &changed);
	view_interval_text(row, index, &interval);
	str_printf(&runs, "%" PRId64 "+%" PRId64, json_int(json_get(base, "n"), 0),
		   json_int(json_get(head, "n"), 0));
	append_verdict(row, index, &verdict);
	table_add(table, (const char *[]){ view_mark(view_meaning(row, index)),
					   json_text(json_get(row, "metric")),
					   json_text(json_get(row, "unit")), numbers[0], numbers[1],
					   numbers[2], numbers[3], changed.at,
					   interval.length ? interval.at : "-", numbers[4], runs.at,
					   verdict.at });
}

/* A failure in the same columns: how often it was seen, of how many runs. */
static void add_failure(struct table *table, const struct json *failure, size_t index)
{
	scoped(str_release) struct str changed = STR_INIT;
	scoped(str_release) struct str verdict = STR_INIT;
	const struct json *cells = json_get(failure, "cells");
	const struct json *change = json_at(json_get(failure, "changes"), index);
	size_t places[] = { 0, index + 1 };
	char rates[2][64];
	char q[NUMBER_BYTES];
	char runs[64];

	for (size_t i = 0; i < countof(places); i++) {
		const struct json *cell = json_at(cells, places[i]);

		snprintf(rates[i], sizeof(rates[i]), "%" PRId64 " of %" PRId64,
			 json_int(json_get(cell, "fails"), 0), json_int(json_get(cell, "runs"), 0));
	}
	snprintf(runs, sizeof(runs), "%" PRId64 "+%" PRId64,
		 json_int(json_get(json_at(cells, 0), "runs"), 0),
		 json_int(json_get(json_at(cells, index + 1), "runs"), 0));
	number_probability(number_at(change, "q"), q);
	view_change_text(failure, index, &changed);
	append_verdict(failure, index, &verdict);
	table_add(table,
		  (const char *[]){ view_mark(view_meaning(failure, index)),
				    json_text(json_get(failure, "metric")), "fails", rates[0], "",
				    rates[1], "", changed.at, "-", q, runs, verdict.at });
}

/* Gives how many rows are not shown. */
static size_t fill(struct table *table, const struct section *section,
		   const struct format_options *options)
{
	const struct json *failures = json_get(section->group, "failures");
	const struct json *rows = json_get(section->group, "rows");
	size_t nr = 0;

	for (size_t i = 0; i < json_size(failures); i++) {
		if (format_is_shown(json_at(failures, i), options)) {
			add_failure(table, json_at(failures, i), section->index);
			nr++;
		}
	}
	for (size_t i = 0; i < json_size(rows); i++) {
		if (format_is_shown(json_at(rows, i), options)) {
			add_row(table, json_at(rows, i), section->index);
			nr++;
		}
	}
	return json_size(failures) + json_size(rows) - nr;
}

static void append_column(const struct json *view, size_t index, struct str *out)
{
	const struct json *column = json_at(json_get(view, "columns"), index);
	const char *subject = json_text(json_get(column, "subject"));

	view_text(column, "name", out);
	if (subject) {
		str_append(out, " (\"");
		view_text(column, "subject", out);
		str_append(out, "\")");
	}
}

static void write_section(const struct section *section, const struct format_options *options,
			  enum table_form form, struct str *out)
{
	scoped(table_free) struct table *table = table_new(columns, countof(columns));
	size_t nr_hidden = fill(table, section, options);

	if (json_size(json_get(section->group, "axes")) > 0) {
		str_append(out, form == TABLE_MARKDOWN ? "### " : "");
		view_group_title(section->group, out);
		str_append(out, form == TABLE_MARKDOWN ? "\n\n" : "\n");
	}
	str_append(out, "base ");
	append_column(section->view, 0, out);
	str_append(out, form == TABLE_MARKDOWN ? "  \nhead " : "\nhead ");
	append_column(section->view, section->index + 1, out);
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

static void write_sections(const struct json *view, const struct format_options *options,
			   enum table_form form, struct str *out)
{
	const struct json *groups = json_get(view, "groups");
	size_t nr_changes = json_size(json_get(view, "columns")) - 1;

	for (size_t i = 0; i < json_size(groups); i++) {
		for (size_t j = 0; j < nr_changes; j++) {
			struct section section = { view, json_at(groups, i), j };

			write_section(&section, options, form, out);
		}
	}
	for (size_t j = 0; j < nr_changes; j++) {
		view_text(json_at(json_get(view, "columns"), j + 1), "name", out);
		str_append(out, ": ");
		view_summary_text(view, j, out);
		str_append(out, form == TABLE_MARKDOWN && j + 1 < nr_changes ? "  \n" : "\n");
	}
}

void listing_text(const struct json *view, const struct format_options *options, struct str *out)
{
	write_sections(view, options, TABLE_TEXT, out);
}

void listing_markdown(const struct json *view, const struct format_options *options,
		      struct str *out)
{
	write_sections(view, options, TABLE_MARKDOWN, out);
}

/* csv */

static void csv_member(struct csv *csv, const struct json *object, const char *name)
{
	scoped(str_release) struct str text = STR_INIT;

	view_text(object, name, &text);
	csv_text(csv, text.at);
}

static void csv_front(struct csv *csv, const struct section *section, const char *kind,
		      const struct json *row)
{
	scoped(str_release) struct str title = STR_INIT;
	const struct json *names = json_get(section->view, "columns");

	view_group_title(section->group, &title);
	csv_text(csv, title.at);
	csv_text(csv, kind);
	csv_member(csv, row, "metric");
	csv_member(csv, row, "unit");
	csv_member(csv, row, "better");
	csv_member(csv, json_at(names, 0), "name");
	csv_member(csv, json_at(names, section->index + 1), "name");
}

static void csv_change(struct csv *csv, const struct json *row, size_t index)
{
	static const char *const numbers[] = { "percent", "absolute", "low", "high", "p", "q" };
	const struct json *change = json_at(json_get(row, "changes"), index);

	for (size_t i = 0; i < countof(numbers); i++) {
		csv_number(csv, number_at(change, numbers[i]));
	}
	csv_member(csv, change, "verdict");
	csv_member(csv, change, "reason");
	csv_end(csv);
}

static void csv_section(struct csv *csv, const struct section *section)
{
	const struct json *failures = json_get(section->group, "failures");
	const struct json *rows = json_get(section->group, "rows");
	size_t places[] = { 0, section->index + 1 };

	for (size_t i = 0; i < json_size(failures); i++) {
		const struct json *failure = json_at(failures, i);

		csv_front(csv, section, "failure", failure);
		for (size_t j = 0; j < countof(places); j++) {
			const struct json *cell = json_at(json_get(failure, "cells"), places[j]);

			csv_number(csv, number_at(cell, "fails"));
			csv_text(csv, NULL);
			csv_number(csv, number_at(cell, "runs"));
		}
		csv_change(csv, failure, section->index);
	}
	for (size_t i = 0; i < json_size(rows); i++) {
		const struct json *row = json_at(rows, i);

		csv_front(csv, section, json_text(json_get(row, "class")), row);
		for (size_t j = 0; j < countof(places); j++) {
			const struct json *cell = json_at(json_get(row, "cells"), places[j]);

			csv_number(csv, number_at(cell, "value"));
			csv_number(csv, number_at(cell, "stddev"));
			csv_number(csv, number_at(cell, "n"));
		}
		csv_change(csv, row, section->index);
	}
}

void listing_csv(const struct json *view, const struct format_options *options UNUSED,
		 struct str *out)
{
	static const char *const titles[] = {
		"parameters", "class",      "metric",      "unit",   "better",     "base",
		"head",       "base_value", "base_stddev", "base_n", "head_value", "head_stddev",
		"head_n",     "percent",    "absolute",    "low",    "high",       "p",
		"q",          "verdict",    "reason",
	};
	const struct json *groups = json_get(view, "groups");
	struct csv csv = { .out = out };

	for (size_t i = 0; i < countof(titles); i++) {
		csv_text(&csv, titles[i]);
	}
	csv_end(&csv);
	for (size_t i = 0; i < json_size(groups); i++) {
		for (size_t j = 0; j + 1 < json_size(json_get(view, "columns")); j++) {
			struct section section = { view, json_at(groups, i), j };

			csv_section(&csv, &section);
		}
	}
}
