/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failure.h - do runs of head fail more often than runs of base?
 *
 * Failures are a family of their own with an error budget of their own; what a failed run measured
 * counts nowhere.  Two questions:
 *
 *	struct failure failure = failure_judge(base, head);	// runs that are done anyway
 *	"%.0f %% (%.0f to %.0f)", failure.head.share, .low, .high; failure.kind, failure.p
 *
 *	while (failure_next(base, head, FAILURE_BUDGET) == FAILURE_MORE)
 *		... one more fresh run of both sides
 *
 * The second is for a crash that no run of base nor of history has shown.  Head's first crash is
 * why one asks, so it counts on neither side.
 */
#ifndef STATS_FAILURE_H
#define STATS_FAILURE_H

#include "calibrate.h"
#include "judge.h"

struct failure_count {
	size_t fails, runs; /* fails <= runs */
};

struct failure {
	struct rate base, head;
	double p; /* of Fisher's exact test, two-sided; NAN where a side did not run */
	enum judge_kind kind;
};

/* Above one per cent of chance nothing is said: JUDGE_CANNOT_RESOLVE; JUDGE_MISSING where a side
 * did not run. */
struct failure failure_judge(struct failure_count base, struct failure_count head);

/* The chance that head's true rate is the higher one, after runs that began with no opinion: both
 * rates are Beta(1/2, 1/2) before (Jeffreys). */
double failure_posterior(struct failure_count base, struct failure_count head);

/* Fresh runs a side.  With so many, 1 of 6 against 6 of 6 is always seen, after 4.1 runs a side on
 * average, and a rate of 10 % on both sides is mistaken in 1 of 100 cases. */
#define FAILURE_BUDGET 12

enum failure_next {
	FAILURE_MORE,      /* runs of both sides */
	FAILURE_HIGHER,    /* head's rate is, with a chance of 99 % */
	FAILURE_NOT_SHOWN, /* and both sides have had `budget` runs */
};

/* What to do next.  Asking after each run of both sides is what the figures above are of. */
enum failure_next failure_next(struct failure_count base, struct failure_count head, size_t budget);

#endif
