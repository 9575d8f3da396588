/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checks.h - what the text of a key may be, one function a kind: the `check` column of the tables.
 *
 * Each returns true, or false with ERR_INPUT "FILE:LINE:COLUMN: what; expected what".
 */
#ifndef SPEC_CHECKS_H
#define SPEC_CHECKS_H

#include "node.h"

/* One line of at most 500 bytes that is not blank. */
bool check_line(const struct node *node, struct err *err);
/* The text of a shell script that is not blank. */
bool check_script(const struct node *node, struct err *err);
/* Of a benchmark: letters, digits and "._-". */
bool check_name(const struct node *node, struct err *err);
/* The same and "/%", but none of the names that every run has. */
bool check_metric_name(const struct node *node, struct err *err);
bool check_better(const struct node *node, struct err *err);
bool check_from(const struct node *node, struct err *err);
bool check_estimator(const struct node *node, struct err *err);
bool check_pattern(const struct node *node, struct err *err);
bool check_pointer(const struct node *node, struct err *err);

/* A list with elements. */
bool check_list(const struct node *node, struct err *err, const char *expected);

#endif
