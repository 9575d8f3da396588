/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "failure.h"

#include <math.h>

#include "dist.h"

#define FISHER_P  0.01
#define POSTERIOR 0.99

struct failure failure_judge(struct failure_count base, struct failure_count head)
{
	struct failure failure = { .base = rate_of(base.fails, base.runs),
				   .head = rate_of(head.fails, head.runs),
				   .p = (double)NAN,
				   .kind = JUDGE_MISSING };

	if (base.runs == 0 || head.runs == 0) {
		return failure;
	}
	failure.p = dist_fisher(base.fails, base.runs, head.fails, head.runs);
	failure.kind = failure.p > FISHER_P                      ? JUDGE_CANNOT_RESOLVE
		       : failure.head.share > failure.base.share ? JUDGE_REGRESSION
								 : JUDGE_IMPROVEMENT;
	return failure;
}

/* The parameters of the two rates' laws. */
struct rates {
	double fails[2], passes[2];
};

static double ln_beta(double a, double b)
{
	return dist_lgamma(a) + dist_lgamma(b) - dist_lgamma(a + b);
}

/* By how much, times the parameter that grows by one, the chance moves (Cook 2005, "Exact
 * calculation of beta inequalities"). */
static double step(const struct rates *rates)
{
	return exp(ln_beta(rates->fails[0] + rates->fails[1], rates->passes[0] + rates->passes[1]) -
		   ln_beta(rates->fails[0], rates->passes[0]) -
		   ln_beta(rates->fails[1], rates->passes[1]));
}

/* One run after the other, from two equal laws on. */
double failure_posterior(struct failure_count base, struct failure_count head)
{
	const struct failure_count sides[2] = { base, head };
	struct rates rates = { { 0.5, 0.5 }, { 0.5, 0.5 } };
	double chance = 0.5;

	for (int side = 0; side < 2; side++) {
		double sign = side ? 1 : -1;

		assert(sides[side].fails <= sides[side].runs);
		for (size_t i = 0; i < sides[side].fails; i++) {
			chance += sign * step(&rates) / rates.fails[side]++;
		}
		for (size_t i = sides[side].fails; i < sides[side].runs; i++) {
			chance -= sign * step(&rates) / rates.passes[side]++;
		}
	}
	return fmin(fmax(chance, 0), 1);
}

enum failure_next failure_next(struct failure_count base, struct failure_count head, size_t budget)
{
	if (failure_posterior(base, head) >= POSTERIOR) {
		return FAILURE_HIGHER;
	}
	return base.runs < budget || head.runs < budget ? FAILURE_MORE : FAILURE_NOT_SHOWN;
}
