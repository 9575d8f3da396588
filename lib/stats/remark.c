/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "remark.h"

#include <math.h>

#include "agree.h"
#include "family.h"
#include "lib/base/mem.h"
#include "measure.h"

/* A point's values as shares of the sweep's mean in the same run. */
static double *shares_of(const struct judge_samples *point, const struct judge_samples *mean)
{
	double *shares = mem_array(point->nr, sizeof(*shares));

	for (size_t i = 0; i < point->nr; i++) {
		shares[i] = mean->values[i] > 0 ? point->values[i] / mean->values[i] : (double)NAN;
	}
	return shares;
}

static bool is_point(const struct judge_metric *metric, const struct judge_metric *mean)
{
	return metric->sweep && strcmp(metric->sweep, mean->name) == 0 &&
	       metric->base.nr == mean->base.nr && metric->head.nr == mean->head.nr;
}

/* How far a point moves against its sweep's mean, and the p of that. */
static struct judge_verdict share_verdict(const struct judge_metric *point,
					  const struct judge_metric *mean,
					  const struct judge_options *options)
{
	scoped(free) double *base = shares_of(&point->base, &mean->base);
	scoped(free) double *head = shares_of(&point->head, &mean->head);
	struct judge_metric share = { .name = point->name,
				      .base = { base, point->base.runs, point->base.nr },
				      .head = { head, point->head.runs, point->head.nr } };
	struct judge_verdict verdict;

	measure(&share, 1, options, &verdict);
	verdict.metric = point;
	return verdict;
}

/* Names the point that stands out most; the points' p are corrected by Holm. */
static void remark_shape(const struct judge_metric *metrics, size_t nr,
			 const struct judge_options *options, struct judge_verdict *mean)
{
	scoped(free) double *p = mem_array(nr, sizeof(*p));
	scoped(free) double *q = mem_array(nr, sizeof(*q));
	struct judge_verdict most = { .effect = 0 };

	for (size_t i = 0; i < nr; i++) {
		p[i] = NAN;
		if (is_point(&metrics[i], mean->metric)) {
			struct judge_verdict verdict =
				share_verdict(&metrics[i], mean->metric, options);

			p[i] = verdict.p;
			most = fabs(verdict.effect) > fabs(most.effect) ? verdict : most;
		}
	}
	family_holm(p, nr, q);
	for (size_t i = 0; i < nr; i++) {
		if (q[i] <= REMARK_P && most.metric) {
			mean->point = (struct judge_other){ most.metric, most.effect };
			return;
		}
	}
}

static bool has_sweep(const struct judge_metric *metrics, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (metrics[i].sweep) {
			return true;
		}
	}
	return false;
}

void remark(const struct judge_metric *metrics, size_t nr, const struct judge_options *options,
	    struct judge_verdict *verdicts)
{
	bool has_shape = has_sweep(metrics, nr);

	for (size_t i = 0; has_shape && i < nr; i++) {
		if (metrics[i].is_headline && !isnan(verdicts[i].p)) {
			remark_shape(metrics, nr, options, &verdicts[i]);
		}
	}
}
