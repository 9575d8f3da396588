/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decimal.h - numbers as texts: exactly as strtod() and printf() do it, ten times as fast.
 *
 * Files of results and tables are mostly numbers.  Nearly all that are read are digits that fit 53
 * bits times a power of ten of at most 22: both are exact doubles, so one multiplication or
 * division rounds once, which is what "correctly rounded" means (Clinger 1990).  Nearly all that
 * are written are far from half way between two decimals.  The rest goes to strtod() and printf().
 *
 *	size_t length = decimal_read(at, left, &value);   // 0: no number stands there
 *	char text[DECIMAL_BYTES];
 *	length = decimal_write(-0.0834, 2, false, text, sizeof(text));   // "-0.08"
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include "base.h"

/* Reads a number in JSON's form: no '+', no leading zeros, digits on both sides of the
 * point.  Gives its length in bytes.  One that is too large for a double is INFINITY with its
 * sign. */
size_t decimal_read(const char *bytes, size_t left, double *ret_value);

/* Room for any number with three digits. */
#define DECIMAL_BYTES 320

/* What "%.*f", with a plus sign "%+.*f", prints into `room` bytes; at most three `digits`.  Gives
 * the length of the text, which is cut off where there is no more room. */
size_t decimal_write(double value, int digits, bool has_plus, char *text, size_t room);

#define DECIMAL_SHORT_BYTES 24

/* The shortest text that reads back as the same, as "%.15g" prints it, without a NUL; for those of
 * at most six digits behind the point that need no exponent.  Gives its length; 0: it is none. */
size_t decimal_write_short(double value, char text[DECIMAL_SHORT_BYTES]);

#endif
