/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measured.h - commits by the names that people have for them, and what a daemon found between two.
 *
 *	COMMIT        8 digits or more
 *	TREE:BRANCH   where the branch stands
 *	series:N      the tip of the stack
 *	run:N         what the run measured
 *
 *	if (!measured_commit(&online, "lz4:topic/x", &head, err) ||
 *	    !measured_compare(&online, base, head, &document, err)) ...
 */
#ifndef CLI_MEASURED_H
#define CLI_MEASURED_H

#include <unistd.h>

#include "lib/base/json.h"
#include "online.h"

static inline bool is_measured_commit(const char *word)
{
	size_t length = strlen(word);

	return length >= 8 && length <= 40 && strspn(word, "0123456789abcdef") == length;
}

/* Whether a word has the form of such a name and is no file here. */
static inline bool is_measured_name(const char *word)
{
	return access(word, F_OK) != 0 && (is_measured_commit(word) || strchr(word, ':'));
}

/* free() the commit.  ERR_INPUT: no such form; ERR_ABSENT: nobody knows it; as online_get(). */
MUST_CHECK bool measured_commit(struct online *online, const char *word, char **ret_commit,
				struct err *err);

/* The base and the tip of "series:N"; free() both. */
MUST_CHECK bool measured_ends(struct online *online, const char *word, char **ret_base,
			      char **ret_tip, struct err *err);

/* The address of what was found between two commits, for online_get(): an object whose
 * "comparisons" each hold a "view" of lib/report.  free() it. */
char *measured_path(const char *base, const char *head);

#endif
