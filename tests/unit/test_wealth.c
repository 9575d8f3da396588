/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What many tests may risk.  Expected values: LORD++ and Riemann's zeta in Python and SciPy. */
#include "lib/base/mem.h"
#include "lib/stats/wealth.h"
#include "tests/t.h"

static void levels_are_those_of_lord(void)
{
	static const size_t discoveries[] = { 3, 4, 9 };

	CHECK_NEAR(wealth_next(NULL, 0, 0), 0.004374901657744735, 1e-12);
	CHECK_NEAR(wealth_next(NULL, 0, 9), 0.00010989256113277766, 1e-12);
	CHECK_NEAR(wealth_next(discoveries, 1, 3), 0.004850973295559088, 1e-12);
	CHECK_NEAR(wealth_next(discoveries, 3, 12), 0.0013943979581243998, 1e-12);
}

static void without_a_discovery_half_of_the_rate_is_spent_and_no_more(void)
{
	double spent = 0;

	for (size_t nr = 0; nr < 1000000; nr++) {
		spent += wealth_next(NULL, 0, nr);
	}
	CHECK(spent < WEALTH_RATE / 2);
	CHECK(spent > 0.99 * WEALTH_RATE / 2);
}

/* Marsaglia's xorshift64, as a number within 0..1. */
static double draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* One lab's 200 tests, of which every tenth is of a change that cannot be missed: the share of its
 * discoveries that are false. */
static double false_share(uint64_t *state)
{
	size_t discoveries[200];
	size_t nr = 0;
	size_t nr_false = 0;

	for (size_t test = 1; test <= countof(discoveries); test++) {
		bool is_true = test % 10 == 0;
		double p = is_true ? 0 : draw(state);

		if (p <= wealth_next(discoveries, nr, test - 1)) {
			discoveries[nr++] = test;
			nr_false += !is_true;
		}
	}
	return (double)nr_false / (double)nr;
}

static void few_discoveries_are_false(void)
{
	uint64_t state = 88172645463325252;
	double sum = 0;

	for (int lab = 0; lab < 500; lab++) {
		sum += false_share(&state);
	}
	CHECK(sum / 500 > 0.001);
	CHECK(sum / 500 <= WEALTH_RATE);
}

static void the_more_were_looked_at_the_less_each_may(void)
{
	static const double p[] = { 0.001, 0.004, 0.009, 0.02 };

	CHECK_INT(wealth_holm(p, 4, 4, 0.01), 1); /* 0.004 * 3 > 0.01 */
	CHECK_INT(wealth_holm(p, 4, 4, 0.0185), 3);
	CHECK_INT(wealth_holm(p, 4, 4, 0.02), 4);
	CHECK_INT(wealth_holm(p, 4, 11, 0.01), 0);
	CHECK_INT(wealth_holm(p, 0, 7, 0.01), 0);
}

static const struct t_case cases[] = {
	{ "levels are those of LORD++", levels_are_those_of_lord },
	{ "without a discovery half of the rate is spent and no more",
	  without_a_discovery_half_of_the_rate_is_spent_and_no_more },
	{ "few discoveries are false", few_discoveries_are_false },
	{ "the more were looked at, the less each may", the_more_were_looked_at_the_less_each_may },
};
T_MAIN(cases)
