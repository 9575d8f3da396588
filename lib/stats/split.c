/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "split.h"

#include <math.h>

#include "dist.h"

/* Above so many values on both sides the normal law is near enough. */
#define FEW 64

static size_t merge(const double *values, const uint32_t *a, size_t nr_a, const uint32_t *b,
		    size_t nr_b, uint32_t *ret_order)
{
	size_t i = 0;
	size_t j = 0;
	size_t nr = 0;

	while (i < nr_a && j < nr_b) {
		ret_order[nr++] = values[b[j]] < values[a[i]] ? b[j++] : a[i++];
	}
	memcpy(ret_order + nr, a + i, (nr_a - i) * sizeof(*a));
	memcpy(ret_order + nr + nr_a - i, b + j, (nr_b - j) * sizeof(*b));
	return nr_a + nr_b;
}

void split_merge(const double *values, const struct interval *a, const struct interval *b,
		 struct interval *ret_whole)
{
	ret_whole->first = a->first;
	ret_whole->nr = merge(values, a->order, a->nr, b->order, b->nr, ret_whole->order);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

void split_sort(const double *values, struct interval *interval, uint32_t *spare)
{
	size_t nr = interval->nr;
	uint32_t *from = interval->order;
	uint32_t *to = spare;

	for (size_t i = 0; i < nr; i++) {
		from[i] = (uint32_t)(interval->first + i);
	}
	for (size_t width = 1; width < nr; width *= 2) {
		uint32_t *swap = from;

		for (size_t i = 0; i < nr; i += 2 * width) {
			size_t middle = smaller(i + width, nr);
			size_t end = smaller(i + 2 * width, nr);

			merge(values, from + i, middle - i, from + middle, end - middle, to + i);
		}
		from = to;
		to = swap;
	}
	if (from != interval->order) {
		memcpy(interval->order, from, nr * sizeof(*from));
	}
}

/* Equal values share the mean of their ranks. */
static void rank(const double *values, const struct interval *interval, double *ret_ranks)
{
	const uint32_t *order = interval->order;

	for (size_t i = 0, end; i < interval->nr; i = end) {
		end = i + 1;
		while (end < interval->nr && values[order[end]] <= values[order[i]]) {
			end++;
		}
		for (size_t j = i; j < end; j++) {
			ret_ranks[order[j] - interval->first] = 0.5 * (double)(i + end + 1);
		}
	}
}

struct split split_best(const double *values, const struct interval *interval,
			const struct split_limits *limits, double *ranks)
{
	struct split best = { 0 };
	double most = 0;
	double sum = 0;
	double nr = (double)interval->nr;

	rank(values, interval, ranks);
	for (size_t k = 1; k < interval->nr; k++) {
		size_t at = interval->first + k;
		double a = (double)k;
		double excess;
		double square;

		sum += ranks[k - 1];
		/* What ranks before lack of their share is what those after have more. */
		excess = 0.5 * a * (nr + 1) - sum;
		square = excess * excess / (a * (nr - a));
		if (square > most && at >= limits->least && at <= limits->most &&
		    excess * limits->direction >= 0) {
			most = square;
			best = (struct split){ at, k, interval->nr - k, excess, 0 };
		}
	}
	best.distance = sqrt(most * 12 / (nr + 1));
	return best;
}

size_t split_place(const double *values, const struct split_limits *limits, double before,
		   double after)
{
	size_t best = limits->least;
	double most = 0;
	double sum = 0;

	for (size_t at = limits->least + 1; at <= limits->most; at++) {
		double value = values[at - 1];

		sum += fabs(value - after) - fabs(value - before);
		if (sum > most) {
			most = sum;
			best = at;
		}
	}
	return best;
}

/* ln P(|Z| > z) of a normal number. */
static double ln_normal(double z)
{
	return z < 30 ? log(erfc(z * M_SQRT1_2)) : -0.5 * z * z - log(z * sqrt(M_PI_2));
}

/* The count of pairs that lack is a sum of `b` independent numbers, whose generating function is
 * prod (1 - q^(a+i)) / (1 - q^i) / C(a+b, b); with q = exp(-t), Chernoff's bound for each t. */
static double ln_chernoff(double lack, size_t a, size_t b, double t)
{
	double sum = t * lack;

	for (size_t i = 1; i <= b; i++) {
		sum += log(expm1(-t * (double)(a + i)) / expm1(-t * (double)i));
	}
	return sum;
}

/* Of at most `lack` pairs; the best of the bounds, by golden section in ln t. */
static double ln_bound(double lack, size_t a, size_t b)
{
	const double golden = 0.6180339887498949;
	double low = log(1e-6);
	double high = log(40);
	double x[2] = { high - golden * (high - low), low + golden * (high - low) };
	double y[2] = { ln_chernoff(lack, a, b, exp(x[0])), ln_chernoff(lack, a, b, exp(x[1])) };

	for (int i = 0; i < 30; i++) {
		bool is_left = y[0] < y[1];
		double new_x;

		if (is_left) {
			high = x[1];
			new_x = high - golden * (high - low);
			x[1] = x[0];
			y[1] = y[0];
		} else {
			low = x[0];
			new_x = low + golden * (high - low);
			x[0] = x[1];
			y[0] = y[1];
		}
		x[!is_left] = new_x;
		y[!is_left] = ln_chernoff(lack, a, b, exp(new_x));
	}
	return fmin(y[0], y[1]) - dist_lgamma((double)(a + b + 1)) + dist_lgamma((double)(a + 1)) +
	       dist_lgamma((double)(b + 1));
}

double split_ln_p(const struct split *split)
{
	size_t a = split->a > split->b ? split->a : split->b;
	size_t b = split->a > split->b ? split->b : split->a;
	double pairs = (double)a * (double)b;
	double excess = fabs(split->excess);
	double sd;
	double ln_p;

	if (split->at == 0) {
		return 0;
	}
	sd = sqrt(pairs * (double)(a + b + 1) / 12);
	/* Counts are whole: half a pair is the way to the next one. */
	ln_p = ln_normal(fmax(excess - 0.5, 0) / sd);
	return b > FEW ? ln_p : fmin(ln_p, M_LN2 + ln_bound(0.5 * pairs - excess, a, b));
}
