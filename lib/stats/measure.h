/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.h - the numbers of a verdict, before anybody decides on them.
 *
 * Internal to lib/stats.  For each metric: units, the fit of their blocks, its variance moderated
 * by history and by the other metrics, and the test of the metric's estimator: t for means, ranks
 * for medians, none for exact metrics.
 *
 * Two questions are asked of a metric.  `p`: is there any change?  `p_least`: is it larger than the
 * smallest effect worth a mail (TREAT; McCarthy and Smyth 2009, "Testing significance relative to a
 * fold-change threshold is a TREAT")?  The second decides, so that no floor is needed beside it.
 */
#ifndef STATS_MEASURE_H
#define STATS_MEASURE_H

#include "moderate.h"

/* Fills all but the q of `nr` verdicts.  Their kind is JUDGE_CANNOT_RESOLVE where the numbers can
 * be decided on, else the verdict with its reason. */
void measure(const struct judge_metric *metrics, size_t nr, const struct judge_options *options,
	     struct judge_verdict *ret_verdicts);

/* A verdict without any number yet. */
struct judge_verdict measure_nothing(const struct judge_metric *metric,
				     const struct judge_options *options);

/* Tests a fit that was made elsewhere, by means whatever the estimator; fills a verdict that
 * measure_nothing() gave, as above. */
void measure_fit(const struct fit *fit, struct prior prior, const struct judge_options *options,
		 struct judge_verdict *verdict);

/* Decides on the numbers that these gave, all metrics of one comparison together. */
void judge_measured(struct judge_verdict *verdicts, size_t nr, const struct judge_options *options);

#endif
