/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <math.h>

#include "lib/base/pull.h"
#include "results_build.h"

struct value {
	uint32_t metric; /* its place in the part */
	double value;
};

/* One line as it is read. */
struct run {
	struct judge_run of; /* what it tells of itself */
	bool is_warmup;
	bool is_failed;
	const char *reason; /* why it failed; in the arena */
	VEC(struct value) values;
};

struct reader {
	const struct input *input;
	struct results_part *part;
	struct pull pull;   /* of the line */
	struct names *runs; /* of this file */
	struct run run;
};

enum field_type {
	FIELD_RUN,
	FIELD_ID, /* a text or a number that stands for something */
	FIELD_NUMBER,
	FIELD_WARMUP,
	FIELD_OUTCOME,
	FIELD_REASON,
	FIELD_METRICS
};

/* The members of a line; others are passed over. */
static const struct field {
	const char *name;
	enum field_type type;
	size_t place; /* in judge_run */
} fields[] = {
	{ "run", FIELD_RUN, 0 },
	{ "boot", FIELD_ID, offsetof(struct judge_run, boot) },
	{ "build", FIELD_ID, offsetof(struct judge_run, build) },
	{ "machine", FIELD_ID, offsetof(struct judge_run, machine) },
	{ "block", FIELD_NUMBER, offsetof(struct judge_run, block) },
	{ "order", FIELD_NUMBER, offsetof(struct judge_run, order) },
	{ "warmup", FIELD_WARMUP, 0 },
	{ "outcome", FIELD_OUTCOME, 0 },
	{ "reason", FIELD_REASON, 0 },
	{ "metrics", FIELD_METRICS, 0 },
};

static bool read_number(struct reader *reader, const struct pull_item *item, uint32_t *place,
			struct err *err)
{
	if (item->kind != PULL_NUMBER || !(item->number >= 0 && item->number <= UINT32_MAX) ||
	    item->number > floor(item->number)) {
		return pull_refuse(&reader->pull, item, err, "expected a whole number");
	}
	*place = (uint32_t)item->number;
	return true;
}

static bool read_key(struct reader *reader, const struct pull_item *item, const char *sort,
		     char **ret_key, struct err *err)
{
	if (item->kind == PULL_TEXT) {
		*ret_key = results_key_text(sort, item->text);
	} else if (item->kind == PULL_NUMBER) {
		*ret_key = results_key_number(reader->input, sort, item->number);
	} else {
		return pull_refuse(&reader->pull, item, err, "expected a text or a number");
	}
	return true;
}

static bool read_id(struct reader *reader, const struct pull_item *item, const struct field *field,
		    uint32_t *place, struct err *err)
{
	scoped(free) char *key = NULL;

	if (!read_key(reader, item, field->name, &key, err)) {
		return false;
	}
	*place = names_number(reader->input->options->ids, key);
	return true;
}

/* A run counts once. */
static bool read_run_name(struct reader *reader, const struct pull_item *item, struct err *err)
{
	scoped(free) char *key = NULL;
	uint32_t nr = names_nr(reader->runs);

	if (!read_key(reader, item, "run", &key, err)) {
		return false;
	}
	if (names_number(reader->runs, key) <= nr) {
		return pull_refuse(&reader->pull, item, err, "%s stands here twice", key);
	}
	return true;
}

static bool read_warmup(struct reader *reader, const struct pull_item *item, struct err *err)
{
	if (item->kind != PULL_TRUE && item->kind != PULL_FALSE) {
		return pull_refuse(&reader->pull, item, err, "expected true or false");
	}
	reader->run.is_warmup = item->kind == PULL_TRUE;
	return true;
}

/* An outcome other than "ok" is a reason as good as none; `reason` says it better. */
static bool read_outcome(struct reader *reader, const struct pull_item *item, bool is_reason,
			 struct err *err)
{
	struct run *run = &reader->run;

	if (item->kind != PULL_TEXT) {
		return pull_refuse(&reader->pull, item, err, "expected a text");
	}
	if (!is_reason) {
		run->is_failed = strcmp(item->text, "ok") != 0;
	}
	if (item->length > 0 && (is_reason || !run->reason)) {
		run->reason = arena_strdup(reader->input->results->arena, item->text);
	}
	return true;
}

static bool read_metrics(struct reader *reader, const struct pull_item *first, struct err *err)
{
	struct pull *pull = &reader->pull;
	struct pull_item item;

	if (first->kind != PULL_OBJECT) {
		return pull_refuse(pull, first, err, "expected an object of metrics");
	}
	for (;;) {
		struct value value = { .value = NAN };
		struct results_metric *metric;

		if (!pull_next(pull, &item, err)) {
			return false;
		}
		if (item.kind == PULL_OBJECT_END) {
			return true;
		}
		metric = results_metric(reader->input, reader->part, item.text);
		value.metric = (uint32_t)(metric - reader->part->metrics.at);
		if (!pull_next(pull, &item, err)) {
			return false;
		}
		if (item.kind != PULL_NUMBER && item.kind != PULL_NULL) {
			return pull_refuse(pull, &item, err,
					   "expected a number, or null for missing");
		}
		value.value = item.kind == PULL_NUMBER ? item.number : (double)NAN;
		results_note_form(metric, pull, &item);
		*vec_push(&reader->run.values) = value;
	}
}

static bool read_field(struct reader *reader, const struct field *field,
		       const struct pull_item *item, struct err *err)
{
	uint32_t *place = (uint32_t *)(void *)((char *)&reader->run.of + field->place);

	if (item->kind == PULL_NULL) {
		return true;
	}
	switch (field->type) {
	case FIELD_RUN:
		return read_run_name(reader, item, err);
	case FIELD_ID:
		return read_id(reader, item, field, place, err);
	case FIELD_NUMBER:
		return read_number(reader, item, place, err);
	case FIELD_WARMUP:
		return read_warmup(reader, item, err);
	case FIELD_OUTCOME:
		return read_outcome(reader, item, false, err);
	case FIELD_REASON:
		return read_outcome(reader, item, true, err);
	case FIELD_METRICS:
		return read_metrics(reader, item, err);
	}
	bug("field '%s' is of type %d", field->name, field->type);
}

static const struct field *find_field(const char *name)
{
	for (size_t i = 0; i < countof(fields); i++) {
		if (strcmp(fields[i].name, name) == 0) {
			return &fields[i];
		}
	}
	return NULL;
}

static bool read_line(struct reader *reader, struct err *err)
{
	struct pull *pull = &reader->pull;
	struct pull_item item;

	if (!pull_need(pull, PULL_OBJECT, &item, err)) {
		return false;
	}
	for (;;) {
		const struct field *field;

		if (!pull_next(pull, &item, err)) {
			return false;
		}
		if (item.kind == PULL_OBJECT_END) {
			return pull_need(pull, PULL_END, &item, err);
		}
		field = find_field(item.text);
		if (!field) {
			if (!pull_skip(pull, &item, err)) {
				return false;
			}
			continue;
		}
		if (!pull_next(pull, &item, err) || !read_field(reader, field, &item, err)) {
			return false;
		}
	}
}

/* what a line adds */

static void add_run(struct results_part *part, const struct run *run)
{
	if (run->is_warmup) {
		part->nr_warmups++;
		return;
	}
	if (run->is_failed) {
		results_add_failure(part, run->reason ? run->reason : "failed");
		return;
	}
	part->nr_runs++;
	for (size_t i = 0; i < run->values.nr; i++) {
		results_add(&part->metrics.at[run->values.at[i].metric], run->values.at[i].value,
			    &run->of);
	}
}

static bool is_blank(const struct line *line)
{
	size_t length = line->length;

	while (length > 0 && line->at[length - 1] == ' ') {
		length--;
	}
	return length == 0;
}

static bool add_line(struct reader *reader, const struct line *line, struct err *err)
{
	size_t offset = (size_t)(line->at - reader->input->text);
	bool is_read;

	pull_init(&reader->pull, reader->input->file, line->at, line->length, offset);
	reader->run = (struct run){ 0 };
	is_read = read_line(reader, err);
	if (is_read) {
		add_run(reader->part, &reader->run);
	}
	vec_release(&reader->run.values);
	pull_release(&reader->pull);
	return is_read;
}

bool results_read_part(const struct input *input, struct results_part *part, struct err *err)
{
	scoped(names_free) struct names *runs = names_new();
	struct reader reader = { .input = input, .part = part, .runs = runs };
	struct line line = { 0 };

	while (line_next(input, &line)) {
		if (!is_blank(&line) && !add_line(&reader, &line, err)) {
			return false;
		}
	}
	return true;
}

bool results_read_runs(const struct input *input, struct err *err)
{
	return results_read_part(input, results_part(input, NULL, NULL, 0), err);
}
