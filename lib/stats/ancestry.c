/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ancestry.h"

#include "lib/base/mem.h"

#define WORD_BITS 64

struct parents {
	size_t *at; /* NULL: the commit before it */
	size_t nr;
};

struct ancestry {
	size_t nr_commits;
	struct parents *parents;
	size_t nr_words; /* of a row */
	uint64_t *held;  /* a row of bits a commit */
	bool *is_main;
};

struct ancestry *ancestry_new(size_t nr_commits)
{
	struct ancestry *ancestry = mem_alloc(sizeof(*ancestry));

	if (nr_commits > ANCESTRY_MOST_COMMITS) {
		bug("%zu commits", nr_commits);
	}
	ancestry->nr_commits = nr_commits;
	ancestry->parents = mem_array(nr_commits + 1, sizeof(*ancestry->parents));
	ancestry->nr_words = nr_commits / WORD_BITS + 1;
	ancestry->is_main = mem_array(nr_commits + 1, sizeof(*ancestry->is_main));
	return ancestry;
}

struct ancestry *ancestry_free(struct ancestry *ancestry)
{
	if (ancestry) {
		for (size_t i = 0; i <= ancestry->nr_commits; i++) {
			free(ancestry->parents[i].at);
		}
		free(ancestry->parents);
		free(ancestry->held);
		free(ancestry->is_main);
		free(ancestry);
	}
	return NULL;
}

void ancestry_set(struct ancestry *ancestry, size_t commit, const size_t *parents, size_t nr)
{
	struct parents *of = &ancestry->parents[commit];

	if (commit > ancestry->nr_commits || nr == 0 || of->at) {
		bug("parents of commit %zu", commit);
	}
	of->at = mem_array(nr, sizeof(*of->at));
	of->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		if (parents[i] >= commit) {
			bug("commit %zu has the parent %zu", commit, parents[i]);
		}
		of->at[i] = parents[i];
	}
}

bool ancestry_is_set(const struct ancestry *ancestry, size_t commit)
{
	return ancestry->parents[commit].at;
}

static void inherit(struct ancestry *ancestry, size_t commit, size_t parent)
{
	uint64_t *own = &ancestry->held[commit * ancestry->nr_words];
	const uint64_t *theirs = &ancestry->held[parent * ancestry->nr_words];

	for (size_t i = 0; i <= parent / WORD_BITS; i++) {
		own[i] |= theirs[i];
	}
}

void ancestry_settle(struct ancestry *ancestry)
{
	ancestry->held =
		mem_array((ancestry->nr_commits + 1) * ancestry->nr_words, sizeof(*ancestry->held));
	for (size_t i = 0; i <= ancestry->nr_commits; i++) {
		const struct parents *of = &ancestry->parents[i];

		ancestry->held[i * ancestry->nr_words + i / WORD_BITS] |= (uint64_t)1
									  << i % WORD_BITS;
		for (size_t j = 0; j < of->nr; j++) {
			inherit(ancestry, i, of->at[j]);
		}
		if (i > 0 && !of->at) {
			inherit(ancestry, i, i - 1);
		}
	}
	for (size_t i = ancestry->nr_commits; i > 0;) {
		ancestry->is_main[i] = true;
		i = ancestry->parents[i].at ? ancestry->parents[i].at[0] : i - 1;
	}
	ancestry->is_main[0] = true;
}

bool ancestry_holds(const void *ancestry, size_t commit, size_t other)
{
	const struct ancestry *of = ancestry;
	uint64_t word = of->held[commit * of->nr_words + other / WORD_BITS];

	return word >> other % WORD_BITS & 1;
}

bool ancestry_is_side(const void *ancestry, size_t commit)
{
	return !((const struct ancestry *)ancestry)->is_main[commit];
}
