/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"

#include <math.h>
#include <stdarg.h>

#define MAX_GROUPS 10000
#define MAX_ROWS   200000

/* Where in the document the reader stands; -1: above it. */
struct place {
	struct view *view;
	long group;
	const char *list; /* "rows" or "failures" */
	long row;
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

/* A member of an object, and where in a struct its value goes. */
struct member {
	const char *name;
	enum what what;
	size_t offset;
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

static const char *text_of(const struct place *place, const struct json *value)
{
	return json_text(value) ? arena_strdup(place->view->arena, json_text(value)) : NULL;
}

static void store(const struct place *place, const struct json *value, enum what what, void *to)
{
	switch (what) {
	case WHAT_TEXT:
	case WHAT_TEXT_OR_NULL:
		*(const char **)to = text_of(place, value);
		break;
	case WHAT_NUMBER_OR_NULL:
		*(double *)to = json_number(value, NAN);
		break;
	case WHAT_BOOL:
		*(bool *)to = json_bool(value, false);
		break;
	case WHAT_COUNT:
		*(size_t *)to = (size_t)json_int(value, 0);
		break;
	}
}

static bool read_members(const struct place *place, const struct json *object,
			 const struct member *members, size_t nr_members, void *to)
{
	if (json_kind(object) != KIND_OBJECT) {
		return fail(place, "expected an object");
	}
	for (size_t i = 0; i < nr_members; i++) {
		const struct json *value = json_get(object, members[i].name);

		if (!is_fit(value, members[i].what)) {
			return fail(place, "'%s': expected %s", members[i].name,
				    expected[members[i].what]);
		}
		store(place, value, members[i].what, (char *)to + members[i].offset);
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

static bool read_changes(const struct place *place, const struct json *row, const char *list,
			 struct view_change **ret_changes)
{
	static const struct member members[] = {
		{ "percent", WHAT_NUMBER_OR_NULL, offsetof(struct view_change, percent) },
		{ "absolute", WHAT_NUMBER_OR_NULL, offsetof(struct view_change, absolute) },
		{ "low", WHAT_NUMBER_OR_NULL, offsetof(struct view_change, low) },
		{ "high", WHAT_NUMBER_OR_NULL, offsetof(struct view_change, high) },
		{ "is_ratio", WHAT_BOOL, offsetof(struct view_change, is_ratio) },
		{ "p", WHAT_NUMBER_OR_NULL, offsetof(struct view_change, p) },
		{ "q", WHAT_NUMBER_OR_NULL, offsetof(struct view_change, q) },
		{ "reason", WHAT_TEXT_OR_NULL, offsetof(struct view_change, reason) },
	};
	size_t nr = place->view->nr_columns - 1;
	struct view_change *changes = arena_array(place->view->arena, nr, sizeof(*changes));

	*ret_changes = changes;
	if (!check_list(place, row, list, nr)) {
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct json *change = json_at(json_get(row, list), i);
		const char *word = json_text(json_get(change, "verdict"));

		if (!read_members(place, change, members, countof(members), &changes[i])) {
			return false;
		}
		changes[i].verdict = view_verdict(word);
		if (!changes[i].verdict) {
			return word ? fail(place, "'%.40s' is not a verdict", word)
				    : fail(place, "'verdict': expected a text");
		}
	}
	return true;
}

static bool read_steps(const struct place *place, const struct json *row,
		       struct view_change **ret_steps)
{
	const struct json *steps = json_get(row, "steps");

	if (!read_changes(place, row, "steps", ret_steps)) {
		return false;
	}
	for (size_t i = 0; i < json_size(steps); i++) {
		int64_t against = json_int(json_get(json_at(steps, i), "against"), -1);

		if (against < 0 || against > (int64_t)i) {
			return fail(place, "'against': expected a column before %zu", i + 1);
		}
		(*ret_steps)[i].against = (size_t)against;
	}
	return true;
}

static bool read_failure(const struct place *place, const struct json *from,
			 struct view_row *failure)
{
	static const struct member members[] = {
		{ "fails", WHAT_COUNT, offsetof(struct view_rate, fails) },
		{ "runs", WHAT_COUNT, offsetof(struct view_rate, runs) },
	};
	static const struct member own[] = { { "metric", WHAT_TEXT,
					       offsetof(struct view_row, metric) } };
	size_t nr = place->view->nr_columns;
	struct view_rate *rates = arena_array(place->view->arena, nr, sizeof(*rates));

	if (!read_members(place, from, own, countof(own), failure) ||
	    !check_list(place, from, "cells", nr)) {
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		if (!read_members(place, json_at(json_get(from, "cells"), i), members,
				  countof(members), &rates[i])) {
			return false;
		}
		if (rates[i].fails > rates[i].runs) {
			return fail(place, "more fails than runs");
		}
	}
	failure->rates = rates;
	return read_changes(place, from, "changes", &failure->changes);
}

static void read_samples(const struct place *place, const struct json *from, struct view_cell *cell)
{
	size_t nr = json_size(from);
	double *samples = arena_array(place->view->arena, nr, sizeof(*samples));

	for (size_t i = 0; i < nr; i++) {
		samples[i] = json_number(json_at(from, i), NAN);
	}
	cell->samples = samples;
	cell->nr_samples = nr;
}

static bool read_cells(const struct place *place, const struct json *row,
		       struct view_cell **ret_cells)
{
	static const struct member members[] = {
		{ "value", WHAT_NUMBER_OR_NULL, offsetof(struct view_cell, value) },
		{ "stddev", WHAT_NUMBER_OR_NULL, offsetof(struct view_cell, stddev) },
		{ "n", WHAT_COUNT, offsetof(struct view_cell, n) },
		{ "reason", WHAT_TEXT_OR_NULL, offsetof(struct view_cell, reason) },
	};
	size_t nr = place->view->nr_columns;
	struct view_cell *cells = arena_array(place->view->arena, nr, sizeof(*cells));

	*ret_cells = cells;
	for (size_t i = 0; i < nr; i++) {
		const struct json *from = json_at(json_get(row, "cells"), i);

		if (!read_members(place, from, members, countof(members), &cells[i])) {
			return false;
		}
		if (json_kind(json_get(from, "samples")) == KIND_ARRAY) {
			read_samples(place, json_get(from, "samples"), &cells[i]);
		}
	}
	return true;
}

static bool read_class(const char *word, struct view_row *row)
{
	for (int class = VIEW_HEADLINE; class <= VIEW_MONITOR; class ++) {
		row->class = (enum view_class) class;
		if (strcmp(view_class(row), word) == 0) {
			return true;
		}
	}
	return false;
}

/* Words that are not kept as such. */
struct words {
	const char *better;
	const char *class;
};

static bool read_row(const struct place *place, const struct json *from, struct view_row *row)
{
	static const struct member own[] = {
		{ "metric", WHAT_TEXT, offsetof(struct view_row, metric) },
		{ "unit", WHAT_TEXT_OR_NULL, offsetof(struct view_row, unit) },
		{ "is_exact", WHAT_BOOL, offsetof(struct view_row, is_exact) },
		{ "note", WHAT_TEXT_OR_NULL, offsetof(struct view_row, note) },
		{ "estimator", WHAT_TEXT_OR_NULL, offsetof(struct view_row, estimator) },
	};
	static const struct member others[] = {
		{ "better", WHAT_TEXT, offsetof(struct words, better) },
		{ "class", WHAT_TEXT, offsetof(struct words, class) },
	};
	struct words words;

	if (!read_members(place, from, own, countof(own), row) ||
	    !read_members(place, from, others, countof(others), &words) ||
	    !check_list(place, from, "cells", place->view->nr_columns)) {
		return false;
	}
	row->worst = text_of(place, json_get(from, "worst"));
	row->is_higher_better = strcmp(words.better, "higher") == 0;
	if (!read_class(words.class, row)) {
		return fail(place, "'class': expected headline, supporting or monitor");
	}
	if (strcmp(view_better(row), words.better) != 0) {
		return fail(place, "'better': expected higher or lower");
	}
	return read_cells(place, from, &row->cells) &&
	       read_changes(place, from, "changes", &row->changes) &&
	       (!json_get(from, "steps") || read_steps(place, from, &row->steps));
}

static bool read_list(struct place *place, const struct json *group, const char *list,
		      struct view_row **ret_rows, size_t *ret_nr)
{
	bool is_failures = strcmp(list, "failures") == 0;
	const struct json *from = json_get(group, list);
	struct view_row *rows;

	if (json_kind(from) != KIND_ARRAY || json_size(from) > MAX_ROWS) {
		return fail(place, "'%s': expected a list of at most %d", list, MAX_ROWS);
	}
	rows = arena_array(place->view->arena, json_size(from), sizeof(*rows));
	*ret_rows = rows;
	*ret_nr = json_size(from);
	place->list = list;
	for (place->row = 0; place->row < (long)json_size(from); place->row++) {
		const struct json *row = json_at(from, (size_t)place->row);

		if (is_failures ? !read_failure(place, row, &rows[place->row])
				: !read_row(place, row, &rows[place->row])) {
			return false;
		}
	}
	place->row = -1;
	return true;
}

static bool read_group(struct place *place, const struct json *from)
{
	static const struct member members[] = {
		{ "name", WHAT_TEXT, offsetof(struct view_axis, name) },
		{ "value", WHAT_TEXT, offsetof(struct view_axis, value) },
	};
	const struct json *list = json_get(from, "axes");
	struct view_axis *axes = arena_array(place->view->arena, json_size(list), sizeof(*axes));
	struct view_group group = { .axes = axes, .nr_axes = json_size(list) };

	if (json_kind(list) != KIND_ARRAY) {
		return fail(place, "'axes': expected a list");
	}
	for (size_t i = 0; i < group.nr_axes; i++) {
		if (!read_members(place, json_at(list, i), members, countof(members), &axes[i])) {
			return false;
		}
	}
	if (!read_list(place, from, "failures", &group.failures, &group.nr_failures) ||
	    !read_list(place, from, "rows", &group.rows, &group.nr_rows)) {
		return false;
	}
	*vec_push(&place->view->groups) = group;
	return true;
}

static bool is_commit(const char *text)
{
	return strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

static bool read_columns(const struct place *place, const struct json *document)
{
	static const struct member members[] = {
		{ "name", WHAT_TEXT, offsetof(struct view_column, name) },
		{ "commit", WHAT_TEXT_OR_NULL, offsetof(struct view_column, commit) },
		{ "subject", WHAT_TEXT_OR_NULL, offsetof(struct view_column, subject) },
	};
	const struct json *list = json_get(document, "columns");
	size_t nr = json_size(list);
	struct view_column *columns;

	if (json_kind(list) != KIND_ARRAY || nr < 1 || nr > VIEW_MAX_COLUMNS) {
		return fail(place, "'columns': expected a list of 1 to %d", VIEW_MAX_COLUMNS);
	}
	columns = arena_array(place->view->arena, nr, sizeof(*columns));
	for (size_t i = 0; i < nr; i++) {
		if (!read_members(place, json_at(list, i), members, countof(members),
				  &columns[i])) {
			return false;
		}
		if (columns[i].commit && !is_commit(columns[i].commit)) {
			return fail(place, "columns[%zu]: 'commit': expected 40 digits", i);
		}
	}
	place->view->columns = columns;
	place->view->nr_columns = nr;
	return true;
}

static void read_notes(const struct place *place, const struct json *document)
{
	const struct json *list = json_get(document, "notes");
	struct view *view = place->view;

	view->reason = text_of(place, json_get(document, "reason"));
	if (json_kind(list) != KIND_ARRAY) {
		return;
	}
	view->notes = arena_array(view->arena, json_size(list), sizeof(*view->notes));
	for (size_t i = 0; i < json_size(list); i++) {
		const char *note = text_of(place, json_at(list, i));

		view->notes[view->nr_notes++] = note ? note : "";
	}
}

bool view_read(const struct json *document, struct view **ret_view, struct err *err)
{
	scoped(view_free) struct view *view = mem_alloc(sizeof(*view));
	struct place place = { .view = view, .group = -1, .row = -1, .err = err };
	const struct json *groups = json_get(document, "groups");

	view->arena = arena_new();
	if (json_kind(document) != KIND_OBJECT ||
	    json_int(json_get(document, "schema"), 0) != VIEW_SCHEMA) {
		return fail(&place, "not a comparison document of schema %d", VIEW_SCHEMA);
	}
	if (!read_columns(&place, document)) {
		return false;
	}
	if (json_kind(groups) != KIND_ARRAY || json_size(groups) > MAX_GROUPS) {
		return fail(&place, "'groups': expected a list of at most %d", MAX_GROUPS);
	}
	for (place.group = 0; place.group < (long)json_size(groups); place.group++) {
		if (!read_group(&place, json_at(groups, (size_t)place.group))) {
			return false;
		}
	}
	read_notes(&place, document);
	view_sum_up(view);
	*ret_view = move(&view);
	return true;
}
