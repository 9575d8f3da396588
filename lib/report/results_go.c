/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `go test -bench` prints, as golang.org/design/14313-benchmark-format has it:
 *
 *	goos: linux
 *	pkg: example.org/sort
 *	Unit req/s better=higher
 *	BenchmarkSort/size=1000/fast-8    200   1234 ns/op   12.5 req/s
 *
 * Everything else in between is a program's own output, and no business of ours.
 */
#include <math.h>

#include "results_build.h"

#define PREFIX         "Benchmark"
#define LIMIT_NAME     1000 /* bytes of a benchmark's name, or of a value of a setting */
#define LIMIT_SETTINGS 100
#define LIMIT_UNITS    100
#define LIMIT_VALUES   100 /* of a line */

/* "goos: linux" */
struct setting {
	const char *name;
	const char *value; /* as it stands where the reader is */
	bool is_param;     /* differs within the file, else it tells of the whole file */
};

/* "Unit req/s better=higher" */
struct fact {
	const char *unit;
	enum results_better better;
	bool is_exact;
};

struct go {
	const struct input *input;
	VEC(struct setting) settings;
	VEC(struct fact) facts;
};

struct span {
	const char *at;
	size_t length;
};

static bool is_space(char character)
{
	return character == ' ' || character == '\t' || character == '\r';
}

/* The next word of a line behind `word`, which is empty at the line's start at first. */
static bool next_word(const struct line *line, struct span *word)
{
	const char *end = line->at + line->length;
	const char *at = word->at + word->length;

	while (at < end && is_space(*at)) {
		at++;
	}
	word->at = at;
	while (at < end && !is_space(*at)) {
		at++;
	}
	word->length = (size_t)(at - word->at);
	return word->length > 0;
}

static bool is_span(const struct span *span, const char *text)
{
	return strlen(text) == span->length && memcmp(span->at, text, span->length) == 0;
}

static bool begins(const struct line *line, const char *text)
{
	return line->length >= strlen(text) && memcmp(line->at, text, strlen(text)) == 0;
}

static bool is_count(const struct span *word)
{
	for (size_t i = 0; i < word->length; i++) {
		if (word->at[i] < '0' || word->at[i] > '9') {
			return false;
		}
	}
	return word->length > 0;
}

/* Whether the line begins with a benchmark's name and a count, and where the values begin. */
static bool is_result(const struct line *line, struct span *ret_name, struct span *ret_count)
{
	struct span word = { line->at, 0 };
	size_t prefix = strlen(PREFIX);

	if (!begins(line, PREFIX) || !next_word(line, &word) || word.length > LIMIT_NAME ||
	    (word.length > prefix && word.at[prefix] >= 'a' && word.at[prefix] <= 'z')) {
		return false;
	}
	*ret_name = word;
	if (!next_word(line, &word) || !is_count(&word)) {
		return false;
	}
	*ret_count = word;
	return true;
}

bool is_results_go(const char *text, size_t length)
{
	struct input input = { .text = text, .length = length };
	struct line line = { 0 };
	struct span name;
	struct span count;

	while (line_next(&input, &line)) {
		if (is_result(&line, &name, &count)) {
			return true;
		}
	}
	return false;
}

/* --- what holds for the lines below, and for a unit everywhere --- */

/* "name: value"; the name begins with a small letter and has no blank and no capital. */
static bool is_setting(const struct line *line, struct span *ret_name, struct span *ret_value)
{
	const char *colon = memchr(line->at, ':', line->length);
	size_t length = colon ? (size_t)(colon - line->at) : 0;

	if (length == 0 || length > LIMIT_NAME || line->at[0] < 'a' || line->at[0] > 'z') {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		if (is_space(line->at[i]) || (line->at[i] >= 'A' && line->at[i] <= 'Z')) {
			return false;
		}
	}
	*ret_name = (struct span){ line->at, length };
	length++;
	if (length < line->length && !is_space(line->at[length])) {
		return false;
	}
	while (length < line->length && is_space(line->at[length])) {
		length++;
	}
	*ret_value = (struct span){ line->at + length, line->length - length };
	return ret_value->length <= LIMIT_NAME;
}

static void set(struct go *go, const struct span *name, const struct span *value)
{
	struct arena *arena = go->input->results->arena;
	struct setting *setting;

	for (size_t i = 0; i < go->settings.nr; i++) {
		setting = &go->settings.at[i];
		if (!is_span(name, setting->name)) {
			continue;
		}
		if (!is_span(value, setting->value)) {
			setting->is_param = true;
			setting->value = arena_strndup(arena, value->at, value->length);
		}
		return;
	}
	if (go->settings.nr < LIMIT_SETTINGS) {
		*vec_push(&go->settings) =
			(struct setting){ .name = arena_strndup(arena, name->at, name->length),
					  .value = arena_strndup(arena, value->at, value->length),
					  .is_param = is_span(name, "pkg") };
	}
}

static struct fact *fact_of(struct go *go, const struct span *unit)
{
	for (size_t i = 0; i < go->facts.nr; i++) {
		if (is_span(unit, go->facts.at[i].unit)) {
			return &go->facts.at[i];
		}
	}
	return NULL;
}

/* Later lines add to what earlier ones say of the unit; unknown words are for others. */
static void learn_unit(struct go *go, const struct line *line)
{
	struct span word = { line->at, strlen("Unit") };
	struct fact *fact;

	if (!next_word(line, &word) || word.length > LIMIT_NAME) {
		return;
	}
	fact = fact_of(go, &word);
	if (!fact && go->facts.nr < LIMIT_UNITS) {
		fact = vec_push(&go->facts);
		*fact = (struct fact){ .unit = arena_strndup(go->input->results->arena, word.at,
							     word.length) };
	}
	while (fact && next_word(line, &word)) {
		if (is_span(&word, "better=higher")) {
			fact->better = BETTER_HIGHER;
		} else if (is_span(&word, "better=lower")) {
			fact->better = BETTER_LOWER;
		} else if (is_span(&word, "assume=exact")) {
			fact->is_exact = true;
		}
	}
}

/* First of all: what holds for the whole file, and what only for parts of it. */
static void learn(struct go *go)
{
	struct results *results = go->input->results;
	struct line line = { 0 };
	struct span name;
	struct span value;

	while (line_next(go->input, &line)) {
		if (begins(&line, "Unit ")) {
			learn_unit(go, &line);
		} else if (is_setting(&line, &name, &value)) {
			set(go, &name, &value);
		}
	}
	for (size_t i = 0; i < go->settings.nr; i++) {
		const struct setting *setting = &go->settings.at[i];

		if (setting->is_param) {
			continue;
		}
		if (strcmp(setting->name, "commit") == 0) {
			results->commit = setting->value;
		} else {
			*vec_push(&results->env) =
				(struct results_param){ setting->name, setting->value };
		}
	}
	for (size_t i = 0; i < go->settings.nr; i++) {
		if (go->settings.at[i].is_param) {
			go->settings.at[i].value = "";
		}
	}
}

/* --- results --- */

/* The place of the '-' in "Sort-8"; the end where there is no such number. */
static size_t find_procs(const struct span *name)
{
	size_t at = name->length;

	while (at > 0 && name->at[at - 1] >= '0' && name->at[at - 1] <= '9') {
		at--;
	}
	return at > 1 && at < name->length && name->at[at - 1] == '-' ? at - 1 : name->length;
}

/* "BenchmarkSort/size=10/fast-8": "Sort/fast" with size and gomaxprocs. */
static struct results_part *part_of(struct go *go, const struct span *name)
{
	struct arena *arena = go->input->results->arena;
	scoped(str_release) struct str bare = STR_INIT;
	VEC(struct results_param) params = { 0 };
	size_t end = find_procs(name);
	size_t prefix = strlen(PREFIX);
	struct results_part *part;

	for (size_t at = prefix; at < end; at++) {
		const char *slash = memchr(name->at + at, '/', end - at);
		size_t length = slash ? (size_t)(slash - name->at) - at : end - at;
		const char *equal = memchr(name->at + at, '=', length);

		if (at > prefix && equal && equal > name->at + at) {
			size_t split = (size_t)(equal - name->at) - at;

			*vec_push(&params) =
				(struct results_param){ arena_strndup(arena, name->at + at, split),
							arena_strndup(arena, equal + 1,
								      length - split - 1) };
		} else {
			str_append(&bare, at > prefix ? "/" : "");
			str_append_bytes(&bare, name->at + at, length);
		}
		at += length;
	}
	if (end < name->length) {
		*vec_push(&params) =
			(struct results_param){ "gomaxprocs",
						arena_strndup(arena, name->at + end + 1,
							      name->length - end - 1) };
	}
	for (size_t i = 0; i < go->settings.nr; i++) {
		const struct setting *setting = &go->settings.at[i];

		if (setting->is_param && *setting->value) {
			*vec_push(&params) =
				(struct results_param){ setting->name, setting->value };
		}
	}
	part = results_part(go->input, bare.at, params.at, params.nr);
	vec_release(&params);
	return part;
}

/* What Go itself measures has a name; else the unit is all there is. */
static const char *metric_name(const char *unit)
{
	static const struct {
		const char *unit;
		const char *name;
	} rows[] = {
		{ "ns/op", "time" },
		{ "B/op", "memory" },
		{ "allocs/op", "allocs" },
		{ "MB/s", "speed" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		if (strcmp(rows[i].unit, unit) == 0) {
			return rows[i].name;
		}
	}
	return unit;
}

struct value {
	double number;
	struct span unit;
};

static void add_value(struct go *go, struct results_part *part, const struct value *value)
{
	char unit[LIMIT_NAME + 1];
	const struct fact *fact = fact_of(go, &value->unit);
	struct results_metric *metric;

	snprintf(unit, sizeof(unit), "%.*s", (int)value->unit.length, value->unit.at);
	metric = results_metric(go->input, part, metric_name(unit));
	if (!metric->unit) {
		metric->unit = arena_strdup(go->input->results->arena, unit);
	}
	if (fact) {
		metric->better = fact->better;
		metric->is_exact = fact->is_exact;
	}
	results_add_value(metric, value->number);
}

static bool is_not_finite(const struct span *word)
{
	static const char *const words[] = { "NaN", "+Inf", "-Inf", "Inf" };

	for (size_t i = 0; i < countof(words); i++) {
		if (is_span(word, words[i])) {
			return true;
		}
	}
	return false;
}

static bool has_unit(const struct value *values, size_t nr, const struct span *unit)
{
	for (size_t i = 0; i < nr; i++) {
		if (values[i].unit.length == unit->length &&
		    memcmp(values[i].unit.at, unit->at, unit->length) == 0) {
			return true;
		}
	}
	return false;
}

/* A line that another one ran into is told and passed over. */
static void pass_over(struct go *go, const struct line *line, const char *at)
{
	results_note(go->input->results, "%s:%zu:%zu: no result of a benchmark, passed over",
		     go->input->file, line->number, (size_t)(at - line->at) + 1);
}

static bool add_result(struct go *go, const struct line *line, const struct span *name,
		       struct span word, struct err *err)
{
	struct value values[LIMIT_VALUES];
	struct results_part *part;
	size_t nr = 0;

	while (next_word(line, &word)) {
		struct value *value = &values[nr];

		if (is_not_finite(&word)) {
			return line_refuse(go->input, line, word.at, err, "not a finite number");
		}
		if (nr == LIMIT_VALUES || !text_to_number(word.at, word.length, &value->number) ||
		    !next_word(line, &word) || word.length > LIMIT_NAME ||
		    has_unit(values, nr, &word)) {
			pass_over(go, line, word.at);
			return true;
		}
		value->unit = word;
		nr++;
	}
	if (nr == 0) {
		pass_over(go, line, word.at);
		return true;
	}
	part = part_of(go, name);
	part->nr_runs++;
	for (size_t i = 0; i < nr; i++) {
		add_value(go, part, &values[i]);
	}
	return true;
}

static void add_failure(struct go *go, const struct line *line)
{
	struct span word = { line->at, strlen("--- FAIL:") };

	if (next_word(line, &word) && word.length <= LIMIT_NAME && word.length > strlen(PREFIX) &&
	    memcmp(word.at, PREFIX, strlen(PREFIX)) == 0) {
		results_add_failure(part_of(go, &word), "FAIL");
	}
}

static bool read_lines(struct go *go, struct err *err)
{
	struct line line = { 0 };
	struct span name;
	struct span word;

	while (line_next(go->input, &line)) {
		if (is_result(&line, &name, &word)) {
			if (!add_result(go, &line, &name, word, err)) {
				return false;
			}
		} else if (begins(&line, "--- FAIL: " PREFIX)) {
			add_failure(go, &line);
		} else if (is_setting(&line, &name, &word)) {
			set(go, &name, &word);
		}
	}
	return true;
}

bool results_read_go(const struct input *input, struct err *err)
{
	struct go go = { .input = input };
	bool is_read = text_check(input, err);

	if (is_read) {
		learn(&go);
		is_read = read_lines(&go, err);
	}
	vec_release(&go.settings);
	vec_release(&go.facts);
	return is_read;
}
