/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failure rates, and when a new crash is blamed on head.  Expected values: SciPy (failure_values.h)
 * and all courses of runs counted with their chances. */
#include "failure_values.h"
#include <math.h>

#include "lib/stats/failure.h"
#include "tests/t.h"

static struct failure_count count(size_t fails, size_t runs)
{
	return (struct failure_count){ fails, runs };
}

static void rates_are_compared(void)
{
	struct failure failure = failure_judge(count(0, 5), count(5, 5));

	CHECK_INT(failure.kind, JUDGE_REGRESSION);
	CHECK_NEAR(failure.p, 0.0079365079365079361, 1e-12);
	CHECK_NEAR(failure.base.high, 0.5218237501, 1e-9);
	CHECK_NEAR(failure.head.low, 0.4781762499, 1e-9);
	CHECK_INT(failure_judge(count(8, 8), count(0, 8)).kind, JUDGE_IMPROVEMENT);
	CHECK_INT(failure_judge(count(0, 5), count(1, 5)).kind, JUDGE_CANNOT_RESOLVE);
}

static void a_side_without_runs_is_missing(void)
{
	struct failure failure = failure_judge(count(0, 0), count(3, 3));

	CHECK_INT(failure.kind, JUDGE_MISSING);
	CHECK(isnan(failure.p));
	CHECK(isnan(failure.base.share));
	CHECK_NEAR(failure.head.share, 1, 1e-12);
}

static void posteriors_agree(void)
{
	for (size_t i = 0; i < countof(posteriors); i++) {
		const double *row = posteriors[i];

		CHECK_NEAR(failure_posterior(count((size_t)row[0], (size_t)row[1]),
					     count((size_t)row[2], (size_t)row[3])),
			   row[4], 1e-9);
	}
}

/* How the runs of both sides end, all courses at once. */
struct course {
	double chances[FAILURE_BUDGET + 1][FAILURE_BUDGET + 1]; /* [base's fails][head's] */
};

struct ends {
	double higher; /* chance that head is blamed */
	double runs;   /* of a side, mean */
};

static double chance_of_run(double rate, bool has_failed)
{
	return has_failed ? rate : 1 - rate;
}

static void advance(const struct course *from, const double rates[2], struct course *to)
{
	*to = (struct course){ 0 };
	for (size_t i = 0; i < 4 * FAILURE_BUDGET * FAILURE_BUDGET; i++) {
		size_t base = i / 4 / FAILURE_BUDGET;
		size_t head = i / 4 % FAILURE_BUDGET;
		bool has_base = i & 1;
		bool has_head = i & 2;

		to->chances[base + has_base][head + has_head] += from->chances[base][head] *
								 chance_of_run(rates[0], has_base) *
								 chance_of_run(rates[1], has_head);
	}
}

/* Takes out the courses that have ended after so many runs; whether any goes on. */
static bool end_some(struct course *course, size_t runs, struct ends *ends)
{
	bool is_going = false;

	for (size_t i = 0; i < (runs + 1) * (runs + 1); i++) {
		size_t base = i / (runs + 1);
		size_t head = i % (runs + 1);
		double *chance = &course->chances[base][head];
		enum failure_next next =
			failure_next(count(base, runs), count(head, runs), FAILURE_BUDGET);

		if (next == FAILURE_MORE) {
			is_going = true;
			continue;
		}
		ends->runs += *chance * (double)runs;
		ends->higher += next == FAILURE_HIGHER ? *chance : 0;
		*chance = 0;
	}
	return is_going;
}

static struct ends play(double rate_base, double rate_head)
{
	struct course course = { .chances[0][0] = 1 };
	struct ends ends = { 0 };
	bool is_going = true;

	for (size_t runs = 1; is_going; runs++) {
		struct course next;

		advance(&course, (const double[]){ rate_base, rate_head }, &next);
		is_going = end_some(&next, runs, &ends);
		course = next;
	}
	return ends;
}

static void one_of_six_to_six_of_six_is_seen(void)
{
	struct ends ends = play(1.0 / 6, 1);

	CHECK(ends.higher > 0.9999);
	CHECK_NEAR(ends.runs, 4.1, 0.05);
	CHECK_INT(failure_next(count(1, 6), count(6, 6), FAILURE_BUDGET), FAILURE_HIGHER);
	/* 0 of 3 against 3 of 3 is the shortest way. */
	CHECK_INT(failure_next(count(0, 2), count(2, 2), FAILURE_BUDGET), FAILURE_MORE);
	CHECK_INT(failure_next(count(0, 3), count(3, 3), FAILURE_BUDGET), FAILURE_HIGHER);
	CHECK_NEAR(play(0, 0.5).higher, 0.927, 0.001);
}

static void equal_rates_are_seldom_blamed_on_head(void)
{
	CHECK_NEAR(play(0.02, 0.02).higher, 0.0001, 0.00005);
	CHECK_NEAR(play(0.1, 0.1).higher, 0.0096, 0.00005);
	CHECK_NEAR(play(0.5, 0.5).higher, 0.047, 0.0005);
}

static void the_budget_ends_it(void)
{
	CHECK_INT(failure_next(count(0, 12), count(1, 12), 12), FAILURE_NOT_SHOWN);
	CHECK_INT(failure_next(count(0, 11), count(1, 12), 12), FAILURE_MORE);
	CHECK_INT(failure_next(count(0, 0), count(0, 0), 0), FAILURE_NOT_SHOWN);
}

static const struct t_case cases[] = {
	{ "rates are compared by Fisher's test", rates_are_compared },
	{ "a side without runs is missing", a_side_without_runs_is_missing },
	{ "posteriors agree with SciPy's integrals", posteriors_agree },
	{ "1 of 6 to 6 of 6 is seen after 4.1 runs a side", one_of_six_to_six_of_six_is_seen },
	{ "equal rates are seldom blamed on head", equal_rates_are_seldom_blamed_on_head },
	{ "the budget ends it", the_budget_ends_it },
};

T_MAIN(cases)
