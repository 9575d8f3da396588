/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proto.h"

#include <math.h>
#include <stdarg.h>

#include "lib/base/str.h"

/* --- reading --- */

static bool fail(const struct proto_field *field, struct err *err, const char *format, ...)
	PRINTF_LIKE(3, 4);

static bool fail(const struct proto_field *field, struct err *err, const char *format, ...)
{
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return err_set(err, ERR_INPUT, "'%s': %s", field->name, what);
}

static bool is_hex(const char *text)
{
	return strspn(text, "0123456789abcdef") == strlen(text);
}

static bool is_clean(const char *text, bool keep_lines)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, text, strlen(text), keep_lines, SIZE_MAX);
	return strcmp(clean.at, text) == 0;
}

static bool is_name(const char *text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._+-";

	for (;;) {
		size_t length = strspn(text, allowed);

		if (length == 0 || *text == '.' || *text == '-') {
			return false;
		}
		if (text[length] == '\0') {
			return true;
		}
		if (text[length] != '/') {
			return false;
		}
		text += length + 1;
	}
}

static bool is_one_of(const char *text, const char *const *words)
{
	while (*words && strcmp(text, *words) != 0) {
		words++;
	}
	return *words != NULL;
}

static bool check_text(const struct proto_field *field, const char *text, struct err *err)
{
	int64_t length = (int64_t)strlen(text);
	bool fits = true;

	if (field->type == PROTO_CHOICE) {
		return is_one_of(text, field->words) || fail(field, err, "not one of its words");
	}
	if (length < field->min || length > field->max) {
		return fail(field, err, "expected %" PRId64 " to %" PRId64 " bytes, not %" PRId64,
			    field->min, field->max, length);
	}
	if (field->type == PROTO_HEX) {
		fits = is_hex(text);
	} else if (field->type == PROTO_NAME) {
		fits = length == 0 || is_name(text);
	} else {
		fits = is_clean(text, field->type == PROTO_LINES);
	}
	return fits || fail(field, err, "characters that may not stand there");
}

static bool decode_text(const struct proto_field *field, const struct json *json,
			struct arena *arena, const char **ret_text, struct err *err)
{
	const char *text = json_text(json);

	if (!text) {
		return fail(field, err, "expected a text");
	}
	if (!check_text(field, text, err)) {
		return false;
	}
	*ret_text = arena_strdup(arena, text);
	return true;
}

static bool decode_int(const struct proto_field *field, const struct json *json, int64_t *ret_value,
		       struct err *err)
{
	int64_t value = json_int(json, 0);

	if (!is_json_int(json) || value < field->min || value > field->max) {
		return fail(field, err, "expected a whole number from %" PRId64 " to %" PRId64,
			    field->min, field->max);
	}
	*ret_value = value;
	return true;
}

static bool decode_number(const struct proto_field *field, const struct json *json,
			  double *ret_value, struct err *err)
{
	double value = json_number(json, NAN);

	if (!(value >= (double)field->min && value <= (double)field->max)) {
		return fail(field, err, "expected a number from %" PRId64 " to %" PRId64,
			    field->min, field->max);
	}
	*ret_value = value;
	return true;
}

static bool decode_record(const struct proto_field *field, const struct json *json,
			  struct arena *arena, void *ret_record, struct err *err)
{
	return proto_decode(field->record, json, arena, ret_record, err) ||
	       err_wrap(err, "'%s'", field->name);
}

/* How every list looks to the tables; the typed ones (struct proto_files) have the same members. */
struct list {
	const void *at;
	size_t nr;
};

static bool decode_list(const struct proto_field *field, const struct json *json,
			struct arena *arena, struct list *ret_list, struct err *err)
{
	size_t nr = json_size(json);
	size_t size_bytes = field->record->size_bytes;
	char *records;

	if (json_kind(json) != KIND_ARRAY || (int64_t)nr < field->min || (int64_t)nr > field->max) {
		return fail(field, err, "expected a list of %" PRId64 " to %" PRId64 " elements",
			    field->min, field->max);
	}
	records = arena_array(arena, nr, size_bytes);
	for (size_t i = 0; i < nr; i++) {
		if (!decode_record(field, json_at(json, i), arena, records + i * size_bytes, err)) {
			return false;
		}
	}
	*ret_list = (struct list){ records, nr };
	return true;
}

static bool decode_pointer(const struct proto_field *field, const struct json *json,
			   struct arena *arena, const void **ret_record, struct err *err)
{
	void *record = arena_alloc(arena, field->record->size_bytes);

	if (!decode_record(field, json, arena, record, err)) {
		return false;
	}
	*ret_record = record;
	return true;
}

static bool decode_field(const struct proto_field *field, const struct json *json,
			 struct arena *arena, void *place, struct err *err)
{
	switch (field->type) {
	case PROTO_TEXT:
	case PROTO_LINES:
	case PROTO_NAME:
	case PROTO_HEX:
	case PROTO_CHOICE:
		return decode_text(field, json, arena, place, err);
	case PROTO_INT:
		return decode_int(field, json, place, err);
	case PROTO_NUMBER:
		return decode_number(field, json, place, err);
	case PROTO_BOOL:
		*(bool *)place = json_bool(json, false);
		return json_kind(json) == KIND_BOOL || fail(field, err, "expected true or false");
	case PROTO_OBJECT:
		*(const struct json **)place = json;
		return json_kind(json) == KIND_OBJECT || fail(field, err, "expected an object");
	case PROTO_RECORD:
		return decode_pointer(field, json, arena, place, err);
	case PROTO_LIST:
		return decode_list(field, json, arena, place, err);
	}
	bug("field '%s' has type %d", field->name, field->type);
}

bool proto_decode(const struct proto_message *message, const struct json *json, struct arena *arena,
		  void *ret_record, struct err *err)
{
	char *record = arena_alloc(arena, message->size_bytes);

	if (json_kind(json) != KIND_OBJECT) {
		return err_set(err, ERR_INPUT, "%s: expected an object", message->name);
	}
	for (size_t i = 0; i < message->nr_fields; i++) {
		const struct proto_field *field = &message->fields[i];
		const struct json *member = json_get(json, field->name);

		if (json_kind(member) != KIND_NULL) {
			if (!decode_field(field, member, arena, record + field->offset, err)) {
				return err_wrap(err, "%s", message->name);
			}
		} else if (field->is_needed) {
			return err_set(err, ERR_INPUT, "%s: '%s': missing", message->name,
				       field->name);
		}
	}
	memcpy(ret_record, record, message->size_bytes);
	return true;
}

/* --- writing --- */

static struct json *encode_list(const struct proto_field *field, const struct list *list)
{
	struct json *array = json_new_array();

	for (size_t i = 0; i < list->nr; i++) {
		json_append(array,
			    proto_encode(field->record,
					 (const char *)list->at + i * field->record->size_bytes));
	}
	return array;
}

/* NULL: absent.  What people and programs wrote is made to fit, for no log line may stop a
 * message; a name that does not fit is our own fault. */
static struct json *encode_text(const struct proto_message *message,
				const struct proto_field *field, const char *text)
{
	struct err err = ERR_INIT;

	if (!text) {
		return NULL;
	}
	if (field->type == PROTO_TEXT || field->type == PROTO_LINES) {
		scoped(str_release) struct str clean = STR_INIT;

		str_append_clean(&clean, text, strlen(text), field->type == PROTO_LINES,
				 (size_t)field->max);
		return json_new_text(clean.at);
	}
	if (!check_text(field, text, &err)) {
		bug("%s: %s", message->name, err.message);
	}
	return json_new_text(text);
}

static struct json *encode_field(const struct proto_message *message,
				 const struct proto_field *field, const void *place)
{
	switch (field->type) {
	case PROTO_TEXT:
	case PROTO_LINES:
	case PROTO_NAME:
	case PROTO_HEX:
	case PROTO_CHOICE:
		return encode_text(message, field, *(const char *const *)place);
	case PROTO_INT:
		return json_new_int(*(const int64_t *)place);
	case PROTO_NUMBER:
		return json_new_number(*(const double *)place);
	case PROTO_BOOL:
		return json_new_bool(*(const bool *)place);
	case PROTO_OBJECT:
		return *(const struct json *const *)place
			       ? json_clone(*(const struct json *const *)place)
			       : NULL;
	case PROTO_RECORD:
		return *(const void *const *)place
			       ? proto_encode(field->record, *(const void *const *)place)
			       : NULL;
	case PROTO_LIST:
		return encode_list(field, place);
	}
	bug("field '%s' has type %d", field->name, field->type);
}

struct json *proto_encode(const struct proto_message *message, const void *record)
{
	struct json *object = json_new_object();

	for (size_t i = 0; i < message->nr_fields; i++) {
		const struct proto_field *field = &message->fields[i];
		struct json *member =
			encode_field(message, field, (const char *)record + field->offset);

		if (member) {
			json_put(object, field->name, member);
		} else if (field->is_needed) {
			bug("%s: '%s': missing", message->name, field->name);
		}
	}
	return object;
}

/* --- shared meanings --- */

struct hash proto_epoch_hash(const struct json *fingerprint)
{
	const struct json *lasting = json_get(fingerprint, "lasting");
	scoped(json_free) struct json *null = json_new_null();
	scoped(free) char *text = json_write(lasting ? lasting : null, FORM_CANONICAL);

	return hash_of(text, strlen(text));
}

bool is_proto_file_name(const char *name)
{
	int nr_parts = 1;

	if (!is_name(name)) {
		return false;
	}
	for (const char *at = name;; nr_parts++) {
		size_t length = strcspn(at, "/");

		if (length > 100 || nr_parts > 5) {
			return false;
		}
		if (at[length] == '\0') {
			return true;
		}
		at += length + 1;
	}
}

enum err_kind proto_kind_of_status(int http_status)
{
	static const struct {
		int status;
		enum err_kind kind;
	} rows[] = {
		{ 401, ERR_DENIED },  { 403, ERR_DENIED },   { 404, ERR_ABSENT },
		{ 408, ERR_TIMEOUT }, { 409, ERR_CONFLICT }, { 410, ERR_ABSENT },
		{ 413, ERR_TOO_BIG }, { 429, ERR_BUSY },     { 503, ERR_BUSY },
		{ 504, ERR_TIMEOUT }, { 507, ERR_FULL },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		if (rows[i].status == http_status) {
			return rows[i].kind;
		}
	}
	/* What is broken there is not broken here. */
	return http_status >= 500 ? ERR_REMOTE : ERR_INPUT;
}
