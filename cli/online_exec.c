/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In `patchmeter`, the verbs that ask a daemon: they are done by `patchmeter-online`, which is the
 * same program with libcurl.  That library and the twenty it needs take longer to load than a
 * thousand metrics to compare (docs/decisions/0016).
 */
#include <errno.h>
#include <unistd.h>

#include "compare.h"
#include "lib/base/mem.h"
#include "program.h"

#define NAME "patchmeter-online"

static int run_online(const struct call *call)
{
	static const char installed[] = PATCHMETER_LIBEXEC "/" NAME;
	scoped(free) char *beside = program_path(NAME);
	size_t nr = 0;
	scoped(free) char **words = NULL;
	char name[] = NAME;

	while (call->line[nr]) {
		nr++;
	}
	words = mem_array(nr + 2, sizeof(*words));
	words[0] = name;
	memcpy(words + 1, call->line, nr * sizeof(*words));
	execv(beside, words);
	if (errno == ENOENT) {
		execv(installed, words);
	}
	fprintf(stderr, "patchmeter %s: cannot run '%s': %s\n", call->verb->name, installed,
		strerror(errno));
	return EXIT_LOCAL;
}

int compare_measured(const struct call *call, const struct compare_options *options UNUSED)
{
	return run_online(call);
}

int verb_bisect_online(struct call *call)
{
	return run_online(call);
}

int verb_log(struct call *call)
{
	return run_online(call);
}

int verb_ls(struct call *call)
{
	return run_online(call);
}

int verb_reproduce(struct call *call)
{
	return run_online(call);
}

int verb_show(struct call *call)
{
	return run_online(call);
}

int verb_status(struct call *call)
{
	return run_online(call);
}
