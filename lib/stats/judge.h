/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge.h - did it change?  Samples of two commits in, a verdict for each metric out.
 *
 * The one place that decides; mail, pages and the command line show what it says.  Pure: the same
 * samples give the same verdicts.  docs/statistics.md derives every rule with worked numbers.
 *
 *	struct judge_options options = JUDGE_OPTIONS_INIT;
 *	struct judge_verdict *verdicts = mem_array(nr, sizeof(*verdicts));
 *	options.look = 2;                          // of judge_look_blocks(2) blocks
 *	judge(metrics, nr, &options, verdicts);    // all metrics of one benchmark at once
 *	if (judge_next(verdicts, nr, options.look, &why) == JUDGE_MORE) ...
 *
 * The unit is the boot: samples of a boot that ran one side become one value first.  A boot that
 * ran both sides cancels in their difference, so there the run is the unit.  Values above zero are
 * compared as ratios.  Each block is compared within itself; a block without both sides, or on more
 * than one machine, or whose runs of one commit differ as history says they cannot, counts for
 * nothing, and the reason says so.
 */
#ifndef STATS_JUDGE_H
#define STATS_JUDGE_H

#include "lib/base/base.h"

struct arena;
struct str;

/* in */

/* What is known of the run that gave a sample. */
struct judge_run {
	uint32_t block;   /* 0 is a block like any other */
	uint32_t boot;    /* 0: unknown, a boot of its own */
	uint32_t build;   /* 0: unknown */
	uint32_t machine; /* 0: unknown */
	uint32_t order;   /* position in time; ties are broken by it */
};

/* The samples of one side.  Metrics that the same runs measured share the runs. */
struct judge_samples {
	const double *values;         /* NAN: missing */
	const struct judge_run *runs; /* one a value; NULL: of none is anything known, and they
				       * stand in the order of time */
	size_t nr;
};

/* How the samples of one boot become one value.  A percentile of a run was taken inside the run:
 * over runs it is averaged. */
enum judge_estimator { JUDGE_MEAN, JUDGE_HMEAN, JUDGE_MEDIAN, JUDGE_PERCENTILE };

/* From a job's word: "mean", "hmean", "median", or a percentile as "p99". */
enum judge_estimator judge_estimator(const char *word);

struct judge_metric {
	const char *name;
	const char *unit; /* NULL: unknown.  An amount, as "KiB", is no witness of time */
	bool is_higher_better;
	bool is_headline; /* decides; the others explain */
	/* The metric that is the mean of the sweep of which this one is a point: only where that
	 * one has changed this one may.  NULL: not of a sweep. */
	const char *sweep;
	bool is_exact; /* no noise of its own: instructions, sizes */
	enum judge_estimator estimator;
	double floor; /* smallest relative effect worth reporting; 0: the options' */
	/* What history knows of the variance of ln(value) between boots of one commit inside a
	 * block, with its degrees of freedom (0: nothing), and how many degrees of freedom the
	 * history is worth on another day (0: unknown). */
	double prior_variance;
	double prior_df;
	double prior_weight;
	/* The same of the variance of ln(value) between neutral rebuilds of one commit. */
	double build_variance;
	double build_df;
	struct judge_samples base, head;
};

/* The level of a confirmation, one-sided.  So strict, because 99 of 100 comparisons hold no change:
 * docs/statistics.md, "Of the mails sent". */
#define JUDGE_CONFIRM_P 0.0007
/* The same of what a bisection named, which was right in 99 of 100 before it was run again. */
#define JUDGE_CONFIRM_SEARCHED_P 0.02

struct judge_options {
	double q_headline; /* false discovery rate at which a headline metric has changed */
	double q_support;  /* and any other one */
	double min_effect; /* relative; half of a boot's deviation where that is more */
	double widening;   /* of every standard error, as the A/A runs ask; at least 1 */
	int look;          /* from 1, see judge_look_blocks(); 0: one look at a number of runs that
			    * was fixed before */
	/* A confirmation, on builds and runs of its own: what was found of each metric.  A headline
	 * metric is then named only if it was a regression or an improvement, is the same again,
	 * and chance alone would do that in less than confirm_p of all cases.  NULL: none. */
	const enum judge_kind *found;
	double confirm_p;
};

#define JUDGE_OPTIONS_INIT                                                                 \
	{                                                                                  \
		.q_headline = 0.01, .q_support = 0.05, .min_effect = 0.005, .widening = 1, \
		.confirm_p = JUDGE_CONFIRM_P                                               \
	}

/* out */

/* Word for word the verdicts that are stored and shown: judge_word(). */
enum judge_kind {
	JUDGE_REGRESSION,
	JUDGE_IMPROVEMENT,
	JUDGE_NO_CHANGE,      /* shown: the 90 % interval lies inside the smallest effect */
	JUDGE_CANNOT_RESOLVE, /* neither; the reason says what is excluded */
	JUDGE_TOO_FEW_RUNS,
	JUDGE_LAYOUT_SENSITIVE,      /* time moved, the work did not */
	JUDGE_NOT_CONFIRMED_IN_TIME, /* the work changed, no time followed */
	JUDGE_NOT_COMPARABLE,        /* no block holds both sides */
	JUDGE_MISSING,               /* a side has no value */
	JUDGE_KINDS
};

/* A regression or an improvement. */
static inline bool is_judge_change(enum judge_kind kind)
{
	return kind == JUDGE_REGRESSION || kind == JUDGE_IMPROVEMENT;
}

struct judge_side {
	size_t nr;    /* units: boots, or runs where boots are shared; 0 where missing */
	double level; /* by the estimator; head is base times the effect exactly; NAN: none */
	double sd;    /* of the units as a population (what %stddev shows); NAN for fewer than 2 */
};

struct judge_interval {
	double low, high;
};

/* What a kind rests on; judge_reason() has the words. */
enum judge_why {
	JUDGE_WHY_UNKNOWN, /* the judge did not say it */
	/* missing */
	JUDGE_WHY_NO_VALUE,
	JUDGE_WHY_NO_BASE,
	JUDGE_WHY_NO_HEAD,
	/* not comparable */
	JUDGE_WHY_NO_BLOCK, /* of both sides */
	JUDGE_WHY_NO_CHAIN, /* of blocks between commits of a stack */
	JUDGE_WHY_NO_SIZE,  /* that can be computed with */
	/* too few runs */
	JUDGE_WHY_FEW,
	/* decided */
	JUDGE_WHY_FLAT, /* every value is the same */
	JUDGE_WHY_Q,
	JUDGE_WHY_EXACT,
	JUDGE_WHY_EXCLUDED, /* a change is */
	JUDGE_WHY_UNRESOLVED,
	JUDGE_WHY_NOT_FOUND, /* before a confirmation */
	/* by what other metrics say */
	JUDGE_WHY_FOLLOWED, /* a time goes the way of an exact metric */
	JUDGE_WHY_STILL,    /* the exact metrics are */
	JUDGE_WHY_ALONE,    /* an exact metric is */
	JUDGE_WHYS
};

/* Another metric that has a part in a verdict, and how far it moved; NULL: none has. */
struct judge_other {
	const struct judge_metric *metric;
	double effect;
};

struct judge_verdict {
	const struct judge_metric *metric;
	enum judge_kind kind;
	enum judge_why why;
	struct judge_side base, head;
	/* true: effect and intervals are head / base - 1, else (base at zero) head - base in the
	 * metric's unit.  All NAN where there is nothing to compare. */
	bool is_ratio;
	double effect;
	struct judge_interval interval_90, interval_95;
	double t, df;      /* the effect in standard errors; NAN: not tested by t */
	double p;          /* of no change, two-sided; NAN: not tested */
	double p_least;    /* of a change no larger than min_effect */
	double q;          /* p_least corrected for the size of the metric's family */
	double min_effect; /* the smallest one that counts here */
	/* How much a boot of head varies for one of base, as deviations within blocks, and the p of
	 * that being the same (F test); NAN: unknown. */
	double spread_ratio, spread_p;
	double needs;      /* units a side that would show "no change"; NAN where it is shown */
	bool is_noisy;     /* units of one side vary by more than 10 % */
	bool is_closed;    /* a point of a sweep that did not change */
	uint32_t nr_lone;  /* blocks ignored for holding one side only */
	uint32_t nr_moved; /* blocks void for having run on more than one machine */
	uint32_t nr_wild;  /* blocks void for a spread within one side that history excludes */
	struct judge_other followed; /* the exact metric that a time follows */
	struct judge_other point;    /* of a sweep: moves against the others */
	const char *told;            /* by others than the judge: a clause; NULL: none */
};

/* Judges all metrics of one benchmark together; `ret_verdicts` has room for `nr`. */
void judge(const struct judge_metric *metrics, size_t nr, const struct judge_options *options,
	   struct judge_verdict *ret_verdicts);

/* Appends what the verdict rests on: one clause for people, or several.  The other gives it as a
 * text of the arena; NULL: nothing is known. */
void judge_reason(const struct judge_verdict *verdict, struct str *out);
const char *judge_reason_in(struct arena *arena, const struct judge_verdict *verdict);

/* "regression", "no-change", "not-confirmed-in-time", ... */
const char *judge_word(enum judge_kind kind);

/* looks: a comparison is judged after 2, 4 and 6 blocks, and each look may spend a part of every
 * risk (looks.h), so that looking three times does not treble the false alarms.  An exact change
 * that no time follows yet gets two looks more, after 9 and 12 blocks */

#define JUDGE_TIME_LOOKS 3
#define JUDGE_LOOKS      5

/* The number of whole blocks at look 1..JUDGE_LOOKS. */
size_t judge_look_blocks(int look);

/* How many blocks have to be run again before a look counts: the most that are wild for any
 * headline metric. */
size_t judge_repeats(const struct judge_verdict *verdicts, size_t nr);

/* The number of blocks for the confirmation of what was found at a look: enough to see the effect
 * again, were it one standard error smaller than it looks, in 9 of 10 cases.  4 to 12, and for
 * medians at least 5. */
size_t judge_confirm_blocks(const struct judge_verdict *verdicts, size_t nr, int look);

enum judge_next {
	JUDGE_STOP,     /* there is nothing to see that was not seen */
	JUDGE_HOPELESS, /* nothing is near a change: stop, unless much hangs on it */
	JUDGE_MORE,
};

/* Whether the next look is worth its machine time; `ret_why` is a clause that lasts forever. */
enum judge_next judge_next(const struct judge_verdict *verdicts, size_t nr, int look,
			   const char **ret_why);

#endif
