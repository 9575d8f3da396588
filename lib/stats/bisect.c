/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bisect.h"

#include <math.h>

#include "bisect_gain.h"
#include "culprits.h"
#include "modes.h"

/* The set that is named when the budget has ended holds the culprit so surely. */
#define SET_P 0.95

/* The last run before an answer carries the posterior past the bar, the farther the higher the
 * step: by a factor exp(0.583 D) of the odds for a walk between known levels (Siegmund 1985,
 * chapter 8), by less for levels that are learnt.  The bar is lowered by that, so that of all
 * answers `stop` are right. */
#define OVERSHOOT      0.583
#define LEARNT_LEVELS  0.47
#define MOST_OVERSHOOT 2.5

struct bisect {
	struct culprits *culprits; /* where every step is looked for; else NULL, and: */
	struct belief *levels;
	struct modes *modes; /* NULL: there is one level */
	bool is_looked_at;   /* are modes those of the present runs? */
	/* commits given out by bisect_next() and not run yet */
	VEC(size_t) pending;
};

struct bisect_options bisect_defaults(size_t nr_commits)
{
	return (struct bisect_options){
		.nr_commits = nr_commits,
		.sd = 1,
		.boot_share = -1,
		.smallest = 0.4,
		.p_none = 0.5,
		.stop = 0.99,
		.jumps = 0.004,
		.budget = 600,
	};
}

struct bisect *bisect_new(const struct bisect_options *options)
{
	struct bisect *bisect = mem_alloc(sizeof(*bisect));

	assert(options->nr_commits > 0 && options->nr_commits <= BISECT_MOST_COMMITS);
	bisect->levels = belief_new(options);
	if (options->every_step && !options->holds && options->values == BISECT_LEVELS) {
		bisect->culprits = culprits_new(options);
	}
	return bisect;
}

struct bisect *bisect_free(struct bisect *bisect)
{
	if (bisect) {
		culprits_free(bisect->culprits);
		belief_free(bisect->levels);
		modes_free(bisect->modes);
		vec_release(&bisect->pending);
		free(bisect);
	}
	return NULL;
}

static void forget_pending(struct bisect *bisect, size_t commit)
{
	for (size_t i = 0; i < bisect->pending.nr; i++) {
		if (bisect->pending.at[i] == commit) {
			bisect->pending.at[i] = bisect->pending.at[--bisect->pending.nr];
			return;
		}
	}
}

void bisect_add(struct bisect *bisect, const struct bisect_run *run)
{
	assert(run->commit <= bisect->levels->options.nr_commits);
	assert(run->machine < BISECT_MOST_MACHINES && isfinite(run->value));
	forget_pending(bisect, run->commit);
	if (bisect->culprits) {
		culprits_add(bisect->culprits, run);
		return;
	}
	belief_add(bisect->levels, run);
	bisect->is_looked_at = false;
}

void bisect_skip(struct bisect *bisect, size_t commit)
{
	forget_pending(bisect, commit);
	bisect->levels->is_skipped[commit] = true;
	if (bisect->culprits) {
		culprits_skip(bisect->culprits, commit);
	}
	if (bisect->modes) {
		bisect->modes->shares->is_skipped[commit] = true;
	}
}

static void look_at_modes(struct bisect *bisect)
{
	if (!bisect->is_looked_at) {
		modes_free(bisect->modes);
		bisect->modes = modes_find(bisect->levels);
		bisect->is_looked_at = true;
	}
}

static bool has_modes(const struct bisect *bisect)
{
	return bisect->modes && bisect->modes->p > 0.5;
}

/* What explains the runs best. */
static struct belief *leading(const struct bisect *bisect)
{
	return has_modes(bisect) ? bisect->modes->shares : bisect->levels;
}

static void add_posterior(const struct belief *belief, double p, double *ret_p)
{
	ret_p[0] += p * belief->p_none;
	for (size_t k = 0; k < belief->classes.nr; k++) {
		const struct belief_class *class = &belief->classes.at[k];

		for (size_t i = class->first; i < class->first + class->nr; i++) {
			size_t commit = belief->order[i];
			double share =
				class->weight > 0 ? belief->weights[commit] / class->weight : 0;

			ret_p[commit] += p * class->p * share;
		}
	}
}

void bisect_posterior(struct bisect *bisect, double *ret_p)
{
	double p_modes;

	if (bisect->culprits) {
		culprits_posterior(bisect->culprits, ret_p);
		return;
	}
	look_at_modes(bisect);
	p_modes = bisect->modes ? bisect->modes->p : 0;
	memset(ret_p, 0, (bisect->levels->options.nr_commits + 1) * sizeof(double));
	add_posterior(bisect->levels, 1 - p_modes, ret_p);
	if (bisect->modes) {
		add_posterior(bisect->modes->shares, p_modes, ret_p);
	}
}

/* Is there a commit which could be run and would part the class? */
static bool is_separable(const struct belief *belief, const struct belief_class *class)
{
	for (size_t i = class->first; i < class->first + class->nr; i++) {
		size_t commit = belief->order[i];

		if (!belief->is_skipped[commit] && !belief->is_split[commit]) {
			double share = belief_share(belief, class, commit);

			if (share > 0 && share < 1) {
				return true;
			}
		}
	}
	return false;
}

/* The most that can be said of a class: one commit of it, or all where nothing tells them apart. */
static void best_of(const struct belief *belief, const struct belief_class *class, const double *p,
		    struct bisect_answer *ret_best)
{
	size_t nr_possible = 0, last = 0;
	double sum = 0;

	*ret_best = (struct bisect_answer){ .state = BISECT_CULPRIT, .nr_set = 1 };
	for (size_t i = class->first; i < class->first + class->nr; i++) {
		size_t commit = belief->order[i];

		sum += p[commit];
		if (belief->weights[commit] > 0) {
			nr_possible++;
			last = commit;
		}
		if (p[commit] > ret_best->p) {
			ret_best->p = p[commit];
			ret_best->last = commit;
		}
	}
	if (nr_possible > 1 && ret_best->p < belief->options.stop && !is_separable(belief, class)) {
		ret_best->state = BISECT_SET;
		ret_best->p = sum;
		ret_best->last = last;
		ret_best->nr_set = nr_possible;
	}
}

/* What can be said best, however sure, by the posterior of each commit. */
static void say(const struct belief *belief, const double *p, struct bisect_answer *ret_answer)
{
	ret_answer->state = BISECT_NONE;
	ret_answer->p = p[0];
	for (size_t k = 0; k < belief->classes.nr; k++) {
		struct bisect_answer best;

		best_of(belief, &belief->classes.at[k], p, &best);
		if (best.p > ret_answer->p) {
			ret_answer->state = best.state;
			ret_answer->p = best.p;
			ret_answer->last = best.last;
			ret_answer->nr_set = best.nr_set;
		}
	}
}

struct candidate {
	size_t commit;
	double p;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->p < y->p || (x->p <= y->p && x->commit > y->commit) ? 1 : -1;
}

/* The most probable first; [0] may be "none". */
static struct candidate *rank(struct bisect *bisect, size_t *ret_nr, double *ret_p)
{
	size_t nr = bisect->levels->options.nr_commits + 1, nr_needed = 0;
	scoped(free) double *p = mem_array(nr, sizeof(double));
	struct candidate *candidates = mem_array(nr, sizeof(*candidates));
	double sum = 0;

	bisect_posterior(bisect, p);
	for (size_t i = 0; i < nr; i++) {
		candidates[i] = (struct candidate){ i, p[i] };
	}
	qsort(candidates, nr, sizeof(*candidates), compare_candidates);
	while (nr_needed < nr && sum < SET_P) {
		sum += candidates[nr_needed++].p;
	}
	*ret_nr = nr_needed;
	*ret_p = sum;
	return candidates;
}

static void say_spent(struct bisect *bisect, struct bisect_answer *ret_answer)
{
	size_t nr;
	scoped(free) struct candidate *candidates = rank(bisect, &nr, &ret_answer->p);

	ret_answer->state = BISECT_SPENT;
	ret_answer->nr_set = 0;
	ret_answer->last =
		candidates[0].commit > 0 || nr < 2 ? candidates[0].commit : candidates[1].commit;
	for (size_t i = 0; i < nr; i++) {
		ret_answer->nr_set += candidates[i].commit > 0;
	}
}

static int compare_commits(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static bool has_member(const struct belief *belief, const struct belief_class *class, size_t commit)
{
	for (size_t i = class->first; i < class->first + class->nr; i++) {
		if (belief->order[i] == commit) {
			return true;
		}
	}
	return false;
}

static size_t possible_members(const struct belief *belief, const struct belief_class *class,
			       size_t *ret_commits)
{
	size_t nr = 0;

	for (size_t i = class->first; i < class->first + class->nr; i++) {
		if (belief->weights[belief->order[i]] > 0) {
			ret_commits[nr++] = belief->order[i];
		}
	}
	return nr;
}

void bisect_set(struct bisect *bisect, const struct bisect_answer *answer, size_t *ret_commits)
{
	const struct belief *belief = bisect->levels;
	size_t nr = 0, nr_ranked;
	double p;

	if (answer->state == BISECT_SPENT) {
		scoped(free) struct candidate *candidates = rank(bisect, &nr_ranked, &p);

		for (size_t i = 0; i < nr_ranked; i++) {
			if (candidates[i].commit > 0) {
				ret_commits[nr++] = candidates[i].commit;
			}
		}
		qsort(ret_commits, nr, sizeof(*ret_commits), compare_commits);
		return;
	}
	if (bisect->culprits && answer->nr_set > 1) {
		culprits_set(bisect->culprits, answer->last, answer->nr_set, ret_commits);
		return;
	}
	for (size_t k = 0; k < belief->classes.nr && answer->nr_set > 1; k++) {
		const struct belief_class *class = &belief->classes.at[k];

		if (has_member(belief, class, answer->last)) {
			nr = possible_members(belief, class, ret_commits);
		}
	}
	if (answer->nr_set == 1) {
		ret_commits[0] = answer->last;
	}
}

static double entropy(const struct belief *belief)
{
	double bits = belief->p_none > 0 ? -belief->p_none * log2(belief->p_none) : 0;

	for (size_t k = 0; k < belief->classes.nr; k++) {
		const struct belief_class *class = &belief->classes.at[k];

		/* as if all members weighed the same */
		bits += class->p > 0 ? class->p * log2((double)class->nr / class->p) : 0;
	}
	return bits;
}

/* What is unknown over what a run tells, and the confirmation of both neighbours. */
static double expect(const struct belief *belief, const struct belief_fit *fit)
{
	double size = fmin(fmax(fit->size / fit->sd, belief->options.smallest), 8);
	double sure = 2 * log(1 / (1 - belief->options.stop)) / (size * size / 2);
	double bits = entropy(belief);

	return bits / gain_channel(0.5, size) + sure * fmin(bits, 1);
}

/* What the posterior of an answer must reach. */
static double bar(const struct bisect_options *options, const struct belief_fit *fit,
		  enum bisect_state state, bool has_groups)
{
	double step = fit->sd > 0 ? fit->size / fit->sd : 0;
	double overshoot = exp(OVERSHOOT * step - LEARNT_LEVELS);

	if (state == BISECT_NONE || has_groups) { /* both are come to in small steps */
		return options->stop;
	}
	return 1 - (1 - options->stop) * fmin(fmax(overshoot, 1), MOST_OVERSHOOT);
}

static void answer_one(struct bisect *bisect, struct bisect_answer *ret_answer)
{
	const struct bisect_options *options = &bisect->levels->options;
	scoped(free) double *p = mem_array(options->nr_commits + 1, sizeof(double));
	struct belief_fit fit;

	bisect_posterior(bisect, p);
	fit = belief_fit(leading(bisect));
	*ret_answer = (struct bisect_answer){ .p_none = p[0],
					      .p_worse = fit.p_worse,
					      .has_modes = has_modes(bisect),
					      .before = fit.before,
					      .after = fit.after,
					      .step_sd = fit.step_sd,
					      .sd = fit.sd };
	say(bisect->levels, p, ret_answer);
	if (bisect->levels->runs.nr > 0 &&
	    ret_answer->p >= bar(options, &fit, ret_answer->state, bisect->modes)) {
		ret_answer->nr_found = ret_answer->state != BISECT_NONE;
	} else if (bisect->levels->runs.nr >= options->budget) {
		say_spent(bisect, ret_answer);
	} else {
		ret_answer->state = BISECT_OPEN;
		ret_answer->expected = expect(leading(bisect), &fit);
	}
}

void bisect_answer(struct bisect *bisect, struct bisect_answer *ret_answer)
{
	if (!bisect->culprits) {
		answer_one(bisect, ret_answer);
	} else if (!culprits_answer(bisect->culprits, ret_answer)) {
		say_spent(bisect, ret_answer);
	}
}

/* Does only the doubt whether there are modes hold up an answer? */
static bool is_modes_doubted(const struct bisect *bisect)
{
	const struct belief *levels = bisect->levels;
	double most = levels->p_none;

	for (size_t k = 0; k < levels->classes.nr; k++) {
		most = fmax(most, levels->classes.at[k].p);
	}
	return bisect->modes && most >= levels->options.stop;
}

static void next_for_one(struct bisect *bisect, size_t machine, struct bisect_next *ret_next)
{
	struct belief *belief;

	look_at_modes(bisect);
	belief = is_modes_doubted(bisect) ? bisect->modes->shares : leading(bisect);
	gain_next(belief, machine, bisect->pending.at, bisect->pending.nr, ret_next);
	ret_next->is_fresh |= belief != bisect->levels;
}

void bisect_next(struct bisect *bisect, size_t machine, struct bisect_next *ret_next)
{
	if (bisect->culprits) {
		ret_next->commit =
			culprits_next(bisect->culprits, bisect->pending.at, bisect->pending.nr);
		ret_next->is_fresh = true;
	} else {
		next_for_one(bisect, machine, ret_next);
	}
	*vec_push(&bisect->pending) = ret_next->commit;
}

void bisect_found(struct bisect *bisect, size_t index, struct bisect_found *ret_found)
{
	struct bisect_answer answer;

	if (bisect->culprits) {
		culprits_found(bisect->culprits, index, ret_found);
		return;
	}
	assert(index == 0);
	bisect_answer(bisect, &answer);
	*ret_found = (struct bisect_found){ .commit = answer.last,
					    .nr_set = answer.nr_set,
					    .p = answer.p,
					    .before = answer.before,
					    .after = answer.after };
}
