/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "family.h"

#include <math.h>

#include "lib/base/mem.h"

struct member {
	double p;
	size_t place;
};

/* Two sorted lists side by side become one. */
static void merge(const struct member *from, size_t nr_left, size_t nr, struct member *to)
{
	size_t left = 0;
	size_t right = nr_left;

	for (size_t i = 0; i < nr; i++) {
		bool is_left = right == nr || (left < nr_left && from[left].p <= from[right].p);

		to[i] = from[is_left ? left : right];
		left += is_left;
		right += !is_left;
	}
}

/* A merge sort as qsort() is, but with no call for each of a million comparisons. */
static void sort_by_p(struct member *members, size_t nr)
{
	scoped(free) struct member *room = mem_array(nr, sizeof(*room));
	struct member *from = members;
	struct member *to = room;

	for (size_t length = 1; length < nr; length *= 2) {
		struct member *swapped = from;

		for (size_t i = 0; i < nr; i += 2 * length) {
			size_t left = nr - i < length ? nr - i : length;
			size_t both = nr - i < 2 * length ? nr - i : 2 * length;

			merge(from + i, left, both, to + i);
		}
		from = to;
		to = swapped;
	}
	if (from != members) {
		memcpy(members, from, nr * sizeof(*members));
	}
}

/* The tested ones, smallest p first; `ret_q` is NAN for the others. */
static size_t sort_members(const double *p, size_t nr, struct member *members, double *ret_q)
{
	size_t nr_members = 0;

	for (size_t i = 0; i < nr; i++) {
		ret_q[i] = NAN;
		if (!isnan(p[i])) {
			members[nr_members++] = (struct member){ p[i], i };
		}
	}
	sort_by_p(members, nr_members);
	return nr_members;
}

void family_bh(const double *p, size_t nr, double *ret_q)
{
	scoped(free) struct member *members = mem_array(nr, sizeof(*members));
	size_t nr_members = sort_members(p, nr, members, ret_q);
	double q = 1;

	for (size_t i = nr_members; i-- > 0;) {
		q = fmin(q, members[i].p * (double)nr_members / (double)(i + 1));
		ret_q[members[i].place] = q;
	}
}

void family_holm(const double *p, size_t nr, double *ret_q)
{
	scoped(free) struct member *members = mem_array(nr, sizeof(*members));
	size_t nr_members = sort_members(p, nr, members, ret_q);
	double q = 0;

	for (size_t i = 0; i < nr_members; i++) {
		q = fmax(q, fmin(1, members[i].p * (double)(nr_members - i)));
		ret_q[members[i].place] = q;
	}
}
