/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter - the command line for people.  This file is the table of verbs.  Those that ask a
 * daemon are, in `patchmeter` itself, in online_exec.c.
 */
#include "verb.h"

#include <malloc.h>

#include "lib/base/mem.h"

static int verb_help(struct call *call);
static int verb_version(struct call *call);

static const struct verb verbs[] = {
	{ "bisect", "VERB [options]",
	  "find the commit that changed a metric, where each run is noisy", verb_bisect },
	{ "compare", "BASE [HEAD...]",
	  "say what changed between commits, from files of results or a daemon", verb_compare },
	{ "job", "validate|expand|explain FILE",
	  "check a job file, list its variants, tell what it does", verb_job },
	{ "log", "RUN", "print what a run printed, as it came", verb_log },
	{ "ls", "series|bisections|machines|runs|mails|repositories", "list what a daemon knows",
	  verb_ls },
	{ "parse", "BENCHMARK STDOUT", "read the metrics out of a benchmark's raw output",
	  verb_parse },
	{ "reproduce", "RUN", "print a script that does a run again", verb_reproduce },
	{ "show", "series:N|bisection:N|run:N|mail:N|machine:NAME|COMMIT",
	  "show all that a daemon knows of one thing", verb_show },
	{ "status", "", "say what a daemon does now, what waits and why", verb_status },
	{ "tree", "add NAME|ls|rm NAME", "say which trees the daemon tests, in its configuration",
	  verb_tree },
	{ "help", "[VERB]", "list the verbs, or the options of one", verb_help },
	{ "version", "", "print the version", verb_version },
};

static void print_verbs(FILE *to)
{
	fputs("usage: patchmeter VERB [options] [operands]\n\n", to);
	verb_list(verbs, countof(verbs), to);
	fputs("\n`patchmeter VERB --help` lists the options of a verb.\n", to);
}

static int verb_version(struct call *call)
{
	int exit_code;

	if (!call_options(call, NULL, 0, &exit_code)) {
		return exit_code;
	}
	puts("patchmeter " PATCHMETER_VERSION);
	return EXIT_DONE;
}

static int verb_help(struct call *call)
{
	const struct verb *verb;
	char flag[] = "--help";
	int exit_code;

	if (!call_options(call, NULL, 0, &exit_code)) {
		return exit_code;
	}
	if (call->argc == 1) {
		print_verbs(stdout);
		return EXIT_DONE;
	}
	verb = verb_find(verbs, countof(verbs), call->argv[1]);
	if (!verb) {
		return verb_fail_unknown(verbs, countof(verbs), "help", call->argv[1]);
	}
	return verb->run(&(struct call){ verb, 2, (char *[]){ call->argv[1], flag, NULL },
					 (char *[]){ call->argv[1], flag, NULL } });
}

/* `patchmeter --version` and `--help` are the verbs of these names. */
static const char *verb_name(const char *word)
{
	static const char *const flags[][2] = { { "--version", "version" },
						{ "--help", "help" },
						{ "-h", "help" } };

	for (size_t i = 0; i < countof(flags); i++) {
		if (strcmp(flags[i][0], word) == 0) {
			return flags[i][1];
		}
	}
	return word;
}

int main(int argc, char **argv)
{
	scoped(free) char **line = NULL;
	const struct verb *verb;
	int exit_code;

	if (argc < 2) {
		print_verbs(stderr);
		return EXIT_USAGE;
	}
	verb = verb_find(verbs, countof(verbs), verb_name(argv[1]));
	if (!verb) {
		return verb_fail_unknown(verbs, countof(verbs), "help", argv[1]);
	}
	/* With small pieces kept aside, freeing a large document would sweep through them again and
	 * again: a tenth of the time of a comparison of thousands of metrics. */
	mallopt(M_MXFAST, 0);
	line = mem_array((size_t)argc, sizeof(*line));
	memcpy(line, argv + 1, (size_t)argc * sizeof(*line));
	exit_code = verb->run(&(struct call){ verb, argc - 1, argv + 1, line });
	/* A full disk must not look like success. */
	if ((fflush(stdout) != 0 || ferror(stdout)) && exit_code == EXIT_DONE) {
		perror("patchmeter: stdout");
		return EXIT_LOCAL;
	}
	return exit_code;
}
