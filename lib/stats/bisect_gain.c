/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bisect_gain.h"

#include <math.h>

/* A class below this is not looked into. */
#define LEAST_P 1e-6

/* Until every end has so many runs on a machine, they go first; with several machines one is
 * enough, for they share the step. */
#define END_RUNS 2

/* Classes of at most so many members have each of them tried; of longer ones a few. */
#define ALL_MEMBERS 4

/* In a graph so many members at most are asked whom they hold. */
#define MOST_PARTED 64

/* The normal distribution in steps. */
#define Z_MOST 5.0
#define Z_STEP 0.5

/* Runs that one switch to a commit may be spread over. */
static const double batches[] = { 1, 2, 3, 4, 6, 8, 12 };

double gain_channel(double p, double size)
{
	double bits = 0, sum = 0;

	for (double z = -Z_MOST; z <= Z_MOST; z += Z_STEP) {
		double density = exp(-z * z / 2);
		double high = exp(-fmin(size * (size + z) - size * size / 2, 700));
		double low = exp(fmin(size * z - size * size / 2, 700));

		bits -= density * (p * log2(p + (1 - p) * high) + (1 - p) * log2(1 - p + p * low));
		sum += density;
	}
	return bits / sum;
}

struct candidate {
	size_t commit;
	float *inside; /* by class: the share of it that a tree of commit holds */
};

/* Everything one choice needs; rooms for `nr_classes` live ones. */
struct choice {
	const struct belief *belief;
	size_t machine;
	struct belief_fit fit;
	size_t nr_live, *live; /* classes that are not hopeless */
	float *p;              /* of each of them */
	uint32_t *cells;       /* of each of them: which pending runs will show the step */
	float *before, *after; /* where a value is expected: [live][BELIEF_GRID] */
	float *bits_before, *bits_after; /* entropies of those */
	float none[BELIEF_GRID], bits_none;
	VEC(struct candidate) candidates;
};

static float entropy(const float *distribution)
{
	float bits = 0;

	for (int g = 0; g < BELIEF_GRID; g++) {
		bits -= distribution[g] * log2f(distribution[g] + 1e-30F);
	}
	return bits;
}

/* A value scatters around its level. */
static void scatter(float *levels, double deviation)
{
	float kernel[2 * BELIEF_GRID], out[BELIEF_GRID] = { 0 };

	for (int i = 0; i < 2 * BELIEF_GRID; i++) {
		double z = (i - BELIEF_GRID) / deviation;

		kernel[i] = (float)exp(-z * z / 2);
	}
	for (int from = 0; from < BELIEF_GRID; from++) {
		const float *shifted = kernel + BELIEF_GRID - from;
		float sum = 0;

		if (levels[from] < 1e-7F) {
			continue;
		}
		for (int to = 0; to < BELIEF_GRID; to++) {
			sum += shifted[to];
		}
		for (int to = 0; to < BELIEF_GRID; to++) {
			out[to] += levels[from] / sum * shifted[to];
		}
	}
	memcpy(levels, out, sizeof(out));
}

/* Of shares of failures a run tells one of two values. */
static void flip(const struct belief *belief, float *levels)
{
	float fails = 0;

	for (int g = 0; g < BELIEF_GRID; g++) {
		float root = sinf((float)((g + 0.5) * belief->width));

		fails += levels[g] * root * root;
	}
	memset(levels, 0, BELIEF_GRID * sizeof(float));
	levels[0] = fails;
	levels[1] = 1 - fails;
}

/* What the next value will be; `variance` in sd^2. */
static void expect_values(struct choice *choice, double variance)
{
	const struct belief *belief = choice->belief;
	struct belief_levels levels = { choice->before, choice->after, choice->none };
	double deviation = choice->fit.sd * sqrt(variance) / belief->width;

	belief_levels(belief, choice->machine, &levels);
	for (size_t i = 0; i < choice->nr_live; i++) {
		memmove(choice->before + i * BELIEF_GRID,
			choice->before + choice->live[i] * BELIEF_GRID,
			BELIEF_GRID * sizeof(float));
		memmove(choice->after + i * BELIEF_GRID,
			choice->after + choice->live[i] * BELIEF_GRID, BELIEF_GRID * sizeof(float));
	}
	for (size_t i = 0; i < 2 * choice->nr_live + 1; i++) {
		float *of = i < choice->nr_live ? choice->before + i * BELIEF_GRID
			    : i < 2 * choice->nr_live
				    ? choice->after + (i - choice->nr_live) * BELIEF_GRID
				    : choice->none;

		if (belief->options.values == BISECT_PASS_FAIL) {
			flip(belief, of);
		} else {
			scatter(of, deviation);
		}
	}
	for (size_t i = 0; i < choice->nr_live; i++) {
		choice->bits_before[i] = entropy(choice->before + i * BELIEF_GRID);
		choice->bits_after[i] = entropy(choice->after + i * BELIEF_GRID);
	}
	choice->bits_none = entropy(choice->none);
}

/* Bits that one run of the candidate tells about the culprit, given that the pending runs have put
 * it into `cell`; times the chance of that. */
static float gain_in(const struct choice *choice, const struct candidate *candidate, uint32_t mask,
		     uint32_t cell)
{
	float mix[BELIEF_GRID] = { 0 }, sum = 0, known = 0;
	float p_none = cell == 0 ? (float)choice->belief->p_none : 0;

	for (size_t i = 0; i < choice->nr_live; i++) {
		float in = choice->p[i] * candidate->inside[i], out = choice->p[i] - in;
		const float *before = choice->before + i * BELIEF_GRID;
		const float *after = choice->after + i * BELIEF_GRID;

		if ((choice->cells[i] & mask) != cell) {
			continue;
		}
		for (int g = 0; g < BELIEF_GRID; g++) {
			mix[g] += in * after[g] + out * before[g];
		}
		sum += in + out;
		known += in * choice->bits_after[i] + out * choice->bits_before[i];
	}
	sum += p_none;
	known += p_none * choice->bits_none;
	if (sum < 1e-9F) {
		return 0;
	}
	for (int g = 0; g < BELIEF_GRID; g++) {
		mix[g] = (mix[g] + p_none * choice->none[g]) / sum;
	}
	return sum * entropy(mix) - known;
}

/* The pending runs will tell their side only in part. */
static float gain_of(const struct choice *choice, const struct candidate *candidate,
		     size_t nr_pending)
{
	float gain = gain_in(choice, candidate, 0, 0);
	float told, rest = 0;
	uint32_t seen[32];
	size_t nr_seen = 0;

	if (nr_pending == 0) {
		return gain;
	}
	told = (float)gain_channel(0.5, fmin(choice->fit.size / choice->fit.sd, 8));
	seen[nr_seen++] = 0;
	for (size_t i = 0; i < choice->nr_live; i++) {
		size_t k = 0;

		while (k < nr_seen && seen[k] != choice->cells[i]) {
			k++;
		}
		if (k == nr_seen && nr_seen < countof(seen)) {
			seen[nr_seen++] = choice->cells[i];
		}
	}
	for (size_t i = 0; i < nr_seen; i++) {
		rest += gain_in(choice, candidate, UINT32_MAX, seen[i]);
	}
	return (1 - told) * gain + told * rest;
}

static void add_candidate(struct choice *choice, size_t commit)
{
	struct candidate *candidate;

	for (size_t i = 0; i < choice->candidates.nr; i++) {
		if (choice->candidates.at[i].commit == commit) {
			return;
		}
	}
	candidate = vec_push(&choice->candidates);
	candidate->commit = commit;
	candidate->inside = mem_array(choice->nr_live + 1, sizeof(float));
	for (size_t i = 0; i < choice->nr_live; i++) {
		const struct belief_class *class = &choice->belief->classes.at[choice->live[i]];

		candidate->inside[i] = (float)belief_share(choice->belief, class, commit);
	}
}

static bool can_run(const struct belief *belief, size_t commit, bool is_side)
{
	const struct bisect_options *options = &belief->options;

	return !belief->is_skipped[commit] && !belief->is_split[commit] &&
	       (options->is_side && options->is_side(options->graph, commit)) == is_side;
}

/* Members of a class that would part it, those on the first parents' line if there are any; of
 * many in a graph some. */
static size_t parting_members(const struct belief *belief, const struct belief_class *class,
			      size_t *ret_members)
{
	size_t stride = belief->options.holds ? class->nr / MOST_PARTED + 1 : 1, nr = 0;

	for (int is_side = 0; is_side < 2 && nr == 0; is_side++) {
		for (size_t i = 0; i < class->nr; i += stride) {
			size_t commit = belief->order[class->first + i];
			double share;

			if (!can_run(belief, commit, is_side)) {
				continue;
			}
			share = belief_share(belief, class, commit);
			if (share > 0 && share < 1) {
				ret_members[nr++] = commit;
			}
		}
	}
	return nr;
}

static void add_members(struct choice *choice, const struct belief_class *class)
{
	const struct belief *belief = choice->belief;
	scoped(free) size_t *members = mem_array(class->nr, sizeof(size_t));
	size_t nr = parting_members(belief, class, members), middle = 0;

	for (size_t i = 0; i < nr && nr <= ALL_MEMBERS; i++) {
		add_candidate(choice, members[i]);
	}
	if (nr <= ALL_MEMBERS) {
		return;
	}
	for (size_t i = 1; i < nr; i++) {
		if (fabs(belief_share(belief, class, members[i]) - 0.5) <
		    fabs(belief_share(belief, class, members[middle]) - 0.5)) {
			middle = i;
		}
	}
	add_candidate(choice, members[0]);
	add_candidate(choice, members[nr / 2]);
	add_candidate(choice, members[middle]);
	add_candidate(choice, members[middle > 0 ? middle - 1 : 0]);
	add_candidate(choice, members[nr - 1]);
}

static void begin_choice(struct choice *choice, const struct belief *belief, size_t machine,
			 const size_t *pending, size_t nr_pending)
{
	size_t nr = belief->classes.nr;

	*choice =
		(struct choice){ .belief = belief, .machine = machine, .fit = belief_fit(belief) };
	choice->live = mem_array(nr, sizeof(size_t));
	choice->p = mem_array(nr, sizeof(float));
	choice->cells = mem_array(nr, sizeof(uint32_t));
	choice->before = mem_array(nr * BELIEF_GRID, sizeof(float));
	choice->after = mem_array(nr * BELIEF_GRID, sizeof(float));
	choice->bits_before = mem_array(nr, sizeof(float));
	choice->bits_after = mem_array(nr, sizeof(float));
	for (size_t k = 0; k < nr; k++) {
		size_t member = belief->order[belief->classes.at[k].first];

		if (belief->classes.at[k].p < LEAST_P) {
			continue;
		}
		for (size_t i = 0; i < nr_pending; i++) {
			choice->cells[choice->nr_live] |=
				(uint32_t)belief_holds(belief, pending[i], member) << (i % 32);
		}
		choice->p[choice->nr_live] = (float)belief->classes.at[k].p;
		choice->live[choice->nr_live++] = k;
	}
	for (size_t i = 0; i < choice->nr_live; i++) {
		add_members(choice, &belief->classes.at[choice->live[i]]);
	}
	for (size_t i = 0; i < belief->runs.nr; i++) {
		if (!belief->is_skipped[belief->runs.at[i].commit]) {
			add_candidate(choice, belief->runs.at[i].commit);
		}
	}
}

static void end_choice(struct choice *choice)
{
	for (size_t i = 0; i < choice->candidates.nr; i++) {
		free(choice->candidates.at[i].inside);
	}
	vec_release(&choice->candidates);
	free(choice->live);
	free(choice->p);
	free(choice->cells);
	free(choice->before);
	free(choice->after);
	free(choice->bits_before);
	free(choice->bits_after);
}

/* Bits for a unit of cost when one switches to the candidate and stays for the best number of runs:
 * what the first run gains grows with more of them as a channel's capacity does. */
static double rate_of_switch(const struct choice *choice, const struct candidate *candidate,
			     double gain)
{
	const struct bisect_options *options = &choice->belief->options;
	double size = choice->fit.size / choice->fit.sd, share = choice->fit.share;
	double cost = choice->belief->nr_of[candidate->commit] > 0 ? options->boot_cost
								   : options->build_cost;
	double p = 0, one, best = 0;

	for (size_t i = 0; i < choice->nr_live; i++) {
		p += (double)(choice->p[i] * candidate->inside[i]);
	}
	p = fmin(fmax(p, 0.02), 0.98);
	one = fmax(gain_channel(p, size / sqrt(1 + share)), 1e-9);
	for (size_t i = 0; i < countof(batches); i++) {
		double more = gain_channel(p, size * sqrt(batches[i] / (1 + share * batches[i])));

		best = fmax(best, gain * more / one / (cost + batches[i]));
	}
	return best;
}

static void best_switch(struct choice *choice, size_t nr_pending, double *ret_rate,
			struct bisect_next *ret_next)
{
	const struct bisect_options *options = &choice->belief->options;
	bool is_free = options->build_cost <= 0 && options->boot_cost <= 0;

	*ret_rate = -1;
	expect_values(choice, 1 + choice->fit.share);
	for (size_t i = 0; i < choice->candidates.nr; i++) {
		const struct candidate *candidate = &choice->candidates.at[i];
		double gain = (double)gain_of(choice, candidate, nr_pending);
		double rate = is_free ? gain : rate_of_switch(choice, candidate, gain);

		if (rate > *ret_rate) {
			*ret_rate = rate;
			ret_next->commit = candidate->commit;
		}
	}
	ret_next->is_fresh = true;
}

/* What one more run tells of the boot that a machine has running. */
static void try_staying(struct choice *choice, size_t nr_pending, double *rate,
			struct bisect_next *next)
{
	const struct belief_machine *machine = &choice->belief->machines[choice->machine];
	double nr = (double)machine->nr_boot, share = choice->fit.share;

	if (machine->nr_runs == 0 || choice->belief->is_skipped[machine->commit]) {
		return;
	}
	expect_values(choice, (1 + share * nr) * (1 + share * (nr + 1)));
	for (size_t i = 0; i < choice->candidates.nr; i++) {
		const struct candidate *candidate = &choice->candidates.at[i];
		double gain;

		if (candidate->commit != machine->commit) {
			continue;
		}
		gain = (double)gain_of(choice, candidate, nr_pending);
		if (gain >= *rate) {
			*next = (struct bisect_next){ .commit = machine->commit };
		}
	}
}

/* A machine that has not run both ends knows neither level. */
static bool needs_end(const struct belief *belief, size_t machine, struct bisect_next *ret_next)
{
	const struct bisect_options *options = &belief->options;
	bool is_free = options->build_cost <= 0 && options->boot_cost <= 0;
	size_t nr_needed = belief->nr_machines > 1 || machine > 0 ? 1 : END_RUNS;
	size_t nr_base = 0, nr_tip = 0, tip = options->nr_commits;

	for (size_t i = 0; i < belief->runs.nr; i++) {
		const struct bisect_run *run = &belief->runs.at[i];

		nr_base += run->machine == machine && run->commit == 0;
		nr_tip += run->machine == machine && run->commit == tip;
	}
	if (belief->is_skipped[tip]) {
		nr_tip = nr_needed;
	}
	ret_next->is_fresh = is_free;
	if (nr_base < nr_needed && !belief->is_skipped[0] && !(is_free && nr_base > nr_tip)) {
		ret_next->commit = 0;
		return true;
	}
	ret_next->commit = tip;
	return nr_tip < nr_needed;
}

void gain_next(struct belief *belief, size_t machine, const size_t *pending, size_t nr_pending,
	       struct bisect_next *ret_next)
{
	const struct bisect_options *options = &belief->options;
	struct choice choice;
	double rate;

	if (needs_end(belief, machine, ret_next)) {
		return;
	}
	for (size_t i = 0; i < nr_pending; i++) {
		belief_split(belief, pending[i]);
	}
	begin_choice(&choice, belief, machine, pending, nr_pending);
	best_switch(&choice, nr_pending, &rate, ret_next);
	if (options->build_cost > 0 || options->boot_cost > 0) {
		try_staying(&choice, nr_pending, &rate, ret_next);
	}
	end_choice(&choice);
}
