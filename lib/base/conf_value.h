/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_value.h - what a row of a configuration table lets pass, and how its text is read.
 *
 * Only for conf.c: a program asks conf.h.
 */
#ifndef BASE_CONF_VALUE_H
#define BASE_CONF_VALUE_H

#include "conf.h"

/* ERR_INPUT where the text is not of the row's type or not within its bounds. */
MUST_CHECK bool conf_value_check(const struct conf_key *row, const char *text, struct err *err);

/* The same for one type, with the value. */
MUST_CHECK bool conf_value_bool(const char *text, bool *ret_value, struct err *err);
MUST_CHECK bool conf_value_seconds(const char *text, int64_t min, int64_t max, int64_t *ret_seconds,
				   struct err *err);

#endif
