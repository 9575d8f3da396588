/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * question.h - what `patchmeter bisect run` is asked: which commits, what to build and run, how to
 * read the number.
 *
 *	scoped(question_release) struct question question;
 *	struct option_row rows[QUESTION_MOST_OPTIONS];
 *	size_t nr_rows = question_options(&question, rows);
 *
 *	... parse ...
 *	if (!question_settle(&question, call->argc - 1, call->argv + 1, err)) ...
 *
 * However it is put, it becomes a job file, so that the worker measures it as any other benchmark.
 * What is measured has a key; equal keys mean that runs of one question answer the other, too.
 */
#ifndef CLI_BISECT_QUESTION_H
#define CLI_BISECT_QUESTION_H

#include "lib/base/hash.h"
#include "lib/base/option.h"
#include "lib/spec/spec.h"

struct question {
	/* as the options say it; NULL and 0 where they do not */
	const char *good, *bad, *state, *log;
	const char *benchmark, *jobs_folder;
	struct option_list params;
	const char *build, *regex, *pointer, *metric, *unit, *better;
	const char *noise, *smallest;
	int64_t budget, jobs, timeout_s, settle_s;
	bool is_timed, is_pass_fail, is_json, is_fresh, wants_all_steps;

	/* by question_settle() */
	struct str job;      /* the text of a job file; empty: job_path is the user's own */
	struct str job_path; /* question_write_job() sets it where the text is ours */
	struct spec *spec;
	char key[HASH_TEXT_BYTES];
	double noise_ratio;    /* 0: unknown */
	double smallest_ratio; /* 0: unsaid */
};

#define QUESTION_MOST_OPTIONS 32

/* Begins with the defaults.  The rows set what the options say; gives how many there are. */
size_t question_options(struct question *question, struct option_row rows[QUESTION_MOST_OPTIONS]);
void question_release(struct question *question);
DEFINE_SCOPED_EMBEDDED(question_release, struct question)

/* Checks that the options fit together and finds or makes the job; `words` are the benchmark's
 * command line.  ERR_INPUT: the options are wrong; ERR_ABSENT: no such job file; others as
 * spec_read(). */
MUST_CHECK bool question_settle(struct question *question, int nr_words, char *const *words,
				struct err *err);

/* What the job says of the metric; NULL: it is the runner's, or none. */
const struct metric *question_metric(const struct question *question);

/* Puts the job file, if it is ours, into the folder.  ERR_BROKEN. */
MUST_CHECK bool question_write_job(struct question *question, const char *folder, struct err *err);

#endif
