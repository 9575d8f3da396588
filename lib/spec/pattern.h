/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.h - a metric's regular expression (only PCRE2 user, with pattern.c).
 *
 * Perl's syntax on bytes: no locale, no UTF-8, so no output can be malformed.  `^` and `$` match at
 * each line; a line ends with CR, LF or both, so that a progress line is a line.  The group
 * (?<value>...) is the metric; in a sweep the group (?<point>...) says of which point.
 *
 * The text is hostile.  A search has a budget of steps: the items of the pattern that PCRE2 tries,
 * and the distance that it moves, so that the same text always ends the same way, quickly.
 */
#ifndef SPEC_PATTERN_H
#define SPEC_PATTERN_H

#include "lib/base/err.h"

#define PATTERN_LIMIT_BYTES 2000

struct pattern;

/* ERR_INPUT: the syntax with its offset, a missing group. */
MUST_CHECK bool pattern_new(const char *regex, struct pattern **ret_pattern, struct err *err);
struct pattern *pattern_free(struct pattern *pattern);
DEFINE_SCOPED(pattern_free, struct pattern *)

/* Whether it has a group `point`, for a sweep. */
bool has_pattern_point(const struct pattern *pattern);

struct slice {
	const char *at;
	size_t length;
};

enum pattern_end {
	PATTERN_FOUND,
	PATTERN_NONE,
	PATTERN_TOO_DEAR /* the steps were spent before the text was searched */
};

/* The group `value` of the last match, of that point where `point` is not NULL: a part of `text`.
 * Takes what it needs from *steps, of which PATTERN_STEPS are about a second of work and a hundred
 * times what a sensible pattern needs for 16 MiB. */
#define PATTERN_STEPS INT64_C(200000000)
enum pattern_end pattern_last(const struct pattern *pattern, struct slice text, const char *point,
			      int64_t *steps, struct slice *ret_value);

#endif
