/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect_gain.h - which run tells most about the culprit for what it costs.
 *
 * Internal to lib/stats; bisect.h tells what for.
 */
#ifndef STATS_BISECT_GAIN_H
#define STATS_BISECT_GAIN_H

#include "belief.h"

/* Bits that N(0, 1) or N(size, 1) tells about which it is, the second one having the chance p:
 * the capacity of a channel of two inputs with Gaussian noise. */
double gain_channel(double p, double size);

/* The next run of `machine`, while others run `pending`. */
void gain_next(struct belief *belief, size_t machine, const size_t *pending, size_t nr_pending,
	       struct bisect_next *ret_next);

#endif
