/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/stats/joint.h"

#include <math.h>

#include "joint_values.h"
#include "tests/t.h"

#define TINY 1e-9

static void fill(struct joint *joint, size_t nr_commits, const struct joint_unit *units, size_t nr)
{
	joint_init(joint, nr_commits);
	for (size_t i = nr; i-- > 0;) { /* the order of units is of no matter */
		joint_add(joint, units[i]);
	}
	joint_fit(joint, (struct prior){ 0 });
}

static void check_stack(const struct joint *joint, const double *levels, const double *covariance)
{
	size_t nr = joint->nr_commits;

	CHECK(!joint->is_relative);
	for (size_t i = 0; i < nr; i++) {
		struct joint_pair to_i = { 0, i };
		struct joint_effect effect = joint_contrast(joint, to_i);

		CHECK_NEAR(effect.effect, levels[i], TINY);
		CHECK_NEAR(effect.se, sqrt(covariance[i * nr + i]), TINY);
		for (size_t j = 0; j < nr; j++) {
			CHECK_NEAR(joint_covariance(joint, to_i, (struct joint_pair){ 0, j }),
				   covariance[i * nr + j], TINY);
		}
	}
}

#define CHECK_STACK(name, nr_commits)                                  \
	do {                                                           \
		scoped(joint_release) struct joint joint;              \
                                                                       \
		fill(&joint, nr_commits, name, countof(name));         \
		check_stack(&joint, name##_levels, name##_covariance); \
		CHECK_NEAR(joint.variance, name##_variance, TINY);     \
		CHECK_NEAR(joint.df, name##_df, 0);                    \
	} while (0)

static void agrees_with_least_squares(void)
{
	CHECK_STACK(stack, 5);
	CHECK_STACK(uneven, 4);
	CHECK_STACK(three_at_once, 4);
}

/* From differences of numpy's levels and their covariance. */
static void any_pair_is_a_contrast(void)
{
	scoped(joint_release) struct joint joint;
	const double *c = stack_covariance;
	struct joint_pair inner = { 1, 3 };

	fill(&joint, 5, stack, countof(stack));
	CHECK_NEAR(joint_contrast(&joint, inner).effect, stack_levels[3] - stack_levels[1], TINY);
	CHECK_NEAR(joint_contrast(&joint, inner).se,
		   sqrt(c[3 * 5 + 3] + c[1 * 5 + 1] - 2 * c[3 * 5 + 1]), TINY);
	CHECK_NEAR(joint_contrast(&joint, inner).df, stack_df, 0);
	CHECK_NEAR(joint_covariance(&joint, inner, (struct joint_pair){ 3, 4 }),
		   c[3 * 5 + 4] - c[3 * 5 + 3] - c[1 * 5 + 4] + c[1 * 5 + 3], TINY);
}

static void add_pair(struct joint *joint, uint32_t block, size_t base, size_t head, double effect)
{
	static const double noise[] = { 0.01, -0.01 };

	for (size_t i = 0; i < 2; i++) {
		joint_add(joint, (struct joint_unit){ base, block, 0, block - noise[i] });
		joint_add(joint, (struct joint_unit){ head, block, 0, block + effect + noise[i] });
	}
}

/* From numpy's covariance: (4 - 0) - (2 - 1), which share no commit but blocks' neighbours. */
static void contrasts_have_a_difference(void)
{
	scoped(joint_release) struct joint joint;
	const double *c = stack_covariance;
	struct joint_pair base = { 1, 2 };
	struct joint_pair head = { 0, 4 };
	double shared = c[2 * 5 + 4] - c[1 * 5 + 4];
	struct fit fit;

	fill(&joint, 5, stack, countof(stack));
	fit = joint_fit_between(&joint, base, head);
	CHECK_NEAR(fit.effect, stack_levels[4] - stack_levels[2] + stack_levels[1], TINY);
	CHECK_NEAR(fit.parts * joint.variance,
		   c[4 * 5 + 4] + c[2 * 5 + 2] + c[1 * 5 + 1] - 2 * c[2 * 5 + 1] - 2 * shared,
		   TINY);
	CHECK_NEAR(fit.build_parts, 4, TINY);
	fit = joint_fit_between(&joint, (struct joint_pair){ 0, 2 }, (struct joint_pair){ 0, 3 });
	CHECK_NEAR(fit.effect, stack_levels[3] - stack_levels[2], TINY);
	CHECK_NEAR(fit.build_parts, 2, TINY);
}

/* A block of 2 + 2 is a resistor of 1; 128 in a row beside one are 128/129. */
static void a_full_stack_is_solved(void)
{
	scoped(joint_release) struct joint joint;

	joint_init(&joint, 129);
	for (uint32_t i = 1; i < 129; i++) {
		add_pair(&joint, i, i - 1, i, -0.5 * i); /* some values are below zero */
	}
	add_pair(&joint, 1000, 0, 128, -0.5 * 128 * 129 / 2);
	joint_fit(&joint, (struct prior){ 0 });
	CHECK_NEAR(joint_contrast(&joint, (struct joint_pair){ 0, 128 }).effect,
		   -0.5 * 128 * 129 / 2, 1e-7);
	CHECK_NEAR(joint_contrast(&joint, (struct joint_pair){ 0, 128 }).se,
		   sqrt(joint.variance * 128 / 129), TINY);
	CHECK_NEAR(joint.df, 4 * 129 - 129 - 128, 0);
}

static void what_no_block_ties_is_not_compared(void)
{
	scoped(joint_release) struct joint joint;

	joint_init(&joint, 5);
	add_pair(&joint, 1, 0, 1, 0.5);
	add_pair(&joint, 2, 3, 4, -9); /* commit 2 was never run */
	joint_fit(&joint, (struct prior){ 0 });
	CHECK(is_joint_tied(&joint, (struct joint_pair){ 0, 1 }));
	CHECK(!is_joint_tied(&joint, (struct joint_pair){ 0, 2 }));
	CHECK(!is_joint_tied(&joint, (struct joint_pair){ 0, 4 }));
	CHECK(isnan(joint_contrast(&joint, (struct joint_pair){ 1, 3 }).effect));
	CHECK(isnan(joint_covariance(&joint, (struct joint_pair){ 0, 1 },
				     (struct joint_pair){ 0, 4 })));
	CHECK_NEAR(joint_contrast(&joint, (struct joint_pair){ 3, 4 }).effect, -9, TINY);
	CHECK_NEAR(joint.df, 8 - 2 - 2, 0);
}

static void history_counts_by_its_weight(void)
{
	scoped(joint_release) struct joint joint;

	joint_init(&joint, 2);
	add_pair(&joint, 1, 0, 1, -5);
	joint_fit(&joint, (struct prior){ 0.25, 6 });
	/* four distances of 0.01 on 2 degrees of freedom */
	CHECK_NEAR(joint.variance, 0.0002, TINY);
	CHECK_NEAR(joint_contrast(&joint, (struct joint_pair){ 0, 1 }).se,
		   sqrt((6 * 0.25 + 2 * 0.0002) / 8), TINY);
	CHECK_NEAR(joint_contrast(&joint, (struct joint_pair){ 0, 1 }).df, 8, TINY);
}

static void positive_values_are_ratios(void)
{
	scoped(joint_release) struct joint joint;
	struct fit fit;

	joint_init(&joint, 3);
	for (uint32_t block = 1; block <= 4; block++) {
		for (size_t i = 0; i < 2; i++) {
			double noise = 1 + 0.001 * (double)(block % 2) - 0.001 * (double)i;

			joint_add(&joint, (struct joint_unit){ 0, block, 1, 100 * noise });
			joint_add(&joint, (struct joint_unit){ 1, block, 2, 110 * noise });
			joint_add(&joint, (struct joint_unit){ 1, block + 10, 3, 55 * noise });
			joint_add(&joint, (struct joint_unit){ 2, block + 10, 4, 50 * noise });
		}
	}
	joint_fit(&joint, (struct prior){ 0 });
	fit = joint_fit_of(&joint, (struct joint_pair){ 0, 1 });
	CHECK(fit.is_relative);
	CHECK_NEAR(fit.effect, log(1.1), TINY);
	CHECK_NEAR(fit.level[1] / fit.level[0], 1.1, TINY);
	CHECK_NEAR(joint_contrast(&joint, (struct joint_pair){ 0, 2 }).effect, 0, TINY);
	/* 100.1, 100 and 100, 99.9 in turn, of which the blocks' part is taken out */
	CHECK_NEAR(joint_side(&joint, 0).sd / joint_side(&joint, 0).level, 0.0005, 1e-6);
	CHECK_INT((int64_t)fit.nr[0], 8);
	CHECK_INT((int64_t)fit.nr[1], 16);
	CHECK_NEAR(fit.build_parts, 1 + 1.0 / 2, TINY);
}

static void fill_steps(struct joint *joint, double first, double second)
{
	joint_init(joint, 3);
	for (uint32_t block = 1; block <= 4; block++) {
		add_pair(joint, block, 0, 1, first);
		add_pair(joint, block + 10, 1, 2, second);
		joint_add(joint, (struct joint_unit){ 0, 20, 0, -1 });
	}
	joint_fit(joint, (struct prior){ 0 });
}

static bool goes_up_and_down(double first, double second)
{
	scoped(joint_release) struct joint joint;

	fill_steps(&joint, first, second);
	return joint_goes_up_and_down(&joint, 0, 1, 2);
}

static void up_and_down_is_seen(void)
{
	CHECK(goes_up_and_down(0.2, -0.19));
	CHECK(goes_up_and_down(-0.2, 0.15));
	CHECK(!goes_up_and_down(0.2, 0.19));
	CHECK(!goes_up_and_down(0.2, -0.05));
	CHECK(!goes_up_and_down(0.2, -0.5));
	CHECK(!goes_up_and_down(0.002, -0.002));
}

static const struct t_case cases[] = {
	{ "levels, covariance and variance are those of numpy's least squares",
	  agrees_with_least_squares },
	{ "any two commits are a contrast with the covariance of their levels",
	  any_pair_is_a_contrast },
	{ "how much one contrast is above another has the covariance of both",
	  contrasts_have_a_difference },
	{ "128 patches and their base are one fit, with the resistance of its graph",
	  a_full_stack_is_solved },
	{ "commits that no chain of blocks ties together are not compared",
	  what_no_block_ties_is_not_compared },
	{ "a prior and the residual share the variance by their degrees of freedom",
	  history_counts_by_its_weight },
	{ "values above zero are compared as ratios, and builds are counted",
	  positive_values_are_ratios },
	{ "a level that stands out from two alike neighbours is seen, a real step is not",
	  up_and_down_is_seen },
};

T_MAIN(cases)
