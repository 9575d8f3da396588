/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * param.h - the values of a job's parameters: what is allowed, and how a script gets them.
 *
 * A value is a text, and that text is its identity: "8" and "08" are two values (the second is
 * refused unquoted).  A script sees it as the environment variable PARAM_name, never as a part of
 * its own text.
 *
 * A percentage ("50%", "12.5%") is a share of the processors of the machine that runs the job.  The
 * identity keeps the text; the worker, who knows the machine, exports the number: rounded to the
 * nearest whole one, halves up, never below 1.  12.5% of 6 processors is 0.75, hence 1.
 */
#ifndef SPEC_PARAM_H
#define SPEC_PARAM_H

#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/mem.h"

#define PARAM_LIMIT_BYTES 4096

/* NULL: the text may be a value; else what was expected in its place.  An unquoted text must not be
 * a number in any but the plain decimal form. */
const char *param_expected(const char *text, bool is_quoted);

/* "50%" or "12.5%", above 0% and at most 10000%: a share of the machine's processors. */
bool is_percent(const char *text);

/* What a script sees in place of the value.  In the arena. */
const char *param_resolve(struct arena *arena, const char *text, int64_t nr_cpus);

/* "PARAM_name=value" for each member of `params` (an identity's), NULL behind the last; the values
 * of a sweep are separated by blanks.  With a `script`: only those that it names.  In the arena. */
char **param_environment(struct arena *arena, const struct json *params, const char *script,
			 int64_t nr_cpus);

/* Whether the text of a script names PARAM_name. */
bool is_param_used(const char *script, const char *name);

#endif
