/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wealth.h - what the next of many tests may risk, so that few of all discoveries are false.
 *
 * LORD++ (Ramdas, Yang, Wainwright and Jordan 2017, "Online control of the false discovery rate
 * with decaying memory"): tests come one after the other, each is given a level when it comes, and
 * at most WEALTH_RATE of what is discovered is false in the long run, however many there are.  A
 * discovery earns levels for the tests after it; a long time without one makes them small.
 *
 *	double level = wealth_next(discoveries, nr_discoveries, nr_tests);
 *	size_t nr_kept = wealth_holm(p, nr, nr_family, level);
 */
#ifndef STATS_WEALTH_H
#define STATS_WEALTH_H

#include "lib/base/base.h"

#define WEALTH_RATE 0.02

/* The level of test `nr_tests + 1`; `discoveries` are the numbers, from 1 and ascending, of those
 * that were discoveries.  The p of a test must not depend on earlier ones. */
double wealth_next(const size_t *discoveries, size_t nr_discoveries, size_t nr_tests);

/* Holm: how many of a test's ascending `p` may be told, with a risk of `level` that any is false.
 * nr_family >= nr: those that were looked at; the others have a larger p. */
size_t wealth_holm(const double *p, size_t nr, size_t nr_family, double level);

#endif
