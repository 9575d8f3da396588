/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - patchmeter bisect run: finds the commit that changed a number, in any git work tree.
 */
#ifndef CLI_BISECT_RUN_H
#define CLI_BISECT_RUN_H

#include "cli/verb.h"

int verb_bisect_run(struct call *call);

#endif
