/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.h - command lines from a table of rows, so that --help is complete by construction.
 *
 *	const struct option_row rows[] = {
 *		{ "format", 'f', "FORMAT", "text, lkp, json or csv", OPTION_TEXT, &format },
 *	};
 *	if (!option_parse(rows, countof(rows), false, &argc, argv, &err)) {
 *		return usage(err.message);
 *	}
 *
 * Spelt as everywhere: --format lkp, --format=lkp, -f lkp, -flkp; flags of one letter in a bunch.
 */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include "err.h"
#include "str.h"

enum option_type {
	OPTION_FLAG, /* target: bool *, set to true */
	OPTION_TEXT, /* target: const char **, the last one wins */
	OPTION_LIST, /* target: struct option_list *, every one is kept */
	OPTION_INT   /* target: int64_t *, the last one wins */
};

/* The values of an option that may be repeated, in order; they point into argv. */
struct option_list {
	const char **at;
	size_t nr;
};

void option_list_release(struct option_list *list);
DEFINE_SCOPED_EMBEDDED(option_list_release, struct option_list)

struct option_row {
	const char *name;  /* without the dashes; NULL: the letter alone */
	char letter;       /* 0: none */
	const char *value; /* what the help calls its value; NULL for a flag */
	const char *doc;
	enum option_type type;
	void *target;
};

/* Takes the options out of argv[1..], wherever they stand, up to "--"; what is left are the
 * operands (argv[0] stays).  `stop_at_operand`: the first operand ends it, for verbs with options
 * of their own.  ERR_INPUT: an unknown option, a value too many, missing or not a number; then the
 * targets may be set in part. */
MUST_CHECK bool option_parse(const struct option_row *rows, size_t nr_rows, bool stop_at_operand,
			     int *argc, char **argv, struct err *err);

/* Appends one aligned line a row: "  -f, --format FORMAT  text, lkp, json or csv". */
void option_describe(const struct option_row *rows, size_t nr_rows, struct str *str);

#endif
