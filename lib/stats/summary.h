/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h - one number for many.
 *
 * Pure functions of finite numbers.  A number that does not exist is NAN: the mean of nothing, the
 * deviation of one value, the harmonic mean where a value is not above zero.  NAN is never zero:
 * whoever prints it prints "-", whoever writes JSON writes null (json_put_number does so).
 *
 *	double mean = summary_mean(values, nr);
 *	summary_sort(values, nr);
 *	double p99 = summary_quantile(values, nr, 0.99);
 *
 * Sums are compensated and scaled by a power of two, so neither 1e300 nor a large offset with a
 * small spread costs digits.
 */
#ifndef STATS_SUMMARY_H
#define STATS_SUMMARY_H

#include "lib/base/base.h"

/* NAN where nr is 0. */
double summary_mean(const double *values, size_t nr);

/* NAN unless every value is above zero. */
double summary_hmean(const double *values, size_t nr);
double summary_gmean(const double *values, size_t nr);

/* Standard deviation of a population (divided by nr, 0 for one value) and of a sample (divided by
 * nr - 1, NAN for one value). */
double summary_population_sd(const double *values, size_t nr);
double summary_sample_sd(const double *values, size_t nr);

/* Ascending, in place; what median and quantile need. */
void summary_sort(double *values, size_t nr);
/* Moves the `nr_least` smallest values to the front, in any order: what trimming needs. */
void summary_part(double *values, size_t nr, size_t nr_least);
/* The middle value, or half way between the two middle ones. */
double summary_median(const double *sorted, size_t nr);
/* Type 7 of Hyndman and Fan, which R and NumPy use by default: linear between the values at the
 * ranks around (nr - 1) * share.  `share` within 0..1. */
double summary_quantile(const double *sorted, size_t nr, double share);

/* One number for the iterations of a run, by the estimator's word in a job file: "mean", "hmean",
 * "median".  A percentile ("p99") was taken inside each iteration and is averaged over them.  NAN
 * where one of them is NAN.  Reorders the values. */
double summary_estimate(const char *estimator, double *values, size_t nr);

#endif
