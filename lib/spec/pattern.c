/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "lib/base/mem.h"

#define HEAP_LIMIT_KIB 65536

struct pattern {
	pcre2_code *code;
	size_t value; /* numbers of the groups; point is 0 where there is none */
	size_t point;
};

struct budget {
	int64_t *steps;
	size_t position;
};

struct pattern *pattern_free(struct pattern *pattern)
{
	if (pattern) {
		pcre2_code_free(pattern->code);
		free(pattern);
	}
	return NULL;
}

static pcre2_code *compile(const char *regex, struct err *err)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code;
	PCRE2_SIZE offset;
	PCRE2_UCHAR text[160];
	int number;

	if (!context) {
		bug("out of memory");
	}
	pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
	code = pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED,
			     PCRE2_MULTILINE | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_UTF |
				     PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C,
			     &number, &offset, context);
	pcre2_compile_context_free(context);
	if (!code) {
		pcre2_get_error_message(number, text, sizeof(text));
		err_set(err, ERR_INPUT, "%s at offset %zu; expected a regular expression",
			(const char *)text, offset);
	}
	return code;
}

static size_t group_number(const pcre2_code *code, const char *name)
{
	int number = pcre2_substring_number_from_name(code, (PCRE2_SPTR)name);

	return number > 0 ? (size_t)number : 0;
}

bool pattern_new(const char *regex, struct pattern **ret_pattern, struct err *err)
{
	scoped(pattern_free) struct pattern *pattern = mem_alloc(sizeof(*pattern));

	if (strlen(regex) > PATTERN_LIMIT_BYTES) {
		return err_set(err, ERR_INPUT, "a pattern of %zu bytes; expected at most %d",
			       strlen(regex), PATTERN_LIMIT_BYTES);
	}
	pattern->code = compile(regex, err);
	if (!pattern->code) {
		return false;
	}
	pattern->value = group_number(pattern->code, "value");
	pattern->point = group_number(pattern->code, "point");
	if (pattern->value == 0) {
		return err_set(err, ERR_INPUT,
			       "a pattern without the group 'value'; expected one "
			       "(?<value>...)");
	}
	*ret_pattern = move(&pattern);
	return true;
}

bool has_pattern_point(const struct pattern *pattern)
{
	return pattern->point > 0;
}

/* Called by PCRE2 before each item of the pattern. */
static int count_step(pcre2_callout_block *block, void *budget_)
{
	struct budget *budget = budget_;
	size_t now = block->current_position;
	size_t moved = now > budget->position ? now - budget->position : budget->position - now;

	budget->position = now;
	*budget->steps -= 1 + (int64_t)moved;
	return *budget->steps < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

static bool is_of_point(const struct pattern *pattern, const PCRE2_SIZE *ends, const char *bytes,
			const char *point)
{
	size_t from = ends[2 * pattern->point];
	size_t length = ends[2 * pattern->point + 1] - from;

	return !point || (pattern->point > 0 && from != PCRE2_UNSET && strlen(point) == length &&
			  memcmp(bytes + from, point, length) == 0);
}

/* Runs one match from `from` on; afterwards *from is where the next one starts. */
static int next_match(const struct pattern *pattern, struct slice text, pcre2_match_data *match,
		      struct budget *budget, size_t *from)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(match);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	int end;

	if (!context) {
		bug("out of memory");
	}
	pcre2_set_heap_limit(context, HEAP_LIMIT_KIB);
	pcre2_set_callout(context, count_step, budget);
	end = pcre2_match(pattern->code, (PCRE2_SPTR)text.at, text.length, *from, 0, match,
			  context);
	pcre2_match_context_free(context);
	/* past an empty match; \K may even put the start behind the end */
	*from = ends[1] > ends[0] ? ends[1] : ends[0] + 1;
	return end;
}

enum pattern_end pattern_last(const struct pattern *pattern, struct slice text, const char *point,
			      int64_t *steps, struct slice *ret_value)
{
	pcre2_match_data *match = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	struct budget budget = { .steps = steps };
	enum pattern_end end = PATTERN_NONE;
	const PCRE2_SIZE *ends;
	size_t from = 0;
	int rc = 1;

	if (!match) {
		bug("out of memory");
	}
	ends = pcre2_get_ovector_pointer(match);
	while (from <= text.length && rc > 0) {
		rc = next_match(pattern, text, match, &budget, &from);
		if (rc > 0 && ends[2 * pattern->value] != PCRE2_UNSET &&
		    is_of_point(pattern, ends, text.at, point)) {
			ret_value->at = text.at + ends[2 * pattern->value];
			ret_value->length = ends[2 * pattern->value + 1] - ends[2 * pattern->value];
			end = PATTERN_FOUND;
		}
	}
	pcre2_match_data_free(match);
	return rc > 0 || rc == PCRE2_ERROR_NOMATCH ? end : PATTERN_TOO_DEAR;
}
