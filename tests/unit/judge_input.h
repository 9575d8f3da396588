/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge_input.h - a metric with room for its samples, for tests of the judge.
 */
#ifndef UNIT_JUDGE_INPUT_H
#define UNIT_JUDGE_INPUT_H

#include "judge_values.h"
#include "lib/base/mem.h"
#include "lib/stats/judge.h"
#include "tests/t.h"

#define MOST 24

/* A metric and the room for its samples. */
struct input {
	struct judge_metric metric;
	struct judge_sample base[MOST], head[MOST];
};

static inline void add(struct input *input, bool is_head, struct judge_sample sample)
{
	size_t *nr = is_head ? &input->metric.nr_head : &input->metric.nr_base;

	assert(*nr < MOST);
	sample.build = sample.build ? sample.build : 1; /* one image, unless the test says else */
	(is_head ? input->head : input->base)[(*nr)++] = sample;
}

/* Values of one block, each of a boot of its own. */
static inline void add_values(struct input *input, bool is_head, size_t nr, const double *values)
{
	for (size_t i = 0; i < nr; i++) {
		add(input, is_head, (struct judge_sample){ .value = values[i] });
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
		inputs[i].metric.base = inputs[i].base;
		inputs[i].metric.head = inputs[i].head;
		metrics[i] = inputs[i].metric;
	}
	judge(metrics, nr, &options, ret_verdicts);
}

static inline struct judge_verdict judge_alone(struct input *input)
{
	struct judge_verdict verdict;

	judge_all(input, 1, 0, &verdict);
	return verdict;
}

#define CHECK_KIND(verdict, expected) CHECK_TEXT(judge_word((verdict).kind), judge_word(expected))

static inline void add_all(struct input *input, const struct value *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		add(input, values[i].is_head,
		    (struct judge_sample){ values[i].value, .block = values[i].block });
	}
}

#endif
