/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page.h"

#include <stdarg.h>

#include "lib/report/number.h"

bool page_query(struct request *request, enum query query, const struct arg *args, size_t nr_args,
		struct json **ret_document, struct err *err)
{
	struct db *db = request_db(request, err);
	struct err local = ERR_INIT;

	if (!db) {
		return false;
	}
	if (!db_query_json(db, query, args, nr_args, ret_document, &local)) {
		return local.kind == ERR_ABSENT
			       ? err_set(err, ERR_ABSENT, "there is no page '%.200s'",
					 request->path)
			       : err_set(err, local.kind, "%s", local.message);
	}
	return true;
}

void page_title(struct json *document, const char *format, ...)
{
	char title[300];
	va_list args;

	va_start(args, format);
	vsnprintf(title, sizeof(title), format, args);
	va_end(args);
	json_put_text(document, "title", title);
}

bool page_number(const struct request *request, const char *name, int64_t *ret_number,
		 struct err *err)
{
	const char *text = request_query(request, name);

	*ret_number = 0;
	if (text && !str_to_int(text, 1, INT64_MAX, ret_number, err)) {
		return err_wrap(err, "parameter '%s'", name);
	}
	return true;
}

bool page_commit(struct request *request, const char *text, const char **ret_oid, struct err *err)
{
	struct db *db = request_db(request, err);
	scoped(rows_free) struct rows *rows = NULL;
	size_t length = strlen(text);

	if (length < 8 || length > 40 || strspn(text, "0123456789abcdef") != length) {
		return err_set(err, ERR_INPUT,
			       "'%.100s': expected 8 to 40 hexadecimal digits of a commit", text);
	}
	if (!db || !db_query(db, Q_COMMIT_MATCH, ARGS(arg_text(text)), &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_ABSENT, "no stack holds a commit '%s'", text);
	}
	if (rows_nr(rows) > 1) {
		return err_set(err, ERR_CONFLICT,
			       "'%s' is the beginning of several commits: '%s', '%s'%s", text,
			       rows_text(rows, 0, "oid"), rows_text(rows, 1, "oid"),
			       rows_nr(rows) > 2 ? ", ..." : "");
	}
	*ret_oid = arena_strdup(request->arena, rows_text(rows, 0, "oid"));
	return true;
}

void page_params(struct json *object)
{
	scoped(str_release) struct str text = STR_INIT;
	const struct json *params = json_get(object, "params");

	for (void *it = json_first(params); it; it = json_next(params, it)) {
		const char *value = json_text(json_member_value(it));
		scoped(free) char *list =
			value ? NULL : json_write(json_member_value(it), FORM_COMPACT);

		str_printf(&text, "%s%s=%s", text.length ? " " : "", json_member_name(it),
			   value ? value : list);
	}
	json_put_text(object, "params_text", text.at);
}

/* dress -------------------------------------------------------------------------------------- */

/* "2026-11-30T22:29:54Z" as people read it; NULL: it is no such time. */
static char *time_text(const char *text)
{
	char *readable;

	if (strlen(text) != 20 || text[4] != '-' || text[10] != 'T' || text[19] != 'Z') {
		return NULL;
	}
	readable = mem_strndup(text, 19);
	readable[10] = ' ';
	return readable;
}

/* What is added for one member; NULL: nothing. */
static char *text_of(const char *name, const struct json *value)
{
	char text[NUMBER_BYTES];

	if (json_kind(value) == KIND_NUMBER && str_has_suffix(name, "_s")) {
		number_seconds(json_number(value, 0), text);
		return mem_strdup(text);
	}
	if (json_kind(value) == KIND_NUMBER && str_has_suffix(name, "_bytes")) {
		number_size(json_int(value, 0), text);
		return mem_strdup(text);
	}
	return json_kind(value) == KIND_TEXT ? time_text(json_text(value)) : NULL;
}

struct addition {
	char *name;
	char *text; /* NULL: true */
};

static void dress_object(struct json *object)
{
	VEC(struct addition) additions = { 0 };

	for (void *it = json_first(object); it; it = json_next(object, it)) {
		const char *name = json_member_name(it);
		struct json *value = json_member_value(it);
		char *text = text_of(name, value);

		if (text) {
			*vec_push(&additions) =
				(struct addition){ mem_printf("%s_text", name), text };
		} else if (json_kind(value) == KIND_ARRAY && json_size(value) > 0) {
			*vec_push(&additions) =
				(struct addition){ mem_printf("has_%s", name), NULL };
		}
		page_dress(value);
	}
	for (size_t i = 0; i < additions.nr; i++) {
		json_put(object, additions.at[i].name,
			 additions.at[i].text ? json_new_text(additions.at[i].text)
					      : json_new_bool(true));
		free(additions.at[i].name);
		free(additions.at[i].text);
	}
	vec_release(&additions);
}

void page_dress(struct json *document)
{
	if (json_kind(document) == KIND_OBJECT) {
		dress_object(document);
	}
	for (size_t i = 0; json_kind(document) == KIND_ARRAY && i < json_size(document); i++) {
		page_dress(json_at(document, i));
	}
}
