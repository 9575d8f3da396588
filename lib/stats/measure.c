/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure.h"

#include <math.h>

#include "agree.h"
#include "dist.h"
#include "fit.h"
#include "looks.h"
#include "moderate.h"
#include "permute.h"
#include "quantile.h"
#include "rank.h"

/* An exact metric repeats to the last digit and yet moves when the linker lays neutral code out
 * anew: by a quarter of a per cent for instruction counts, so one per cent is four deviations. */
#define EXACT_SD    0.0025
#define EXACT_LEAST 0.01

/* What neutral rebuilds do to a time where nobody has measured it: a deviation of a quarter of a
 * per cent, known as badly as from five rebuilds. */
#define BUILD_VARIANCE 6.25e-6
#define BUILD_DF       4

/* The smallest effect worth a mail is never less than this share of a boot's deviation. */
#define LEAST_OF_SD 0.5

/* A unit's spread from which a verdict says that the metric is noisy. */
#define NOISY 0.10

/* How wide intervals are, in standard errors; the same for all metrics. */
struct width {
	struct quantile half_90, half_95;
};

/* Everything one metric is tested with, on the scale of its fit. */
struct test {
	const struct judge_options *options;
	const struct width *width; /* NULL: there are too few metrics for it to pay */
	const struct units *units; /* for ranks; NULL: there are none to rank */
	struct fit fit;
	struct prior known; /* of a unit in its block: prior and residual together */
	double se, df;
	double least; /* smallest effect worth a mail */
};

/* scales */

/* What a distance on the fit's scale is on the verdict's. */
static double effect_of(const struct fit *fit, bool is_ratio, double distance)
{
	if (fit->is_relative && isfinite(distance)) {
		return expm1(distance);
	}
	return is_ratio ? distance / fabs(fit->level[0]) : distance;
}

static struct judge_interval scaled(const struct fit *fit, bool is_ratio,
				    struct judge_interval interval)
{
	return (struct judge_interval){ effect_of(fit, is_ratio, interval.low),
					effect_of(fit, is_ratio, interval.high) };
}

static struct judge_interval interval_of(const struct test *test, bool is_ratio, double half_width)
{
	return scaled(&test->fit, is_ratio,
		      (struct judge_interval){ test->fit.effect - half_width,
					       test->fit.effect + half_width });
}

/* A relative distance on the fit's scale. */
static double on_scale(const struct fit *fit, double share)
{
	return fit->is_relative ? log1p(share) : share * fabs(fit->level[0]);
}

static double relative_sd(const struct fit *fit, double variance)
{
	return fit->is_relative ? sqrt(variance) : sqrt(variance) / fabs(fit->level[0]);
}

/* errors */

/* A sum of variances, and by Satterthwaite its degrees of freedom. */
static void add_variance(double *sum, double *df, double part, double part_df)
{
	double total = *sum + part;

	if (part > 0) {
		*df = total * total / (*sum * *sum / *df + part * part / part_df);
		*sum = total;
	}
}

/* Without a prior, sides that vary differently keep their own variance: Welch's test. */
static void add_sides(const struct fit *fit, double *sum, double *df)
{
	*sum = fit->side_variance[0] / (double)fit->nr[0];
	*df = fit->side_df[0];
	add_variance(sum, df, fit->side_variance[1] / (double)fit->nr[1], fit->side_df[1]);
}

static double least_share(const struct judge_metric *metric, const struct judge_options *options)
{
	return fmax(metric->is_exact ? EXACT_LEAST : options->min_effect, metric->floor);
}

/* What one build adds, by history or by assumption, and by the builds that ran here. */
static struct prior build_prior(const struct judge_metric *metric, const struct fit *fit)
{
	struct prior known = { BUILD_VARIANCE, BUILD_DF };

	if (metric->build_df > 0) {
		known = (struct prior){ metric->build_variance, metric->build_df };
	}
	return moderate_with(known, fit->build_variance, fit->build_df);
}

static void find_error(struct test *test, const struct judge_metric *metric, struct prior prior)
{
	const struct fit *fit = &test->fit;
	double variance;

	test->known = moderate_with(prior, fit->variance, fit->df);
	variance = test->known.variance * fit->parts;
	test->df = test->known.df;
	if (fit->nr_blocks == 1 && !(prior.df > 0)) {
		add_sides(fit, &variance, &test->df);
	}
	if (fit->is_relative && fit->build_parts > 0 && !metric->is_exact) {
		struct prior build = build_prior(metric, fit);

		add_variance(&variance, &test->df, build.variance * fit->build_parts, build.df);
	}
	test->se = sqrt(variance) * test->options->widening;
}

/* Sets the smallest effect worth a mail, for a boot's deviation of `sd` on the fit's scale. */
static void find_least(struct test *test, const struct judge_metric *metric, double sd)
{
	double share = least_share(metric, test->options);

	test->least = on_scale(&test->fit, share);
	if (!metric->is_exact) {
		test->least = fmax(test->least, LEAST_OF_SD * sd);
	}
}

/* tests */

/* How often the "95 %" interval may miss.  A confirmation is only told where it succeeds, and then
 * its effect is somewhat too far from zero: the interval is wider for it. */
#define CONFIRM_MISS 0.03

static double miss_of(const struct judge_options *options)
{
	return options->found ? CONFIRM_MISS : look_at(options->look)->miss;
}

/* The chance that a change of at most `least` looks as large as this one; of none at all for 0. */
static double p_beyond(const struct test *test, const struct dist_t *dist, double least)
{
	double size = fabs(test->fit.effect);
	double beyond = dist_t_above(dist, (size - least) / test->se);
	double opposite = least > 0 ? dist_t_above(dist, (size + least) / test->se) : beyond;

	return fmin(1, beyond + opposite);
}

static void test_spread(struct judge_verdict *verdict, const struct fit *fit)
{
	double ratio = fit->side_variance[1] / fit->side_variance[0];
	double tail;

	/* A side whose values are all the same is no evidence of anything. */
	if (!(fit->side_variance[0] > 0 && fit->side_variance[1] > 0)) {
		return;
	}
	tail = dist_beta(fit->side_df[0] / 2, fit->side_df[1] / 2,
			 fit->side_df[0] / (fit->side_df[0] + fit->side_df[1] * ratio));

	verdict->spread_ratio = sqrt(ratio);
	verdict->spread_p = 2 * fmin(tail, 1 - tail);
}

static void test_means(struct judge_verdict *verdict, const struct test *test)
{
	struct dist_t dist = dist_t(test->df);
	double miss = miss_of(test->options);
	double half_90 = test->se * (test->width ? quantile_at(&test->width->half_90, test->df)
						 : dist_t_below(&dist, 1 - miss));
	double half_95 = test->se * (test->width ? quantile_at(&test->width->half_95, test->df)
						 : dist_t_below(&dist, 1 - miss / 2));
	double sd = relative_sd(&test->fit, test->known.variance);
	double least = fabs(effect_of(&test->fit, verdict->is_ratio, test->least));

	verdict->t = test->fit.effect / test->se;
	verdict->df = test->df;
	verdict->p = p_beyond(test, &dist, 0);
	verdict->p_least = p_beyond(test, &dist, test->least);
	verdict->interval_90 = interval_of(test, verdict->is_ratio, half_90);
	verdict->interval_95 = interval_of(test, verdict->is_ratio, half_95);
	verdict->is_noisy = sd >= NOISY && isfinite(sd);
	/* n so that the 90 % interval of a change of nothing fits inside the smallest effect, with
	 * a chance of 80 %: 2 (1.645 + 1.282)^2 sd^2 / effect^2 */
	verdict->needs = ceil(17.13 * sd * sd / (least * least));
}

/* The same for a median: only the order of values counts.  The spread stays that of the fit. */
static void test_ranks(struct judge_verdict *verdict, struct test *test)
{
	double miss = miss_of(test->options);
	bool is_relative = test->fit.is_relative;
	struct rank rank;

	rank_init(&rank, test->units, is_relative);
	find_least(test, verdict->metric, rank.sd);
	test_means(verdict, test);
	verdict->t = verdict->df = NAN;
	verdict->base.level = rank.level;
	verdict->head.level =
		is_relative ? rank.level * exp(rank.effect) : rank.level + rank.effect;
	verdict->effect = effect_of(&test->fit, verdict->is_ratio, rank.effect);
	verdict->p = rank_p(&rank, 0);
	verdict->p_least = rank_p(&rank, test->least);
	verdict->interval_90 =
		scaled(&test->fit, verdict->is_ratio, rank_interval(&rank, 1 - 2 * miss));
	verdict->interval_95 =
		scaled(&test->fit, verdict->is_ratio, rank_interval(&rank, 1 - miss));
	rank_release(&rank);
}

/* The same for a percentile: no bell curve is assumed of it. */
static void test_permuted(struct judge_verdict *verdict, const struct test *test)
{
	double miss = miss_of(test->options);

	test_means(verdict, test);
	verdict->p = permute_p(test->units, &test->fit, 0);
	verdict->p_least = permute_p(test->units, &test->fit, test->least);
	verdict->interval_90 = scaled(&test->fit, verdict->is_ratio,
				      permute_interval(test->units, &test->fit, 1 - 2 * miss));
	verdict->interval_95 = scaled(&test->fit, verdict->is_ratio,
				      permute_interval(test->units, &test->fit, 1 - miss));
}

/* An exact metric's interval is what neutral rebuilds do, or its own noise should it have some:
 * noise is a reason to doubt, and the lack of it is never evidence. */
static void test_exact(struct judge_verdict *verdict, const struct test *test)
{
	const struct judge_metric *metric = verdict->metric;
	double sd = metric->build_df > 0 ? sqrt(metric->build_variance) : EXACT_SD;
	double se = fmax(on_scale(&test->fit, sd), test->se);

	verdict->interval_90 = interval_of(test, verdict->is_ratio, 1.645 * se);
	verdict->interval_95 = interval_of(test, verdict->is_ratio, 1.960 * se);
}

/* Squares of values beyond some 1e150 do not fit a double. */
static bool is_computable(const struct test *test)
{
	return isfinite(test->fit.effect) && isfinite(test->se) && test->se > 0 &&
	       isfinite(test->df);
}

/* What keeps the fit from being tested; false: nothing. */
static bool is_untestable(struct judge_verdict *verdict, const struct test *test)
{
	const struct fit *fit = &test->fit;

	if (fit->nr[0] < 2 || fit->nr[1] < 2) {
		verdict_set(verdict, JUDGE_TOO_FEW_RUNS, JUDGE_WHY_FEW);
	} else if (fit->is_flat) {
		verdict_set(verdict, JUDGE_NO_CHANGE, JUDGE_WHY_FLAT);
		verdict->p = verdict->p_least = verdict->metric->is_exact ? (double)NAN : 1;
	} else if (!is_computable(test)) {
		verdict_set(verdict, JUDGE_NOT_COMPARABLE, JUDGE_WHY_NO_SIZE);
	} else {
		return false;
	}
	return true;
}

static void fill(struct judge_verdict *verdict, struct test *test)
{
	const struct judge_metric *metric = verdict->metric;
	const struct fit *fit = &test->fit;

	verdict->base = (struct judge_side){ fit->nr[0], fit->level[0], fit->raw_sd[0] };
	verdict->head = (struct judge_side){ fit->nr[1], fit->level[1], fit->raw_sd[1] };
	verdict->is_ratio = fit->is_relative || fabs(fit->level[0]) > 0;
	verdict->effect = fit->is_relative ? fit->level[1] / fit->level[0] - 1
					   : effect_of(fit, verdict->is_ratio, fit->effect);
	if (!is_untestable(verdict, test)) {
		if (fit->side_df[0] > 0 && fit->side_df[1] > 0 && !metric->is_exact) {
			test_spread(verdict, fit);
		}
		if (metric->is_exact) {
			test_exact(verdict, test);
		} else if (metric->estimator == JUDGE_MEDIAN && test->units) {
			test_ranks(verdict, test);
		} else if (metric->estimator == JUDGE_PERCENTILE && test->units) {
			test_permuted(verdict, test);
		} else {
			test_means(verdict, test);
		}
	}
	verdict->min_effect = fabs(effect_of(fit, verdict->is_ratio, test->least));
}

/* metrics */

static enum judge_why why_missing(const struct units *units)
{
	if (units->nr_values[0] + units->nr_values[1] == 0) {
		return JUDGE_WHY_NO_VALUE;
	}
	return units->nr_values[0] == 0 ? JUDGE_WHY_NO_BASE : JUDGE_WHY_NO_HEAD;
}

struct judge_verdict measure_nothing(const struct judge_metric *metric,
				     const struct judge_options *options)
{
	struct judge_verdict verdict = { .metric = metric, .kind = JUDGE_CANNOT_RESOLVE };

	verdict.base = verdict.head = (struct judge_side){ 0, NAN, NAN };
	verdict.effect = verdict.needs = NAN;
	verdict.t = verdict.df = verdict.p = verdict.p_least = verdict.q = NAN;
	verdict.spread_ratio = verdict.spread_p = NAN;
	verdict.min_effect = least_share(metric, options);
	verdict.interval_90 = verdict.interval_95 = (struct judge_interval){ NAN, NAN };
	return verdict;
}

/* The fit of a metric alone; where there is nothing to fit, the verdict says why. */
static void fit_one(const struct units *units, enum judge_estimator estimator, struct fit *ret_fit,
		    struct judge_verdict *verdict)
{
	*ret_fit = (struct fit){ 0 };
	if (units->nr_values[0] == 0 || units->nr_values[1] == 0) {
		verdict_set(verdict, JUDGE_MISSING, why_missing(units));
		return;
	}
	verdict->nr_lone = (uint32_t)units->nr_lone;
	verdict->nr_moved = (uint32_t)units->nr_moved;
	if (units->units.nr == 0) {
		verdict_set(verdict, JUDGE_NOT_COMPARABLE, JUDGE_WHY_NO_BLOCK);
	} else {
		fit_init(ret_fit, units, estimator);
	}
}

static void test_fit(struct test *test, struct prior prior, struct judge_verdict *verdict)
{
	find_error(test, verdict->metric, prior);
	find_least(test, verdict->metric, sqrt(test->known.variance));
	fill(verdict, test);
}

void measure_fit(const struct fit *fit, struct prior prior, const struct judge_options *options,
		 struct judge_verdict *verdict)
{
	struct test test = { .options = options, .fit = *fit };

	test_fit(&test, prior, verdict);
}

/* Units are kept only where they are looked at again: a million metrics would need a gigabyte. */
static void test_one(struct test *test, struct units *units, struct prior prior,
		     struct judge_verdict *verdict)
{
	const struct judge_metric *metric = verdict->metric;
	bool has_history = metric->prior_df > 0 && prior.df > 0;
	bool may_be_wild = has_history && fit_may_be_wild(&test->fit, prior.variance, prior.df);

	if (may_be_wild || metric->estimator == JUDGE_MEDIAN ||
	    metric->estimator == JUDGE_PERCENTILE) {
		units_fill(units, metric);
	}
	if (may_be_wild) {
		verdict->nr_wild = (uint32_t)fit_drop_wild(units, prior.variance, prior.df);
		fit_init(&test->fit, units, metric->estimator);
	}
	test_fit(test, prior, verdict);
}

/* From so many metrics on, a width for all of them is cheaper than one for each. */
#define MANY 32

static void width_init(struct width *width, const struct judge_options *options)
{
	double miss = miss_of(options);

	quantile_init(&width->half_90, 1 - miss);
	quantile_init(&width->half_95, 1 - miss / 2);
}

void measure(const struct judge_metric *metrics, size_t nr, const struct judge_options *options,
	     struct judge_verdict *ret_verdicts)
{
	scoped(free) struct fit *fits = mem_array(nr, sizeof(*fits));
	scoped(free) struct prior *priors = mem_array(nr, sizeof(*priors));
	scoped(units_release) struct units units = { 0 };
	struct width width;

	if (nr >= MANY) {
		width_init(&width, options);
	}
	for (size_t i = 0; i < nr; i++) {
		units_fill(&units, &metrics[i]);
		ret_verdicts[i] = measure_nothing(&metrics[i], options);
		fit_one(&units, metrics[i].estimator, &fits[i], &ret_verdicts[i]);
	}
	moderate(metrics, fits, nr, priors);
	for (size_t i = 0; i < nr; i++) {
		struct test test = { .options = options,
				     .width = nr >= MANY ? &width : NULL,
				     .units = &units,
				     .fit = fits[i] };

		if (ret_verdicts[i].kind == JUDGE_CANNOT_RESOLVE) {
			test_one(&test, &units, priors[i], &ret_verdicts[i]);
		}
	}
}
