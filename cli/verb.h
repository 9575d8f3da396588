/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb.h - what every verb of `patchmeter` is and shares: its row, its help, its way to fail.
 *
 *	int verb_parse(struct call *call)
 *	{
 *		int64_t status = 0;
 *		int exit_code;
 *		const struct option_row rows[] = {
 *			{ "status", 's', "N", "the exit status of the run", OPTION_INT, &status },
 *		};
 *
 *		if (!call_options(call, rows, countof(rows), &exit_code)) {
 *			return exit_code;
 *		}
 *		if (call->argc != 2) {
 *			return call_usage(call, "expected one file");
 *		}
 *		...
 *	}
 *
 * Data goes to stdout, everything else to stderr.  A new verb is a row in main.c's table.
 */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include "lib/base/err.h"
#include "lib/base/option.h"

/* The one vocabulary of exit codes; err_face() maps the kinds of errors to it. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_DIFFERENT = 1,  /* a regression, and only where --exit-code asked for it */
	EXIT_USAGE = 2,      /* the command line is wrong */
	EXIT_NOTHING = 3,    /* nothing found, nothing comparable */
	EXIT_REMOTE = 4,     /* server or network; trying again may help */
	EXIT_DENIED = 5,     /* not allowed */
	EXIT_CONFLICT = 6,   /* the state has moved on */
	EXIT_JOB_FAILED = 7, /* the job or run in question failed */
	EXIT_LOST = 8,       /* ... was lost or cancelled */
	EXIT_LOCAL = 9       /* a local file is unreadable or malformed */
};

struct call;

struct verb {
	const char *name;
	const char *operands;          /* as the usage line shows them: "BASE HEAD [HEAD...]" */
	const char *summary;           /* one line, lower case */
	int (*run)(struct call *call); /* gives the exit code */
};

/* One use of a verb: argv[0] is its name, what follows is the user's. */
struct call {
	const struct verb *verb;
	int argc;
	char **argv;
	char *const *line; /* the same words, before options were taken out; ends in NULL */
};

/* Takes the options of the rows, and --help, out of the call; operands stay in argv[1..argc-1].
 * False: the verb is to end with *ret_exit; the help or the complaint has been printed. */
MUST_CHECK bool call_options(struct call *call, const struct option_row *rows, size_t nr_rows,
			     int *ret_exit);

/* Prints "patchmeter VERB: ..." on stderr; the exit code is the kind's. */
int call_fail(const struct call *call, const struct err *err);

/* The same for a file of this machine, where an absent file is an unreadable one: EXIT_LOCAL. */
int call_fail_file(const struct call *call, const struct err *err);

/* The same for a wrong command line, with the usage line; gives EXIT_USAGE. */
int call_usage(const struct call *call, const char *format, ...) PRINTF_LIKE(2, 3);

/* A table of verbs: main.c's, and those below a verb, whose names are both words ("bisect run"). */

/* NULL: no verb of this name. */
const struct verb *verb_find(const struct verb *verbs, size_t nr_verbs, const char *name);

/* A line each: name and summary. */
void verb_list(const struct verb *verbs, size_t nr_verbs, FILE *to);

/* Says so on stderr, and which verb may have been meant, or that `patchmeter HELP` lists them;
 * gives EXIT_USAGE. */
int verb_fail_unknown(const struct verb *verbs, size_t nr_verbs, const char *help,
		      const char *name);

/* the verbs, one file a group */

int verb_bisect_online(struct call *call);
int verb_bisect(struct call *call);
int verb_compare(struct call *call);
int verb_job(struct call *call);
int verb_log(struct call *call);
int verb_ls(struct call *call);
int verb_parse(struct call *call);
int verb_reproduce(struct call *call);
int verb_show(struct call *call);
int verb_status(struct call *call);
int verb_tree(struct call *call);

#endif
