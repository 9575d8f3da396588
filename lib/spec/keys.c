/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keys.h"

#include "checks.h"
#include "lib/base/str.h"
#include "spec.h"

static const struct key *find_key(const struct key *keys, size_t nr_keys, unsigned form,
				  const char *name)
{
	for (size_t i = 0; i < nr_keys; i++) {
		if ((keys[i].forms & form) && strcmp(keys[i].name, name) == 0) {
			return &keys[i];
		}
	}
	return NULL;
}

/* The keys of the form, in the order of the table. */
static const char **names_of(struct arena *arena, const struct key *keys, size_t nr_keys,
			     unsigned form, size_t *ret_nr)
{
	const char **names = arena_array(arena, nr_keys, sizeof(*names));

	*ret_nr = 0;
	for (size_t i = 0; i < nr_keys; i++) {
		if (keys[i].forms & form) {
			names[(*ret_nr)++] = keys[i].name;
		}
	}
	return names;
}

static bool fail_unknown(const struct node *node, const char *const *names, size_t nr_names,
			 struct err *err)
{
	scoped(str_release) struct str known = STR_INIT;
	const char *nearest = str_nearest(node->name, names, nr_names, sizeof(*names));

	if (nearest) {
		return place_fail(&node->name_place, err, "unknown key '%.40s'; did you mean '%s'?",
				  node->name, nearest);
	}
	for (size_t i = 0; i < nr_names; i++) {
		str_printf(&known, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	return place_fail(&node->name_place, err, "unknown key '%.40s'; expected one of %s",
			  node->name, known.at);
}

/* The digits in front of a unit letter; negative: it is no such number. */
static int64_t read_whole(const char *text, size_t digits)
{
	int64_t value = 0;

	if (digits == 0 || digits > 12 || strspn(text, "0123456789") < digits) {
		return -1;
	}
	for (size_t i = 0; i < digits; i++) {
		value = 10 * value + (text[i] - '0');
	}
	return value;
}

static bool read_duration(const struct key *key, const struct node *node, int64_t *ret_s,
			  struct err *err)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	size_t length = node->kind == NODE_TEXT ? strlen(node->text) : 0;
	int64_t value = length > 1 ? read_whole(node->text, length - 1) : -1;

	for (size_t i = 0; value >= 0 && i < countof(units); i++) {
		if (node->text[length - 1] == units[i].letter &&
		    value * units[i].seconds >= key->min && value * units[i].seconds <= key->max) {
			*ret_s = value * units[i].seconds;
			return true;
		}
	}
	return node_refuse(node, err, "a time such as 30s, 10m or 2h, at most 7d");
}

static bool read_count(const struct key *key, const struct node *node, int64_t *ret_value,
		       struct err *err)
{
	int64_t value = node->kind == NODE_TEXT && !node->is_quoted
				? read_whole(node->text, strlen(node->text))
				: -1;

	if (value < key->min || value > key->max) {
		scoped(free) char *expected = mem_printf(
			"a whole number from %" PRId64 " to %" PRId64, key->min, key->max);

		return node_refuse(node, err, expected);
	}
	*ret_value = value;
	return true;
}

static bool read_flag(const struct node *node, bool *ret_flag, struct err *err)
{
	bool is_true = node->kind == NODE_TEXT && strcmp(node->text, "true") == 0;
	bool is_false = node->kind == NODE_TEXT && strcmp(node->text, "false") == 0;

	if (node->is_quoted || is_true == is_false) {
		return node_refuse(node, err, "true or false");
	}
	*ret_flag = is_true;
	return true;
}

static bool read_percent(const struct node *node, double *ret_percent, struct err *err)
{
	scoped(free) char *digits = node->kind == NODE_TEXT ? mem_strdup(node->text) : NULL;
	size_t length = digits ? strlen(digits) : 0;
	double percent = 0;

	if (length > 1 && digits[length - 1] == '%') {
		digits[length - 1] = '\0';
		if (digits[strspn(digits, "0123456789.")] == '\0' &&
		    str_to_double(digits, &percent, NULL) && percent > 0 && percent < 100) {
			*ret_percent = percent;
			return true;
		}
	}
	return node_refuse(node, err, "a percentage such as 0.25%, above 0% and below 100%");
}

static bool read_texts(struct arena *arena, const struct node *list, struct texts *ret_texts,
		       struct err *err)
{
	struct texts texts = { 0 };

	if (!check_list(list, err, "a list of texts with at least one")) {
		return false;
	}
	texts.at = arena_array(arena, list->nr, sizeof(*texts.at));
	for (const struct node *item = list->first; item; item = item->next) {
		if (!check_line(item, err)) {
			return false;
		}
		texts.at[texts.nr++] = item->text;
	}
	*ret_texts = texts;
	return true;
}

static bool read_value(struct arena *arena, const struct key *key, const struct node *node,
		       void *place, struct err *err)
{
	switch (key->type) {
	case KEY_TEXT:
		if (!key->check(node, err)) {
			return false;
		}
		*(const char **)place = node->text;
		return true;
	case KEY_TEXTS:
		return read_texts(arena, node, place, err);
	case KEY_DURATION:
		return read_duration(key, node, place, err);
	case KEY_COUNT:
		return read_count(key, node, place, err);
	case KEY_FLAG:
		return read_flag(node, place, err);
	case KEY_PERCENT:
		return read_percent(node, place, err);
	case KEY_OTHER:
		return true;
	}
	bug("key type %d", key->type);
}

bool keys_read(struct arena *arena, const struct key *keys, size_t nr_keys, unsigned form,
	       const struct node *map, void *target, struct err *err)
{
	size_t nr_names;

	if (map->kind != NODE_MAP) {
		return node_refuse(map, err, "a map of keys and values");
	}
	for (const struct node *node = map->first; node; node = node->next) {
		const struct key *key = find_key(keys, nr_keys, form, node->name);

		if (!key) {
			const char **names = names_of(arena, keys, nr_keys, form, &nr_names);

			return fail_unknown(node, names, nr_names, err);
		}
		if (!read_value(arena, key, node, (char *)target + key->offset, err)) {
			return false;
		}
	}
	for (size_t i = 0; i < nr_keys; i++) {
		if ((keys[i].forms & form) && keys[i].is_needed && !node_get(map, keys[i].name)) {
			return node_fail(map, err, "no key '%s'; expected one", keys[i].name);
		}
	}
	return true;
}

static struct json *write_texts(const struct texts *texts)
{
	struct json *array = json_new_array();

	for (size_t i = 0; i < texts->nr; i++) {
		json_append(array, json_new_text(texts->at[i]));
	}
	return array;
}

static void write_percent(struct json *object, const char *name, double percent)
{
	scoped(str_release) struct str text = STR_INIT;

	str_append_number(&text, percent);
	str_append_char(&text, '%');
	json_put_text(object, name, text.at);
}

static void write_value(const struct key *key, const void *place, struct json *object)
{
	switch (key->type) {
	case KEY_TEXT:
		if (*(const char *const *)place) {
			json_put_text(object, key->name, *(const char *const *)place);
		}
		return;
	case KEY_TEXTS:
		if (((const struct texts *)place)->nr > 0) {
			json_put(object, key->name, write_texts(place));
		}
		return;
	case KEY_DURATION:
	case KEY_COUNT:
		if (*(const int64_t *)place >= key->min) { /* else it was not there */
			json_put_int(object, key->name, *(const int64_t *)place);
		}
		return;
	case KEY_FLAG:
		if (*(const bool *)place) {
			json_put_bool(object, key->name, true);
		}
		return;
	case KEY_PERCENT:
		if (*(const double *)place > 0) {
			write_percent(object, key->name, *(const double *)place);
		}
		return;
	case KEY_OTHER:
		return;
	}
}

struct json *keys_write(const struct key *keys, size_t nr_keys, unsigned form, const void *source)
{
	struct json *object = json_new_object();

	for (size_t i = 0; i < nr_keys; i++) {
		if (keys[i].forms & form) {
			write_value(&keys[i], (const char *)source + keys[i].offset, object);
		}
	}
	return object;
}
