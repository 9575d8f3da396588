/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remark.h - what else the numbers show, beside how far head is from base.
 *
 * Internal to lib/stats.  Two things that a mean does not tell: that head varies more or less than
 * base, and that the points of a sweep do not all follow its mean.  Neither starts a mail; they
 * stand in the reason of a headline verdict.  Each has a share of errors of its own, one in a
 * thousand headline metrics, which the five per cent of the looks know nothing of.
 */
#ifndef STATS_REMARK_H
#define STATS_REMARK_H

#include "judge.h"

#define REMARK_P 0.001

/* After the verdicts stand. */
void remark(const struct judge_metric *metrics, size_t nr, const struct judge_options *options,
	    struct judge_verdict *verdicts);

#endif
