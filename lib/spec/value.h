/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value.h - a number in a raw output: what counts as one, and the two ways to find it that are not
 * a pattern.
 */
#ifndef SPEC_VALUE_H
#define SPEC_VALUE_H

#include "lib/base/json.h"
#include "pattern.h"

enum value_end {
	VALUE_FOUND,
	VALUE_NONE,      /* not there, or not a number */
	VALUE_NOT_FINITE /* nan, inf, negative zero, too large or too small for a double */
};

/* The whole text, but for blanks around it: decimal digits, also grouped as in 1,234,567.8, and an
 * exponent.  Locale-free. */
enum value_end value_of_text(struct slice text, double *ret_value);

/* The number at a JSON pointer (RFC 6901). */
enum value_end value_of_pointer(const struct json *document, const char *pointer,
				double *ret_value);

/* The last line `name: number`, or with a point `name.point: number`. */
enum value_end value_of_line(struct slice text, const char *name, const char *point,
			     double *ret_value);

#endif
