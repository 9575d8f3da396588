/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.h - what a program printed, as text that is safe to show.
 *
 * A log is whatever a hostile program printed: colours and cursor moves for a terminal, titles for
 * its window, half characters, NULs.  What is left of it here is text in lines.
 */
#ifndef TEXT_PLAIN_H
#define TEXT_PLAIN_H

#include "lib/base/str.h"

/* Appends the bytes without the control sequences of terminals (ECMA-48, with and without their
 * end), a line end for each of CR, LF and both, and the rest as str_append_clean() leaves it. */
void plain_append(struct str *str, const char *bytes, size_t length);

#endif
