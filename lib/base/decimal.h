/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decimal.h - the number at the front of a text, exactly as strtod() reads it, ten times as fast.
 *
 * Files of results are mostly numbers.  Nearly all are digits that fit 53 bits times a power of ten
 * of at most 22: both are exact doubles, so one multiplication or division rounds once, which is
 * what "correctly rounded" means (Clinger 1990).  The rest goes to strtod().
 *
 *	size_t length = decimal_read(at, left, &value);   // 0: no number stands there
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include "base.h"

/* Reads a number in JSON's form: no '+', no leading zeros, digits on both sides of the
 * point.  Gives its length in bytes.  One that is too large for a double is INFINITY with its
 * sign. */
size_t decimal_read(const char *bytes, size_t left, double *ret_value);

#endif
