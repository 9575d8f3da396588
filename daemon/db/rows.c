/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading what a statement gave back, and the array literals that go the other way. */
#include <libpq-fe.h>
#include <math.h>

#include "db.h"
#include "lib/base/str.h"

/* A struct rows is a PGresult under our name, so that nobody else includes libpq. */
static PGresult *inner(const struct rows *rows)
{
	return (PGresult *)(uintptr_t)rows;
}

struct rows *rows_free(struct rows *rows)
{
	PQclear(inner(rows));
	return NULL;
}

int rows_nr(const struct rows *rows)
{
	return PQntuples(inner(rows));
}

static int column_number(const struct rows *rows, const char *column)
{
	int number = PQfnumber(inner(rows), column);

	if (number < 0) {
		bug("no column '%s'", column);
	}
	return number;
}

const char *rows_text(const struct rows *rows, int row, const char *column)
{
	int number = column_number(rows, column);

	return PQgetisnull(inner(rows), row, number) ? NULL : PQgetvalue(inner(rows), row, number);
}

int64_t rows_int(const struct rows *rows, int row, const char *column)
{
	const char *text = rows_text(rows, row, column);

	return text ? strtoll(text, NULL, 10) : 0;
}

double rows_number(const struct rows *rows, int row, const char *column)
{
	const char *text = rows_text(rows, row, column);

	return text ? strtod(text, NULL) : (double)NAN;
}

bool rows_bool(const struct rows *rows, int row, const char *column)
{
	const char *text = rows_text(rows, row, column);

	return text && text[0] == 't';
}

const double *rows_numbers(const struct rows *rows, int row, const char *column,
			   struct arena *arena, size_t *ret_nr)
{
	const char *text = rows_text(rows, row, column);
	size_t nr = 0;
	double *values;

	*ret_nr = 0;
	if (!text || text[1] == '}') {
		return NULL;
	}
	for (const char *at = text; *at; at++) {
		nr += *at == ',' || *at == '}';
	}
	values = arena_array(arena, nr, sizeof(*values));
	for (size_t i = 0; i < nr; i++) {
		char *end;

		text++;
		values[i] = strtod(text, &end);
		if (end == text) { /* NULL */
			values[i] = (double)NAN;
			end += strcspn(text, ",}");
		}
		text = end;
	}
	*ret_nr = nr;
	return values;
}

/* PostgreSQL quotes an element when it needs to, with backslashes inside the quotes. */
static const char *take_element(const char *at, struct arena *arena, const char **ret_element)
{
	scoped(str_release) struct str element = STR_INIT;
	bool is_quoted = *at == '"';

	for (at += is_quoted; *at && (is_quoted ? *at != '"' : *at != ',' && *at != '}'); at++) {
		if (*at == '\\' && at[1]) {
			at++;
		}
		str_append_char(&element, *at);
	}
	*ret_element = !is_quoted && strcmp(element.at, "NULL") == 0
			       ? NULL
			       : arena_strdup(arena, element.at);
	return at + is_quoted;
}

const char *const *rows_texts(const struct rows *rows, int row, const char *column,
			      struct arena *arena, size_t *ret_nr)
{
	const char *at = rows_text(rows, row, column);
	VEC(const char *) texts = { 0 };
	const char **result;

	*ret_nr = 0;
	if (!at || at[1] == '}') {
		return NULL;
	}
	do {
		at = take_element(at + 1, arena, vec_push(&texts));
	} while (*at == ',');
	result = arena_array(arena, texts.nr, sizeof(*result));
	memcpy(result, texts.at, texts.nr * sizeof(*result));
	*ret_nr = texts.nr;
	vec_release(&texts);
	return result;
}

char *db_text_array(struct arena *arena, const char *const *texts, size_t nr)
{
	scoped(str_release) struct str array = STR_INIT;

	str_append_char(&array, '{');
	for (size_t i = 0; i < nr; i++) {
		str_append(&array, i ? ",\"" : "\"");
		for (const char *at = texts[i]; *at; at++) {
			if (*at == '"' || *at == '\\') {
				str_append_char(&array, '\\');
			}
			str_append_char(&array, *at);
		}
		str_append_char(&array, '"');
	}
	str_append_char(&array, '}');
	return arena_strdup(arena, array.at);
}

char *db_number_array(struct arena *arena, const double *values, size_t nr)
{
	scoped(str_release) struct str array = STR_INIT;

	str_append_char(&array, '{');
	for (size_t i = 0; i < nr; i++) {
		str_append(&array, i ? "," : "");
		if (isfinite(values[i])) {
			str_printf(&array, "%.17g", values[i]);
		} else {
			str_append(&array, "NULL");
		}
	}
	str_append_char(&array, '}');
	return arena_strdup(arena, array.at);
}
