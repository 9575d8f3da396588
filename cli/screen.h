/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - what goes to stdout, and how: safe and in colour on a terminal, plain elsewhere.
 *
 * What a server says holds words of strangers: subjects, logs, names.  On a terminal a control
 * sequence among them could rename a window or fill the clipboard, so none of them gets there.
 * Into a file or a pipe the bytes go as they are.
 *
 *	struct screen screen;
 *	if (!screen_init(&screen, color, err)) ...
 *	screen_print(&screen, log.at, log.length);
 *	screen_line(&screen, TONE_BAD, "run 7 failed");
 */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdio.h>

#include "lib/base/str.h"

/* Colour is never the only sign: the words are there besides.  Good and bad are a pair that
 * everybody can tell apart. */
enum tone { TONE_PLAIN, TONE_TITLE, TONE_BAD, TONE_GOOD, TONE_FAINT };

struct screen {
	bool is_terminal;
	bool is_colored;
};

/* `color`: "always", "never", "auto", or NULL for auto: on a terminal that is not "dumb", unless
 * NO_COLOR is set.  ERR_INPUT: another word. */
MUST_CHECK bool screen_init(struct screen *screen, const char *color, struct err *err);

/* Prints text of several lines. */
void screen_print(const struct screen *screen, const char *bytes, size_t length);

/* Prints one line of clean text and its end. */
void screen_line(const struct screen *screen, enum tone tone, const char *text, size_t length);

/* Prints text of several lines without anything that a terminal would obey, wherever it goes: what
 * files of strangers say. */
void print_clean(FILE *stream, const struct str *text);

#endif
