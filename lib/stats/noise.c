/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "noise.h"

#include <math.h>

#include "dist.h"
#include "fit.h"
#include "summary.h"
#include "unit.h"

#define MOST_DF      60
#define LEAST_WEIGHT 2

/* Before days can be compared with each other: the weight, and the days that this is worth. */
#define GUESS_WEIGHT 4
#define GUESS_DAYS   4

/* What a new layout of the code does: a deviation of a quarter of a per cent; worth so many
 * rebuilds. */
#define GUESS_BUILD_VARIANCE 6.25e-6
#define GUESS_BUILDS         4

/* Fewer levels predict nothing. */
#define LEAST_LEVELS 5

/* One side of one block. */
static void add_group(struct noise *noise, const struct unit *units, size_t nr)
{
	double mean = 0;

	for (size_t i = 0; i < nr; i++) {
		mean += log(units[i].value) / (double)nr;
	}
	for (size_t i = 0; i < nr; i++) {
		double distance = log(units[i].value) - mean;

		noise->squares += distance * distance;
	}
	noise->df += (double)(nr - 1);
}

static bool is_same_group(const struct unit *a, const struct unit *b)
{
	return a->block == b->block && a->is_head == b->is_head;
}

struct noise noise_of(const struct judge_metric *metric)
{
	scoped(units_release) struct units units = { 0 };
	const struct unit *all;
	struct noise noise = { 0 };

	units_fill(&units, metric);
	all = units.units.at;
	for (size_t i = 0; i < units.units.nr; i++) {
		if (!(all[i].value > 0)) {
			return noise;
		}
	}
	for (size_t i = 0, nr; i < units.units.nr; i += nr) {
		for (nr = 1; i + nr < units.units.nr && is_same_group(&all[i], &all[i + nr]);
		     nr++) {
		}
		add_group(&noise, &all[i], nr);
	}
	return noise;
}

/* By how much the days' ln(variance) differ more than so few runs make them: the variance that the
 * logarithm of a true variance has (Smyth 2004, section 6.2), with GUESS_DAYS imagined days of the
 * guess among them. */
static double spread_of(const struct noise *days, size_t nr)
{
	double nr_days = 0;
	double mean = 0;
	double squares = 0;
	double chance = 0;

	for (size_t i = 0; i < nr; i++) {
		double df = days[i].df;
		double surprise;
		double off;

		if (!(df > 0) || !(days[i].squares > 0)) {
			continue;
		}
		surprise = log(days[i].squares / df) - dist_digamma(df / 2) + log(df / 2);
		off = surprise - mean;
		nr_days++;
		mean += off / nr_days;
		squares += off * (surprise - mean);
		chance += dist_trigamma(df / 2);
	}
	if (nr_days < 2) {
		return dist_trigamma(GUESS_WEIGHT / 2.0);
	}
	return (squares - (nr_days - 1) * chance / nr_days +
		GUESS_DAYS * dist_trigamma(GUESS_WEIGHT / 2.0)) /
	       (nr_days - 1 + GUESS_DAYS);
}

static double weight_of(double spread)
{
	double most = dist_trigamma(MOST_DF / 2.0);

	return spread <= most ? MOST_DF : fmax(LEAST_WEIGHT, 2 * dist_trigamma_inverse(spread));
}

struct noise_prior noise_prior_of(const struct noise *days, size_t nr)
{
	struct noise all = { 0 };

	for (size_t i = 0; i < nr; i++) {
		all.squares += days[i].squares;
		all.df += days[i].df;
	}
	if (!(all.df > 0) || !(all.squares > 0)) {
		return (struct noise_prior){ 0 };
	}
	return (struct noise_prior){ .variance = all.squares / all.df,
				     .df = fmin(all.df, MOST_DF),
				     .weight = weight_of(spread_of(days, nr)) };
}

/* builds */

/* The difference of two builds has the variance of both, and of its runs. */
static struct noise noise_of_two(const struct fit *fit)
{
	double of_runs = fit->variance * fit->parts;

	return (struct noise){ (fit->effect * fit->effect - of_runs) / 2, 1 };
}

struct noise noise_of_builds(const struct judge_metric *metric, bool is_one_commit)
{
	scoped(units_release) struct units units = { 0 };
	struct fit fit = { 0 };

	units_fill(&units, metric);
	if (units.units.nr > 0) {
		fit_init(&fit, &units, metric->estimator);
	}
	if (!fit.is_relative || !isfinite(fit.variance)) {
		return (struct noise){ 0 };
	}
	if (is_one_commit && fit.build_parts > 0) {
		return noise_of_two(&fit);
	}
	return (struct noise){ fit.build_variance * fit.build_df, fit.build_df };
}

struct noise_prior noise_prior_of_builds(const struct noise *own, const struct noise *family)
{
	double usual = (fmax(0, family->squares) + GUESS_BUILDS * GUESS_BUILD_VARIANCE) /
		       (family->df + GUESS_BUILDS);
	double df = own->df + GUESS_BUILDS;

	return (struct noise_prior){
		.variance = (fmax(0, own->squares) + GUESS_BUILDS * usual) / df,
		.df = fmin(df, MOST_DF),
		.weight = fmin(df, MOST_DF),
	};
}

/* levels */

struct judge_interval noise_predict(const double *values, size_t nr)
{
	double mean = summary_mean(values, nr);
	double half;

	if (nr < LEAST_LEVELS) {
		return (struct judge_interval){ NAN, NAN };
	}
	half = dist_t_quantile(0.995, (double)nr - 1) * summary_sample_sd(values, nr) *
	       sqrt(1 + 1 / (double)nr);
	return (struct judge_interval){ mean - half, mean + half };
}
