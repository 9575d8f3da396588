/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.h - command lines from a table of rows, so that --help is complete by construction.
 *
 *	static const struct option_row rows[] = {
 *		{ "format", 'f', "FORMAT", "text, lkp, json or csv", OPTION_TEXT, &format },
 *	};
 *	if (!option_parse(rows, countof(rows), &argc, &argv, err)) ...
 */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include "err.h"
#include "str.h"

enum option_type {
	OPTION_FLAG, /* target: bool *, set to true */
	OPTION_TEXT, /* target: const char **, the last one wins */
	OPTION_LIST, /* target: struct option_list *, every one is kept */
	OPTION_INT   /* target: int64_t * */
};

struct option_list {
	const char **at;
	size_t nr;
};
void option_list_release(struct option_list *list);
DEFINE_SCOPED_EMBEDDED(option_list_release, struct option_list)

struct option_row {
	const char *name;  /* without the dashes */
	char letter;       /* 0: none */
	const char *value; /* what the help calls its value; NULL for a flag */
	const char *doc;
	enum option_type type;
	void *target;
};

/* Takes the options out of argv[1..], wherever they stand, up to "--"; what is left are the
 * operands (argv[0] stays).  `stop_at_operand`: the first operand ends it, for verbs with options
 * of their own.
 * ERR_INPUT: unknown option, missing value. */
MUST_CHECK bool option_parse(const struct option_row *rows, size_t nr_rows, bool stop_at_operand,
			     int *argc, char **argv, struct err *err);

/* Appends one aligned line a row. */
void option_describe(const struct option_row *rows, size_t nr_rows, struct str *str);

#endif
