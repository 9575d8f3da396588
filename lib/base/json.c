/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"

#include <jansson.h>
#include <math.h>

#include "mem.h"
#include "str.h"

/* A struct json is a json_t under our name, so that nobody else includes jansson. */
static json_t *inner(const struct json *json)
{
	return (json_t *)(uintptr_t)json;
}

static struct json *outer(json_t *value)
{
	return (struct json *)(void *)value;
}

static struct json *made(json_t *value)
{
	if (!value) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return outer(value);
}

struct json *json_free(struct json *json)
{
	json_decref(inner(json));
	return NULL;
}

/* jansson's own limit of 2048 levels would let a document eat our callers' stacks. */
static bool is_too_deep(const json_t *value, int levels_left)
{
	void *member;
	size_t i;
	json_t *child;

	if (levels_left == 0) {
		return true;
	}
	if (json_is_array(value)) {
		json_array_foreach(value, i, child) {
			if (is_too_deep(child, levels_left - 1)) {
				return true;
			}
		}
	}
	if (json_is_object(value)) {
		for (member = json_object_iter((json_t *)(uintptr_t)value); member;
		     member = json_object_iter_next((json_t *)(uintptr_t)value, member)) {
			if (is_too_deep(json_object_iter_value(member), levels_left - 1)) {
				return true;
			}
		}
	}
	return false;
}

bool json_parse(const char *what, const char *bytes, size_t length, struct json **ret_json,
		struct err *err)
{
	const char *nul = length > 0 ? memchr(bytes, '\0', length) : NULL;
	json_error_t fault;
	json_t *value;

	/* jansson 2.14 passes over one that stands behind a number. */
	if (nul) {
		return err_set(err, ERR_INPUT, "%s: byte %td: a NUL", what, nul - bytes);
	}
	value = json_loadb(bytes, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);
	if (!value) {
		return err_set(err, ERR_INPUT, "%s: byte %d: %s", what, fault.position, fault.text);
	}
	if (is_too_deep(value, 128)) {
		json_decref(value);
		return err_set(err, ERR_INPUT, "%s: nested more than 128 levels deep", what);
	}
	*ret_json = outer(value);
	return true;
}

bool json_read_file(const char *path, size_t limit_bytes, struct json **ret_json, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;

	return str_read_file(&text, path, limit_bytes, err) &&
	       json_parse(path, text.at, text.length, ret_json, err);
}

struct json *json_new_object(void)
{
	return made(json_object());
}

struct json *json_new_array(void)
{
	return made(json_array());
}

struct json *json_new_text_bytes(const char *bytes, size_t length)
{
	json_t *value = json_stringn(bytes, length);

	if (!value) {
		scoped(str_release) struct str clean = STR_INIT;

		str_append_clean(&clean, bytes, length, true, SIZE_MAX);
		value = json_stringn(clean.at, clean.length);
	}
	return made(value);
}

struct json *json_new_text(const char *text)
{
	return json_new_text_bytes(text, strlen(text));
}

struct json *json_new_number(double value)
{
	return made(isfinite(value) ? json_real(value) : json_null());
}

struct json *json_new_int(int64_t value)
{
	return made(json_integer(value));
}

struct json *json_new_bool(bool value)
{
	return made(json_boolean(value));
}

struct json *json_new_null(void)
{
	return made(json_null());
}

struct json *json_clone(const struct json *json)
{
	return made(json_deep_copy(inner(json)));
}

void json_put(struct json *object, const char *name, struct json *take_value)
{
	scoped(json_free) struct json *value = take_value;
	scoped(str_release) struct str clean = STR_INIT;

	if (json_object_set(inner(object), name, inner(value)) == 0) {
		return;
	}
	str_append_clean(&clean, name, strlen(name), true, SIZE_MAX);
	if (json_object_set(inner(object), clean.at, inner(value)) != 0) {
		bug("cannot put '%s' into a JSON value of kind %d", clean.at, json_kind(object));
	}
}

void json_put_text(struct json *object, const char *name, const char *text)
{
	json_put(object, name, text ? json_new_text(text) : json_new_null());
}

void json_put_number(struct json *object, const char *name, double value)
{
	json_put(object, name, json_new_number(value));
}

void json_put_int(struct json *object, const char *name, int64_t value)
{
	json_put(object, name, json_new_int(value));
}

void json_put_bool(struct json *object, const char *name, bool value)
{
	json_put(object, name, json_new_bool(value));
}

void json_append(struct json *array, struct json *take_value)
{
	if (json_array_append_new(inner(array), inner(take_value)) != 0) {
		bug("cannot append to a JSON value of kind %d", json_kind(array));
	}
}

void json_remove(struct json *object, const char *name)
{
	json_object_del(inner(object), name);
}

enum json_kind json_kind(const struct json *json)
{
	static const enum json_kind kinds[] = {
		[JSON_OBJECT] = KIND_OBJECT,  [JSON_ARRAY] = KIND_ARRAY, [JSON_STRING] = KIND_TEXT,
		[JSON_INTEGER] = KIND_NUMBER, [JSON_REAL] = KIND_NUMBER, [JSON_TRUE] = KIND_BOOL,
		[JSON_FALSE] = KIND_BOOL,     [JSON_NULL] = KIND_NULL,
	};

	return json ? kinds[json_typeof(inner(json))] : KIND_NULL;
}

struct json *json_get(const struct json *object, const char *name)
{
	return object ? outer(json_object_get(inner(object), name)) : NULL;
}

struct json *json_at(const struct json *array, size_t index)
{
	return array ? outer(json_array_get(inner(array), index)) : NULL;
}

size_t json_size(const struct json *json)
{
	const json_t *value = inner(json);

	return json_is_array(value) ? json_array_size(value) : value ? json_object_size(value) : 0;
}

const char *json_text(const struct json *json)
{
	return json ? json_string_value(inner(json)) : NULL;
}

double json_number(const struct json *json, double otherwise)
{
	return json && json_is_number(inner(json)) ? json_number_value(inner(json)) : otherwise;
}

bool is_json_int(const struct json *json)
{
	double value;

	if (!json || !json_is_number(inner(json))) {
		return false;
	}
	value = json_number_value(inner(json));
	return json_is_integer(inner(json)) || (fabs(value) < 9007199254740992.0 &&
						!(value < floor(value)) && !(value > floor(value)));
}

int64_t json_int(const struct json *json, int64_t otherwise)
{
	if (!is_json_int(json)) {
		return otherwise;
	}
	return json_is_integer(inner(json)) ? json_integer_value(inner(json))
					    : (int64_t)json_number_value(inner(json));
}

bool json_bool(const struct json *json, bool otherwise)
{
	return json && json_is_boolean(inner(json)) ? json_is_true(inner(json)) : otherwise;
}

void *json_first(const struct json *object)
{
	return object ? json_object_iter(inner(object)) : NULL;
}

void *json_next(const struct json *object, void *member)
{
	return json_object_iter_next(inner(object), member);
}

const char *json_member_name(void *member)
{
	return json_object_iter_key(member);
}

struct json *json_member_value(void *member)
{
	return outer(json_object_iter_value(member));
}

bool json_need_text(const struct json *object, const char *name, const char **ret_text,
		    struct err *err)
{
	const char *text = json_text(json_get(object, name));

	if (!text) {
		return err_set(err, ERR_INPUT, "'%s': expected a text", name);
	}
	*ret_text = text;
	return true;
}

bool json_need_int(const struct json *object, const char *name, int64_t min, int64_t max,
		   int64_t *ret_value, struct err *err)
{
	const struct json *json = json_get(object, name);
	int64_t value = json_int(json, 0);

	if (!is_json_int(json)) {
		return err_set(err, ERR_INPUT, "'%s': expected a whole number", name);
	}
	if (value < min || value > max) {
		return err_set(err, ERR_INPUT,
			       "'%s': %" PRId64 " is outside %" PRId64 " to %" PRId64, name, value,
			       min, max);
	}
	*ret_value = value;
	return true;
}
