/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "summary.h"

#include <math.h>

struct range {
	double least;
	double most;
};

static struct range range_of(const double *values, size_t nr)
{
	struct range range = { (double)INFINITY, -(double)INFINITY };

	for (size_t i = 0; i < nr; i++) {
		range.least = fmin(range.least, values[i]);
		range.most = fmax(range.most, values[i]);
	}
	return range;
}

/* The power of two, so that scaling rounds nothing, just below the largest magnitude. */
static double scale_of(const double *values, size_t nr)
{
	struct range range = range_of(values, nr);
	double most = fmax(fabs(range.least), fabs(range.most));

	return nr > 0 && most > 0 ? ldexp(1, ilogb(most)) : 1;
}

/* Neumaier's sum: what an addition rounds away is added up on its own. */
struct sum {
	double total;
	double lost;
};

static void sum_add(struct sum *sum, double value)
{
	double total = sum->total + value;

	if (fabs(sum->total) >= fabs(value)) {
		sum->lost += (sum->total - total) + value;
	} else {
		sum->lost += (value - total) + sum->total;
	}
	sum->total = total;
}

static double sum_value(const struct sum *sum)
{
	return sum->total + sum->lost;
}

double summary_mean(const double *values, size_t nr)
{
	struct range range = range_of(values, nr);
	double scale = scale_of(values, nr);
	struct sum sum = { 0 };

	if (nr == 0) {
		return NAN;
	}
	for (size_t i = 0; i < nr; i++) {
		sum_add(&sum, values[i] / scale);
	}
	/* Equal values have exactly themselves as their mean, and so no deviation. */
	return fmin(fmax(sum_value(&sum) / (double)nr * scale, range.least), range.most);
}

static bool is_positive(const double *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!(values[i] > 0)) {
			return false;
		}
	}
	return nr > 0;
}

double summary_hmean(const double *values, size_t nr)
{
	double scale = scale_of(values, nr);
	struct sum sum = { 0 };

	if (!is_positive(values, nr)) {
		return NAN;
	}
	for (size_t i = 0; i < nr; i++) {
		sum_add(&sum, scale / values[i]);
	}
	return (double)nr / sum_value(&sum) * scale;
}

double summary_gmean(const double *values, size_t nr)
{
	double scale = scale_of(values, nr);
	struct sum sum = { 0 };

	if (!is_positive(values, nr)) {
		return NAN;
	}
	for (size_t i = 0; i < nr; i++) {
		sum_add(&sum, log(values[i] / scale));
	}
	return exp(sum_value(&sum) / (double)nr) * scale;
}

/* The root of the mean square distance from the mean, with `divisor` for the count. */
static double deviation(const double *values, size_t nr, size_t divisor)
{
	double mean = summary_mean(values, nr);
	double scale = 0;
	struct sum sum = { 0 };

	for (size_t i = 0; i < nr; i++) {
		scale = fmax(scale, fabs(values[i] - mean));
	}
	if (!(scale > 0)) {
		return 0;
	}
	for (size_t i = 0; i < nr; i++) {
		double distance = (values[i] - mean) / scale;

		sum_add(&sum, distance * distance);
	}
	return scale * sqrt(sum_value(&sum) / (double)divisor);
}

double summary_population_sd(const double *values, size_t nr)
{
	return nr == 0 ? (double)NAN : deviation(values, nr, nr);
}

double summary_sample_sd(const double *values, size_t nr)
{
	return nr < 2 ? (double)NAN : deviation(values, nr, nr - 1);
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

void summary_sort(double *values, size_t nr)
{
	if (nr > 1) {
		qsort(values, nr, sizeof(*values), by_value);
	}
}

static double middle_of(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Hoare's quickselect: the border between small and large values closes in on the place. */
void summary_part(double *values, size_t nr, size_t nr_least)
{
	size_t low = 0;
	size_t high = nr;

	while (high - low > 1) {
		double pivot =
			middle_of(values[low], values[low + (high - low) / 2], values[high - 1]);
		size_t i = low;
		size_t j = high;

		for (;;) {
			double value;

			for (; values[i] < pivot; i++) {
			}
			do {
				j--;
			} while (values[j] > pivot);
			if (i >= j) {
				break;
			}
			value = values[i];
			values[i++] = values[j];
			values[j] = value;
		}
		/* before i no value is above the pivot, from i on none below */
		if (nr_least < i) {
			high = i;
		} else {
			low = i > low ? i : low + 1;
		}
	}
}

double summary_median(const double *sorted, size_t nr)
{
	return summary_quantile(sorted, nr, 0.5);
}

double summary_quantile(const double *sorted, size_t nr, double share)
{
	double rank, below;
	size_t i;

	assert(share >= 0 && share <= 1);
	if (nr == 0) {
		return NAN;
	}
	rank = (double)(nr - 1) * share;
	below = floor(rank);
	i = (size_t)below;
	if (i + 1 >= nr) {
		return sorted[nr - 1];
	}
	/* Weights instead of a difference: the distance of -1e308 and 1e308 is no number. */
	return sorted[i] * (1 - (rank - below)) + sorted[i + 1] * (rank - below);
}

double summary_estimate(const char *estimator, double *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (isnan(values[i])) {
			return NAN;
		}
	}
	if (strcmp(estimator, "hmean") == 0) {
		return summary_hmean(values, nr);
	}
	if (strcmp(estimator, "median") == 0) {
		summary_sort(values, nr);
		return summary_median(values, nr);
	}
	return summary_mean(values, nr);
}
