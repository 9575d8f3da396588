/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lkp_rule.h"

#include <math.h>

#include "lib/base/mem.h"

#define MARGIN_SHIFT 5 /* of 32 runs one is cut off at each end */
#define MAX_RATIO    5
#define MIN_RUNS     3

/* What is left of a side: sorted, without what is missing and without its ends. */
struct summary {
	double min, mean, max;
	size_t nr;
	bool is_fraction; /* the "mean" */
};

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

static bool summarize(const struct lkp_side *side, size_t max_margin, struct summary *ret_summary)
{
	size_t nr = side->nr > side->nr_runs ? side->nr : side->nr_runs;
	scoped(free) double *sorted = mem_array(nr, sizeof(*sorted));
	size_t margin = nr >> MARGIN_SHIFT;
	size_t first = 0;

	if (side->nr > 0) {
		memcpy(sorted, side->samples, side->nr * sizeof(*sorted));
	}
	qsort(sorted, nr, sizeof(*sorted), by_size);
	while (first < nr && fabs(sorted[first] + 1) <= 0) {
		first++;
	}
	margin = margin > max_margin ? max_margin : margin;
	if (first + 2 * margin >= nr) {
		return false;
	}
	first += margin;
	nr -= first + margin;
	*ret_summary = (struct summary){ .min = sorted[first],
					 .mean = sorted[first + nr / 2],
					 .max = sorted[first + nr - 1],
					 .nr = nr };
	/* A zero that stands for a missing sample is whole. */
	ret_summary->is_fraction =
		side->has_fractions && !(side->nr < side->nr_runs && fabs(ret_summary->mean) <= 0);
	return true;
}

static bool is_apart(const struct summary *high, const struct summary *low, double gap)
{
	return high->min > low->max && high->min - low->max > (high->mean - low->mean) * gap;
}

static bool is_above(const struct summary *high, const struct summary *low)
{
	return high->min > low->mean && high->mean > low->max;
}

static bool has_changed(const struct lkp_class *class, const struct summary *a,
			const struct summary *b, const struct lkp_rule_options *options)
{
	if (class->is_profile && options->profile > 0 && options->is_fraction == a->is_fraction) {
		return a->mean > options->profile || b->mean > options->profile;
	}
	if (class->is_failure) {
		return fabs(a->max - b->max) > 0;
	}
	if (options->gap > 0) {
		return is_apart(a, b, options->gap) || is_apart(b, a, options->gap);
	}
	return is_above(a, b) || is_above(b, a);
}

static struct lkp_change measure(const struct summary *a, const struct summary *b)
{
	const struct summary *high = a->mean > b->mean ? a : b;
	const struct summary *low = a->mean > b->mean ? b : a;
	double range_a = a->max - a->min;
	double range_b = b->max - b->min;
	double ratio = low->mean > 0 ? high->mean / low->mean : MAX_RATIO;

	return (struct lkp_change){ .min_a = a->min,
				    .mean_a = a->mean,
				    .max_a = a->max,
				    .min_b = b->min,
				    .mean_b = b->mean,
				    .max_b = b->max,
				    .max = fmax(a->max, b->max),
				    .delta = high->mean - low->mean,
				    .ratio = fmin(ratio, MAX_RATIO),
				    .x = a->nr <= 2 && range_a < range_b ? range_b : range_a,
				    .y = fmax(high->min - low->max, 0),
				    .z = range_b };
}

static bool is_too_small(const char *name, const struct lkp_class *class,
			 const struct lkp_change *change)
{
	if (class->is_profile) {
		return false;
	}
	return !(change->ratio > 1.01) || !(change->ratio > 1.05 || class->is_performance) ||
	       !lkp_class_is_large(name, change->delta, change->max);
}

bool lkp_rule_decide(const char *name, const struct lkp_class *class, const struct lkp_side *base,
		     const struct lkp_side *head, const struct lkp_rule_options *options,
		     struct lkp_change *ret_change)
{
	size_t max_margin = class->is_failure ? 0 : 3;
	struct summary a;
	struct summary b;

	if (!options->has_noise && !class->is_shown && !class->is_reported) {
		return false;
	}
	if (!class->is_failure && base->nr_runs < MIN_RUNS && head->nr_runs < MIN_RUNS) {
		return false;
	}
	if (!summarize(base, max_margin, &b)) {
		return false;
	}
	if (base->nr_runs <= 3 && max_margin > 1) {
		max_margin = 1;
	}
	if (!summarize(head, max_margin, &a) || !has_changed(class, &a, &b, options)) {
		return false;
	}
	*ret_change = measure(&a, &b);
	return !is_too_small(name, class, ret_change);
}
