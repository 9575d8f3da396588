/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose.h - the chooser for a program that does the runs itself.
 */
#ifndef CLI_BISECT_CHOOSE_H
#define CLI_BISECT_CHOOSE_H

#include "lib/base/err.h"

/* One bisection after the other by docs/bisecting-protocol.md, until `from` ends.  Blocks.
 * ERR_INPUT, ERR_BROKEN. */
MUST_CHECK bool bisect_choose(FILE *from, FILE *to, struct err *err);

#endif
