/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank.h"

#include <math.h>

#include "summary.h"

/* The distribution of a count: chance[i] is that of i. */
struct chances {
	double *at;
	size_t nr; /* counts 0 .. nr - 1 */
};

/* Mann and Whitney's count for `a` and `b` values without ties: of how many pairs the second is
 * the larger.  The largest value of all belongs to either side:
 * chance(a, b, u) = chance(a - 1, b, u - b) a / (a + b) + chance(a, b - 1, u) b / (a + b). */
static struct chances count_of_block(size_t a, size_t b)
{
	size_t room = a * b + 1;
	double *table = mem_array((a + 1) * (b + 1) * room, sizeof(*table));
	struct chances chances = { .at = mem_array(room, sizeof(double)), .nr = room };

	for (size_t i = 0; i <= a; i++) {
		for (size_t j = 0; j <= b; j++) {
			double *here = table + (i * (b + 1) + j) * room;
			const double *less_a = i ? table + ((i - 1) * (b + 1) + j) * room : NULL;
			const double *less_b = j ? here - room : NULL;
			double total = (double)(i + j);

			if (i == 0 || j == 0) {
				here[0] = 1;
				continue;
			}
			for (size_t u = 0; u <= i * j; u++) {
				here[u] = less_b[u] * (double)j / total;
				here[u] += u >= j ? less_a[u - j] * (double)i / total : 0;
			}
		}
	}
	memcpy(chances.at, table + ((a + 1) * (b + 1) - 1) * room, room * sizeof(double));
	free(table);
	return chances;
}

/* Of the sum of two independent counts. */
static void add_block(struct chances *sum, size_t a, size_t b)
{
	struct chances block = count_of_block(a, b);
	size_t nr = sum->nr + block.nr - 1;
	double *at = mem_array(nr, sizeof(*at));

	for (size_t i = 0; i < sum->nr; i++) {
		for (size_t j = 0; j < block.nr; j++) {
			at[i + j] += sum->at[i] * block.at[j];
		}
	}
	free(block.at);
	free(sum->at);
	*sum = (struct chances){ .at = at, .nr = nr };
}

/* The differences of all pairs, and the distribution of how many of them are above zero. */
struct pairs {
	VEC(double) differences;
	struct chances chances;
};

static double difference(const struct unit *base, const struct unit *head, bool is_relative)
{
	return is_relative ? log(head->value / base->value) : head->value - base->value;
}

/* Units are sorted by block, base before head. */
static void find_pairs(struct pairs *pairs, const struct units *units, bool is_relative)
{
	const struct unit *all = units->units.at;

	pairs->chances = (struct chances){ .at = mem_alloc(sizeof(double)), .nr = 1 };
	pairs->chances.at[0] = 1;
	for (size_t start = 0; start < units->units.nr;) {
		size_t middle = start;
		size_t end;

		while (middle < units->units.nr && all[middle].block == all[start].block &&
		       !all[middle].is_head) {
			middle++;
		}
		for (end = middle; end < units->units.nr && all[end].block == all[start].block;
		     end++) {
			for (size_t i = start; i < middle; i++) {
				*vec_push(&pairs->differences) =
					difference(&all[i], &all[end], is_relative);
			}
		}
		add_block(&pairs->chances, middle - start, end - middle);
		start = end;
	}
	summary_sort(pairs->differences.at, pairs->differences.nr);
}

static double two_sided(const struct pairs *pairs)
{
	double count = 0;
	double below = 0;
	double above = 0;

	for (size_t i = 0; i < pairs->differences.nr; i++) {
		double off = pairs->differences.at[i];

		count += off > 0 ? 1 : off < 0 ? 0 : 0.5;
	}
	for (size_t u = 0; u < pairs->chances.nr; u++) {
		below += (double)u <= ceil(count) ? pairs->chances.at[u] : 0;
		above += (double)u >= floor(count) ? pairs->chances.at[u] : 0;
	}
	return fmin(1, 2 * fmin(below, above));
}

/* From the k-th smallest to the k-th largest difference, k as large as `level` allows. */
static struct judge_interval interval_of(const struct pairs *pairs, double level)
{
	double outside = 0;
	size_t k = 0;

	while (k < pairs->chances.nr &&
	       outside + pairs->chances.at[k] <= (1 - level) / 2 * (1 + 1e-12)) {
		outside += pairs->chances.at[k++];
	}
	if (k == 0) {
		return (struct judge_interval){ -INFINITY, INFINITY };
	}
	return (struct judge_interval){ pairs->differences.at[k - 1],
					pairs->differences.at[pairs->differences.nr - k] };
}

static double base_level(const struct units *units)
{
	scoped(free) double *values = mem_array(units->units.nr, sizeof(*values));
	size_t nr = 0;

	for (size_t i = 0; i < units->units.nr; i++) {
		if (!units->units.at[i].is_head) {
			values[nr++] = units->units.at[i].value;
		}
	}
	summary_sort(values, nr);
	return summary_median(values, nr);
}

void rank_init(struct rank *rank, const struct units *units, bool is_relative)
{
	struct pairs pairs = { 0 };

	find_pairs(&pairs, units, is_relative);
	rank->effect = summary_median(pairs.differences.at, pairs.differences.nr);
	rank->level = base_level(units);
	rank->p = two_sided(&pairs);
	rank->interval_90 = interval_of(&pairs, 0.90);
	rank->interval_95 = interval_of(&pairs, 0.95);
	vec_release(&pairs.differences);
	free(pairs.chances.at);
}
