/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"

#include <math.h>

#include "json_parts.h"
#include "mem.h"
#include "str.h"

struct wide {
	struct json head;
	int64_t value; /* of more than 48 bits */
};

struct array {
	struct json head;
	uint32_t room;
	struct json **at;
};

struct json *json_node_new(enum json_kind kind, size_t size_bytes)
{
	struct json *node = mem_resize(NULL, 1, size_bytes); /* calloc() passes by malloc's cache */

	memset(node, 0, size_bytes);
	assert(json_tag(node) == 0);
	node->kind = (uint8_t)kind;
	return node;
}

static const struct array *array_of(const struct json *json)
{
	return is_json_node_of(json, KIND_ARRAY) ? (const struct array *)(const void *)json : NULL;
}

struct json *json_free(struct json *json)
{
	if (!is_json_node(json)) {
		return NULL;
	}
	if (json->kind == KIND_ARRAY) {
		const struct array *array = array_of(json);

		for (uint32_t i = 0; i < array->head.nr; i++) {
			json_free(array->at[i]);
		}
		free(array->at);
	} else if (json->kind == KIND_OBJECT) {
		json_release_members(json);
	}
	free(json);
	return NULL;
}

bool is_json_text_mended(const char *bytes, size_t length, struct str *clean)
{
	size_t at = 0;

	while (at < length) {
		uint32_t code;
		size_t size = (unsigned char)bytes[at] < 0x80
				      ? 1
				      : str_decode(bytes + at, length - at, &code);

		if (size == 0) {
			str_append_clean(clean, bytes, length, true, SIZE_MAX);
			return true;
		}
		at += size;
	}
	return false;
}

struct json *json_new_array(void)
{
	return json_node_new(KIND_ARRAY, sizeof(struct array));
}

struct json *json_new_text_bytes(const char *bytes, size_t length)
{
	scoped(str_release) struct str clean = STR_INIT;
	struct json *node;

	if (is_json_text_mended(bytes, length, &clean)) {
		bytes = clean.at;
		length = clean.length;
	}
	node = json_node_new(KIND_TEXT, sizeof(*node) + length + 1);
	memcpy(node + 1, bytes, length);
	return node;
}

struct json *json_new_text(const char *text)
{
	return json_new_text_bytes(text, strlen(text));
}

struct json *json_new_word(const char *word)
{
	uint64_t address = (uintptr_t)word;

	assert(address >> JSON_TAG_SHIFT == 0);
	return json_of_bits(JSON_TAG_WORD << JSON_TAG_SHIFT | address);
}

struct json *json_new_number(double value)
{
	uint64_t bits;

	if (!isfinite(value)) {
		return json_new_null();
	}
	memcpy(&bits, &value, sizeof(bits));
	return json_of_bits(bits + (JSON_TAG_DOUBLE << JSON_TAG_SHIFT));
}

struct json *json_new_int(int64_t value)
{
	int64_t limit = (int64_t)1 << (JSON_TAG_SHIFT - 1);
	struct json *node;

	if (value >= -limit && value < limit) {
		return json_of_bits(JSON_TAG_INT << JSON_TAG_SHIFT |
				    ((uint64_t)value & JSON_PAYLOAD));
	}
	node = json_node_new(KIND_NUMBER, sizeof(struct wide));
	((struct wide *)(void *)node)->value = value;
	return node;
}

struct json *json_new_bool(bool value)
{
	return json_of_bits(value ? JSON_TRUE : JSON_FALSE);
}

struct json *json_new_null(void)
{
	return json_of_bits(JSON_NULL);
}

struct json *json_clone(const struct json *json)
{
	struct json *copy;

	if (!is_json_node(json)) {
		return json ? json_of_bits(json_bits(json)) : json_new_null();
	}
	switch (json->kind) {
	case KIND_TEXT:
		return json_new_text(json_text(json));
	case KIND_ARRAY:
		copy = json_new_array();
		for (size_t i = 0; i < json_size(json); i++) {
			json_append(copy, json_clone(json_at(json, i)));
		}
		return copy;
	case KIND_OBJECT:
		copy = json_new_object();
		for (void *it = json_first(json); it; it = json_next(json, it)) {
			json_put(copy, json_member_name(it), json_clone(json_member_value(it)));
		}
		return copy;
	case KIND_NUMBER:
		return json_new_int(json_int(json, 0));
	}
	bug("a node of kind %d", json->kind);
}

void json_put_text(struct json *object, const char *name, const char *text)
{
	json_put(object, name, text ? json_new_text(text) : json_new_null());
}

void json_put_word(struct json *object, const char *name, const char *word)
{
	json_put(object, name, word ? json_new_word(word) : json_new_null());
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

void json_append(struct json *json, struct json *take_value)
{
	struct array *array = (struct array *)(void *)json;

	if (!array_of(json) || !take_value || array->head.nr == UINT32_MAX) {
		bug("cannot append to a JSON value of kind %d", json_kind(json));
	}
	if (array->head.nr == array->room) {
		array->room = array->room > UINT32_MAX / 2 ? UINT32_MAX : 2 * array->room + 3;
		array->at = mem_resize(array->at, array->room, sizeof(struct json *));
	}
	array->at[array->head.nr++] = take_value;
}

enum json_kind json_kind(const struct json *json)
{
	if (is_json_node(json)) {
		return (enum json_kind)json->kind;
	}
	if (json_tag(json) != 0) {
		return json_tag(json) == JSON_TAG_WORD ? KIND_TEXT : KIND_NUMBER;
	}
	return json_bits(json) > JSON_NULL ? KIND_BOOL : KIND_NULL;
}

struct json *json_at(const struct json *json, size_t index)
{
	const struct array *array = array_of(json);

	return array && index < array->head.nr ? array->at[index] : NULL;
}

size_t json_size(const struct json *json)
{
	return is_json_node(json) ? json->nr : 0;
}

const char *json_text(const struct json *json)
{
	if (json_tag(json) == JSON_TAG_WORD) {
		return (const char *)(uintptr_t)(json_bits(json) & JSON_PAYLOAD);
	}
	return is_json_node_of(json, KIND_TEXT) ? (const char *)(json + 1) : NULL;
}

/* A number that was put or read as an integer. */
static bool get_whole(const struct json *json, int64_t *ret_value)
{
	if (json_tag(json) == JSON_TAG_INT) {
		uint64_t high = json_bits(json) << (64 - JSON_TAG_SHIFT);

		*ret_value = (int64_t)high >> (64 - JSON_TAG_SHIFT); /* with its sign */
		return true;
	}
	if (is_json_node_of(json, KIND_NUMBER)) {
		*ret_value = ((const struct wide *)(const void *)json)->value;
		return true;
	}
	return false;
}

double json_number(const struct json *json, double otherwise)
{
	uint64_t bits = json_bits(json) - (JSON_TAG_DOUBLE << JSON_TAG_SHIFT);
	int64_t whole;
	double value;

	if (get_whole(json, &whole)) {
		return (double)whole;
	}
	if (json_tag(json) == 0 || json_tag(json) == JSON_TAG_WORD) {
		return otherwise;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

bool is_json_int(const struct json *json)
{
	double value = json_number(json, NAN);
	int64_t whole;

	return get_whole(json, &whole) || (fabs(value) < 9007199254740992.0 &&
					   !(value < floor(value)) && !(value > floor(value)));
}

int64_t json_int(const struct json *json, int64_t otherwise)
{
	int64_t whole;

	if (get_whole(json, &whole)) {
		return whole;
	}
	return is_json_int(json) ? (int64_t)json_number(json, 0) : otherwise;
}

bool json_bool(const struct json *json, bool otherwise)
{
	return json_kind(json) == KIND_BOOL ? json_bits(json) == JSON_TRUE : otherwise;
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

