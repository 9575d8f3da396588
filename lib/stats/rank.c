/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank.h"

#include <math.h>

#include "summary.h"

/* The median distance of two normal numbers, in their deviations. */
#define MEDIAN_DISTANCE 0.954

/* The distribution of a count: at[i] is the chance of i. */
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

static double difference(const struct unit *a, const struct unit *b, bool is_relative)
{
	return is_relative ? log(b->value / a->value) : b->value - a->value;
}

/* Where the units of one block and side end that begin at `start`. */
static size_t side_end(const struct units *units, size_t start)
{
	const struct unit *all = units->units.at;
	size_t end = start;

	while (end < units->units.nr && all[end].block == all[start].block &&
	       all[end].is_head == all[start].is_head) {
		end++;
	}
	return end;
}

/* Units are sorted by block, base before head. */
static void find_pairs(struct rank *rank, const struct units *units, bool is_relative)
{
	const struct unit *all = units->units.at;
	struct chances chances = { .at = mem_alloc(sizeof(double)), .nr = 1 };

	chances.at[0] = 1;
	for (size_t start = 0; start < units->units.nr;) {
		size_t middle = side_end(units, start);
		size_t end = side_end(units, middle);

		for (size_t i = start; i < middle; i++) {
			for (size_t j = middle; j < end; j++) {
				*vec_push(&rank->differences) =
					difference(&all[i], &all[j], is_relative);
			}
		}
		add_block(&chances, middle - start, end - middle);
		start = end;
	}
	summary_sort(rank->differences.at, rank->differences.nr);
	for (size_t i = 0; i < chances.nr; i++) {
		*vec_push(&rank->chances) = chances.at[i];
	}
	free(chances.at);
}

static double find_sd(const struct units *units, bool is_relative)
{
	const struct unit *all = units->units.at;
	VEC(double) distances = { 0 };
	double sd = NAN;

	for (size_t start = 0; start < units->units.nr;) {
		size_t end = side_end(units, start);

		for (size_t i = start; i < end; i++) {
			for (size_t j = i + 1; j < end; j++) {
				*vec_push(&distances) =
					fabs(difference(&all[i], &all[j], is_relative));
			}
		}
		start = end;
	}
	if (distances.nr > 0) {
		summary_sort(distances.at, distances.nr);
		sd = summary_median(distances.at, distances.nr) / MEDIAN_DISTANCE;
	}
	vec_release(&distances);
	return sd;
}

/* How many differences are above `least`; as many below where `sign` is -1. */
static double count_beyond(const struct rank *rank, double least, int sign)
{
	double count = 0;

	for (size_t i = 0; i < rank->differences.nr; i++) {
		double off = sign * rank->differences.at[i] - least;

		count += off > 0 ? 1 : off < 0 ? 0 : 0.5;
	}
	return count;
}

/* The chance of at least `count`; half a count is rounded to the side that doubts. */
static double tail(const struct rank *rank, double count)
{
	double chance = 0;

	for (size_t u = rank->chances.nr; u-- > 0 && (double)u >= floor(count);) {
		chance += rank->chances.at[u];
	}
	return chance;
}

double rank_p(const struct rank *rank, double least)
{
	int sign = rank->effect < 0 ? -1 : 1;

	return fmin(1, tail(rank, count_beyond(rank, least, sign)) +
			       tail(rank, count_beyond(rank, -least, sign)));
}

/* From the k-th smallest to the k-th largest difference, k as large as `level` allows. */
struct judge_interval rank_interval(const struct rank *rank, double level)
{
	double outside = 0;
	size_t k = 0;

	while (k < rank->chances.nr &&
	       outside + rank->chances.at[k] <= (1 - level) / 2 * (1 + 1e-12)) {
		outside += rank->chances.at[k++];
	}
	if (k == 0) {
		return (struct judge_interval){ -INFINITY, INFINITY };
	}
	return (struct judge_interval){ rank->differences.at[k - 1],
					rank->differences.at[rank->differences.nr - k] };
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
	*rank = (struct rank){ 0 };
	find_pairs(rank, units, is_relative);
	rank->effect = summary_median(rank->differences.at, rank->differences.nr);
	rank->level = base_level(units);
	rank->sd = find_sd(units, is_relative);
}

void rank_release(struct rank *rank)
{
	vec_release(&rank->differences);
	vec_release(&rank->chances);
}
