/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "family.h"

#include <math.h>

#include "lib/base/mem.h"

struct member {
	double p;
	size_t place;
};

static int by_p(const void *left, const void *right)
{
	const struct member *a = left;
	const struct member *b = right;

	return (a->p > b->p) - (a->p < b->p);
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
	qsort(members, nr_members, sizeof(*members), by_p);
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
