/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay.h"

enum vote { VOTE_NONE, VOTE_GOOD, VOTE_BAD, VOTE_SKIP };

static enum vote vote_of(const struct outcome *outcome, size_t commit)
{
	const struct range *range = outcome->range;
	const struct evidence *evidence = outcome->evidence;
	const struct bisect_answer *answer = &evidence->answer;

	if (evidence->at[commit].why) {
		return VOTE_SKIP;
	}
	if (range_holds(range, commit, answer->last)) {
		return VOTE_BAD;
	}
	return evidence->at[commit].nr > 0 ? VOTE_GOOD : VOTE_NONE;
}

static bool is_held_by_good(const struct range *range, const enum vote *votes, size_t last,
			    size_t commit)
{
	for (size_t i = last; i-- > commit + 1;) {
		if (votes[i] == VOTE_GOOD && range_holds(range, last, i) &&
		    range_holds(range, i, commit)) {
			return true;
		}
	}
	return false;
}

/* By commit.  What the culprit holds and is none of the set did not do it, measured or not: git is
 * told of the last ones on each branch, or asks for them. */
static enum vote *cast_votes(const struct outcome *outcome)
{
	const struct range *range = outcome->range;
	const struct bisect_answer *answer = &outcome->evidence->answer;
	enum vote *votes = mem_array(range->tip + 1, sizeof(*votes));
	scoped(free) bool *is_suspect = mem_array(range->tip + 1, sizeof(*is_suspect));
	scoped(free) size_t *set = mem_array(answer->nr_set + 1, sizeof(*set));

	bisect_set(outcome->evidence->bisect, answer, set);
	for (size_t i = 0; i < answer->nr_set; i++) {
		is_suspect[set[i]] = true;
	}
	for (size_t i = 0; i <= range->tip; i++) {
		votes[i] = vote_of(outcome, i);
	}
	for (size_t i = answer->last; i-- > 1;) {
		if (votes[i] == VOTE_NONE && !is_suspect[i] &&
		    range_holds(range, answer->last, i) &&
		    !is_held_by_good(range, votes, answer->last, i)) {
			votes[i] = VOTE_GOOD;
		}
	}
	return votes;
}

static void append_vote(const struct outcome *outcome, const char *word, size_t commit,
			struct str *out)
{
	const struct range_commit *at = &outcome->range->at[commit];

	str_printf(out, "# %s: [%s] %s\ngit bisect %s %s\n", word, at->id.text, at->subject, word,
		   at->id.text);
}

/* git takes the last bad commit for the one that counts: they go down to the culprit.  Those that
 * hold it and were not measured are for nobody's use. */
void replay_append(const struct outcome *outcome, struct str *out)
{
	const struct range *range = outcome->range;
	const struct evidence *evidence = outcome->evidence;
	scoped(free) enum vote *votes = NULL;
	size_t before = 0;
	size_t culprit = 0;

	if (!outcome_sides(range, evidence, &before, &culprit)) {
		return;
	}
	votes = cast_votes(outcome);
	str_append(out, "git bisect start\n");
	append_vote(outcome, "good", 0, out);
	for (size_t i = range->tip; i >= culprit; i--) {
		if (votes[i] == VOTE_BAD &&
		    (evidence->at[i].nr > 0 || i == culprit || i == range->tip)) {
			append_vote(outcome, "bad", i, out);
		}
	}
	for (size_t i = 1; i <= range->tip; i++) {
		if (votes[i] == VOTE_GOOD || votes[i] == VOTE_SKIP) {
			append_vote(outcome, votes[i] == VOTE_GOOD ? "good" : "skip", i, out);
		}
	}
	if (evidence->answer.state == BISECT_CULPRIT) {
		str_printf(out, "# first bad commit: [%s] %s\n", range->at[culprit].id.text,
			   range->at[culprit].subject);
	}
}
