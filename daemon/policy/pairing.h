/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairing.h - which commits of a stack are compared with which, and in what order they run.  PURE.
 *
 * Each built commit is compared with its nearest built ancestor in the stack, and the tip with the
 * base.  Where unbuilt commits lie between, a change belongs to the set that ends at the head.
 * Two commits whose builds are the same bytes need no run.
 */
#ifndef POLICY_PAIRING_H
#define POLICY_PAIRING_H

#include "lib/base/base.h"

struct pairing_commit {
	bool is_built;
	const char *artefact; /* hash of what was built; NULL: unknown */
};

struct pair {
	size_t base, head; /* positions in the stack, 0 is its base */
	bool is_tip;       /* the ends against each other */
	size_t nr_between; /* unbuilt commits between base and head */
	bool is_same_binary;
};

/* Writes at most `nr` pairs, the one of the ends first, and returns their number.  `commits[0]`
 * is the base.  Of a stack with one built commit above a built base the only pair is base and
 * tip. */
size_t pairing_make(const struct pairing_commit *commits, size_t nr, struct pair *ret_pairs);

/* The order of a block: side of each of its runs, two of each, one of the four interleaved
 * arrangements chosen by the seed.  false: base. */
#define BLOCK_RUNS 4
void pairing_shuffle(uint64_t seed, bool ret_is_head[BLOCK_RUNS]);

#endif
