/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jansson reads, and what it read becomes our own values; nothing else is asked of it. */
#include <jansson.h>

#include "json.h"
#include "str.h"

/* jansson's own limit of 2048 levels would let a document eat our callers' stacks. */
#define LEVELS 128

/* false: too deep */
static bool convert(json_t *value, int levels_left, struct json **ret_json);

static bool convert_array(json_t *value, int levels_left, struct json **ret_json)
{
	scoped(json_free) struct json *array = json_new_array();
	struct json *child;
	json_t *element;
	size_t i;

	json_array_foreach(value, i, element) {
		if (!convert(element, levels_left, &child)) {
			return false;
		}
		json_append(array, child);
	}
	*ret_json = move(&array);
	return true;
}

static bool convert_object(json_t *value, int levels_left, struct json **ret_json)
{
	scoped(json_free) struct json *object = json_new_object();
	struct json *child;

	for (void *it = json_object_iter(value); it; it = json_object_iter_next(value, it)) {
		if (!convert(json_object_iter_value(it), levels_left, &child)) {
			return false;
		}
		json_put(object, json_object_iter_key(it), child);
	}
	*ret_json = move(&object);
	return true;
}

static bool convert(json_t *value, int levels_left, struct json **ret_json)
{
	if (levels_left == 0) {
		return false;
	}
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return convert_object(value, levels_left - 1, ret_json);
	case JSON_ARRAY:
		return convert_array(value, levels_left - 1, ret_json);
	case JSON_STRING:
		*ret_json =
			json_new_text_bytes(json_string_value(value), json_string_length(value));
		return true;
	case JSON_INTEGER:
		*ret_json = json_new_int(json_integer_value(value));
		return true;
	case JSON_REAL:
		*ret_json = json_new_number(json_real_value(value));
		return true;
	case JSON_TRUE:
	case JSON_FALSE:
		*ret_json = json_new_bool(json_is_true(value));
		return true;
	case JSON_NULL:
		*ret_json = json_new_null();
		return true;
	}
	bug("jansson's kind %d", json_typeof(value));
}

bool json_parse(const char *what, const char *bytes, size_t length, struct json **ret_json,
		struct err *err)
{
	const char *nul = length > 0 ? memchr(bytes, '\0', length) : NULL;
	json_error_t fault;
	json_t *value;
	bool is_converted;

	/* jansson 2.14 passes over one that stands behind a number. */
	if (nul) {
		return err_set(err, ERR_INPUT, "%s: byte %td: a NUL", what, nul - bytes);
	}
	value = json_loadb(bytes, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);
	if (!value) {
		return err_set(err, ERR_INPUT, "%s: byte %d: %s", what, fault.position, fault.text);
	}
	is_converted = convert(value, LEVELS, ret_json);
	json_decref(value);
	return is_converted ||
	       err_set(err, ERR_INPUT, "%s: nested more than %d levels deep", what, LEVELS);
}

bool json_read_file(const char *path, size_t limit_bytes, struct json **ret_json, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;

	return str_read_file(&text, path, limit_bytes, err) &&
	       json_parse(path, text.at, text.length, ret_json, err);
}
