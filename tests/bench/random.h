/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random.h - numbers drawn by lot, the same for the same seed on every machine.
 */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <math.h>

#include "lib/base/base.h"

struct rng {
	uint64_t state;
	double spare; /* a normal number that is drawn already; NAN: none */
};

static inline void rng_init(struct rng *rng, uint64_t seed)
{
	*rng = (struct rng){ .state = seed * 0x2545f4914f6cdd1d + 1, .spare = (double)NAN };
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static inline uint64_t rng_draw(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Above 0 and below 1. */
static inline double rng_share(struct rng *rng)
{
	return ((double)(rng_draw(rng) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller's two at a time. */
static inline double rng_normal(struct rng *rng)
{
	double radius;
	double angle;
	double spare = rng->spare;

	if (!isnan(spare)) {
		rng->spare = (double)NAN;
		return spare;
	}
	radius = sqrt(-2 * log(rng_share(rng)));
	angle = 2 * M_PI * rng_share(rng);
	rng->spare = radius * sin(angle);
	return radius * cos(angle);
}

/* A block's order, as policy/pairing draws it: one of each side twice, four orders. */
static inline void rng_order(struct rng *rng, bool ret_is_head[4])
{
	static const uint8_t orders[4] = { 0x5, 0x6, 0x9, 0xa };
	uint8_t order = orders[rng_draw(rng) % 4];

	for (int i = 0; i < 4; i++) {
		ret_is_head[i] = order >> i & 1;
	}
}

#endif
