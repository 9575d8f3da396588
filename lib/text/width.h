/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * width.h - how many cells of a terminal a text takes, and text broken into lines of so many.
 *
 * printf's %-20s counts bytes; one 'é' and the column beside it is crooked.
 *
 *	width_pad(&out, name, 20, WIDTH_LEFT);
 *	width_wrap(&out, prose, 72, "  ");
 */
#ifndef TEXT_WIDTH_H
#define TEXT_WIDTH_H

#include "lib/base/str.h"

enum width_side { WIDTH_LEFT, WIDTH_RIGHT };

/* Cells of valid UTF-8 without control characters (str_append_clean); a bad byte counts one. */
size_t width_of(const char *text);
size_t width_of_bytes(const char *text, size_t length);

/* The bytes of the longest beginning of the text that fits in `cells`. */
size_t width_cut(const char *text, size_t cells);

/* Appends the text and blanks up to `cells`; a longer text is not cut. */
void width_pad(struct str *out, const char *text, size_t cells, enum width_side side);

/* Appends the text broken at blanks into lines of at most `cells`, each begun by `margin` and
 * ended by '\n'.  Line ends of the text stay; other runs of blanks become one blank.  A word that
 * is wider than a line has a line of its own, unbroken: addresses stay whole. */
void width_wrap(struct str *out, const char *text, size_t cells, const char *margin);

#endif
