/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - how the judge came to its words, for `compare --explain`.
 */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "lib/base/str.h"
#include "pairing.h"

/* Appends what the words of the table mean, and a paragraph a metric and head; docs/statistics.md
 * explains its numbers. */
void explain(const struct pairing *pairing, struct str *out);

#endif
