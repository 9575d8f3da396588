/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/repo.h"

#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/proc/proc.h"
#include "tests/t.h"

char *t_git(const char *folder, const char *script)
{
	static const char *const env[] = {
		"PATH=/usr/bin:/bin",
		"HOME=/nonexistent",
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=safe.directory",
		"GIT_CONFIG_VALUE_0=*",
		"GIT_CONFIG_KEY_1=protocol.file.allow",
		"GIT_CONFIG_VALUE_1=always",
		"GIT_AUTHOR_NAME=A U Thor",
		"GIT_AUTHOR_EMAIL=author@example.org",
		"GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=C O Mitter",
		"GIT_COMMITTER_EMAIL=committer@example.org",
		"GIT_COMMITTER_DATE=1700000000 +0000",
		NULL,
	};
	const char *argv[] = { "/bin/sh", "-euc", script, NULL };
	scoped(free) char *errors = mem_printf("%s.errors", folder);
	struct proc_spec spec = {
		.argv = argv,
		.env = env,
		.cwd = folder,
		.stderr_path = errors,
		.deadline = SPAN_S(120),
	};
	struct str output = STR_INIT;
	struct proc_result result = { .exit_code = -1 };
	struct err err = ERR_INIT;

	if (!CHECK_DONE(proc_capture(&spec, &output, &result, &err), &err) ||
	    !CHECK_INT(result.exit_code, 0)) {
		scoped(str_release) struct str text = STR_INIT;

		(void)!str_read_file(&text, errors, 4096, NULL);
		fprintf(stderr, "# sh -euc '%s'\n# %s\n", script, text.at);
		str_truncate(&output, 0);
	}
	unlink(errors);
	while (str_has_suffix(output.at, "\n")) {
		str_truncate(&output, output.length - 1);
	}
	return str_detach(&output);
}
