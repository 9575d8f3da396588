/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - what the ways to call `patchmeter compare` share.
 */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "lib/report/format.h"
#include "online.h"

struct compare_options {
	const char *format;
	const char *by;
	const char *jobs;
	bool is_json;
	bool is_all;
	bool is_explained;
	bool is_compat;
	bool wants_exit_code;
	struct online *online;
};

/* Prints in the format that was asked for. */
void compare_print(struct view *view, const struct compare_options *options);

/* EXIT_DIFFERENT where it was asked for and something is worse. */
int compare_exit_code(const struct view *view, const struct compare_options *options);

/* The operands are commits that a daemon measured.  Gives the exit code. */
int compare_measured(const struct call *call, const struct compare_options *options);

#endif
