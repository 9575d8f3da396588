/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dist.h"

#include <float.h>
#include <math.h>

double dist_lgamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* From here on the asymptotic series are good to 15 digits; smaller x are carried up to it. */
#define FAR 12.0

double dist_digamma(double x)
{
	double low = 0;
	double square;

	for (; x < FAR; x++) {
		low += 1 / x;
	}
	square = 1 / (x * x);
	return log(x) - 1 / (2 * x) - low -
	       square * (1.0 / 12 -
			 square * (1.0 / 120 -
				   square * (1.0 / 252 -
					     square * (1.0 / 240 - square * (1.0 / 132)))));
}

double dist_trigamma(double x)
{
	double low = 0;
	double square;

	for (; x < FAR; x++) {
		low += 1 / (x * x);
	}
	square = 1 / (x * x);
	return low + square / 2 +
	       (1 + square * (1.0 / 6 -
			      square * (1.0 / 30 -
					square * (1.0 / 42 -
						  square * (1.0 / 30 - square * (5.0 / 66)))))) /
		       x;
}

/* The derivative of trigamma. */
static double tetragamma(double x)
{
	double low = 0;
	double square;

	for (; x < FAR; x++) {
		low += 2 / (x * x * x);
	}
	square = 1 / (x * x);
	return -low -
	       square * (1 + 1 / x + square * (0.5 - square * (1.0 / 6 - square * (1.0 / 6))));
}

/* Smyth 2004, appendix: Newton on 1 / trigamma, which is convex and nearly straight. */
double dist_trigamma_inverse(double y)
{
	double x = 0.5 + 1 / y;

	for (int i = 0; i < 50; i++) {
		double value = dist_trigamma(x);
		double step = value * (1 - value / y) / tetragamma(x);

		x += step;
		if (fabs(step) < 1e-14 * x) {
			break;
		}
	}
	return x;
}

/* Lentz's method must not divide by zero. */
static double not_zero(double value)
{
	return fabs(value) < 1e-300 ? 1e-300 : value;
}

/* The continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8) by Lentz's method; it needs
 * some sqrt(max(a, b)) steps where x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1;
	double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
	double value = d;

	for (int i = 1; i < 100000; i++) {
		double m = i;
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		value *= c * d;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = c * d;
		value *= step;
		if (fabs(step - 1) < 1e-15) {
			break;
		}
	}
	return value;
}

/* I_x(a, b) where y = 1 - x is known better than the subtraction would tell. */
static double beta_share(double a, double b, double x, double y)
{
	double front;

	if (!(x > 0)) {
		return 0;
	}
	if (!(y > 0)) {
		return 1;
	}
	front = exp(dist_lgamma(a + b) - dist_lgamma(a) - dist_lgamma(b) + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2)) {
		return front * beta_fraction(a, b, x) / a;
	}
	return 1 - front * beta_fraction(b, a, y) / b;
}

double dist_beta(double a, double b, double x)
{
	return beta_share(a, b, x, 1 - x);
}

double dist_t_tail(double t, double df)
{
	double share, square;

	if (t < 0) {
		return 1 - dist_t_tail(-t, df);
	}
	if (isinf(df)) {
		return erfc(t / M_SQRT2) / 2;
	}
	if (isinf(t)) {
		return 0;
	}
	square = t * t / df;
	/* df / (df + t^2) and its complement, also where t^2 overflows or vanishes */
	share = isinf(square) ? 0 : 1 / (1 + square);
	return beta_share(df / 2, 0.5, share, isinf(square) ? 1 : square / (1 + square)) / 2;
}

static double t_density(double t, double df)
{
	if (isinf(df)) {
		return exp(-t * t / 2) / sqrt(2 * M_PI);
	}
	return exp(dist_lgamma((df + 1) / 2) - dist_lgamma(df / 2) - log(df * M_PI) / 2 -
		   (df + 1) / 2 * log1p(t * t / df));
}

/* Near the t that has this tail: the normal one to three digits (Abramowitz and Stegun 26.2.23),
 * one step of Newton's, then the first terms of its expansion in 1 / df (26.7.5). */
static double guess_t(double tail, double df)
{
	double w = sqrt(-2 * log(tail));
	double z = w - (2.515517 + w * (0.802853 + w * 0.010328)) /
			       (1 + w * (1.432788 + w * (0.189269 + w * 0.001308)));
	double square;

	z = fmax(z, 1e-3);
	z += (erfc(z / M_SQRT2) / 2 - tail) / t_density(z, INFINITY);
	square = z * z;
	return z *
	       (1 + (square + 1) / (4 * df) + ((5 * square + 16) * square + 3) / (96 * df * df) +
		(((3 * square + 19) * square + 17) * square - 15) / (384 * df * df * df));
}

/* Newton's steps on ln(tail), kept inside a bracket that each step narrows. */
static double t_above(double tail, double df)
{
	double low = 0;
	double high = DBL_MAX;
	double t = guess_t(tail, df);

	for (int i = 0; i < 200; i++) {
		double there = dist_t_tail(t, df);
		double next = t + log(there / tail) * there / t_density(t, df);

		if (there > tail) {
			low = t;
		} else {
			high = t;
		}
		/* Each step doubles the digits that are right. */
		if (fabs(next - t) <= 1e-7 * t) {
			return next;
		}
		if (!(next > low && next < high)) {
			next = high < DBL_MAX ? (low + high) / 2 : 2 * t;
		}
		t = next;
	}
	return t;
}

double dist_t_quantile(double p, double df)
{
	assert(p > 0 && p < 1);
	if (p < 0.5) {
		return -t_above(p, df);
	}
	return p > 0.5 ? t_above(1 - p, df) : 0;
}

static double log_choose(double n, double k)
{
	return dist_lgamma(n + 1) - dist_lgamma(k + 1) - dist_lgamma(n - k + 1);
}

double dist_fisher(size_t hits_a, size_t nr_a, size_t hits_b, size_t nr_b)
{
	size_t hits = hits_a + hits_b;
	size_t least = hits > nr_b ? hits - nr_b : 0;
	size_t most = hits < nr_a ? hits : nr_a;
	double all = log_choose((double)(nr_a + nr_b), (double)hits);
	double seen = 0;
	double p = 0;

	assert(hits_a <= nr_a && hits_b <= nr_b);
	seen = log_choose((double)nr_a, (double)hits_a) + log_choose((double)nr_b, (double)hits_b);
	for (size_t k = least; k <= most; k++) {
		double chance = log_choose((double)nr_a, (double)k) +
				log_choose((double)nr_b, (double)(hits - k));

		/* the same chance on the other side may come out a digit larger */
		if (chance <= seen + 1e-7) {
			p += exp(chance - all);
		}
	}
	return fmin(p, 1);
}
