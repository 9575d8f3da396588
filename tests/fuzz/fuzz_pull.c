/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pull reader reads what jansson reads, and a number as strtod() does, to the last bit. */
#include <math.h>

#include "lib/base/decimal.h"
#include "lib/base/json.h"
#include "lib/base/pull.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(bool holds, const char *what)
{
	if (!holds) {
		bug("the readers differ: %s", what);
	}
}

static struct pull_item take(struct pull *pull)
{
	struct pull_item item;
	struct err err = ERR_INIT;

	check(pull_next(pull, &item, &err), err.message);
	return item;
}

static void compare(struct pull *pull, const struct json *json);

static void compare_object(struct pull *pull, const struct json *json)
{
	for (void *it = json_first(json); it; it = json_next(json, it)) {
		struct pull_item item = take(pull);

		check(item.kind == PULL_NAME && strcmp(item.text, json_member_name(it)) == 0,
		      "name");
		compare(pull, json_member_value(it));
	}
	check(take(pull).kind == PULL_OBJECT_END, "object");
}

static void compare_array(struct pull *pull, const struct json *json)
{
	for (size_t i = 0; i < json_size(json); i++) {
		compare(pull, json_at(json, i));
	}
	check(take(pull).kind == PULL_ARRAY_END, "array");
}

static void compare(struct pull *pull, const struct json *json)
{
	struct pull_item item = take(pull);
	double number;

	switch (json_kind(json)) {
	case KIND_OBJECT:
		check(item.kind == PULL_OBJECT, "object");
		compare_object(pull, json);
		return;
	case KIND_ARRAY:
		check(item.kind == PULL_ARRAY, "array");
		compare_array(pull, json);
		return;
	case KIND_TEXT:
		check(item.kind == PULL_TEXT && strcmp(item.text, json_text(json)) == 0, "text");
		return;
	case KIND_NUMBER:
		number = json_number(json, 0);
		check(item.kind == PULL_NUMBER && item.number <= number && item.number >= number,
		      "number");
		return;
	case KIND_BOOL:
		check(item.kind == (json_bool(json, false) ? PULL_TRUE : PULL_FALSE), "bool");
		return;
	case KIND_NULL:
		check(item.kind == PULL_NULL, "null");
	}
}

static void compare_number(const char *bytes, size_t length)
{
	scoped(str_release) struct str text = STR_INIT;
	double ours, theirs;
	size_t used = decimal_read(bytes, length, &ours);

	if (used > 0) {
		str_append_bytes(&text, bytes, used);
		theirs = strtod(text.at, NULL);
		check(ours <= theirs && ours >= theirs && !signbit(ours) == !signbit(theirs),
		      text.at);
	}
}

static bool read_all(const char *bytes, size_t length, struct err *err)
{
	scoped(pull_release) struct pull pull;
	struct pull_item item;

	pull_init(&pull, "fuzz", bytes, length, 0);
	do {
		if (!pull_next(&pull, &item, err)) {
			check(!pull_next(&pull, &item, NULL), "it goes on after a failure");
			return false;
		}
	} while (item.kind != PULL_END);
	return true;
}

static void compare_all(const char *bytes, size_t length, const struct json *json)
{
	scoped(pull_release) struct pull pull;

	pull_init(&pull, "fuzz", bytes, length, 0);
	compare(&pull, json);
	check(take(&pull).kind == PULL_END, "end");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	const char *text = (const char *)bytes;
	scoped(json_free) struct json *json = NULL;
	struct err ours = ERR_INIT;
	struct err theirs = ERR_INIT;
	bool is_read = read_all(text, length, &ours);

	compare_number(text, length);
	if (!json_parse("fuzz", text, length, &json, &theirs)) {
		/* jansson's integers end at 2^63 and its levels are counted otherwise */
		check(!is_read || strstr(theirs.message, "integer") ||
			      strstr(theirs.message, "nested"),
		      theirs.message);
		return 0;
	}
	if (!is_read) {
		check(strstr(ours.message, "nested"), ours.message);
		return 0;
	}
	compare_all(text, length, json);
	return 0;
}
