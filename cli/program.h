/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - the other programs of this house, wherever it was put.
 */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "lib/base/base.h"

/* A path given relative to the folder that this program is in; free() it.  In a build tree the
 * others are near, too. */
char *program_path(const char *relative);

#endif
