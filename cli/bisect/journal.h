/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h - every run of a question, on disk before the next one begins.
 *
 * A file of JSON lines, the first of which says what was measured:
 *	{"schema": 1, "recipe": {...}}
 *	{"commit": 40 digits, "place": number, "took_s": number, "run": a line of runs.jsonl}
 * What kill -9 or a power cut leaves of a line is cut off when the file is opened again.  Nothing
 * else is kept: what was concluded follows from the runs.
 */
#ifndef CLI_BISECT_JOURNAL_H
#define CLI_BISECT_JOURNAL_H

#include "lib/base/json.h"
#include "lib/base/mem.h"

struct journal_entry {
	const char *commit; /* 40 digits */
	const struct json *run;
	int64_t place; /* of those that measure at once, from 0 */
	double took_s; /* building included */
	struct json *line;
};

struct journal {
	int fd;
	VEC(struct journal_entry) entries;
};

/* Makes it where there is none.  Nobody else may have it open.  Blocks.  ERR_INPUT: damaged, with
 * file and line; ERR_BROKEN. */
MUST_CHECK bool journal_open(const char *path, const struct json *recipe,
			     struct journal **ret_journal, struct err *err);
struct journal *journal_close(struct journal *journal);
DEFINE_SCOPED(journal_close, struct journal *)

/* Durable when it returns.  ERR_BROKEN. */
MUST_CHECK bool journal_append(struct journal *journal, const char *commit, size_t place,
			       double took_s, struct json *take_run, struct err *err);

#endif
