/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/policy/budget.h"
#include "daemon/policy/pairing.h"
#include "tests/t.h"

static void compares_each_with_its_parent_and_the_ends(void)
{
	const struct pairing_commit commits[] = { { true, "a" }, { true, "b" }, { true, "c" } };
	struct pair pairs[4];

	CHECK_INT(pairing_make(commits, 3, pairs), 3);
	CHECK(pairs[0].is_tip && pairs[0].base == 0 && pairs[0].head == 2);
	CHECK(!pairs[1].is_tip && pairs[1].base == 0 && pairs[1].head == 1);
	CHECK(!pairs[2].is_tip && pairs[2].base == 1 && pairs[2].head == 2);
}

static void one_commit_needs_one_pair(void)
{
	const struct pairing_commit commits[] = { { true, "a" }, { true, "b" } };
	struct pair pairs[3];

	CHECK_INT(pairing_make(commits, 2, pairs), 1);
	CHECK(pairs[0].is_tip && pairs[0].base == 0 && pairs[0].head == 1);
}

static void steps_over_what_does_not_build(void)
{
	const struct pairing_commit commits[] = {
		{ true, "a" }, { true, "b" }, { false, NULL }, { false, NULL }, { true, "c" },
	};
	struct pair pairs[6];

	CHECK_INT(pairing_make(commits, 5, pairs), 3);
	CHECK_INT(pairs[0].nr_between, 2);
	CHECK(pairs[2].base == 1 && pairs[2].head == 4);
	CHECK_INT(pairs[2].nr_between, 2);
}

static void takes_the_last_built_commit_for_the_tip(void)
{
	const struct pairing_commit commits[] = { { true, "a" }, { true, "b" }, { false, NULL } };
	struct pair pairs[4];

	CHECK_INT(pairing_make(commits, 3, pairs), 1);
	CHECK_INT(pairs[0].head, 1);
}

static void needs_a_built_base(void)
{
	const struct pairing_commit commits[] = { { false, NULL }, { true, "b" }, { true, "c" } };
	struct pair pairs[4];

	CHECK_INT(pairing_make(commits, 3, pairs), 0);
	CHECK_INT(pairing_make(commits, 1, pairs), 0);
	CHECK_INT(pairing_make(commits, 0, pairs), 0);
}

static void sees_equal_binaries_and_not_unknown_ones(void)
{
	const struct pairing_commit commits[] = {
		{ true, "a" }, { true, "a" }, { true, NULL }, { true, NULL }
	};
	struct pair pairs[5];

	CHECK_INT(pairing_make(commits, 4, pairs), 4);
	CHECK(pairs[1].is_same_binary);
	CHECK(!pairs[2].is_same_binary && !pairs[3].is_same_binary);
}

static void a_block_has_two_of_each_and_interleaves(void)
{
	for (uint64_t seed = 0; seed < 64; seed++) {
		bool is_head[BLOCK_RUNS];
		int nr = 0;

		pairing_shuffle(seed, is_head);
		for (int i = 0; i < BLOCK_RUNS; i++) {
			nr += is_head[i];
		}
		CHECK_INT(nr, 2);
		CHECK(!(is_head[0] == is_head[1] && is_head[2] == is_head[3]));
	}
}

static void the_budget_holds_the_first_looks(void)
{
	/* 2 blocks of 4 runs of 10 s are 80 s a pair */
	CHECK_NEAR(budget_first_look_s(10), 80, 1e-9);
	CHECK(is_within_budget(10, 3, 240));
	CHECK(!is_within_budget(10, 4, 240));
}

static const struct t_case cases[] = {
	{ "each commit is compared with its parent, the tip with the base",
	  compares_each_with_its_parent_and_the_ends },
	{ "a stack of one commit has one pair", one_commit_needs_one_pair },
	{ "an unbuilt commit is stepped over and counted", steps_over_what_does_not_build },
	{ "the last built commit stands for an unbuilt tip",
	  takes_the_last_built_commit_for_the_tip },
	{ "without a built base nothing is compared", needs_a_built_base },
	{ "equal artefacts are the same binary, unknown ones are not",
	  sees_equal_binaries_and_not_unknown_ones },
	{ "every order of a block interleaves two runs of each side",
	  a_block_has_two_of_each_and_interleaves },
	{ "the budget is compared with the cost of all first looks",
	  the_budget_holds_the_first_looks },
};

T_MAIN(cases)
