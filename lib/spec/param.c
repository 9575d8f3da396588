/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "param.h"

#include <ctype.h>

#include "lib/base/str.h"

#define PERCENT_DECIMALS 4
#define PERCENT_MOST     10000

static size_t span_digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)? */
static bool is_plain_number(const char *text)
{
	const char *at = text + (*text == '-');
	size_t whole = span_digits(at);

	if (whole == 0 || (whole > 1 && *at == '0')) {
		return false;
	}
	at += whole;
	if (*at == '.') {
		size_t decimals = span_digits(at + 1);

		at += decimals > 0 ? decimals + 1 : 0;
	}
	return *at == '\0';
}

/* Would YAML or a shell take it for a number: 1e3, 0x10, 1_000, .5, 010? */
static bool is_number_like(const char *text)
{
	scoped(str_release) struct str bare = STR_INIT;
	char *end;

	for (const char *at = text; *at; at++) {
		if (isspace((unsigned char)*at)) {
			return false;
		}
		if (*at != '_') {
			str_append_char(&bare, *at);
		}
	}
	(void)strtod(bare.at, &end);
	return bare.length > 0 && *end == '\0';
}

/* In ten thousandths of a percent; 0: it is none. */
static int64_t percent_parts(const char *text)
{
	size_t whole = span_digits(text);
	size_t decimals = text[whole] == '.' ? span_digits(text + whole + 1) : 0;
	const char *end = text + whole + (decimals > 0 ? decimals + 1 : 0);
	int64_t parts = 0;

	if (whole == 0 || whole > 5 || decimals > PERCENT_DECIMALS || strcmp(end, "%") != 0) {
		return 0;
	}
	for (size_t i = 0; i < whole; i++) {
		parts = 10 * parts + (text[i] - '0');
	}
	for (size_t i = 0; i < PERCENT_DECIMALS; i++) {
		parts = 10 * parts + (i < decimals ? text[whole + 1 + i] - '0' : 0);
	}
	return parts <= PERCENT_MOST * INT64_C(10000) ? parts : 0;
}

bool is_percent(const char *text)
{
	return percent_parts(text) > 0;
}

const char *param_expected(const char *text, bool is_quoted)
{
	if (!is_quoted && (*text == '\0' || strcmp(text, "~") == 0)) {
		return "a value, or '' for an empty one";
	}
	if (strlen(text) > PARAM_LIMIT_BYTES || strpbrk(text, "\n\t")) {
		return "one line without tabs, at most 4096 bytes";
	}
	if (str_has_suffix(text, "%") && !strchr(text, ' ') && !is_percent(text)) {
		return "a percentage such as 50% or 12.5%, above 0% and at most 10000%";
	}
	if (!is_quoted && is_number_like(text) && !is_plain_number(text)) {
		return "a number in decimal digits such as 1000 or 0.5, or quotes around a text";
	}
	return NULL;
}

const char *param_resolve(struct arena *arena, const char *text, int64_t nr_cpus)
{
	int64_t parts = percent_parts(text);
	int64_t nr;

	if (parts == 0) {
		return arena_strdup(arena, text);
	}
	nr = (parts * nr_cpus + 500000) / 1000000;
	return arena_printf(arena, "%" PRId64, nr < 1 ? 1 : nr);
}

bool is_param_used(const char *script, const char *name)
{
	size_t length = strlen(name);
	const char *at = script;

	while ((at = strstr(at, "PARAM_")) != NULL) {
		at += strlen("PARAM_");
		if (strncmp(at, name, length) == 0 && !isalnum((unsigned char)at[length]) &&
		    at[length] != '_') {
			return true;
		}
	}
	return false;
}

static void append_value(struct arena *arena, const struct json *value, int64_t nr_cpus,
			 struct str *line)
{
	if (json_kind(value) == KIND_TEXT) {
		str_append(line, param_resolve(arena, json_text(value), nr_cpus));
	}
	for (size_t i = 0; json_kind(value) == KIND_ARRAY && i < json_size(value); i++) {
		const char *text = json_text(json_at(value, i));

		str_printf(line, "%s%s", i > 0 ? " " : "",
			   param_resolve(arena, text ? text : "", nr_cpus));
	}
}

char **param_environment(struct arena *arena, const struct json *params, const char *script,
			 int64_t nr_cpus)
{
	char **lines = arena_array(arena, json_size(params) + 1, sizeof(*lines));
	size_t nr = 0;

	for (void *it = json_first(params); it; it = json_next(params, it)) {
		scoped(str_release) struct str line = STR_INIT;

		if (script && !is_param_used(script, json_member_name(it))) {
			continue;
		}
		str_printf(&line, "PARAM_%s=", json_member_name(it));
		append_value(arena, json_member_value(it), nr_cpus, &line);
		lines[nr++] = arena_strdup(arena, line.at);
	}
	return lines;
}
