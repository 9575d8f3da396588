/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agree.h"

#include <math.h>

#include "looks.h"

/* An exact metric that moved less than a neutral rebuild moves it says that the work is the same;
 * one that moved less than this needs no second look either. */
#define EXACT_SAME  0.0025
#define EXACT_STILL 0.001

/* kinds of metrics */

/* Units of what is used up, not waited for: neither confirms nor needs confirmation. */
static const char *const amounts[] = { "B",   "kB",   "KB",    "MB",    "GB",     "KiB", "MiB",
				       "GiB", "byte", "bytes", "pages", "faults", "J",   "W" };

static bool is_amount(const char *unit)
{
	for (size_t i = 0; unit && i < countof(amounts); i++) {
		if (strcmp(unit, amounts[i]) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_time(const struct judge_verdict *verdict)
{
	const struct judge_metric *metric = verdict->metric;

	return metric->is_headline && !metric->is_exact && !is_amount(metric->unit);
}

static bool is_exact(const struct judge_verdict *verdict)
{
	return verdict->metric->is_headline && verdict->metric->is_exact;
}

enum sort { SORT_TIME, SORT_EXACT };

static bool is_sort(const struct judge_verdict *verdict, enum sort sort)
{
	return sort == SORT_TIME ? is_time(verdict) : is_exact(verdict);
}

/* Whether it was measured on both sides, so that it can say anything. */
static bool is_heard(const struct judge_verdict *verdict)
{
	return verdict->kind != JUDGE_MISSING && verdict->kind != JUDGE_NOT_COMPARABLE &&
	       verdict->kind != JUDGE_TOO_FEW_RUNS;
}

/* who goes with whom */

static size_t prefix_length(const char *name)
{
	const char *end = strrchr(name, '_');

	return end ? (size_t)(end - name) : 0;
}

static bool is_kin(const struct judge_verdict *a, const struct judge_verdict *b)
{
	size_t length = prefix_length(a->metric->name);

	return length > 0 && length == prefix_length(b->metric->name) &&
	       memcmp(a->metric->name, b->metric->name, length) == 0;
}

static bool has_kin(const struct judge_verdict *verdicts, size_t nr,
		    const struct judge_verdict *verdict, enum sort sort)
{
	for (size_t i = 0; i < nr; i++) {
		if (is_sort(&verdicts[i], sort) && is_kin(&verdicts[i], verdict)) {
			return true;
		}
	}
	return false;
}

static bool may_confirm(const struct judge_verdict *verdicts, size_t nr,
			const struct judge_verdict *time, const struct judge_verdict *exact)
{
	return is_time(time) && (is_kin(time, exact) || (!has_kin(verdicts, nr, exact, SORT_TIME) &&
							 !has_kin(verdicts, nr, time, SORT_EXACT)));
}

static bool may_contradict(const struct judge_verdict *verdicts, size_t nr,
			   const struct judge_verdict *exact, const struct judge_verdict *time)
{
	return is_exact(exact) && is_heard(exact) &&
	       (is_kin(time, exact) || !has_kin(verdicts, nr, time, SORT_EXACT));
}

/* the rule */

/* What a time has to do to follow: its one-sided p, and how far it has to move. */
struct following {
	double p;
	double min_effect;
};

static bool follows(const struct judge_verdict *time, const struct judge_verdict *exact,
		    const struct following *limit)
{
	return !isnan(time->p) && is_worse(time) == is_worse(exact) &&
	       fabs(time->effect) >= fmax(limit->min_effect, time->metric->floor) &&
	       time->p / 2 <= limit->p;
}

/* Names each time that follows the exact metric; false: none does. */
static bool confirm(struct judge_verdict *verdicts, size_t nr, struct judge_verdict *exact,
		    struct following limit)
{
	size_t nr_partners = 0;
	bool is_confirmed = false;

	for (size_t i = 0; i < nr; i++) {
		nr_partners += may_confirm(verdicts, nr, &verdicts[i], exact);
	}
	limit.p /= (double)nr_partners;
	for (size_t i = 0; i < nr; i++) {
		struct judge_verdict *time = &verdicts[i];

		if (!may_confirm(verdicts, nr, time, exact) || !follows(time, exact, &limit)) {
			continue;
		}
		is_confirmed = true;
		if (!is_judge_change(time->kind)) {
			verdict_set(time, exact->kind, JUDGE_WHY_FOLLOWED);
			time->followed = (struct judge_other){ exact->metric, exact->effect };
		}
	}
	return is_confirmed;
}

static bool is_contradicted(const struct judge_verdict *verdicts, size_t nr,
			    const struct judge_verdict *time)
{
	size_t nr_same = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!may_contradict(verdicts, nr, &verdicts[i], time)) {
			continue;
		}
		if (!(fabs(verdicts[i].effect) < EXACT_SAME)) {
			return false;
		}
		nr_same++;
	}
	return nr_same > 0;
}

static bool has_sort(const struct judge_verdict *verdicts, size_t nr, enum sort sort)
{
	for (size_t i = 0; i < nr; i++) {
		if (is_sort(&verdicts[i], sort)) {
			return true;
		}
	}
	return false;
}

void agree(struct judge_verdict *verdicts, size_t nr, const struct judge_options *options)
{
	struct following limit = { look_at(options->look)->follow_limit, options->min_effect };

	if (!has_sort(verdicts, nr, SORT_TIME) || !has_sort(verdicts, nr, SORT_EXACT)) {
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		struct judge_verdict *time = &verdicts[i];

		if (is_time(time) && is_judge_change(time->kind) &&
		    is_contradicted(verdicts, nr, time)) {
			verdict_set(time, JUDGE_LAYOUT_SENSITIVE, JUDGE_WHY_STILL);
		}
	}
	for (size_t i = 0; i < nr; i++) {
		struct judge_verdict *exact = &verdicts[i];

		if (is_exact(exact) && is_judge_change(exact->kind) &&
		    !confirm(verdicts, nr, exact, limit)) {
			verdict_set(exact, JUDGE_NOT_CONFIRMED_IN_TIME, JUDGE_WHY_ALONE);
		}
	}
}

/* going on */

/* What the headline metrics say at a look, in one pass. */
struct tally {
	bool is_named;
	bool is_unconfirmed;
	bool is_short; /* of runs */
	bool has_exact;
	bool is_still; /* no exact metric moved */
	bool is_time_moving;
	double least_p;
	size_t nr_tested;
};

static struct tally tally_of(const struct judge_verdict *verdicts, size_t nr)
{
	struct tally tally = { .is_still = true, .least_p = 1 };

	for (size_t i = 0; i < nr; i++) {
		const struct judge_verdict *verdict = &verdicts[i];

		if (!verdict->metric->is_headline) {
			continue;
		}
		tally.is_named |= is_judge_change(verdict->kind);
		tally.is_unconfirmed |= verdict->kind == JUDGE_NOT_CONFIRMED_IN_TIME;
		tally.is_short |= verdict->kind == JUDGE_TOO_FEW_RUNS ||
				  verdict->kind == JUDGE_NOT_COMPARABLE;
		if (is_exact(verdict) && is_heard(verdict)) {
			tally.has_exact = true;
			tally.is_still &= fabs(verdict->effect) < EXACT_STILL;
		}
		tally.is_time_moving |= verdict->p < 0.05;
		tally.least_p = fmin(tally.least_p, verdict->p);
		tally.nr_tested += !isnan(verdict->p);
	}
	return tally;
}

static bool is_hopeless(const struct tally *tally, int look)
{
	return pow(1 - tally->least_p, (double)tally->nr_tested) < look_at(look)->hopeless;
}

enum judge_next judge_next(const struct judge_verdict *verdicts, size_t nr, int look,
			   const char **ret_why)
{
	struct tally tally = tally_of(verdicts, nr);
	const struct {
		bool applies;
		enum judge_next next;
		const char *why;
	} rules[] = {
		{ look >= JUDGE_LOOKS, JUDGE_STOP, "this was the last look" },
		{ tally.is_named, JUDGE_STOP, "a headline metric has changed" },
		{ tally.is_unconfirmed, JUDGE_MORE, "an exact metric changed, time has to follow" },
		{ look >= JUDGE_TIME_LOOKS, JUDGE_STOP, "this was the last look at times alone" },
		{ tally.is_short, JUDGE_MORE, "too few runs can be compared" },
		{ tally.has_exact && tally.is_still && !tally.is_time_moving, JUDGE_STOP,
		  "no exact metric moved, and no time" },
		{ tally.has_exact && tally.is_still, JUDGE_MORE,
		  "time moves and no exact metric does" },
		{ is_hopeless(&tally, look), JUDGE_HOPELESS, "nothing is near a change" },
		{ true, JUDGE_MORE, "a headline metric may have changed" },
	};
	size_t i = 0;

	while (!rules[i].applies) {
		i++;
	}
	*ret_why = rules[i].why;
	return rules[i].next;
}
