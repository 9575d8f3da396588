/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crash.h - named places where a test can kill the process.
 *
 * PATCHMETER_CRASH=plan.before-commit:3 kills the daemon with SIGKILL when it passes that place for
 * the third time.  The fault suite walks over all of them (`patchmeterd --list-crash-points`) and
 * checks that the rows end up equal to those of an undisturbed twin.
 */
#ifndef DAEMON_CRASH_H
#define DAEMON_CRASH_H

#include "lib/base/base.h"

struct str;

/* `place` and `moment` together name the point: "plan", "before-commit". */
void crash_point(const char *place, const char *moment);

/* Appends every known point, one a line. */
void crash_list(struct str *str);

#endif
