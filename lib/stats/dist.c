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

/* ln of B(a, b) */
static double log_beta(double a, double b)
{
	return dist_lgamma(a) + dist_lgamma(b) - dist_lgamma(a + b);
}

/* The continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8); it needs some
 * sqrt(max(a, b)) steps where x < (a + 1) / (a + b + 2).  Numerators and denominators by Wallis's
 * recurrence: nothing in it waits for a division. */
static double beta_fraction(double a, double b, double x)
{
	double above = 1;
	double below = 1;
	double next_above = 1;
	double next_below = 1 - (a + b) * x / (a + 1);

	for (int i = 1; i < 100000; i++) {
		double m = i;
		double end = a + 2 * m;
		double even = m * (b - m) * x / ((end - 1) * end);
		double odd = -(a + m) * (a + b + m) * x / (end * (end + 1));

		above = next_above + even * above;
		below = next_below + even * below;
		next_above = above + odd * next_above;
		next_below = below + odd * next_below;
		if (fabs(next_above * below - above * next_below) <=
		    1e-15 * fabs(next_above * below)) {
			break;
		}
		if (fabs(next_below) > 1e100 || fabs(next_below) < 1e-100) {
			above /= next_below;
			below /= next_below;
			next_above /= next_below;
			next_below = 1;
		}
	}
	return next_above / next_below;
}

/* I_x(a, b) as a sum of positive terms, in units of x^a y^b / (a B(a, b)): as good as the fraction
 * where x is small, and quicker. */
static double beta_sum(double a, double b, double x)
{
	double sum = 1;
	double term = 1;

	for (double n = 0; term > 1e-17 * sum; n++) {
		term *= (a + b + n) * x / (a + 1 + n);
		sum += term;
	}
	return sum;
}

/* I_x(a, b) where y = 1 - x is known better than the subtraction would tell; `front` is
 * x^a y^b / B(a, b). */
static double beta_share(double a, double b, double x, double y, double front)
{
	if (x < (a + 1) / (a + b + 2)) {
		return front * beta_fraction(a, b, x) / a;
	}
	return 1 - front * beta_fraction(b, a, y) / b;
}

double dist_beta(double a, double b, double x)
{
	double y = 1 - x;

	if (!(x > 0)) {
		return 0;
	}
	if (!(y > 0)) {
		return 1;
	}
	return beta_share(a, b, x, y, exp(a * log(x) + b * log(y) - log_beta(a, b)));
}

/* Student's t ---------------------------------------------------------------------------------- */

/* 1 / B(a, 1/2) is gamma(a + 1/2) / gamma(a) / sqrt(pi): no digits cancel, as they would in a
 * difference of two logarithms.  Carried up to where the asymptotic series is good to 15 digits
 * (Tricomi and Erdelyi 1951). */
#define HALF_FAR 16.0

static double half_front(double a)
{
	double above = 1;
	double below = sqrt(M_PI);
	double square;

	for (; a < HALF_FAR; a++) {
		above *= a;
		below *= a + 0.5;
	}
	square = 1 / (a * a);
	return above / below * sqrt(a) *
	       exp(-(1.0 / 8 -
		     square * (1.0 / 192 -
			       square * (1.0 / 640 -
					 square * (17.0 / 14336 - square * (31.0 / 18432))))) /
		   a);
}

struct dist_t dist_t(double df)
{
	return (struct dist_t){ df, isinf(df) ? 1 : half_front(df / 2) };
}

/* A point t > 0 of the distribution. */
struct point {
	double tail, density;
};

/* Up to here 1 - tail loses no more than three digits of the tail. */
#define NEAR_T 3.3

static struct point t_point(const struct dist_t *dist, double t)
{
	double a = dist->df / 2;
	double square = t * t / dist->df;
	/* df / (df + t^2) and its complement, also where t^2 overflows or vanishes */
	double x = isinf(square) ? 0 : 1 / (1 + square);
	double y = isinf(square) ? 1 : square / (1 + square);
	double front;

	if (isinf(dist->df)) {
		return (struct point){ erfc(t / M_SQRT2) / 2, exp(-t * t / 2) / sqrt(2 * M_PI) };
	}
	if (!(x > 0) || !(y > 0)) {
		return (struct point){ x > 0 ? 0.5 : 0, 0 };
	}
	front = sqrt(y) * exp(-a * log1p(square)) * dist->front;
	return (struct point){ t < NEAR_T && y < 0.5 ? 0.5 - front * beta_sum(0.5, a, y)
						     : beta_share(a, 0.5, x, y, front) / 2,
			       front / t };
}

double dist_t_above(const struct dist_t *dist, double t)
{
	if (t < 0) {
		return 1 - dist_t_above(dist, -t);
	}
	if (!(t > 0)) {
		return 0.5;
	}
	return isinf(t) ? 0 : t_point(dist, t).tail;
}

double dist_t_tail(double t, double df)
{
	struct dist_t dist = dist_t(df);

	return dist_t_above(&dist, t);
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
	z += (erfc(z / M_SQRT2) / 2 - tail) * sqrt(2 * M_PI) / exp(-z * z / 2);
	square = z * z;
	return z *
	       (1 + (square + 1) / (4 * df) + ((5 * square + 16) * square + 3) / (96 * df * df) +
		(((3 * square + 19) * square + 17) * square - 15) / (384 * df * df * df));
}

/* Halley's steps on ln(tail), kept inside a bracket that each step narrows. */
static double t_above(const struct dist_t *dist, double tail)
{
	double low = 0;
	double high = DBL_MAX;
	double t = guess_t(tail, dist->df);

	for (int i = 0; i < 200; i++) {
		struct point there = t_point(dist, t);
		double slope = there.density / there.tail;
		double bend = slope - (1 + 1 / dist->df) * t / (1 + t * t / dist->df);
		double step = log(there.tail / tail) / slope;
		double next = t + step / (1 + step * bend / 2);

		if (there.tail > tail) {
			low = t;
		} else {
			high = t;
		}
		/* Each step trebles the digits that are right. */
		if (fabs(next - t) <= 1e-5 * t) {
			return next;
		}
		if (!(next > low && next < high)) {
			next = high < DBL_MAX ? (low + high) / 2 : 2 * t;
		}
		t = next;
	}
	return t;
}

double dist_t_below(const struct dist_t *dist, double p)
{
	assert(p > 0 && p < 1);
	if (p < 0.5) {
		return -t_above(dist, p);
	}
	return p > 0.5 ? t_above(dist, 1 - p) : 0;
}

double dist_t_quantile(double p, double df)
{
	struct dist_t dist = dist_t(df);

	return dist_t_below(&dist, p);
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
