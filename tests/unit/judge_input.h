/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge_input.h - a metric with room for its samples, for tests of the judge.
 */
#ifndef UNIT_JUDGE_INPUT_H
#define UNIT_JUDGE_INPUT_H

#include "judge_values.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/stats/judge.h"
#include "tests/t.h"

#define MOST 24

/* The room for the samples of one side. */
struct side {
	double values[MOST];
	struct judge_run runs[MOST];
};

/* A metric and the room for its samples. */
struct input {
	struct judge_metric metric;
	struct side base, head;
};

static inline void add(struct input *input, bool is_head, double value, struct judge_run run)
{
	size_t *nr = is_head ? &input->metric.head.nr : &input->metric.base.nr;
	struct side *side = is_head ? &input->head : &input->base;

	assert(*nr < MOST);
	run.build = run.build ? run.build : 1; /* one image, unless the test says else */
	side->values[*nr] = value;
	side->runs[(*nr)++] = run;
}

/* The metric, whose samples lie in the input. */
static inline struct judge_metric metric_of(const struct input *input)
{
	struct judge_metric metric = input->metric;

	metric.base.values = input->base.values;
	metric.base.runs = input->base.runs;
	metric.head.values = input->head.values;
	metric.head.runs = input->head.runs;
	return metric;
}

/* Values of one block, each of a boot of its own. */
static inline void add_values(struct input *input, bool is_head, size_t nr, const double *values)
{
	for (size_t i = 0; i < nr; i++) {
		add(input, is_head, values[i], (struct judge_run){ 0 });
	}
}

#define VALUES(...)                                                    \
	sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), (double[]) \
	{                                                              \
		__VA_ARGS__                                            \
	}

static inline struct input headline(const char *name)
{
	return (struct input){ .metric = { .name = name, .is_headline = true } };
}

static inline void judge_all(struct input *inputs, size_t nr, int look,
			     struct judge_verdict *ret_verdicts)
{
	static struct judge_metric metrics[MOST];
	struct judge_options options = JUDGE_OPTIONS_INIT;

	options.look = look;
	for (size_t i = 0; i < nr; i++) {
		metrics[i] = metric_of(&inputs[i]);
	}
	judge(metrics, nr, &options, ret_verdicts);
}

static inline struct judge_verdict judge_alone(struct input *input)
{
	struct judge_verdict verdict;

	judge_all(input, 1, 0, &verdict);
	return verdict;
}

/* Whether the clause is a part of the verdict's reason. */
static inline bool says(const struct judge_verdict *verdict, const char *clause)
{
	scoped(str_release) struct str text = STR_INIT;

	judge_reason(verdict, &text);
	return strstr(text.at, clause) != NULL;
}

#define CHECK_KIND(verdict, expected) CHECK_TEXT(judge_word((verdict).kind), judge_word(expected))

static inline void add_all(struct input *input, const struct value *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		add(input, values[i].is_head, values[i].value,
		    (struct judge_run){ .block = values[i].block });
	}
}

#endif
