/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairing.h"

static struct pair make(const struct pairing_commit *commits, size_t base, size_t head)
{
	struct pair pair = { .base = base, .head = head };
	const char *a = commits[base].artefact;
	const char *b = commits[head].artefact;

	pair.is_same_binary = a && b && strcmp(a, b) == 0;
	for (size_t i = base + 1; i < head; i++) {
		pair.nr_between += !commits[i].is_built;
	}
	return pair;
}

/* nr where none is built */
static size_t last_built(const struct pairing_commit *commits, size_t nr)
{
	for (size_t i = nr; i > 0; i--) {
		if (commits[i - 1].is_built) {
			return i - 1;
		}
	}
	return nr;
}

size_t pairing_make(const struct pairing_commit *commits, size_t nr, struct pair *ret_pairs)
{
	size_t nr_pairs = 0;
	size_t tip = last_built(commits, nr);
	size_t nearest = 0;

	if (nr < 2 || tip == nr || !commits[0].is_built || tip == 0) {
		return 0;
	}
	ret_pairs[nr_pairs] = make(commits, 0, tip);
	ret_pairs[nr_pairs++].is_tip = true;
	for (size_t i = 1; i <= tip; i++) {
		if (!commits[i].is_built) {
			continue;
		}
		/* Of two built ends the parents' pair would be the pair of the ends again. */
		if (!(nearest == 0 && i == tip)) {
			ret_pairs[nr_pairs++] = make(commits, nearest, i);
		}
		nearest = i;
	}
	return nr_pairs;
}

void pairing_shuffle(uint64_t seed, bool ret_is_head[BLOCK_RUNS])
{
	/* AABB and BBAA are left out: a level that jumps between the halves would look like an
	 * effect. */
	static const bool orders[4][BLOCK_RUNS] = {
		{ false, true, true, false },
		{ true, false, false, true },
		{ false, true, false, true },
		{ true, false, true, false },
	};

	memcpy(ret_is_head, orders[seed % 4], sizeof(orders[0]));
}
