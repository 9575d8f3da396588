/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hyperfine's --export-json writes:
 *
 *	{"results": [{"command": "sort -n 1000", "times": [0.25, ...], "exit_codes": [0, ...],
 *	              "memory_usage_byte": [...], "parameters": {"size": "1000"}, ...}]}
 *
 * The command is there with the parameters put in; they are taken out again ("sort -n {size}"), so
 * that the same command with other values is known to be the same.
 */
#include <math.h>

#include "lib/base/json.h"
#include "lib/base/pull.h"
#include "results_build.h"

#define LIMIT_BYTES  ((size_t)64 << 20)
#define LIMIT_PARAMS 50

bool is_results_hyperfine(const char *text, size_t length)
{
	scoped(pull_release) struct pull pull;
	struct pull_item item;

	pull_init(&pull, "", text, length, 0);
	return pull_next(&pull, &item, NULL) && item.kind == PULL_OBJECT &&
	       pull_next(&pull, &item, NULL) && item.kind == PULL_NAME &&
	       strcmp(item.text, "results") == 0 && pull_next(&pull, &item, NULL) &&
	       item.kind == PULL_ARRAY && pull_next(&pull, &item, NULL) &&
	       (item.kind == PULL_OBJECT || item.kind == PULL_ARRAY_END);
}

struct params {
	struct results_param at[LIMIT_PARAMS];
	size_t nr;
};

static void read_params(const struct input *input, const struct json *from, struct params *params)
{
	for (void *it = json_first(from); it && params->nr < LIMIT_PARAMS;
	     it = json_next(from, it)) {
		const struct json *value = json_member_value(it);
		scoped(free) char *text = json_text(value) ? mem_strdup(json_text(value))
							   : json_write(value, FORM_CANONICAL);

		params->at[params->nr++] =
			(struct results_param){ arena_strdup(input->results->arena,
							     json_member_name(it)),
						arena_strdup(input->results->arena, text) };
	}
}

static bool is_word(char character)
{
	return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
	       (character >= 'A' && character <= 'Z') || character == '_';
}

/* The longest value that stands at `at` as a word of its own; NULL: none does. */
static const struct results_param *param_at(const struct params *params, const char *command,
					    size_t at)
{
	const struct results_param *found = NULL;
	size_t longest = 0;

	if (at > 0 && is_word(command[at - 1]) && is_word(command[at])) {
		return NULL;
	}
	for (size_t i = 0; i < params->nr; i++) {
		const char *value = params->at[i].value;
		size_t length = strlen(value);

		if (length > longest && strncmp(command + at, value, length) == 0 &&
		    !(is_word(value[length - 1]) && is_word(command[at + length]))) {
			found = &params->at[i];
			longest = length;
		}
	}
	return found;
}

/* "sort -n 1000" as "sort -n {size}" */
static void append_template(const struct params *params, const char *command, struct str *out)
{
	for (size_t at = 0; command[at];) {
		const struct results_param *param = param_at(params, command, at);

		if (param) {
			str_printf(out, "{%s}", param->name);
			at += strlen(param->value);
		} else {
			str_append_char(out, command[at++]);
		}
	}
}

/* --- runs --- */

static const char *failure_of(const struct json *result, size_t run)
{
	const struct json *codes = json_get(result, "exit_codes");
	const struct json *code = json_at(codes, run);

	if (!code || json_int(code, -1) == 0) {
		return NULL;
	}
	return json_kind(code) == KIND_NULL ? "signal" : "exit-status";
}

static const struct {
	const char *member;
	const char *metric;
	const char *unit;
} columns[] = {
	{ "times", "time", "s" },
	{ "memory_usage_byte", "memory", "B" },
};

static void add_run(const struct input *input, struct results_part *part, const struct json *result,
		    size_t run)
{
	const char *reason = failure_of(result, run);

	if (reason) {
		results_add_failure(part, reason);
		return;
	}
	part->nr_runs++;
	for (size_t i = 0; i < countof(columns); i++) {
		const struct json *value = json_at(json_get(result, columns[i].member), run);
		struct results_metric *metric;

		if (!value) {
			continue;
		}
		metric = results_metric(input, part, columns[i].metric);
		metric->unit = columns[i].unit;
		metric->better = BETTER_LOWER;
		results_add_value(metric, json_number(value, NAN));
	}
}

static bool add_result(const struct input *input, const struct json *result, size_t index,
		       struct err *err)
{
	scoped(str_release) struct str name = STR_INIT;
	const struct json *times = json_get(result, "times");
	const char *command = json_text(json_get(result, "command"));
	struct params params = { .nr = 0 };
	struct results_part *part;

	if (!command) {
		return err_set(err, ERR_INPUT, "%s: results[%zu]: 'command': expected a text",
			       input->file, index);
	}
	if (json_size(times) == 0) {
		results_note(input->results, "%s: results[%zu] ('%s') has no times, left out",
			     input->file, index, command);
		return true;
	}
	for (size_t i = 0; i < json_size(times); i++) {
		enum json_kind kind = json_kind(json_at(times, i));

		if (kind != KIND_NUMBER && kind != KIND_NULL) {
			return err_set(err, ERR_INPUT,
				       "%s: results[%zu].times[%zu]: expected a number, or null "
				       "for missing",
				       input->file, index, i);
		}
	}
	read_params(input, json_get(result, "parameters"), &params);
	append_template(&params, command, &name);
	part = results_part(input, name.at, params.at, params.nr);
	for (size_t i = 0; i < json_size(times); i++) {
		add_run(input, part, result, i);
	}
	return true;
}

bool results_read_hyperfine(const struct input *input, struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	const struct json *results;

	if (input->length > LIMIT_BYTES) {
		return err_set(err, ERR_TOO_BIG, "%s: larger than %zu MiB", input->file,
			       LIMIT_BYTES >> 20);
	}
	if (!json_parse(input->file, input->text, input->length, &document, err)) {
		return false;
	}
	results = json_get(document, "results");
	for (size_t i = 0; i < json_size(results); i++) {
		if (!add_result(input, json_at(results, i), i, err)) {
			return false;
		}
	}
	return true;
}
