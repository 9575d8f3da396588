/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "permute.h"

#include <math.h>

/* So many lots are all gone through; of more, so many are drawn. */
#define MOST_LOTS 50000
#define DRAWN     20000

/* How finely the ends of an interval are looked for, and how far away at most. */
#define STEPS    30
#define FARTHEST 20.0 /* standard errors */

/* A block's values after a shift of its head, and what one value on head's side adds to the
 * statistic, which is the weighted sum of the blocks' differences of means. */
struct lot_block {
	double *values;
	size_t nr, nr_head;
	double weight; /* of a value on head's side */
	double rest;   /* what base's side takes off whatever the lot says */
};

struct lots {
	VEC(struct lot_block) blocks;
	double observed;
	double nr_lots;
};

static double shifted(const struct unit *unit, bool is_relative, double shift)
{
	if (!unit->is_head) {
		return unit->value;
	}
	return is_relative ? unit->value * exp(-shift) : unit->value - shift;
}

static double nr_choices(size_t nr, size_t nr_chosen)
{
	double choices = 1;

	for (size_t i = 1; i <= nr_chosen; i++) {
		choices *= (double)(nr - nr_chosen + i) / (double)i;
	}
	return choices;
}

/* The statistic is w (sum_head / n_head - sum_base / n_base) with w = n_head n_base / n, which is
 * sum_head - total n_head / n. */
static void add_block(struct lots *lots, const struct unit *units, size_t nr, bool is_relative,
		      double shift)
{
	struct lot_block block = { .values = mem_array(nr, sizeof(double)), .nr = nr };
	double total = 0;

	for (size_t i = 0; i < nr; i++) {
		block.values[i] = shifted(&units[i], is_relative, shift);
		block.nr_head += units[i].is_head;
		total += block.values[i];
		lots->observed += units[i].is_head ? block.values[i] : 0;
	}
	block.rest = total * (double)block.nr_head / (double)nr;
	lots->observed -= block.rest;
	lots->nr_lots *= nr_choices(nr, block.nr_head);
	*vec_push(&lots->blocks) = block;
}

static void lots_init(struct lots *lots, const struct units *units, bool is_relative, double shift)
{
	const struct unit *all = units->units.at;

	*lots = (struct lots){ .nr_lots = 1 };
	for (size_t i = 0, nr; i < units->units.nr; i += nr) {
		for (nr = 1; i + nr < units->units.nr && all[i + nr].block == all[i].block; nr++) {
		}
		add_block(lots, all + i, nr, is_relative, shift);
	}
}

static void lots_release(struct lots *lots)
{
	for (size_t i = 0; i < lots->blocks.nr; i++) {
		free(lots->blocks.at[i].values);
	}
	vec_release(&lots->blocks);
}

/* Counts the lots at least as large as the observed one (sign 1) or as small (sign -1). */
struct count {
	const struct lots *lots;
	double sign, limit;
	double nr;
};

static void count_from(struct count *count, size_t block, size_t place, size_t nr_chosen,
		       double sum)
{
	const struct lot_block *here = &count->lots->blocks.at[block];

	if (nr_chosen == here->nr_head) {
		sum -= here->rest;
		if (block + 1 < count->lots->blocks.nr) {
			count_from(count, block + 1, 0, 0, sum);
		} else {
			count->nr += count->sign * sum >= count->limit;
		}
		return;
	}
	for (size_t i = place; i + here->nr_head - nr_chosen <= here->nr; i++) {
		count_from(count, block, i + 1, nr_chosen + 1, sum + here->values[i]);
	}
}

/* splitmix64 (Steele, Lea, Flood 2014), from a seed that is always the same. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Draws head's values of a block by Fisher and Yates, in place. */
static double draw_block(struct lot_block *block, uint64_t *state)
{
	double sum = 0;

	for (size_t i = 0; i < block->nr_head; i++) {
		size_t other = i + draw(state) % (block->nr - i);
		double value = block->values[other];

		block->values[other] = block->values[i];
		block->values[i] = value;
		sum += value;
	}
	return sum - block->rest;
}

static double share_drawn(struct lots *lots, struct count *count)
{
	uint64_t state = 1;

	for (int i = 0; i < DRAWN; i++) {
		double sum = 0;

		for (size_t j = 0; j < lots->blocks.nr; j++) {
			sum += draw_block(&lots->blocks.at[j], &state);
		}
		count->nr += count->sign * sum >= count->limit;
	}
	return (count->nr + 1) / (DRAWN + 1);
}

/* The share of lots whose statistic, after head was shifted back by `shift`, is at least as far on
 * the side of `sign` as the observed one. */
static double tail(const struct units *units, const struct fit *fit, double shift, int sign)
{
	struct count count = { .sign = sign };
	struct lots lots;
	double share;

	lots_init(&lots, units, fit->is_relative, shift);
	count.lots = &lots;
	count.limit = sign * lots.observed - 1e-12 * fabs(lots.observed);
	if (lots.nr_lots <= MOST_LOTS) {
		count_from(&count, 0, 0, 0, 0);
		share = count.nr / lots.nr_lots;
	} else {
		share = share_drawn(&lots, &count);
	}
	lots_release(&lots);
	return share;
}

double permute_p(const struct units *units, const struct fit *fit, double least)
{
	int sign = fit->effect < 0 ? -1 : 1;

	return fmin(1,
		    tail(units, fit, sign * least, sign) + tail(units, fit, -sign * least, sign));
}

/* The outermost shift on the side of `sign` that the test on that side does not reject. */
static double find_end(const struct units *units, const struct fit *fit, double risk, int sign)
{
	double kept = 0;
	double rejected = FARTHEST * sqrt(fit->variance * fit->parts);

	if (!(tail(units, fit, fit->effect + sign * rejected, -sign) <= risk)) {
		return sign * (double)INFINITY;
	}
	for (int i = 0; i < STEPS; i++) {
		double middle = (kept + rejected) / 2;

		if (tail(units, fit, fit->effect + sign * middle, -sign) <= risk) {
			rejected = middle;
		} else {
			kept = middle;
		}
	}
	return fit->effect + sign * rejected;
}

struct judge_interval permute_interval(const struct units *units, const struct fit *fit,
				       double level)
{
	return (struct judge_interval){ find_end(units, fit, (1 - level) / 2, -1),
					find_end(units, fit, (1 - level) / 2, 1) };
}
