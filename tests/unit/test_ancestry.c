/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/stats/ancestry.h"
#include "tests/t.h"

static void follows_a_line(void)
{
	scoped(ancestry_free) struct ancestry *line = ancestry_new(200);

	ancestry_settle(line);
	for (size_t i = 0; i <= 200; i++) {
		CHECK(!ancestry_is_side(line, i));
		CHECK(ancestry_holds(line, i, i) && ancestry_holds(line, i, 0));
		CHECK(i == 0 || ancestry_holds(line, i, i - 1));
		CHECK(i == 200 || !ancestry_holds(line, i, i + 1));
	}
}

/* As `git log --graph` draws it, newest on top:
 *
 *	6   tip
 *	5   merge of 4 into 2
 *	|\
 *	| 4
 *	| 3
 *	2 |
 *	1 |
 *	|/
 *	0
 */
static struct ancestry *one_merge(void)
{
	struct ancestry *ancestry = ancestry_new(6);

	ancestry_set(ancestry, 3, (size_t[]){ 0 }, 1);
	ancestry_set(ancestry, 5, (size_t[]){ 2, 4 }, 2);
	ancestry_settle(ancestry);
	return ancestry;
}

static void follows_both_parents(void)
{
	scoped(ancestry_free) struct ancestry *ancestry = one_merge();

	CHECK(ancestry_holds(ancestry, 4, 3) && !ancestry_holds(ancestry, 4, 1));
	CHECK(!ancestry_holds(ancestry, 4, 2) && !ancestry_holds(ancestry, 2, 3));
	for (size_t i = 0; i <= 5; i++) {
		CHECK(ancestry_holds(ancestry, 5, i) && ancestry_holds(ancestry, 6, i));
	}
	CHECK(!ancestry_holds(ancestry, 5, 6));
}

static void knows_the_side(void)
{
	scoped(ancestry_free) struct ancestry *ancestry = one_merge();

	for (size_t i = 0; i <= 6; i++) {
		CHECK_INT(ancestry_is_side(ancestry, i), i == 3 || i == 4);
	}
}

static void tells_what_was_set(void)
{
	scoped(ancestry_free) struct ancestry *ancestry = one_merge();

	CHECK(ancestry_is_set(ancestry, 3) && !ancestry_is_set(ancestry, 4));
}

static const struct t_case cases[] = {
	{ "without a word on parents, each commit holds those before it", follows_a_line },
	{ "a merge holds both sides, and a side not the other", follows_both_parents },
	{ "what the tip's first parents do not reach is a side", knows_the_side },
	{ "what was said once can be asked for", tells_what_was_set },
};
T_MAIN(cases)
