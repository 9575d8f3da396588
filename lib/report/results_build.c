/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results_build.h"

#include <math.h>
#include <stdarg.h>

#include "lib/base/decimal.h"

#define NOTES_SHOWN 5

static int by_name(const void *left, const void *right)
{
	const struct results_param *a = left;
	const struct results_param *b = right;

	return strcmp(a->name, b->name);
}

static struct results_part *part_new(struct results *results, const char *benchmark)
{
	struct results_part *part = arena_alloc(results->arena, sizeof(*part));

	part->benchmark = benchmark ? arena_strdup(results->arena, benchmark) : NULL;
	return part;
}

struct results_part *results_part(const struct input *input, const char *benchmark,
				  const struct results_param *params, size_t nr_params)
{
	struct results *results = input->results;
	scoped(str_release) struct str key = STR_INIT;
	struct results_param *sorted = mem_array(nr_params + 1, sizeof(*sorted));
	uint32_t number;

	for (size_t i = 0; i < nr_params; i++) {
		sorted[i] = params[i];
	}
	qsort(sorted, nr_params, sizeof(*sorted), by_name);
	str_printf(&key, "%s", benchmark ? benchmark : "");
	for (size_t i = 0; i < nr_params; i++) {
		str_printf(&key, "\n%s\n%s", sorted[i].name, sorted[i].value);
	}
	number = names_number(input->parts, key.at);
	if (number > results->parts.nr) {
		struct results_part *part = part_new(results, benchmark);

		*vec_push(&results->parts) = part;
		for (size_t i = 0; i < nr_params; i++) {
			*vec_push(&part->params) = (struct results_param){
				.name = arena_strdup(results->arena, sorted[i].name),
				.value = arena_strdup(results->arena, sorted[i].value)
			};
		}
	}
	free(sorted);
	return results->parts.at[number - 1];
}

/* From here on a table of names is faster than a look at each, and worth its memory: a file may
 * have a million parts of one metric. */
#define FEW_METRICS 16

static struct results_metric *add_metric(struct results_part *part, const char *name)
{
	struct results_metric *metric = vec_push(&part->metrics);

	*metric = (struct results_metric){ .name = name, .fold = 1 };
	return metric;
}

static void name_metrics(struct results_part *part)
{
	part->metric_names = names_new();
	for (size_t i = 0; i < part->metrics.nr; i++) {
		names_number(part->metric_names, part->metrics.at[i].name);
	}
}

static struct results_metric *named_metric(struct results_part *part, const char *name)
{
	uint32_t number = names_number(part->metric_names, name);

	return number > part->metrics.nr ? add_metric(part, names_text(part->metric_names, number))
					 : &part->metrics.at[number - 1];
}

struct results_metric *results_metric(const struct input *input, struct results_part *part,
				      const char *name)
{
	if (part->metric_names) {
		return named_metric(part, name);
	}
	for (size_t i = 0; i < part->metrics.nr; i++) {
		if (strcmp(part->metrics.at[i].name, name) == 0) {
			return &part->metrics.at[i];
		}
	}
	if (part->metrics.nr < FEW_METRICS) {
		return add_metric(part, arena_strdup(input->results->arena, name));
	}
	name_metrics(part);
	return named_metric(part, name);
}

/* The mean of those of two neighbours that are there. */
static double mean_of(double a, double b)
{
	if (isnan(a) || isnan(b)) {
		return isnan(a) ? b : a;
	}
	return a / 2 + b / 2;
}

/* Of values before the first of which something is known, no more than their order is. */
static void know_runs(struct results_metric *metric)
{
	while (metric->runs.nr < metric->values.nr) {
		*vec_push(&metric->runs) = (struct judge_run){ .order = (uint32_t)metric->runs.nr };
	}
}

static void push(struct results_metric *metric, double value, const struct judge_run *run)
{
	assert(run || metric->runs.nr == 0);
	if (run) {
		know_runs(metric);
		*vec_push(&metric->runs) = *run;
	}
	*vec_push(&metric->values) = value;
}

static void halve(struct results_metric *metric)
{
	size_t nr = metric->values.nr / 2;

	for (size_t i = 0; i < nr; i++) {
		metric->values.at[i] =
			mean_of(metric->values.at[2 * i], metric->values.at[2 * i + 1]);
	}
	metric->values.nr = nr;
	for (size_t i = 0; 2 * i < metric->runs.nr; i++) {
		metric->runs.at[i] = metric->runs.at[2 * i];
	}
	metric->runs.nr = metric->runs.nr ? nr : 0;
	metric->fold *= 2;
}

static void add(struct results_metric *metric, double value, const struct judge_run *run)
{
	metric->nr_samples++;
	if (metric->fold == 1) {
		push(metric, value, run);
	} else if (!isnan(value)) {
		metric->pending_sum += value / (double)metric->fold;
		if (++metric->nr_pending == metric->fold) {
			push(metric, metric->pending_sum, run);
			metric->pending_sum = 0;
			metric->nr_pending = 0;
		}
	}
	if (metric->values.nr == RESULTS_MOST_SAMPLES && !metric->has_places) {
		halve(metric);
	}
}

void results_add(struct results_metric *metric, double value, const struct judge_run *run)
{
	metric->has_places |= (run->boot | run->build | run->block) != 0;
	add(metric, value, run);
}

void results_add_value(struct results_metric *metric, double value)
{
	add(metric, value, NULL);
}

void results_place(struct results_metric *metric, uint32_t machine)
{
	know_runs(metric);
	for (size_t i = 0; i < metric->runs.nr; i++) {
		if (metric->runs.at[i].machine == 0) {
			metric->runs.at[i].machine = machine;
		}
	}
}

void results_expect(struct results_metric *metric, size_t nr)
{
	if (metric->values.room < nr) {
		metric->values.room = nr;
		metric->values.at = mem_resize(metric->values.at, nr, sizeof(*metric->values.at));
	}
}

void results_trim(struct results_metric *metric)
{
	if (metric->values.nr == 0) {
		vec_release(&metric->values);
	} else if (metric->values.room > metric->values.nr) {
		metric->values.room = metric->values.nr;
		metric->values.at = mem_resize(metric->values.at, metric->values.room,
					       sizeof(*metric->values.at));
	}
}

void results_note_form(struct results_metric *metric, const struct pull *pull,
		       const struct pull_item *item)
{
	metric->has_fractions =
		metric->has_fractions || (item->kind == PULL_NUMBER && !pull_is_whole(pull, item));
}

void results_add_failure(struct results_part *part, const char *reason)
{
	part->nr_failed++;
	for (size_t i = 0; i < part->failures.nr; i++) {
		if (strcmp(part->failures.at[i].reason, reason) == 0) {
			part->failures.at[i].nr++;
			return;
		}
	}
	*vec_push(&part->failures) = (struct results_failure){ reason, 1 };
}

char *results_key_text(const char *sort, const char *text)
{
	return mem_printf("%s '%s'", sort, text);
}

char *results_key_number(const struct input *input, const char *sort, double number)
{
	return mem_printf("%s %.17g of %s", sort, number, input->file);
}

void results_note(struct results *results, const char *format, ...)
{
	scoped(free) char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		text = mem_strdup("out of memory");
	}
	va_end(args);
	if (results->nr_notes++ < NOTES_SHOWN) {
		*vec_push(&results->notes) = arena_strdup(results->arena, text);
	}
}

const char *results_param(const struct results_part *part, const char *name)
{
	for (size_t i = 0; i < part->params.nr; i++) {
		if (strcmp(part->params.at[i].name, name) == 0) {
			return part->params.at[i].value;
		}
	}
	return strcmp(name, "benchmark") == 0 ? part->benchmark : NULL;
}

bool line_next(const struct input *input, struct line *line)
{
	const char *end = input->text + input->length;
	const char *stop;

	line->at = line->number > 0 ? line->next : input->text;
	if (line->at >= end) {
		return false;
	}
	stop = memchr(line->at, '\n', (size_t)(end - line->at));
	line->next = stop ? stop + 1 : end;
	line->length = (size_t)((stop ? stop : end) - line->at);
	line->number++;
	while (line->length > 0 && line->at[line->length - 1] == '\r') {
		line->length--;
	}
	return true;
}

bool line_refuse(const struct input *input, const struct line *line, const char *at,
		 struct err *err, const char *format, ...)
{
	char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return err_set(err, ERR_INPUT, "%s:%zu:%zu: %s", input->file, line->number,
		       (size_t)(at - line->at) + 1, message);
}

bool text_check(const struct input *input, struct err *err)
{
	const char *nul = memchr(input->text, '\0', input->length);
	struct line line = { 0 };

	if (!nul) {
		return true;
	}
	while (line_next(input, &line) && line.next <= nul) {
	}
	return line_refuse(input, &line, nul, err, "a NUL: this is no text");
}

bool text_to_number(const char *at, size_t length, double *ret_value)
{
	char text[64];
	double value;

	if (length > 0 && decimal_read(at, length, &value) == length && isfinite(value)) {
		*ret_value = value;
		return true;
	}
	if (length == 0 || length >= sizeof(text)) {
		return false;
	}
	snprintf(text, sizeof(text), "%.*s", (int)length, at);
	return str_to_double(text, ret_value, NULL);
}
