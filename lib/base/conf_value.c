/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf_value.h"

#include "mem.h"
#include "str.h"

static const struct {
	const char *word;
	bool value;
} bools[] = {
	{ "true", true },   { "yes", true }, { "on", true },   { "1", true },
	{ "false", false }, { "no", false }, { "off", false }, { "0", false },
};

static const struct {
	const char *unit;
	int64_t seconds;
} units[] = {
	{ "s", 1 },
	{ "m", 60 },
	{ "h", 3600 },
	{ "d", 86400 },
};

bool conf_value_bool(const char *text, bool *ret_value, struct err *err)
{
	for (size_t i = 0; i < countof(bools); i++) {
		if (strcmp(text, bools[i].word) == 0) {
			*ret_value = bools[i].value;
			return true;
		}
	}
	return err_set(err, ERR_INPUT, "'%.40s' is not true or false", text);
}

bool conf_value_seconds(const char *text, int64_t min, int64_t max, int64_t *ret_seconds,
			struct err *err)
{
	scoped(free) char *digits = mem_strndup(text, strspn(text, "0123456789"));
	int64_t number;

	for (size_t i = 0; i < countof(units); i++) {
		int64_t seconds = units[i].seconds;

		if (strcmp(text + strlen(digits), units[i].unit) != 0) {
			continue;
		}
		if (!str_to_int(digits, 0, INT64_MAX / seconds, &number, NULL) ||
		    number * seconds < min || number * seconds > max) {
			break;
		}
		*ret_seconds = number * seconds;
		return true;
	}
	return err_set(err, ERR_INPUT,
		       "'%.40s' is not a duration from %" PRId64 "s to %" PRId64
		       "s: a whole number and one of s, m, h, d",
		       text, min, max);
}

static bool is_choice(const char *words, const char *text)
{
	size_t length = strlen(text);

	for (const char *at = words; *at;) {
		size_t word = strcspn(at, " ");

		if (word == length && word > 0 && strncmp(at, text, word) == 0) {
			return true;
		}
		at += word;
		at += strspn(at, " ");
	}
	return false;
}

bool conf_value_check(const struct conf_key *row, const char *text, struct err *err)
{
	int64_t number;
	bool truth;

	switch (row->type) {
	case CONF_TEXT:
		return true;
	case CONF_INT:
		return str_to_int(text, row->min, row->max, &number, err);
	case CONF_BOOL:
		return conf_value_bool(text, &truth, err);
	case CONF_DURATION:
		return conf_value_seconds(text, row->min, row->max, &number, err);
	case CONF_CHOICE:
		return is_choice(row->words, text) ||
		       err_set(err, ERR_INPUT, "'%.40s' is none of: %s", text, row->words);
	}
	bug("row '%s.%s' has no type", row->section, row->key);
}

static void describe_range(const struct conf_key *row, struct str *str)
{
	switch (row->type) {
	case CONF_TEXT:
		break;
	case CONF_INT:
		str_printf(str, "%" PRId64 " to %" PRId64 "; ", row->min, row->max);
		break;
	case CONF_BOOL:
		str_append(str, "true or false; ");
		break;
	case CONF_DURATION:
		str_printf(str, "%" PRId64 "s to %" PRId64 "s; ", row->min, row->max);
		break;
	case CONF_CHOICE:
		str_printf(str, "one of %s; ", row->words);
		break;
	}
}

void conf_describe(const struct conf_key *keys, size_t nr_keys, struct str *str)
{
	size_t width = 0;

	for (size_t i = 0; i < nr_keys; i++) {
		width = strlen(keys[i].key) > width ? strlen(keys[i].key) : width;
	}
	for (size_t i = 0; i < nr_keys; i++) {
		if (i == 0 || strcmp(keys[i].section, keys[i - 1].section) != 0) {
			str_printf(str, "%s[%s%s]\n", i == 0 ? "" : "\n", keys[i].section,
				   keys[i].flags & CONF_NAMED ? " \"NAME\"" : "");
		}
		str_printf(str, "  %-*s  %s (", (int)width, keys[i].key, keys[i].doc);
		describe_range(&keys[i], str);
		str_printf(str, "%s%s)\n", keys[i].fallback ? "default " : "no default",
			   keys[i].fallback ? keys[i].fallback : "");
	}
}
