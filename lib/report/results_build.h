/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results_build.h - results while a file is read, for the readers of its forms alone.
 *
 *	struct results_part *part = results_part(input, "sort", params, nr_params);
 *	struct results_metric *metric = results_metric(input, part, "time");
 *	results_add(metric, 0.25, &(struct judge_run){ .block = 2 });
 *
 * Each reader is `bool results_read_FORM(const struct input *input, struct err *err)` beside an
 * `is_FORM` that looks at the text alone; results.c has them in a table.
 */
#ifndef REPORT_RESULTS_BUILD_H
#define REPORT_RESULTS_BUILD_H

#include "lib/base/pull.h"
#include "results.h"

/* A file on its way into a side. */
struct input {
	struct results *results;
	const char *file; /* its name in messages */
	const char *text; /* any bytes; no NUL behind them */
	size_t length;
	const struct results_options *options;
	struct names *parts; /* of this side; results has them in the same order */
};

/* The part of this benchmark (may be NULL) and parameters, in any order; makes it. */
struct results_part *results_part(const struct input *input, const char *benchmark,
				  const struct results_param *params, size_t nr_params);

/* The metric of this name; makes it.  Valid until the part gets another one. */
struct results_metric *results_metric(const struct input *input, struct results_part *part,
				      const char *name);
/* `value`: NAN where it is missing. */
void results_add(struct results_metric *metric, double value, const struct judge_run *run);

/* The same in a file that knows nothing of its runs but their order. */
void results_add_value(struct results_metric *metric, double value);

/* Runs that do not say where they ran, ran on this machine. */
void results_place(struct results_metric *metric, uint32_t machine);

/* Makes room for so many samples: for a guess of how many will come. */
void results_expect(struct results_metric *metric, size_t nr);

/* Gives back the room for samples that will not come: of a hundred thousand metrics it adds up. */
void results_trim(struct results_metric *metric);

/* Notes whether a sample that was just read is written as a fraction. */
void results_note_form(struct results_metric *metric, const struct pull *pull,
		       const struct pull_item *item);

/* Adds a run that failed; the reason has to last. */
void results_add_failure(struct results_part *part, const char *reason);

/* What a text or a number stands for, as a `sort` ("boot"): a number means something in its file
 * only.  free() it; its number in the options' ids is the sample's. */
char *results_key_text(const char *sort, const char *text);
char *results_key_number(const struct input *input, const char *sort, double number);

/* Something that was passed over, and why, for people. */
void results_note(struct results *results, const char *format, ...) PRINTF_LIKE(2, 3);

/* Texts line by line. */
struct line {
	const char *at;
	size_t length; /* without its end */
	size_t number; /* from 1 */
	const char *next;
};

/* Goes on to the next line; `line` is zero at first. */
bool line_next(const struct input *input, struct line *line);

/* ERR_INPUT "FILE:LINE:COLUMN: ..."; `at` lies in the line. */
bool line_refuse(const struct input *input, const struct line *line, const char *at,
		 struct err *err, const char *format, ...) PRINTF_LIKE(5, 6);

/* ERR_INPUT where a text holds a NUL. */
MUST_CHECK bool text_check(const struct input *input, struct err *err);

/* The whole text has to be a finite number. */
bool text_to_number(const char *at, size_t length, double *ret_value);

/* JSON lines of runs: whatever begins with '{' and is nothing else. */
MUST_CHECK bool results_read_runs(const struct input *input, struct err *err);
/* The same into a part that is there. */
MUST_CHECK bool results_read_part(const struct input *input, struct results_part *part,
				  struct err *err);

/* A comparison document, which is no results. */
bool is_results_view(const char *text, size_t length);
MUST_CHECK bool results_refuse_view(const struct input *input, struct err *err);

/* {"metric": [numbers]} */
bool is_results_matrix(const char *text, size_t length);
MUST_CHECK bool results_read_matrix(const struct input *input, struct err *err);

/* {"results": [{"command": ..., "times": [numbers]}]} */
bool is_results_hyperfine(const char *text, size_t length);
MUST_CHECK bool results_read_hyperfine(const struct input *input, struct err *err);

/* "BenchmarkSort/size=10-8  100  1234 ns/op" somewhere */
bool is_results_go(const char *text, size_t length);
MUST_CHECK bool results_read_go(const struct input *input, struct err *err);

/* "name,name" in the first line */
bool is_results_csv(const char *text, size_t length);
MUST_CHECK bool results_read_csv(const struct input *input, struct err *err);

#endif
