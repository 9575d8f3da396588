/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "modes.h"

#include <math.h>

/* Groups whose means are nearer to one another than so many sd are one. */
#define LEAST_DISTANCE 6.0

/* A group of a smaller share of the boots is outliers. */
#define LEAST_GROUP 0.2

/* Of bisections with two groups of values, before their runs are looked at. */
#define MODES_PRIOR 0.2

/* A change of the share of slow boots below this is not looked for, in sd of its arc. */
#define LEAST_SHARE 0.4

struct boot {
	size_t machine;
	uint64_t boot;
	size_t commit;
	size_t nr;
	double sum;
	bool is_slow;
};

struct boots {
	VEC(struct boot) all;
};

static void collect(const struct belief *levels, struct boots *ret_boots)
{
	size_t last[BISECT_MOST_MACHINES]; /* boot of each machine, + 1 */

	memset(last, 0, sizeof(last));
	for (size_t i = 0; i < levels->runs.nr; i++) {
		const struct bisect_run *run = &levels->runs.at[i];
		size_t at = last[run->machine];

		if (at == 0 || ret_boots->all.at[at - 1].boot != run->boot) {
			*vec_push(&ret_boots->all) = (struct boot){ .machine = run->machine,
								    .boot = run->boot,
								    .commit = run->commit };
			at = last[run->machine] = ret_boots->all.nr;
		}
		ret_boots->all.at[at - 1].nr++;
		ret_boots->all.at[at - 1].sum += run->value;
	}
}

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double mean_of(const double *values, size_t nr)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++) {
		sum += values[i];
	}
	return sum / (double)nr;
}

static double squares_of(const double *values, size_t nr)
{
	double mean = mean_of(values, nr), squares = 0;

	for (size_t i = 0; i < nr; i++) {
		squares += (values[i] - mean) * (values[i] - mean);
	}
	return squares;
}

/* Where the ascending values part into two groups that scatter least; 0: nowhere. */
static size_t best_part(const struct belief *levels, const double *values, size_t nr)
{
	double known_df = fmax(levels->options.sd_df, 2), least = INFINITY, sd;
	size_t at = 0;

	for (size_t i = 1; i < nr; i++) {
		double squares = squares_of(values, i) + squares_of(values + i, nr - i);

		if (squares < least) {
			least = squares;
			at = i;
		}
	}
	if (fmin((double)at, (double)(nr - at)) < LEAST_GROUP * (double)nr || at == 0) {
		return 0;
	}
	sd = sqrt((known_df * levels->options.sd * levels->options.sd + least) /
		  (known_df + (double)nr - 2));
	return mean_of(values + at, nr - at) - mean_of(values, at) >= LEAST_DISTANCE * sd ? at : 0;
}

/* Parts the boots of a machine; false where they are one group. */
static bool part(const struct belief *levels, struct boots *boots, size_t machine)
{
	scoped(free) double *means = mem_array(boots->all.nr + 1, sizeof(double));
	size_t nr = 0, at;

	for (size_t i = 0; i < boots->all.nr; i++) {
		const struct boot *boot = &boots->all.at[i];

		if (boot->machine == machine) {
			means[nr++] = boot->sum / (double)boot->nr;
		}
	}
	qsort(means, nr, sizeof(double), compare_values);
	at = best_part(levels, means, nr);
	for (size_t i = 0; i < boots->all.nr; i++) {
		struct boot *boot = &boots->all.at[i];

		if (boot->machine == machine) {
			boot->is_slow = boot->sum / (double)boot->nr >= means[at];
		}
	}
	return at > 0;
}

/* Two modes of a machine at levels that may be anywhere in the range, around which runs scatter by
 * one sd, itself known from sd_df deviations: the normal and scaled inverse chi square in closed
 * form.  `nr` values in `nr_groups` groups, `nr_product` is the product of the groups' sizes. */
static double ln_evidence(const struct belief *levels, double squares, double nr, double nr_groups,
			  double ln_product)
{
	double df = fmax(levels->options.sd_df, 2);
	double known = df * levels->options.sd * levels->options.sd;
	double left = nr - nr_groups, range = levels->width * (BELIEF_GRID - 1);

	return -nr_groups * log(range) - ln_product / 2 - left / 2 * log(2 * M_PI) +
	       df / 2 * log(known / 2) - lgamma(df / 2) + lgamma((df + left) / 2) -
	       (df + left) / 2 * log((known + squares) / 2);
}

static double evidence_of_values(const struct belief *levels, const struct boots *boots)
{
	double sums[BISECT_MOST_MACHINES][2] = { 0 }, powers[BISECT_MOST_MACHINES][2] = { 0 };
	double counts[BISECT_MOST_MACHINES][2] = { 0 };
	double squares = 0, nr = 0, nr_groups = 0, ln_product = 0;
	size_t at[BISECT_MOST_MACHINES] = { 0 };

	for (size_t i = 0; i < levels->runs.nr; i++) {
		const struct bisect_run *run = &levels->runs.at[i];
		double value = run->value - levels->machines[run->machine].low;
		size_t m = run->machine;
		bool is_slow;

		while (boots->all.at[at[m]].machine != m ||
		       boots->all.at[at[m]].boot != run->boot) {
			at[m]++;
		}
		is_slow = boots->all.at[at[m]].is_slow;
		counts[m][is_slow]++;
		sums[m][is_slow] += value;
		powers[m][is_slow] += value * value;
	}
	for (size_t m = 0; m < levels->nr_machines; m++) {
		for (int i = 0; i < 2; i++) {
			if (counts[m][i] > 0) {
				nr += counts[m][i];
				nr_groups++;
				ln_product += log(counts[m][i]);
				squares += powers[m][i] - sums[m][i] * sums[m][i] / counts[m][i];
			}
		}
	}
	return ln_evidence(levels, squares, nr, nr_groups, ln_product);
}

static struct belief *follow_shares(const struct belief *levels, const struct boots *boots)
{
	struct bisect_options options = levels->options;
	struct belief *shares;

	options.values = BISECT_PASS_FAIL;
	options.smallest = LEAST_SHARE;
	shares = belief_new(&options);
	memcpy(shares->is_skipped, levels->is_skipped, options.nr_commits + 1);
	for (size_t i = 0; i < boots->all.nr; i++) {
		const struct boot *boot = &boots->all.at[i];

		belief_add(shares, &(struct bisect_run){ .commit = boot->commit,
							 .machine = boot->machine,
							 .boot = boot->boot,
							 .value = boot->is_slow });
	}
	return shares;
}

static struct modes *weigh(const struct belief *levels, struct boots *boots)
{
	struct modes *modes = mem_alloc(sizeof(*modes));
	double odds;

	modes->shares = follow_shares(levels, boots);
	odds = log(MODES_PRIOR / (1 - MODES_PRIOR)) + evidence_of_values(levels, boots) +
	       modes->shares->ln_evidence - levels->ln_evidence;
	modes->p = 1 / (1 + exp(-fmax(fmin(odds, 500), -500)));
	return modes;
}

struct modes *modes_find(const struct belief *levels)
{
	struct boots boots = { 0 };
	struct modes *modes = NULL;
	bool is_parted = levels->runs.nr > 0 && levels->options.values == BISECT_LEVELS;

	collect(levels, &boots);
	for (size_t i = 0; i < levels->nr_machines && is_parted; i++) {
		is_parted = part(levels, &boots, i);
	}
	if (is_parted) {
		modes = weigh(levels, &boots);
	}
	vec_release(&boots.all);
	return modes;
}

struct modes *modes_free(struct modes *modes)
{
	if (modes) {
		belief_free(modes->shares);
		free(modes);
	}
	return NULL;
}
