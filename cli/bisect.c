/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter bisect VERB - the table of the verbs below it.
 */
#include "cli/bisect/choose.h"
#include "cli/bisect/run.h"
#include "lib/base/mem.h"
#include "verb.h"

static int verb_choose(struct call *call)
{
	struct err err = ERR_INIT;
	int exit_code;

	if (!call_options(call, NULL, 0, &exit_code)) {
		return exit_code;
	}
	if (call->argc > 1) {
		return call_usage(call, "'%s': expected no operand", call->argv[1]);
	}
	return bisect_choose(stdin, stdout, &err) ? EXIT_DONE : call_fail_file(call, &err);
}

static const struct verb verbs[] = {
	{ "bisect run", "--good REV --bad REV [-- COMMAND...]",
	  "find the commit that changed a number, here and now, without a daemon",
	  verb_bisect_run },
	{ "bisect choose", "", "say what to run next, on stdin and stdout, for a program of yours",
	  verb_choose },
	{ "bisect ls", "", "list the bisections of a daemon", verb_bisect_online },
	{ "bisect show", "N", "show the commits of one, their values and their posterior",
	  verb_bisect_online },
	{ "bisect skip", "N COMMIT", "ask for a commit no more", verb_bisect_online },
	{ "bisect stop", "N", "end one", verb_bisect_online },
	{ "bisect narrow", "N [FROM TO]", "go on with one that ended without a culprit",
	  verb_bisect_online },
	{ "bisect culprit", "N COMMIT", "name the commit by hand", verb_bisect_online },
	{ "bisect invalidate", "N", "take back what one said", verb_bisect_online },
};

static int list(struct call *call)
{
	int exit_code;

	if (call_options(call, NULL, 0, &exit_code)) {
		return call_usage(call, "expected a verb; 'patchmeter bisect --help' lists them");
	}
	if (exit_code == EXIT_DONE) {
		putchar('\n');
		verb_list(verbs, countof(verbs), stdout);
	}
	return exit_code;
}

int verb_bisect(struct call *call)
{
	scoped(free) char *name = NULL;
	const struct verb *verb;

	if (call->argc < 2 || call->argv[1][0] == '-') {
		return list(call);
	}
	name = mem_printf("bisect %s", call->argv[1]);
	verb = verb_find(verbs, countof(verbs), name);
	if (!verb) {
		return verb_fail_unknown(verbs, countof(verbs), "bisect --help", name);
	}
	return verb->run(&(struct call){ verb, call->argc - 1, call->argv + 1, call->line });
}
