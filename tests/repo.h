/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repo.h - real git repositories for a test, made by the git command.
 *
 *	char *folder = t_folder();
 *	t_git(folder, "git init -q -b main . && git commit -q --allow-empty -m one");
 *	char *id = t_git(folder, "git rev-parse main");   // free() it
 *
 * The script runs under sh -eu in `folder`, with a fixed person and date, and with no configuration
 * but git's own; $GIT_... and other variables of the caller are not there.
 */
#ifndef TESTS_REPO_H
#define TESTS_REPO_H

/* What it printed, without the line end at its end.  Where the script fails, the case fails, and
 * the result is "". */
char *t_git(const char *folder, const char *script);

#endif
