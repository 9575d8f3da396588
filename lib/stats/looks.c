/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "looks.h"

#include "judge.h"

/* From the fourth on only an exact change that no time follows yet is looked at. */
static const struct look looks[1 + JUDGE_LOOKS] = {
	{ 0, 0.010, 0.0500, 0.050, 1.00 }, { 2, 0.008, 0.0100, 0.008, 0.50 },
	{ 4, 0.015, 0.0150, 0.012, 0.80 }, { 6, 0.027, 0.0100, 0.020, 1.00 },
	{ 9, 0.000, 0.0075, 0.005, 1.00 }, { 12, 0.000, 0.0075, 0.005, 1.00 },
};

const struct look *look_at(int look)
{
	assert(look >= 0 && look <= JUDGE_LOOKS);
	return &looks[look];
}

size_t judge_look_blocks(int look)
{
	assert(look >= 1);
	return look_at(look)->nr_blocks;
}
