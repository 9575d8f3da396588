/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge.h"

#include <math.h>

#include "agree.h"
#include "family.h"
#include "lib/base/mem.h"
#include "looks.h"
#include "measure.h"
#include "remark.h"

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

void verdict_set(struct judge_verdict *verdict, enum judge_kind kind, enum judge_why why)
{
	verdict->kind = kind;
	verdict->why = why;
}

bool is_worse(const struct judge_verdict *verdict)
{
	return (verdict->effect > 0) != verdict->metric->is_higher_better;
}

/* deciding */

static bool is_inside(struct judge_interval interval, double limit)
{
	return interval.low > -limit && interval.high < limit;
}

/* Exact metrics are not tested: they changed by their smallest effect, or not. */
static bool is_named(const struct judge_verdict *verdict, double q_limit)
{
	if (!verdict->metric->is_exact) {
		return verdict->q <= q_limit;
	}
	return (fabs(verdict->effect) >= verdict->min_effect || !verdict->is_ratio) &&
	       !(verdict->interval_95.low <= 0 && verdict->interval_95.high >= 0);
}

static void decide(struct judge_verdict *verdict, double q_limit)
{
	if (is_named(verdict, q_limit)) {
		verdict_set(verdict, is_worse(verdict) ? JUDGE_REGRESSION : JUDGE_IMPROVEMENT,
			    verdict->metric->is_exact ? JUDGE_WHY_EXACT : JUDGE_WHY_Q);
	} else if (verdict->is_ratio && is_inside(verdict->interval_90, verdict->min_effect)) {
		verdict_set(verdict, JUDGE_NO_CHANGE, JUDGE_WHY_EXCLUDED);
		verdict->needs = NAN;
	} else {
		verdict_set(verdict, JUDGE_CANNOT_RESOLVE, JUDGE_WHY_UNRESOLVED);
	}
}

/* A metric's family is the headline metrics, the points of one sweep, or the rest.  Exact ones are
 * not tested. */
static bool is_in_family(const struct judge_metric *metric, const char *sweep, bool is_headline)
{
	if (sweep) {
		return metric->sweep && strcmp(metric->sweep, sweep) == 0;
	}
	return !metric->sweep && metric->is_headline == is_headline;
}

static void correct(struct judge_verdict *verdicts, size_t nr, const char *sweep, bool is_headline)
{
	scoped(free) double *p = mem_array(nr, sizeof(*p));
	scoped(free) double *q = mem_array(nr, sizeof(*q));

	for (size_t i = 0; i < nr; i++) {
		bool is_member = is_in_family(verdicts[i].metric, sweep, is_headline);

		p[i] = is_member ? verdicts[i].p_least : (double)NAN;
	}
	if (sweep) {
		family_holm(p, nr, q);
	} else {
		family_bh(p, nr, q);
	}
	for (size_t i = 0; i < nr; i++) {
		verdicts[i].q = isnan(q[i]) ? verdicts[i].q : q[i];
	}
}

/* Whether the mean of a sweep has changed; one that is not there has not. */
static bool is_open(const struct judge_verdict *verdicts, size_t nr, const char *sweep)
{
	for (size_t i = 0; i < nr; i++) {
		if (is_judge_change(verdicts[i].kind) &&
		    strcmp(verdicts[i].metric->name, sweep) == 0) {
			return true;
		}
	}
	return false;
}

/* The points of a sweep are opened by its mean, and share the mean's risk: so that looking at ten
 * points costs the sweep nothing.  Each turn takes the sweep of the first point that waits. */
static void decide_points(struct judge_verdict *verdicts, size_t nr, double q_limit)
{
	for (size_t first = 0; first < nr; first++) {
		const char *sweep = verdicts[first].metric->sweep;
		bool is_waiting = sweep && verdicts[first].kind == JUDGE_CANNOT_RESOLVE &&
				  verdicts[first].why == JUDGE_WHY_UNKNOWN;
		bool may_change = is_waiting && is_open(verdicts, nr, sweep);

		if (is_waiting) {
			correct(verdicts, nr, sweep, false);
		}
		for (size_t i = first; is_waiting && i < nr; i++) {
			if (verdicts[i].kind == JUDGE_CANNOT_RESOLVE &&
			    is_in_family(verdicts[i].metric, sweep, false)) {
				decide(&verdicts[i], may_change ? q_limit : 0);
				verdicts[i].is_closed = !may_change;
			}
		}
	}
}

/* A confirmation asks one question of each metric that was found: the same direction again? */
static void correct_found(struct judge_verdict *verdicts, size_t nr, const enum judge_kind *found)
{
	for (size_t i = 0; i < nr; i++) {
		enum judge_kind again =
			is_worse(&verdicts[i]) ? JUDGE_REGRESSION : JUDGE_IMPROVEMENT;

		if (verdicts[i].metric->is_headline && !isnan(verdicts[i].p)) {
			verdicts[i].q = found[i] == again ? verdicts[i].p / 2 : 1;
		}
	}
}

/* What was not found before is not named by a confirmation. */
static void forget_unfound(struct judge_verdict *verdicts, size_t nr, const enum judge_kind *found)
{
	for (size_t i = 0; i < nr; i++) {
		if (verdicts[i].metric->is_headline && is_judge_change(verdicts[i].kind) &&
		    verdicts[i].kind != found[i]) {
			verdict_set(&verdicts[i], JUDGE_CANNOT_RESOLVE, JUDGE_WHY_NOT_FOUND);
		}
	}
}

static double headline_limit(const struct judge_options *options)
{
	if (options->found) {
		return options->confirm_p;
	}
	return options->look ? look_at(options->look)->q_limit : options->q_headline;
}

void judge_measured(struct judge_verdict *verdicts, size_t nr, const struct judge_options *options)
{
	double q_headline = headline_limit(options);

	correct(verdicts, nr, NULL, false);
	if (options->found) {
		correct_found(verdicts, nr, options->found);
	} else {
		correct(verdicts, nr, NULL, true);
	}
	for (size_t i = 0; i < nr; i++) {
		if (verdicts[i].kind == JUDGE_CANNOT_RESOLVE && !verdicts[i].metric->sweep) {
			decide(&verdicts[i],
			       verdicts[i].metric->is_headline ? q_headline : options->q_support);
		}
	}
	if (options->found) {
		forget_unfound(verdicts, nr, options->found);
	}
	agree(verdicts, nr, options);
	decide_points(verdicts, nr, q_headline);
}

void judge(const struct judge_metric *metrics, size_t nr, const struct judge_options *options,
	   struct judge_verdict *ret_verdicts)
{
	measure(metrics, nr, options, ret_verdicts);
	judge_measured(ret_verdicts, nr, options);
	remark(metrics, nr, options, ret_verdicts);
}

/* (3.2 + 1.3)^2 2 sd^2 / effect^2 units a side see an effect at JUDGE_CONFIRM_P with a chance of
 * 90 %; `needs`, which is 17.13 sd^2 / min_effect^2, knows the deviation. */
static double confirm_units(const struct judge_verdict *verdict, double nr_units)
{
	double sd = verdict->min_effect * sqrt(verdict->needs / 17.13);
	double size = fabs(verdict->effect) - sd * sqrt(2 / nr_units);

	return size > 0 ? 40.5 * sd * sd / (size * size) : (double)INFINITY;
}

/* Of the 6^n orders of runs in n blocks one is the extreme: 1 in 1296 would not reach
 * JUDGE_CONFIRM_P. */
static double confirm_least(const struct judge_metric *metric)
{
	return metric->estimator == JUDGE_MEDIAN ? 5 : 4;
}

size_t judge_confirm_blocks(const struct judge_verdict *verdicts, size_t nr, int look)
{
	double nr_found = (double)judge_look_blocks(look);
	double most = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct judge_verdict *verdict = &verdicts[i];

		if (!verdict->metric->is_headline || !is_judge_change(verdict->kind)) {
			continue;
		}
		most = fmax(most, confirm_least(verdict->metric));
		/* where an exact metric says so too, times need not be as clear on their own */
		most = fmax(most, !verdict->is_ratio || isnan(verdict->needs) ||
						  verdict->q > look_at(look)->q_limit
					  ? nr_found
					  : confirm_units(verdict, 2 * nr_found) / 2);
	}
	return (size_t)ceil(fmin(fmax(most, 4), 12));
}

size_t judge_repeats(const struct judge_verdict *verdicts, size_t nr)
{
	size_t most = 0;

	for (size_t i = 0; i < nr; i++) {
		if (verdicts[i].metric->is_headline && verdicts[i].nr_wild > most) {
			most = verdicts[i].nr_wild;
		}
	}
	return most;
}
