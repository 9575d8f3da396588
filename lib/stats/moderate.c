/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "moderate.h"

#include <math.h>

#include "dist.h"
#include "summary.h"

/* Fewer variances than this say nothing about how variances are spread. */
#define ENOUGH 50

/* Days differ: what history is worth where nobody has measured it, and the limits of what it can
 * be worth. */
#define UNKNOWN_WEIGHT 4
#define LEAST_WEIGHT   2
#define MOST_WEIGHT    60

/* How far today's whole level of noise may be from that of history, as a logarithm. */
#define LEAST_SHIFT (-1.0)
#define MOST_SHIFT  3.0

/* The variance of a normal law between its quantiles of 5 and 95 %. */
#define MIDDLE_SHARE 0.6226

/* Metrics with a history of their own, and those that only have each other. */
enum group { ALONE, WITH_HISTORY, GROUPS };

static enum group group_of(const struct judge_metric *metric)
{
	return metric->prior_df > 0 ? WITH_HISTORY : ALONE;
}

static bool is_usable(const struct judge_metric *metric, const struct fit *fit)
{
	return !metric->is_exact && fit->nr_blocks > 0 && fit->is_relative && !fit->is_flat &&
	       fit->df > 0 && isfinite(fit->variance) && fit->variance > 0;
}

static double expected_log(double df)
{
	return dist_digamma(df / 2) - log(df / 2);
}

/* How far the logarithm of today's variance is from what history makes expected. */
static double surprise(const struct judge_metric *metric, const struct fit *fit)
{
	double known = group_of(metric) == WITH_HISTORY ? log(metric->prior_variance) : 0;

	return log(fit->variance) - known - expected_log(fit->df);
}

struct spread {
	double mean;   /* of the surprises */
	double excess; /* their variance beyond what the degrees of freedom explain */
	size_t nr;
};

static struct spread spread_of(const struct judge_metric *metrics, const struct fit *fits,
			       size_t nr, enum group group)
{
	scoped(free) double *surprises = mem_array(nr, sizeof(*surprises));
	struct spread spread = { 0 };
	double explained = 0;
	double known_df = 0;
	double known = 0;
	size_t first;
	size_t last;
	double sd;

	for (size_t i = 0; i < nr; i++) {
		if (group_of(&metrics[i]) != group || !is_usable(&metrics[i], &fits[i])) {
			continue;
		}
		if (fits[i].df < known_df || fits[i].df > known_df) {
			known_df = fits[i].df;
			known = dist_trigamma(known_df / 2);
		}
		explained += known;
		surprises[spread.nr++] = surprise(&metrics[i], &fits[i]);
	}
	if (spread.nr < ENOUGH) {
		return spread;
	}
	first = spread.nr / 20;
	last = spread.nr - first;
	summary_part(surprises, spread.nr, first);
	summary_part(surprises + first, spread.nr - first, last - first);
	sd = summary_population_sd(surprises + first, last - first);
	spread.mean = summary_mean(surprises, spread.nr);
	spread.excess = sd * sd / MIDDLE_SHARE - explained / (double)spread.nr;
	return spread;
}

static double clamp(double value, double least, double most)
{
	return fmin(fmax(value, least), most);
}

/* What the whole group says of its priors: a weight for all, and a factor on all. */
static struct prior learn(const struct spread *spread, enum group group)
{
	double df = spread->excess > 0 ? 2 * dist_trigamma_inverse(spread->excess) : MOST_WEIGHT;
	double shift;

	df = clamp(df, LEAST_WEIGHT, MOST_WEIGHT);
	shift = spread->mean + expected_log(df);
	if (group == WITH_HISTORY) {
		shift = clamp(shift, LEAST_SHIFT, MOST_SHIFT);
	}
	return (struct prior){ exp(shift), df };
}

/* History's own runs are few, and its days are others than today: both cost. */
struct prior prior_of_history(const struct judge_metric *metric)
{
	double weight = metric->prior_weight > 0 ? metric->prior_weight : UNKNOWN_WEIGHT;
	double df = metric->prior_df > 0 ? 1 / (1 / metric->prior_df + 1 / weight) : 0;

	return (struct prior){ metric->prior_variance, fmin(df, MOST_WEIGHT) };
}

void moderate(const struct judge_metric *metrics, const struct fit *fits, size_t nr,
	      struct prior *ret_priors)
{
	struct spread spreads[GROUPS];
	struct prior learnt[GROUPS];

	for (enum group group = 0; group < GROUPS; group++) {
		spreads[group] = spread_of(metrics, fits, nr, group);
		if (spreads[group].nr >= ENOUGH) {
			learnt[group] = learn(&spreads[group], group);
		}
	}
	for (size_t i = 0; i < nr; i++) {
		enum group group = group_of(&metrics[i]);

		ret_priors[i] = (struct prior){ 0 };
		if (!is_usable(&metrics[i], &fits[i])) {
			continue;
		}
		if (spreads[group].nr >= ENOUGH) {
			ret_priors[i] = learnt[group];
			ret_priors[i].variance *=
				group == WITH_HISTORY ? metrics[i].prior_variance : 1;
		} else if (group == WITH_HISTORY) {
			ret_priors[i] = prior_of_history(&metrics[i]);
		}
	}
}

struct prior moderate_with(struct prior prior, double variance, double df)
{
	double total = prior.df + df;

	return (struct prior){ (prior.df * prior.variance + df * variance) / total, total };
}
