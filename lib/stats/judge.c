/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge.h"

#include <math.h>
#include <stdarg.h>

#include "agree.h"
#include "dist.h"
#include "fit.h"
#include "rank.h"

/* An exact metric repeats to the last digit and yet moves when the linker lays neutral code out
 * anew: by a quarter of a per cent for instruction counts, so one per cent is four deviations. */
#define EXACT_SD    0.0025
#define EXACT_LEAST 0.01

/* A unit's spread from which a verdict says that the metric is noisy. */
#define NOISY 0.10

static const char *const words[] = {
	[JUDGE_REGRESSION] = "regression",
	[JUDGE_IMPROVEMENT] = "improvement",
	[JUDGE_NO_CHANGE] = "no-change",
	[JUDGE_CANNOT_RESOLVE] = "cannot-resolve",
	[JUDGE_TOO_FEW_RUNS] = "too-few-runs",
	[JUDGE_LAYOUT_SENSITIVE] = "layout-sensitive",
	[JUDGE_NOT_CONFIRMED_IN_TIME] = "not-confirmed-in-time",
	[JUDGE_NOT_COMPARABLE] = "not-comparable",
	[JUDGE_MISSING] = "missing",
};

_Static_assert(countof(words) == JUDGE_KINDS, "a word for each kind");

const char *judge_word(enum judge_kind kind)
{
	assert(kind >= 0 && kind < JUDGE_KINDS);
	return words[kind];
}

enum judge_estimator judge_estimator(const char *word)
{
	static const struct {
		const char *word;
		enum judge_estimator estimator;
	} estimators[] = { { "mean", JUDGE_MEAN },
			   { "hmean", JUDGE_HMEAN },
			   { "median", JUDGE_MEDIAN } };

	for (size_t i = 0; i < countof(estimators); i++) {
		if (strcmp(estimators[i].word, word) == 0) {
			return estimators[i].estimator;
		}
	}
	return JUDGE_PERCENTILE;
}

void verdict_say(struct judge_verdict *verdict, const char *format, ...)
{
	size_t used = strlen(verdict->reason);
	size_t room = sizeof(verdict->reason) - used;
	va_list args;

	va_start(args, format);
	vsnprintf(verdict->reason + used, room, format, args);
	va_end(args);
}

void verdict_set(struct judge_verdict *verdict, enum judge_kind kind)
{
	verdict->kind = kind;
	verdict->reason[0] = '\0';
}

bool is_worse(const struct judge_verdict *verdict)
{
	return (verdict->effect > 0) != verdict->metric->is_higher_better;
}

/* measuring */

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

static struct judge_interval interval_of(const struct fit *fit, bool is_ratio, double half_width)
{
	return scaled(
		fit, is_ratio,
		(struct judge_interval){ fit->effect - half_width, fit->effect + half_width });
}

/* The spread of a unit relative to the level. */
static double relative_sd(const struct fit *fit)
{
	return fit->is_relative ? fit->sd : fit->sd / fabs(fit->level[0]);
}

static void test(struct judge_verdict *verdict, const struct fit *fit)
{
	double sd = relative_sd(fit);

	verdict->p = 2 * dist_t_tail(fabs(fit->effect) / fit->se, fit->df);
	verdict->interval_90 =
		interval_of(fit, verdict->is_ratio, dist_t_quantile(0.95, fit->df) * fit->se);
	verdict->interval_95 =
		interval_of(fit, verdict->is_ratio, dist_t_quantile(0.975, fit->df) * fit->se);
	verdict->is_noisy = sd >= NOISY && isfinite(sd);
	/* n so that the 90 % interval of a change of nothing fits inside the smallest effect, with
	 * a chance of 80 %: 2 (1.645 + 1.282)^2 sd^2 / effect^2 */
	verdict->needs = ceil(17.13 * sd * sd / (verdict->min_effect * verdict->min_effect));
}

/* The same for a median: only the order of values counts.  The spread stays that of the fit. */
static void test_ranks(struct judge_verdict *verdict, const struct units *units,
		       const struct fit *fit)
{
	struct rank rank;

	rank_init(&rank, units, fit->is_relative);
	test(verdict, fit);
	verdict->base.level = rank.level;
	verdict->head.level =
		fit->is_relative ? rank.level * exp(rank.effect) : rank.level + rank.effect;
	verdict->log_ratio = fit->is_relative ? rank.effect : (double)NAN;
	verdict->effect = effect_of(fit, verdict->is_ratio, rank.effect);
	verdict->p = rank.p;
	verdict->interval_90 = scaled(fit, verdict->is_ratio, rank.interval_90);
	verdict->interval_95 = scaled(fit, verdict->is_ratio, rank.interval_95);
}

/* An exact metric's interval is what neutral rebuilds do, or its own noise should it have some:
 * noise is a reason to doubt, and the lack of it is never evidence. */
static void test_exact(struct judge_verdict *verdict, const struct fit *fit)
{
	const struct judge_metric *metric = verdict->metric;
	double sd = metric->prior_df > 0 ? sqrt(metric->prior_variance) : EXACT_SD;
	double se = fmax(fit->is_relative ? sd : sd * fabs(fit->level[0]), fit->se);

	verdict->interval_90 = interval_of(fit, verdict->is_ratio, 1.645 * se);
	verdict->interval_95 = interval_of(fit, verdict->is_ratio, 1.960 * se);
}

/* Squares of values beyond some 1e150 do not fit a double. */
static bool is_computable(const struct fit *fit)
{
	return isfinite(fit->effect) && isfinite(fit->se) && fit->se > 0 && isfinite(fit->df);
}

/* What keeps the fit from being tested; false: nothing. */
static bool is_untestable(struct judge_verdict *verdict, const struct fit *fit)
{
	if (fit->nr[0] < 2 || fit->nr[1] < 2) {
		verdict_set(verdict, JUDGE_TOO_FEW_RUNS);
		verdict_say(verdict, "%zu and %zu boots, it takes 2 of each side", fit->nr[0],
			    fit->nr[1]);
	} else if (fit->is_flat) {
		verdict_set(verdict, JUDGE_NO_CHANGE);
		verdict_say(verdict, "every value is the same");
		verdict->p = verdict->metric->is_exact ? (double)NAN : 1;
	} else if (!is_computable(fit)) {
		verdict_set(verdict, JUDGE_NOT_COMPARABLE);
		verdict_say(verdict, "values too large or too small to compute with");
	} else {
		return false;
	}
	return true;
}

static void measure(struct judge_verdict *verdict, const struct units *units)
{
	const struct judge_metric *metric = verdict->metric;
	bool is_judged_by_prior = metric->is_exact || !(metric->prior_df > 0);
	struct fit fit;

	fit_init(&fit, units, is_judged_by_prior ? 0 : metric->prior_variance);
	verdict->base = (struct judge_side){ fit.nr[0], fit.level[0], fit.raw_sd[0] };
	verdict->head = (struct judge_side){ fit.nr[1], fit.level[1], fit.raw_sd[1] };
	verdict->is_ratio = fit.is_relative || fabs(fit.level[0]) > 0;
	verdict->log_ratio = fit.is_relative ? fit.effect : (double)NAN;
	verdict->effect = fit.is_relative ? fit.level[1] / fit.level[0] - 1
					  : effect_of(&fit, verdict->is_ratio, fit.effect);
	if (is_untestable(verdict, &fit)) {
		return;
	}
	if (metric->is_exact) {
		test_exact(verdict, &fit);
	} else if (metric->estimator == JUDGE_MEDIAN) {
		test_ranks(verdict, units, &fit);
	} else {
		test(verdict, &fit);
	}
}

static const char *side_without(const struct units *units)
{
	if (units->nr_values[0] + units->nr_values[1] == 0) {
		return "either side";
	}
	return units->nr_values[0] == 0 ? "base" : "head";
}

/* deciding */

static bool is_inside(struct judge_interval interval, double limit)
{
	return interval.low > -limit && interval.high < limit;
}

static void say_unresolved(struct judge_verdict *verdict)
{
	const struct judge_interval *interval = &verdict->interval_95;

	if (!isfinite(interval->low) || !isfinite(interval->high)) {
		verdict_say(verdict, "too few blocks for an interval");
		return;
	}
	if (!verdict->is_ratio) {
		verdict_say(verdict, "95 %% interval %+.3g to %+.3g, base is zero", interval->low,
			    interval->high);
		return;
	}
	verdict_say(verdict, "excluded: below %+.2f %% and above %+.2f %%", 100 * interval->low,
		    100 * interval->high);
	if (verdict->needs > 0 && verdict->needs < 1e6) {
		verdict_say(verdict, "; about %.0f boots a side would show no change",
			    verdict->needs);
	}
}

static void decide(struct judge_verdict *verdict, double q_limit)
{
	bool is_big = fabs(verdict->effect) >= verdict->min_effect || !verdict->is_ratio;
	bool is_sure = verdict->metric->is_exact
			       ? !(verdict->interval_95.low <= 0 && verdict->interval_95.high >= 0)
			       : verdict->q <= q_limit;

	if (is_big && is_sure) {
		verdict_set(verdict, is_worse(verdict) ? JUDGE_REGRESSION : JUDGE_IMPROVEMENT);
		if (verdict->metric->is_exact) {
			verdict_say(verdict, "exact, and above its smallest effect of %.2g %%",
				    100 * verdict->min_effect);
		} else {
			verdict_say(verdict, "q %.2g", verdict->q);
		}
	} else if (verdict->is_ratio && is_inside(verdict->interval_90, verdict->min_effect)) {
		verdict_set(verdict, JUDGE_NO_CHANGE);
		verdict_say(verdict, "a change of %.2g %% is excluded", 100 * verdict->min_effect);
		verdict->needs = NAN;
	} else {
		verdict_set(verdict, JUDGE_CANNOT_RESOLVE);
		say_unresolved(verdict);
	}
	if (verdict->is_noisy) {
		verdict_say(verdict, "; noisy");
	}
}

static void judge_one(const struct judge_metric *metric, double min_effect,
		      struct judge_verdict *ret_verdict)
{
	scoped(units_release) struct units units;
	struct judge_verdict verdict = { .metric = metric, .kind = JUDGE_CANNOT_RESOLVE };

	verdict.base = verdict.head = (struct judge_side){ 0, NAN, NAN };
	verdict.effect = verdict.log_ratio = verdict.p = verdict.q = verdict.needs = NAN;
	verdict.interval_90 = verdict.interval_95 = (struct judge_interval){ NAN, NAN };
	verdict.min_effect = fmax(metric->is_exact ? EXACT_LEAST : min_effect, metric->floor);
	units_init(&units, metric);
	if (units.nr_values[0] == 0 || units.nr_values[1] == 0) {
		verdict_set(&verdict, JUDGE_MISSING);
		verdict_say(&verdict, "no value in %s", side_without(&units));
		*ret_verdict = verdict;
		return;
	}
	verdict.nr_lone = units.nr_lone;
	verdict.nr_moved = units.nr_moved;
	if (units.units.nr == 0) {
		verdict_set(&verdict, JUDGE_NOT_COMPARABLE);
		verdict_say(&verdict, "no block holds both sides");
	} else {
		measure(&verdict, &units);
	}
	*ret_verdict = verdict;
}

/* What of a block's runs counted for nothing; a reason that stands already goes before it. */
static void say_ignored(struct judge_verdict *verdict)
{
	if (verdict->nr_lone > 0) {
		verdict_say(verdict, "%signored: %zu %s of one side only",
			    verdict->reason[0] ? "; " : "", verdict->nr_lone,
			    verdict->nr_lone == 1 ? "block" : "blocks");
	}
	if (verdict->nr_moved > 0) {
		verdict_say(verdict, "%svoid: %zu %s on more than one machine",
			    verdict->reason[0] ? "; " : "", verdict->nr_moved,
			    verdict->nr_moved == 1 ? "block" : "blocks");
	}
}

static int by_p(const void *left, const void *right)
{
	double a = (*(struct judge_verdict *const *)left)->p;
	double b = (*(struct judge_verdict *const *)right)->p;

	return (a > b) - (a < b);
}

/* Benjamini and Hochberg: of the metrics with q below a limit, that share is expected to be false.
 * A metric's family is the headline metrics, or the rest; exact ones are not tested. */
static void correct(struct judge_verdict *verdicts, size_t nr, bool is_headline)
{
	scoped(free) struct judge_verdict **family = mem_array(nr, sizeof(struct judge_verdict *));
	size_t nr_family = 0;
	double q = 1;

	for (size_t i = 0; i < nr; i++) {
		if (verdicts[i].metric->is_headline == is_headline && !isnan(verdicts[i].p)) {
			family[nr_family++] = &verdicts[i];
		}
	}
	qsort(family, nr_family, sizeof(struct judge_verdict *), by_p);
	for (size_t i = nr_family; i-- > 0;) {
		q = fmin(q, family[i]->p * (double)nr_family / (double)(i + 1));
		family[i]->q = q;
	}
}

void judge(const struct judge_metric *metrics, size_t nr, const struct judge_options *options,
	   struct judge_verdict *ret_verdicts)
{
	double q_headline = options->look ? agree_q_limit(options->look) : options->q_headline;

	for (size_t i = 0; i < nr; i++) {
		judge_one(&metrics[i], options->min_effect, &ret_verdicts[i]);
	}
	correct(ret_verdicts, nr, true);
	correct(ret_verdicts, nr, false);
	for (size_t i = 0; i < nr; i++) {
		if (ret_verdicts[i].kind == JUDGE_CANNOT_RESOLVE) {
			decide(&ret_verdicts[i],
			       metrics[i].is_headline ? q_headline : options->q_support);
		}
	}
	agree(ret_verdicts, nr, options->look);
	for (size_t i = 0; i < nr; i++) {
		say_ignored(&ret_verdicts[i]);
	}
}

enum judge_kind judge_failures(const size_t fails[2], const size_t runs[2], double *ret_p)
{
	double rates[2];

	*ret_p = NAN;
	if (runs[0] == 0 || runs[1] == 0) {
		return JUDGE_MISSING;
	}
	*ret_p = dist_fisher(fails[0], runs[0], fails[1], runs[1]);
	if (*ret_p > 0.01) {
		return JUDGE_CANNOT_RESOLVE;
	}
	rates[0] = (double)fails[0] / (double)runs[0];
	rates[1] = (double)fails[1] / (double)runs[1];
	return rates[1] > rates[0] ? JUDGE_REGRESSION : JUDGE_IMPROVEMENT;
}

double judge_overall(const struct judge_verdict *verdicts, size_t nr, size_t *ret_left_out)
{
	double total = 0;
	size_t nr_used = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!isnan(verdicts[i].log_ratio)) {
			total += verdicts[i].log_ratio;
			nr_used++;
		}
	}
	*ret_left_out = nr - nr_used;
	return nr_used > 0 ? expm1(total / (double)nr_used) : (double)NAN;
}
