/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "culprits.h"

#include <math.h>

#include "lib/base/mem.h"
#include "staircase.h"

/* Lines up to here are run at every commit, on so many boots. */
#define MOST_COVERED 16
#define NR_BOOTS     2

/* Beside those found further steps are looked for until so many are left, by expectation: most of
 * them hardly higher than `smallest`, which to exclude would take three times the runs. */
#define REST_P 0.27

/* "Nothing" is said at so much of the doubt that a culprit may have: two steps side by side that
 * cancel are shown by one commit alone, and are what it overlooks most. */
#define NONE_DOUBT 0.33

/* What settling a doubt takes, about. */
#define RUNS_PER_BIT 8.0

/* Expected steps in all: whoever looks for every one expects more of them than p_none says. */
#define MORE_STEPS     1.5
#define LEAST_EXPECTED 0.01
#define MOST_EXPECTED  2.0

struct culprits {
	struct bisect_options options;
	double nr_expected; /* steps in all, by the prior */
	double *weights;    /* by commit, of sum 1 */
	bool *is_skipped;
	uint32_t *nr_boots; /* by commit */
	size_t nr_runs;
	/* Runs of one boot are one value, unless boots are known not to differ. */
	VEC(struct bisect_run) runs;
	struct {
		size_t nr_runs, last; /* of the running boot; its index in `runs` */
	} machines[BISECT_MOST_MACHINES];

	/* of all runs, once climbed */
	bool is_climbed;
	size_t nr_treads, *commits; /* that were run, ascending */
	struct tread *treads;
	double p_none, sd;
	VEC(struct bisect_found) found;
};

struct culprits *culprits_new(const struct bisect_options *options)
{
	struct culprits *culprits = mem_alloc(sizeof(*culprits));
	size_t nr = options->nr_commits;
	double sum = 0;

	culprits->options = *options;
	culprits->weights = mem_array(nr + 1, sizeof(double));
	culprits->is_skipped = mem_array(nr + 1, sizeof(bool));
	culprits->nr_boots = mem_array(nr + 1, sizeof(uint32_t));
	for (size_t i = 1; i <= nr; i++) {
		culprits->weights[i] = options->weights ? options->weights[i] : 1;
		sum += culprits->weights[i];
	}
	for (size_t i = 1; i <= nr; i++) {
		culprits->weights[i] = sum > 0 ? culprits->weights[i] / sum : 1.0 / (double)nr;
	}
	culprits->options.weights = culprits->weights;
	culprits->nr_expected = fmin(
		fmax(-MORE_STEPS * log(options->p_none + 1e-9), LEAST_EXPECTED), MOST_EXPECTED);
	return culprits;
}

static void forget(struct culprits *culprits)
{
	free(culprits->commits);
	free(culprits->treads);
	culprits->commits = NULL;
	culprits->treads = NULL;
	culprits->nr_treads = 0;
	culprits->found.nr = 0;
	culprits->is_climbed = false;
}

struct culprits *culprits_free(struct culprits *culprits)
{
	if (culprits) {
		forget(culprits);
		vec_release(&culprits->found);
		vec_release(&culprits->runs);
		free(culprits->weights);
		free(culprits->is_skipped);
		free(culprits->nr_boots);
		free(culprits);
	}
	return NULL;
}

void culprits_add(struct culprits *culprits, const struct bisect_run *run)
{
	size_t *nr_runs = &culprits->machines[run->machine].nr_runs;
	struct bisect_run *last = culprits->runs.at + culprits->machines[run->machine].last;
	bool is_running = *nr_runs > 0 && last->boot == run->boot && last->commit == run->commit;

	forget(culprits);
	culprits->nr_runs++;
	if (is_running && (culprits->options.boot_share < 0 || culprits->options.boot_share > 0)) {
		last->value += (run->value - last->value) / (double)++*nr_runs;
		return;
	}
	culprits->nr_boots[run->commit] += !is_running;
	culprits->machines[run->machine].last = culprits->runs.nr;
	*nr_runs = 1;
	*vec_push(&culprits->runs) = *run;
}

void culprits_skip(struct culprits *culprits, size_t commit)
{
	culprits->is_skipped[commit] = true;
	forget(culprits);
}

/* How much higher machines are than machine 0, from commits that both have run. */
static void compare_machines(const struct culprits *culprits, double *ret_offsets)
{
	size_t nr = culprits->options.nr_commits + 1;
	scoped(free) double *sums = mem_array(nr, sizeof(double));
	scoped(free) double *nrs = mem_array(nr, sizeof(double));
	double counts[BISECT_MOST_MACHINES] = { 0 };

	for (size_t i = 0; i < culprits->runs.nr; i++) {
		const struct bisect_run *run = &culprits->runs.at[i];

		sums[run->commit] += run->machine == 0 ? run->value : 0;
		nrs[run->commit] += run->machine == 0;
	}
	for (size_t i = 0; i < culprits->runs.nr; i++) {
		const struct bisect_run *run = &culprits->runs.at[i];
		double *offset = &ret_offsets[run->machine];

		if (run->machine > 0 && nrs[run->commit] > 0) {
			double more = run->value - sums[run->commit] / nrs[run->commit];

			*offset += (more - *offset) / ++counts[run->machine];
		}
	}
}

/* The values of each tread in a row of `values`. */
static void gather(struct culprits *culprits, double *values)
{
	size_t nr = culprits->options.nr_commits + 1, last = 0;
	double offsets[BISECT_MOST_MACHINES] = { 0 };
	scoped(free) size_t *firsts = mem_array(nr + 1, sizeof(size_t));
	scoped(free) size_t *nrs = mem_array(nr, sizeof(size_t));

	compare_machines(culprits, offsets);
	for (size_t i = 0; i < culprits->runs.nr; i++) {
		firsts[culprits->runs.at[i].commit + 1]++;
	}
	culprits->commits = mem_array(nr, sizeof(size_t));
	culprits->treads = mem_array(nr, sizeof(struct tread));
	for (size_t commit = 0; commit < nr; commit++) {
		size_t nr_runs = firsts[commit + 1];
		struct tread *tread = &culprits->treads[culprits->nr_treads];

		firsts[commit + 1] += firsts[commit];
		if (nr_runs == 0) {
			continue;
		}
		*tread = (struct tread){ .values = values + firsts[commit], .nr = nr_runs };
		for (size_t i = last + 1; i <= commit && culprits->nr_treads > 0; i++) {
			tread->expected += culprits->nr_expected * culprits->weights[i];
		}
		culprits->commits[culprits->nr_treads++] = last = commit;
	}
	for (size_t i = 0; i < culprits->runs.nr; i++) {
		const struct bisect_run *run = &culprits->runs.at[i];

		values[firsts[run->commit] + nrs[run->commit]++] =
			run->value - offsets[run->machine];
	}
}

/* Commits that may have made the step before a tread. */
struct gap {
	size_t nr_possible, last;
	size_t middle; /* the commit that parts them best; 0: none can */
};

static struct gap gap_before(const struct culprits *culprits, size_t index)
{
	size_t first = culprits->commits[index - 1] + 1, end = culprits->commits[index];
	struct gap gap = { 0 };
	double all = 0, sum = 0, nearest = INFINITY;

	for (size_t i = first; i <= end; i++) {
		if (culprits->weights[i] > 0) {
			gap.nr_possible++;
			gap.last = i;
		}
		all += culprits->weights[i];
	}
	for (size_t i = first; i < end; i++) {
		sum += culprits->weights[i];
		if (!culprits->is_skipped[i] && sum > 0 && i < gap.last &&
		    fabs(sum - all / 2) < nearest) {
			nearest = fabs(sum - all / 2);
			gap.middle = i;
		}
	}
	return gap;
}

static void climb(struct culprits *culprits)
{
	scoped(free) double *values = mem_array(culprits->runs.nr + 1, sizeof(double));
	struct staircase stairs = { .sd = culprits->options.sd,
				    .sd_df = culprits->options.sd_df,
				    .smallest = culprits->options.smallest };

	if (culprits->is_climbed) {
		return;
	}
	culprits->is_climbed = true;
	culprits->p_none = culprits->options.p_none;
	if (culprits->runs.nr == 0) {
		return;
	}
	gather(culprits, values);
	stairs.treads = culprits->treads;
	stairs.nr = culprits->nr_treads;
	staircase_climb(&stairs);
	culprits->p_none = stairs.p_none;
	culprits->sd = stairs.fitted_sd;
	for (size_t k = 1; k < culprits->nr_treads; k++) {
		const struct tread *tread = &culprits->treads[k];
		struct gap gap = gap_before(culprits, k);

		if (tread->p_step >= culprits->options.stop && gap.middle == 0) {
			*vec_push(&culprits->found) =
				(struct bisect_found){ .commit = gap.last,
						       .nr_set = gap.nr_possible,
						       .p = tread->p_step,
						       .before = culprits->treads[k - 1].level,
						       .after = tread->level };
		}
	}
}

/* Runs on boots of their own that a commit still lacks. */
static size_t nr_lacking(const struct culprits *culprits, size_t commit)
{
	size_t nr = culprits->options.nr_commits, has = culprits->nr_boots[commit];
	bool is_end = commit == 0 || commit == nr;

	if (culprits->is_skipped[commit] || (!is_end && culprits->weights[commit] <= 0)) {
		return 0;
	}
	return has < NR_BOOTS ? NR_BOOTS - has : 0;
}

static bool is_covered_first(const struct culprits *culprits, size_t commit)
{
	size_t nr = culprits->options.nr_commits;

	return nr <= MOST_COVERED || commit == 0 || commit == nr;
}

static size_t count(const size_t *commits, size_t nr, size_t commit)
{
	size_t sum = 0;

	for (size_t i = 0; i < nr; i++) {
		sum += commits[i] == commit;
	}
	return sum;
}

static size_t greatest_divisor(size_t a, size_t b)
{
	return b == 0 ? a : greatest_divisor(b, a % b);
}

/* Strides through the line in the golden section, and back on the second pass: then a machine that
 * drifts lays no step among the commits. */
static bool next_covered(const struct culprits *culprits, const size_t *pending, size_t nr_pending,
			 size_t *ret_commit)
{
	size_t nr = culprits->options.nr_commits + 1;
	size_t stride = (size_t)(0.382 * (double)nr) + 1;

	while (greatest_divisor(stride, nr) > 1) {
		stride++;
	}
	for (size_t lacking = NR_BOOTS; lacking > 0; lacking--) {
		for (size_t i = 0; i < nr; i++) {
			size_t commit = (lacking % 2 ? nr - 1 - i : i) * stride % nr;
			size_t under_way = count(pending, nr_pending, commit);

			if (is_covered_first(culprits, commit) &&
			    nr_lacking(culprits, commit) >= lacking + under_way) {
				*ret_commit = commit;
				return true;
			}
		}
	}
	return false;
}

static double bits(double p)
{
	return p <= 0 || p >= 1 ? 0 : -p * log2(p) - (1 - p) * log2(1 - p);
}

size_t culprits_next(struct culprits *culprits, const size_t *pending, size_t nr_pending)
{
	double best = -1;
	size_t commit = 0;

	if (next_covered(culprits, pending, nr_pending, &commit)) {
		return commit;
	}
	climb(culprits);
	for (size_t k = 0; k < culprits->nr_treads; k++) {
		const struct tread *tread = &culprits->treads[k];
		size_t under_way = count(pending, nr_pending, culprits->commits[k]);
		double doubt = bits(tread->p_step);

		if (k > 0) {
			struct gap gap = gap_before(culprits, k);
			double gain = tread->p_step /
				      (double)(1 + count(pending, nr_pending, gap.middle));

			if (gap.middle > 0 && gain > best) {
				best = gain;
				commit = gap.middle;
			}
		}
		doubt += k + 1 < culprits->nr_treads ? bits(culprits->treads[k + 1].p_step) : 0;
		doubt /= (double)(tread->nr + 1 + 2 * under_way);
		if (!culprits->is_skipped[culprits->commits[k]] && doubt > best) {
			best = doubt;
			commit = culprits->commits[k];
		}
	}
	return commit;
}

static size_t count_unmeasured(const struct culprits *culprits)
{
	size_t sum = 0;

	for (size_t i = 0; i <= culprits->options.nr_commits; i++) {
		sum += nr_lacking(culprits, i) > 0;
	}
	return sum;
}

/* How many steps there still are beside those found, by expectation. */
static double count_rest(const struct culprits *culprits)
{
	double sum = 0;

	for (size_t k = 1; k < culprits->nr_treads; k++) {
		sum += culprits->treads[k].p_step;
	}
	for (size_t i = 0; i < culprits->found.nr; i++) {
		sum -= culprits->found.at[i].p;
	}
	return sum;
}

static double expect(const struct culprits *culprits)
{
	double sum = 0, doubt = 0;

	for (size_t i = 0; i <= culprits->options.nr_commits; i++) {
		sum += is_covered_first(culprits, i) ? (double)nr_lacking(culprits, i) : 0;
	}
	for (size_t k = 1; k < culprits->nr_treads; k++) {
		doubt += bits(culprits->treads[k].p_step);
	}
	return sum + doubt * RUNS_PER_BIT;
}

/* Of several steps the first is the answer; the posterior is that of the least sure. */
static void say_found(const struct culprits *culprits, struct bisect_answer *answer)
{
	const struct bisect_found *first = &culprits->found.at[0];

	answer->state = first->nr_set > 1 ? BISECT_SET : BISECT_CULPRIT;
	answer->last = first->commit;
	answer->nr_set = first->nr_set;
	answer->p = first->p;
	for (size_t i = 1; i < culprits->found.nr; i++) {
		answer->p = fmin(answer->p, culprits->found.at[i].p);
	}
}

/* Of what is found or else the likeliest: where, and between which levels. */
static void describe(const struct culprits *culprits, struct bisect_answer *answer)
{
	size_t likeliest = 0;

	for (size_t k = 1; k < culprits->nr_treads; k++) {
		if (likeliest == 0 ||
		    culprits->treads[k].p_step > culprits->treads[likeliest].p_step) {
			likeliest = k;
		}
	}
	answer->before = answer->after = NAN;
	if (likeliest > 0) {
		const struct tread *tread = &culprits->treads[likeliest];

		answer->last = gap_before(culprits, likeliest).last;
		answer->nr_set = 1;
		answer->p = tread->p_step;
		answer->before = tread[-1].level;
		answer->after = tread->level;
	}
	if (culprits->found.nr > 0) {
		answer->before = culprits->found.at[0].before;
		answer->after = culprits->found.at[0].after;
	}
	answer->p_worse = answer->after > answer->before ? 1 : 0;
}

bool culprits_answer(struct culprits *culprits, struct bisect_answer *ret_answer)
{
	size_t commit;
	bool is_covered = !next_covered(culprits, NULL, 0, &commit);

	climb(culprits);
	*ret_answer = (struct bisect_answer){ .p_none = culprits->p_none,
					      .sd = culprits->sd,
					      .nr_found = culprits->found.nr,
					      .nr_unmeasured = count_unmeasured(culprits) };
	describe(culprits, ret_answer);
	if (is_covered && culprits->found.nr > 0 && count_rest(culprits) <= REST_P) {
		say_found(culprits, ret_answer);
	} else if (is_covered &&
		   1 - culprits->p_none <= NONE_DOUBT * (1 - culprits->options.stop)) {
		ret_answer->state = BISECT_NONE;
		ret_answer->p = culprits->p_none;
		ret_answer->nr_set = 0;
	} else if (culprits->nr_runs >= culprits->options.budget) {
		return false;
	} else {
		ret_answer->expected = expect(culprits);
	}
	return true;
}

void culprits_posterior(struct culprits *culprits, double *ret_p)
{
	size_t nr = culprits->options.nr_commits;
	double sum = 0;

	climb(culprits);
	for (size_t i = 1; i <= nr; i++) {
		ret_p[i] = culprits->nr_treads > 1 ? 0 : culprits->weights[i];
	}
	for (size_t k = 1; k < culprits->nr_treads; k++) {
		double expected = culprits->treads[k].expected;
		double p = culprits->treads[k].p_step;

		for (size_t i = culprits->commits[k - 1] + 1; i <= culprits->commits[k]; i++) {
			ret_p[i] = expected > 0 ? p * culprits->weights[i] / expected *
							  culprits->nr_expected
						: 0;
		}
	}
	for (size_t i = 1; i <= nr; i++) {
		sum += ret_p[i];
	}
	ret_p[0] = culprits->p_none;
	for (size_t i = 1; i <= nr && sum > 0; i++) {
		ret_p[i] *= (1 - culprits->p_none) / sum;
	}
}

void culprits_found(struct culprits *culprits, size_t index, struct bisect_found *ret_found)
{
	climb(culprits);
	assert(index < culprits->found.nr);
	*ret_found = culprits->found.at[index];
}

void culprits_set(const struct culprits *culprits, size_t last, size_t nr, size_t *ret_commits)
{
	for (size_t i = last; nr > 0 && i > 0; i--) {
		if (culprits->weights[i] > 0) {
			ret_commits[--nr] = i;
		}
	}
}
