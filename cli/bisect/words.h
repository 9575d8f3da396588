/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - a protocol of lines and words, from anybody.
 *
 *	struct words words = { .from = stdin };
 *
 *	while (words_read(&words, err) && words.nr > 0) {
 *		... words.at[0]; return words_fail(&words, err, "'%s': expected ...", ...);
 *	}
 */
#ifndef CLI_BISECT_WORDS_H
#define CLI_BISECT_WORDS_H

#include "lib/base/err.h"

#define WORDS_MOST       64
#define WORDS_MOST_BYTES 4096 /* of a line */

/* Begins with all but `from` zero. */
struct words {
	FILE *from;
	size_t line; /* the number of the line that was read last */
	char text[WORDS_MOST_BYTES + 2];
	const char *at[WORDS_MOST];
	size_t nr;
};

/* The next line that is not blank; no words: the end.  Blocks.  ERR_INPUT: too long, too many words
 * or a NUL; ERR_BROKEN: cannot be read. */
MUST_CHECK bool words_read(struct words *words, struct err *err);

/* Gives false: ERR_INPUT with "line N: " in front. */
bool words_fail(const struct words *words, struct err *err, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Word `index`, a number from `least` to `most`; ERR_INPUT. */
MUST_CHECK bool words_number(const struct words *words, size_t index, const double range[2],
			     double *ret_number, struct err *err);
MUST_CHECK bool words_index(const struct words *words, size_t index, size_t most,
			    size_t *ret_number, struct err *err);

#endif
