/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - how far a bisection is, on stderr after each run: a picture that is drawn anew on a
 * terminal, a line a run elsewhere.
 *
 *	struct progress progress;
 *	progress_init(&progress);
 *	progress_show(&progress, range, evidence);
 *	progress_say(&progress, "measuring 2dd9c9d797 ...");
 *	progress_end(&progress);
 */
#ifndef CLI_BISECT_PROGRESS_H
#define CLI_BISECT_PROGRESS_H

#include "evidence.h"

struct progress {
	bool is_drawn;   /* on a terminal that can */
	size_t nr_lines; /* of the picture that stands there */
};

void progress_init(struct progress *progress);

/* The state after the runs so far. */
void progress_show(struct progress *progress, const struct range *range,
		   const struct evidence *evidence);

/* One line of clean text below it: what is done now, or what a run gave. */
void progress_say(struct progress *progress, const char *format, ...) PRINTF_LIKE(2, 3);

/* What follows stands below the last picture. */
void progress_end(struct progress *progress);

#endif
