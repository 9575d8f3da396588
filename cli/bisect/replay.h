/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.h - a bisection as a log of git-bisect(1), which knows good, bad and skipped ones alone.
 */
#ifndef CLI_BISECT_REPLAY_H
#define CLI_BISECT_REPLAY_H

#include "outcome.h"

/* Appends what `git bisect replay` takes and comes to the same end with; nothing where no commit
 * is named. */
void replay_append(const struct outcome *outcome, struct str *out);

#endif
