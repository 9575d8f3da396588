/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"

#include <stdarg.h>

#define MAX_GROUPS 10000
#define MAX_ROWS   200000

/* Where in the document the check stands; -1: above it. */
struct place {
	long group;
	const char *list; /* "rows" or "failures" */
	long row;
	size_t nr_columns;
	struct err *err;
};

static bool fail(const struct place *place, const char *format, ...) PRINTF_LIKE(2, 3);

static bool fail(const struct place *place, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (place->row >= 0) {
		return err_set(place->err, ERR_INPUT, "groups[%ld].%s[%ld]: %s", place->group,
			       place->list, place->row, text);
	}
	if (place->group >= 0) {
		return err_set(place->err, ERR_INPUT, "groups[%ld]: %s", place->group, text);
	}
	return err_set(place->err, ERR_INPUT, "%s", text);
}

enum what { WHAT_TEXT, WHAT_TEXT_OR_NULL, WHAT_NUMBER_OR_NULL, WHAT_BOOL, WHAT_COUNT };

struct member {
	const char *name;
	enum what what;
};

static const char *const expected[] = {
	[WHAT_TEXT] = "a text",
	[WHAT_TEXT_OR_NULL] = "a text or null",
	[WHAT_NUMBER_OR_NULL] = "a number or null",
	[WHAT_BOOL] = "true or false",
	[WHAT_COUNT] = "a whole number that is not below zero",
};

static bool is_fit(const struct json *value, enum what what)
{
	enum json_kind kind = json_kind(value);

	switch (what) {
	case WHAT_TEXT:
		return kind == KIND_TEXT;
	case WHAT_TEXT_OR_NULL:
		return kind == KIND_TEXT || kind == KIND_NULL;
	case WHAT_NUMBER_OR_NULL:
		return kind == KIND_NUMBER || kind == KIND_NULL;
	case WHAT_BOOL:
		return kind == KIND_BOOL;
	case WHAT_COUNT:
		return is_json_int(value) && json_int(value, -1) >= 0 &&
		       json_int(value, 0) <= INT32_MAX;
	}
	return false;
}

static bool check_members(const struct place *place, const struct json *object,
			  const struct member *members, size_t nr_members)
{
	if (json_kind(object) != KIND_OBJECT) {
		return fail(place, "expected an object");
	}
	for (size_t i = 0; i < nr_members; i++) {
		if (!is_fit(json_get(object, members[i].name), members[i].what)) {
			return fail(place, "'%s': expected %s", members[i].name,
				    expected[members[i].what]);
		}
	}
	return true;
}

static bool check_list(const struct place *place, const struct json *object, const char *name,
		       size_t nr)
{
	const struct json *list = json_get(object, name);

	if (json_kind(list) != KIND_ARRAY || json_size(list) != nr) {
		return fail(place, "'%s': expected a list of %zu", name, nr);
	}
	return true;
}

static bool check_changes(const struct place *place, const struct json *row, const char *list)
{
	static const struct member members[] = {
		{ "percent", WHAT_NUMBER_OR_NULL }, { "absolute", WHAT_NUMBER_OR_NULL },
		{ "low", WHAT_NUMBER_OR_NULL },     { "high", WHAT_NUMBER_OR_NULL },
		{ "is_ratio", WHAT_BOOL },          { "p", WHAT_NUMBER_OR_NULL },
		{ "q", WHAT_NUMBER_OR_NULL },       { "verdict", WHAT_TEXT },
		{ "reason", WHAT_TEXT_OR_NULL },
	};
	const struct json *changes = json_get(row, list);

	if (!check_list(place, row, list, place->nr_columns - 1)) {
		return false;
	}
	for (size_t i = 0; i < json_size(changes); i++) {
		const struct json *change = json_at(changes, i);

		if (!check_members(place, change, members, countof(members))) {
			return false;
		}
		if (!view_verdict(json_text(json_get(change, "verdict")))) {
			return fail(place, "'%.40s' is not a verdict",
				    json_text(json_get(change, "verdict")));
		}
	}
	return true;
}

static bool check_steps(const struct place *place, const struct json *row)
{
	const struct json *steps = json_get(row, "steps");

	if (!check_changes(place, row, "steps")) {
		return false;
	}
	for (size_t i = 0; i < json_size(steps); i++) {
		int64_t against = json_int(json_get(json_at(steps, i), "against"), -1);

		if (against < 0 || against > (int64_t)i) {
			return fail(place, "'against': expected a column before %zu", i + 1);
		}
	}
	return true;
}

static bool check_failure(const struct place *place, const struct json *failure)
{
	static const struct member members[] = { { "fails", WHAT_COUNT }, { "runs", WHAT_COUNT } };
	static const struct member own[] = { { "metric", WHAT_TEXT } };
	const struct json *cells = json_get(failure, "cells");

	if (!check_members(place, failure, own, countof(own)) ||
	    !check_list(place, failure, "cells", place->nr_columns)) {
		return false;
	}
	for (size_t i = 0; i < json_size(cells); i++) {
		const struct json *cell = json_at(cells, i);

		if (!check_members(place, cell, members, countof(members))) {
			return false;
		}
		if (json_int(json_get(cell, "fails"), 0) > json_int(json_get(cell, "runs"), 0)) {
			return fail(place, "more fails than runs");
		}
	}
	return check_changes(place, failure, "changes");
}

static bool is_one_of(const char *text, const char *const *words, size_t nr_words)
{
	for (size_t i = 0; i < nr_words; i++) {
		if (strcmp(text, words[i]) == 0) {
			return true;
		}
	}
	return false;
}

static bool check_row(const struct place *place, const struct json *row)
{
	static const struct member own[] = {
		{ "metric", WHAT_TEXT },
		{ "unit", WHAT_TEXT_OR_NULL },
		{ "better", WHAT_TEXT },
		{ "class", WHAT_TEXT },
		{ "is_exact", WHAT_BOOL },
		{ "note", WHAT_TEXT_OR_NULL },
		{ "estimator", WHAT_TEXT_OR_NULL },
	};
	static const struct member members[] = {
		{ "value", WHAT_NUMBER_OR_NULL },
		{ "stddev", WHAT_NUMBER_OR_NULL },
		{ "n", WHAT_COUNT },
		{ "reason", WHAT_TEXT_OR_NULL },
	};
	static const char *const classes[] = { "headline", "supporting", "monitor" };
	static const char *const betters[] = { "higher", "lower" };
	const struct json *cells = json_get(row, "cells");

	if (!check_members(place, row, own, countof(own)) ||
	    !check_list(place, row, "cells", place->nr_columns)) {
		return false;
	}
	if (!is_one_of(json_text(json_get(row, "class")), classes, countof(classes))) {
		return fail(place, "'class': expected headline, supporting or monitor");
	}
	if (!is_one_of(json_text(json_get(row, "better")), betters, countof(betters))) {
		return fail(place, "'better': expected higher or lower");
	}
	for (size_t i = 0; i < json_size(cells); i++) {
		if (!check_members(place, json_at(cells, i), members, countof(members))) {
			return false;
		}
	}
	return check_changes(place, row, "changes") &&
	       (!json_get(row, "steps") || check_steps(place, row));
}

static bool check_rows(struct place *place, const struct json *group, const char *list)
{
	bool is_failures = strcmp(list, "failures") == 0;
	const struct json *rows = json_get(group, list);

	if (json_kind(rows) != KIND_ARRAY || json_size(rows) > MAX_ROWS) {
		return fail(place, "'%s': expected a list of at most %d", list, MAX_ROWS);
	}
	place->list = list;
	for (place->row = 0; place->row < (long)json_size(rows); place->row++) {
		const struct json *row = json_at(rows, (size_t)place->row);

		if (is_failures ? !check_failure(place, row) : !check_row(place, row)) {
			return false;
		}
	}
	place->row = -1;
	return true;
}

static bool check_group(struct place *place, const struct json *group)
{
	static const struct member members[] = { { "name", WHAT_TEXT }, { "value", WHAT_TEXT } };
	const struct json *axes = json_get(group, "axes");

	if (json_kind(axes) != KIND_ARRAY) {
		return fail(place, "'axes': expected a list");
	}
	for (size_t i = 0; i < json_size(axes); i++) {
		if (!check_members(place, json_at(axes, i), members, countof(members))) {
			return false;
		}
	}
	return check_rows(place, group, "failures") && check_rows(place, group, "rows");
}

static bool is_commit(const char *text)
{
	return strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

static bool check_columns(struct place *place, const struct json *view)
{
	static const struct member members[] = { { "name", WHAT_TEXT },
						 { "commit", WHAT_TEXT_OR_NULL },
						 { "subject", WHAT_TEXT_OR_NULL } };
	const struct json *columns = json_get(view, "columns");

	place->nr_columns = json_size(columns);
	if (json_kind(columns) != KIND_ARRAY || place->nr_columns < 1 ||
	    place->nr_columns > VIEW_MAX_COLUMNS) {
		return fail(place, "'columns': expected a list of 1 to %d", VIEW_MAX_COLUMNS);
	}
	for (size_t i = 0; i < place->nr_columns; i++) {
		const struct json *column = json_at(columns, i);
		const char *commit = json_text(json_get(column, "commit"));

		if (!check_members(place, column, members, countof(members))) {
			return false;
		}
		if (commit && !is_commit(commit)) {
			return fail(place, "columns[%zu]: 'commit': expected 40 digits", i);
		}
	}
	return true;
}

bool view_check(struct json *view, struct err *err)
{
	struct place place = { .group = -1, .row = -1, .err = err };
	const struct json *groups = json_get(view, "groups");

	if (json_kind(view) != KIND_OBJECT ||
	    json_int(json_get(view, "schema"), 0) != VIEW_SCHEMA) {
		return fail(&place, "not a comparison document of schema %d", VIEW_SCHEMA);
	}
	if (!check_columns(&place, view)) {
		return false;
	}
	if (json_kind(groups) != KIND_ARRAY || json_size(groups) > MAX_GROUPS) {
		return fail(&place, "'groups': expected a list of at most %d", MAX_GROUPS);
	}
	for (place.group = 0; place.group < (long)json_size(groups); place.group++) {
		if (!check_group(&place, json_at(groups, (size_t)place.group))) {
			return false;
		}
	}
	view_sum_up(view);
	return true;
}
