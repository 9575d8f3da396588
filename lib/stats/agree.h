/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agree.h - what the metrics of one benchmark say together.
 *
 * Internal to lib/stats.  Instructions repeat to the last digit, so that they show a change of the
 * work with two runs; but nobody waits for instructions.  Time is what people wait for; but it
 * moves when neutral code moves.  So a change is named where both say so, or where time says so
 * and no exact metric contradicts it.
 *
 * Which go together: `compress_speed` and `compress_instructions`, by the name up to the last '_'.
 * A metric without such a partner goes with all of the other sort that have none either, and a
 * time without any is contradicted only by all exact metrics together.
 */
#ifndef STATS_AGREE_H
#define STATS_AGREE_H

#include "judge.h"

/* Turns first verdicts of headline metrics into the ones that are told. */
void agree(struct judge_verdict *verdicts, size_t nr, const struct judge_options *options);

/* for judge.c too */

/* Whether head is worse, by the metric's direction. */
bool is_worse(const struct judge_verdict *verdict);
void verdict_set(struct judge_verdict *verdict, enum judge_kind kind, enum judge_why why);

#endif
