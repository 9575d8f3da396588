/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "joint.h"

#include <math.h>

#include "agree.h"
#include "dist.h"
#include "measure.h"
#include "summary.h"

/* Both steps of an up and down. */
#define STEP_P 0.01

void joint_init(struct joint *joint, size_t nr_commits)
{
	assert(nr_commits >= 1 && nr_commits <= JOINT_MAX_COMMITS);
	*joint = (struct joint){ .nr_commits = nr_commits };
}

void joint_release(struct joint *joint)
{
	vec_release(&joint->units);
	free(joint->root);
	free(joint->middle);
	free(joint->level);
	free(joint->covariance);
}

void joint_add(struct joint *joint, struct joint_unit unit)
{
	assert(unit.commit < joint->nr_commits && isfinite(unit.value));
	*vec_push(&joint->units) = unit;
}

static bool is_positive(const struct units *units)
{
	for (size_t i = 0; i < units->units.nr; i++) {
		if (!(units->units.at[i].value > 0)) {
			return false;
		}
	}
	return units->units.nr > 0;
}

void joint_add_metric(struct joint *joint, const struct judge_metric *metric,
		      struct joint_pair pair)
{
	scoped(units_release) struct units units = { 0 };
	struct prior history = prior_of_history(metric);

	units_fill(&units, metric);
	if (history.df > 0 && is_positive(&units)) {
		fit_drop_wild(&units, history.variance, history.df);
	}
	for (size_t i = 0; i < units.units.nr; i++) {
		const struct unit *unit = &units.units.at[i];

		joint_add(joint,
			  (struct joint_unit){ .commit = unit->is_head ? pair.head : pair.base,
					       .block = unit->block,
					       .build = unit->build,
					       .value = unit->value });
	}
}

/* the graph ---------------------------------------------------------------------------------- */

static int by_block(const void *left, const void *right)
{
	const struct joint_unit *a = left;
	const struct joint_unit *b = right;
	int order = (a->block > b->block) - (a->block < b->block);

	order = order ? order : (a->commit > b->commit) - (a->commit < b->commit);
	return order ? order : (a->value > b->value) - (a->value < b->value);
}

/* The number of units from `first` on that share its block. */
static size_t block_size(const struct joint *joint, size_t first)
{
	size_t end = first;

	while (end < joint->units.nr &&
	       joint->units.at[end].block == joint->units.at[first].block) {
		end++;
	}
	return end - first;
}

static void tie(struct joint *joint, size_t a, size_t b)
{
	size_t low = joint->root[a] < joint->root[b] ? joint->root[a] : joint->root[b];
	size_t high = joint->root[a] < joint->root[b] ? joint->root[b] : joint->root[a];

	for (size_t i = 0; i < joint->nr_commits; i++) {
		joint->root[i] = joint->root[i] == high ? low : joint->root[i];
	}
}

static double *row(double *matrix, const struct joint *joint, size_t i)
{
	return matrix + i * joint->nr_commits;
}

/* One block's part of the normal equations, with its own level taken out. */
static void add_block(struct joint *joint, const struct joint_unit *units, size_t nr,
		      double *laplacian)
{
	double mean = 0;

	for (size_t i = 0; i < nr; i++) {
		mean += units[i].value / (double)nr;
		tie(joint, units[0].commit, units[i].commit);
	}
	for (size_t i = 0; i < nr; i++) {
		double *at = row(laplacian, joint, units[i].commit);

		joint->level[units[i].commit] += units[i].value - mean;
		at[units[i].commit] += 1;
		for (size_t j = 0; j < nr; j++) {
			at[units[j].commit] -= 1 / (double)nr;
		}
	}
}

/* Each root's level is zero. */
static void ground(struct joint *joint, double *laplacian)
{
	for (size_t i = 0; i < joint->nr_commits; i++) {
		if (joint->root[i] != i) {
			continue;
		}
		for (size_t j = 0; j < joint->nr_commits; j++) {
			row(laplacian, joint, i)[j] = row(laplacian, joint, j)[i] = i == j;
		}
		joint->level[i] = 0;
	}
}

/* the solution ------------------------------------------------------------------------------- */

/* Cholesky, in the lower half.  The matrix is positive definite, since each root is grounded. */
static void decompose(double *matrix, const struct joint *joint)
{
	for (size_t j = 0; j < joint->nr_commits; j++) {
		double *at_j = row(matrix, joint, j);

		for (size_t k = 0; k < j; k++) {
			at_j[j] -= at_j[k] * at_j[k];
		}
		at_j[j] = sqrt(at_j[j]);
		for (size_t i = j + 1; i < joint->nr_commits; i++) {
			double *at_i = row(matrix, joint, i);

			for (size_t k = 0; k < j; k++) {
				at_i[j] -= at_i[k] * at_j[k];
			}
			at_i[j] /= at_j[j];
		}
	}
}

static void solve(double *lower, const struct joint *joint, double *vector)
{
	size_t nr = joint->nr_commits;

	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < i; k++) {
			vector[i] -= row(lower, joint, i)[k] * vector[k];
		}
		vector[i] /= row(lower, joint, i)[i];
	}
	for (size_t i = nr; i-- > 0;) {
		for (size_t k = i + 1; k < nr; k++) {
			vector[i] -= row(lower, joint, k)[i] * vector[k];
		}
		vector[i] /= row(lower, joint, i)[i];
	}
}

static void find_covariance(struct joint *joint, double *lower)
{
	for (size_t i = 0; i < joint->nr_commits; i++) {
		double *at = row(joint->covariance, joint, i);

		if (joint->root[i] != i) {
			at[i] = 1;
			solve(lower, joint, at);
		}
	}
}

static void find_variance(struct joint *joint, double least)
{
	scoped(free) double *nr_tied = mem_array(joint->nr_commits, sizeof(*nr_tied));
	double squares = 0;
	double df = (double)joint->units.nr - (double)joint->nr_blocks;
	struct joint_unit *all = joint->units.at;

	for (size_t i = 0, nr; i < joint->units.nr; i += nr) {
		double mean = 0;

		nr = block_size(joint, i);
		for (size_t j = i; j < i + nr; j++) {
			mean += (all[j].value - joint->level[all[j].commit]) / (double)nr;
		}
		for (size_t j = i; j < i + nr; j++) {
			double rest = all[j].value - joint->level[all[j].commit] - mean;

			squares += rest * rest;
			all[j].value = joint->level[all[j].commit] + rest;
		}
		joint->middle[joint->root[all[i].commit]] += mean * (double)nr;
		nr_tied[joint->root[all[i].commit]] += (double)nr;
	}
	for (size_t i = 0; i < joint->nr_commits; i++) {
		df -= joint->root[i] != i;
		joint->middle[i] /= nr_tied[i];
	}
	joint->df = df > 0 ? df : 0;
	joint->variance = df > 0 ? fmax(squares / df, least) : (double)NAN;
}

/* The scale of the levels; gives the least variance that the last decimal place hides. */
static double find_scale(struct joint *joint)
{
	scoped(free) double *values = mem_array(joint->units.nr, sizeof(*values));
	double least;

	joint->is_relative = true;
	for (size_t i = 0; i < joint->units.nr; i++) {
		values[i] = joint->units.at[i].value;
		joint->is_relative = joint->is_relative && values[i] > 0;
	}
	least = fit_rounding_variance(values, joint->units.nr, joint->is_relative);
	for (size_t i = 0; joint->is_relative && i < joint->units.nr; i++) {
		joint->units.at[i].value = log(values[i]);
	}
	return least;
}

void joint_fit(struct joint *joint, struct prior prior)
{
	size_t nr = joint->nr_commits;
	scoped(free) double *laplacian = mem_array(nr * nr, sizeof(*laplacian));
	double least = find_scale(joint);

	joint->root = mem_array(nr, sizeof(*joint->root));
	joint->middle = mem_array(nr, sizeof(*joint->middle));
	joint->level = mem_array(nr, sizeof(*joint->level));
	joint->covariance = mem_array(nr * nr, sizeof(*joint->covariance));
	for (size_t i = 0; i < nr; i++) {
		joint->root[i] = i;
	}
	if (joint->units.nr > 0) {
		qsort(joint->units.at, joint->units.nr, sizeof(*joint->units.at), by_block);
	}
	for (size_t i = 0, size; i < joint->units.nr; i += size) {
		size = block_size(joint, i);
		add_block(joint, joint->units.at + i, size, laplacian);
		joint->nr_blocks++;
	}
	ground(joint, laplacian);
	decompose(laplacian, joint);
	solve(laplacian, joint, joint->level);
	find_covariance(joint, laplacian);
	find_variance(joint, least);
	joint->known = joint->df > 0 ? moderate_with(prior, joint->variance, joint->df) : prior;
}

/* contrasts ---------------------------------------------------------------------------------- */

bool is_joint_tied(const struct joint *joint, struct joint_pair pair)
{
	return joint->root[pair.base] == joint->root[pair.head];
}

/* In units of the variance. */
static double covariance_of(const struct joint *joint, struct joint_pair a, struct joint_pair b)
{
	const double *head = row(joint->covariance, joint, a.head);
	const double *base = row(joint->covariance, joint, a.base);

	return head[b.head] - head[b.base] - base[b.head] + base[b.base];
}

double joint_covariance(const struct joint *joint, struct joint_pair a, struct joint_pair b)
{
	if (!is_joint_tied(joint, a) || !is_joint_tied(joint, b) || !(joint->known.df > 0)) {
		return NAN;
	}
	return covariance_of(joint, a, b) * joint->known.variance;
}

struct joint_effect joint_contrast(const struct joint *joint, struct joint_pair pair)
{
	if (!is_joint_tied(joint, pair)) {
		return (struct joint_effect){ NAN, NAN, NAN };
	}
	return (struct joint_effect){
		.effect = joint->level[pair.head] - joint->level[pair.base],
		.se = sqrt(joint_covariance(joint, pair, pair)),
		.df = joint->known.df,
	};
}

/* Builds that are unknown are taken to be one. */
static size_t count_builds(const struct joint *joint, size_t commit)
{
	VEC(uint32_t) seen = { 0 };
	size_t nr;

	for (size_t i = 0; i < joint->units.nr; i++) {
		const struct joint_unit *unit = &joint->units.at[i];
		bool is_new = unit->commit == commit;

		for (size_t j = 0; is_new && j < seen.nr; j++) {
			is_new = seen.at[j] != unit->build;
		}
		if (is_new) {
			*vec_push(&seen) = unit->build;
		}
	}
	nr = seen.nr;
	vec_release(&seen);
	return nr;
}

struct judge_side joint_side(const struct joint *joint, size_t commit)
{
	scoped(free) double *values = mem_array(joint->units.nr, sizeof(*values));
	double middle = joint->middle[joint->root[commit]];
	double level = middle + joint->level[commit];
	struct judge_side side = { .level = joint->is_relative ? exp(level) : level };

	for (size_t i = 0; i < joint->units.nr; i++) {
		double value = middle + joint->units.at[i].value;

		if (joint->units.at[i].commit == commit) {
			values[side.nr++] = joint->is_relative ? exp(value) : value;
		}
	}
	side.sd = side.nr < 2 ? (double)NAN : summary_population_sd(values, side.nr);
	return side;
}

/* Of a sum of levels, each with its weight. */
static double build_parts(const struct joint *joint, const size_t *commits, const double *weights,
			  size_t nr)
{
	double parts = 0;

	for (size_t i = 0; i < nr; i++) {
		double weight = 0;
		bool is_first = true;

		for (size_t j = 0; j < nr; j++) {
			weight += commits[j] == commits[i] ? weights[j] : 0;
			is_first = is_first && (j >= i || commits[j] != commits[i]);
		}
		if (is_first) {
			parts += weight * weight / (double)count_builds(joint, commits[i]);
		}
	}
	return parts;
}

static void fill_side(struct fit *fit, const struct joint *joint, int side, size_t commit)
{
	struct judge_side from = joint_side(joint, commit);

	fit->nr[side] = from.nr;
	fit->level[side] = from.level;
	fit->raw_sd[side] = from.sd;
}

static struct fit fit_of(const struct joint *joint, struct joint_pair sides)
{
	struct fit fit = { .is_relative = joint->is_relative,
			   .nr_blocks = joint->nr_blocks,
			   .variance = joint->variance,
			   .df = joint->df };

	fill_side(&fit, joint, 0, sides.base);
	fill_side(&fit, joint, 1, sides.head);
	return fit;
}

struct fit joint_fit_of(const struct joint *joint, struct joint_pair pair)
{
	const size_t commits[] = { pair.base, pair.head };
	struct fit fit = fit_of(joint, pair);

	fit.effect = joint->level[pair.head] - joint->level[pair.base];
	fit.parts = covariance_of(joint, pair, pair);
	fit.build_parts = build_parts(joint, commits, (const double[]){ -1, 1 }, countof(commits));
	return fit;
}

struct fit joint_fit_between(const struct joint *joint, struct joint_pair base,
			     struct joint_pair head)
{
	const size_t commits[] = { base.base, base.head, head.base, head.head };
	struct fit fit = fit_of(joint, (struct joint_pair){ base.head, head.head });
	struct fit base_fit = joint_fit_of(joint, base);
	struct fit head_fit = joint_fit_of(joint, head);

	fit.effect = head_fit.effect - base_fit.effect;
	fit.parts = base_fit.parts + head_fit.parts - 2 * covariance_of(joint, base, head);
	fit.build_parts =
		build_parts(joint, commits, (const double[]){ 1, -1, -1, 1 }, countof(commits));
	/* on one scale: the first change is at 1, the second where it would be beside that */
	fit.level[0] = joint->is_relative ? 1 : head_fit.level[0];
	fit.level[1] = joint->is_relative ? exp(fit.effect) : fit.level[0] + fit.effect;
	return fit;
}

static void judge_fit(const struct joint_set *set, size_t i, const struct fit *fit, bool is_tied,
		      const struct judge_options *options, struct judge_verdict *verdict)
{
	const struct judge_metric *metric = &set->metrics[i];

	*verdict = measure_nothing(metric, options);
	if (fit->nr[0] == 0 || fit->nr[1] == 0) {
		verdict_set(verdict, JUDGE_MISSING,
			    fit->nr[0] ? JUDGE_WHY_NO_HEAD : JUDGE_WHY_NO_BASE);
	} else if (!is_tied) {
		verdict_set(verdict, JUDGE_NOT_COMPARABLE, JUDGE_WHY_NO_CHAIN);
	} else {
		measure_fit(fit, prior_of_history(metric), options, verdict);
		if (!isnan(verdict->p_least)) {
			verdict->p_least = fmin(1, verdict->p_least * (double)set->nr_contrasts);
		}
	}
}

void joint_judge(const struct joint_set *set, struct joint_pair pair,
		 const struct judge_options *options, struct judge_verdict *ret_verdicts)
{
	for (size_t i = 0; i < set->nr; i++) {
		const struct joint *joint = &set->joints[i];
		struct fit fit = joint_fit_of(joint, pair);

		judge_fit(set, i, &fit, is_joint_tied(joint, pair), options, &ret_verdicts[i]);
	}
	judge_measured(ret_verdicts, set->nr, options);
}

void joint_judge_between(const struct joint_set *set, const struct joint_pair pairs[2],
			 const struct judge_options *options, struct judge_verdict *ret_verdicts)
{
	for (size_t i = 0; i < set->nr; i++) {
		const struct joint *joint = &set->joints[i];
		struct fit fit = joint_fit_between(joint, pairs[0], pairs[1]);
		bool is_tied = is_joint_tied(joint, pairs[0]) && is_joint_tied(joint, pairs[1]);

		judge_fit(set, i, &fit, is_tied, options, &ret_verdicts[i]);
	}
	judge_measured(ret_verdicts, set->nr, options);
}

static bool is_step(const struct joint_effect *step)
{
	return 2 * dist_t_tail(fabs(step->effect) / step->se, step->df) <= STEP_P;
}

bool joint_goes_up_and_down(const struct joint *joint, size_t before, size_t commit, size_t after)
{
	struct joint_effect there = joint_contrast(joint, (struct joint_pair){ before, commit });
	struct joint_effect back = joint_contrast(joint, (struct joint_pair){ commit, after });

	if (!(there.se > 0) || !(back.se > 0) || there.effect * back.effect >= 0) {
		return false;
	}
	return is_step(&there) && is_step(&back) &&
	       fabs(there.effect + back.effect) < fmin(fabs(there.effect), fabs(back.effect)) / 2;
}
