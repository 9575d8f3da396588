/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "belief.h"

#include <math.h>

#include "belief_grid.h"

/* Less probable than this beside all others: given up. */
#define LEAST_LN_P -14.0

/* A share of sums nearer to 0 or 1 is one. */
#define ROUNDING 1e-12

bool belief_holds(const struct belief *belief, size_t commit, size_t culprit)
{
	const struct bisect_options *options = &belief->options;

	return options->holds ? options->holds(options->graph, commit, culprit) : culprit <= commit;
}

static void begin_commits(struct belief *belief)
{
	size_t nr = belief->options.nr_commits;
	double sum = 0;

	belief->weights = mem_array(nr + 1, sizeof(double));
	belief->sums = mem_array(nr + 1, sizeof(double));
	belief->order = mem_array(nr, sizeof(size_t));
	belief->is_split = mem_array(nr + 1, sizeof(bool));
	belief->is_skipped = mem_array(nr + 1, sizeof(bool));
	belief->nr_of = mem_array(nr + 1, sizeof(uint32_t));
	for (size_t i = 1; i <= nr; i++) {
		belief->weights[i] = belief->options.weights ? belief->options.weights[i] : 1;
		sum += belief->weights[i];
		belief->order[i - 1] = i;
	}
	for (size_t i = 1; i <= nr; i++) {
		belief->weights[i] = sum > 0 ? belief->weights[i] / sum : 1.0 / (double)nr;
	}
	for (size_t i = 1; i <= nr; i++) {
		belief->sums[i] = belief->sums[i - 1] + belief->weights[i];
	}
	belief->options.weights = belief->weights;
}

struct belief *belief_new(const struct bisect_options *options)
{
	struct belief *belief = mem_alloc(sizeof(*belief));

	belief->options = *options;
	belief->nr_machines = 1;
	begin_commits(belief);
	belief->p_none = options->p_none;
	*vec_push(&belief->classes) = (struct belief_class){ .nr = options->nr_commits,
							     .weight = 1,
							     .p = 1 - options->p_none };
	return belief;
}

static void drop_hypotheses(struct belief *belief)
{
	for (size_t i = 0; i < belief->hypotheses.nr; i++) {
		free(belief->hypotheses.at[i].chains);
	}
	belief->hypotheses.nr = 0;
}

struct belief *belief_free(struct belief *belief)
{
	if (!belief) {
		return NULL;
	}
	drop_hypotheses(belief);
	vec_release(&belief->hypotheses);
	vec_release(&belief->noises);
	vec_release(&belief->classes);
	vec_release(&belief->runs);
	for (size_t i = 0; i < countof(belief->machines); i++) {
		free(belief->machines[i].boot_ln);
	}
	free(belief->weights);
	free(belief->sums);
	free(belief->order);
	free(belief->is_split);
	free(belief->is_skipped);
	free(belief->nr_of);
	free(belief);
	return NULL;
}

static void add_hypothesis(struct belief *belief, const struct belief_hypothesis *like,
			   const struct belief_chain *chains)
{
	size_t nr = belief->nr_machines;
	struct belief_hypothesis *added = vec_push(&belief->hypotheses);

	*added = *like;
	added->chains = mem_array(nr, sizeof(*added->chains));
	if (chains) {
		memcpy(added->chains, chains, nr * sizeof(*chains));
	}
}

/* Every step on the grid with every noise, and nothing changed with every noise. */
static void begin_hypotheses(struct belief *belief)
{
	struct belief_steps steps;

	belief_steps(belief, &steps);
	drop_hypotheses(belief);
	for (size_t i = 0; i < belief->noises.nr; i++) {
		double ln_prior = belief->noises.at[i].ln_prior;
		struct belief_hypothesis hypothesis = { .class = -1, .noise = (uint16_t)i };

		hypothesis.ln_p = ln_prior + log(belief->options.p_none);
		if (belief->options.p_none > 0) {
			add_hypothesis(belief, &hypothesis, NULL);
		}
		for (size_t j = 0; j < steps.nr; j++) {
			hypothesis.class = 0;
			hypothesis.step = steps.at[j].step;
			hypothesis.ln_p =
				ln_prior + log1p(-belief->options.p_none) + steps.at[j].ln_prior;
			add_hypothesis(belief, &hypothesis, NULL);
		}
	}
}

/* Moves the members that a tree of `commit` holds to the front; both parts stay in order. */
static size_t part_members(struct belief *belief, const struct belief_class *class, size_t commit)
{
	size_t *members = belief->order + class->first;
	size_t *others = mem_array(class->nr, sizeof(*others));
	size_t nr = 0, nr_others = 0;

	for (size_t i = 0; i < class->nr; i++) {
		if (belief_holds(belief, commit, members[i])) {
			members[nr++] = members[i];
		} else {
			others[nr_others++] = members[i];
		}
	}
	memcpy(members + nr, others, nr_others * sizeof(*others));
	free(others);
	return nr;
}

static double weight_of(const struct belief *belief, size_t first, size_t nr)
{
	double weight = 0;

	for (size_t i = first; i < first + nr; i++) {
		weight += belief->weights[belief->order[i]];
	}
	return weight;
}

double belief_share(const struct belief *belief, const struct belief_class *class, size_t commit)
{
	const size_t *members = belief->order + class->first;
	double inside = 0;

	if (!belief->options.holds) { /* members are in a row */
		size_t last = members[class->nr - 1], before = members[0] - 1;
		size_t most = commit < last ? commit : last;

		inside = most > before ? belief->sums[most] - belief->sums[before] : 0;
	} else {
		for (size_t i = 0; i < class->nr; i++) {
			inside += belief_holds(belief, commit, members[i])
					  ? belief->weights[members[i]]
					  : 0;
		}
	}
	inside = class->weight > 0 ? inside / class->weight : 0;
	return inside < ROUNDING ? 0 : inside > 1 - ROUNDING ? 1 : inside;
}

static void split_class(struct belief *belief, size_t index, size_t commit)
{
	struct belief_class *class = &belief->classes.at[index];
	size_t nr_inside = part_members(belief, class, commit);
	struct belief_class rest = { .first = class->first + nr_inside,
				     .nr = class->nr - nr_inside };
	double share_inside, share_rest;
	size_t nr_hypotheses = belief->hypotheses.nr;

	if (nr_inside == 0 || rest.nr == 0) {
		return;
	}
	rest.weight = weight_of(belief, rest.first, rest.nr);
	share_rest = class->weight > 0 ? rest.weight / class->weight : 0.5;
	share_inside = 1 - share_rest;
	rest.p = class->p * share_rest;
	class->nr = nr_inside;
	class->weight = weight_of(belief, class->first, nr_inside);
	class->p *= share_inside;
	*vec_push(&belief->classes) = rest;

	for (size_t i = 0; i < nr_hypotheses; i++) {
		struct belief_hypothesis hypothesis = belief->hypotheses.at[i];

		if (hypothesis.class != (int32_t)index) {
			continue;
		}
		belief->hypotheses.at[i].ln_p += log(share_inside);
		hypothesis.class = (int32_t)(belief->classes.nr - 1);
		hypothesis.ln_p += log(share_rest);
		if (share_rest > 0) {
			add_hypothesis(belief, &hypothesis, hypothesis.chains);
		}
	}
}

void belief_split(struct belief *belief, size_t commit)
{
	size_t nr = belief->classes.nr;

	if (belief->is_split[commit]) {
		return;
	}
	belief->is_split[commit] = true;
	for (size_t i = 0; i < nr; i++) {
		split_class(belief, i, commit);
	}
}

/* Weights of sum 1; the hopeless go; what is left is summed by class. */
static void settle(struct belief *belief)
{
	double most = -INFINITY, sum = 0;
	size_t nr = 0;

	for (size_t i = 0; i < belief->hypotheses.nr; i++) {
		most = fmax(most, belief->hypotheses.at[i].ln_p);
	}
	for (size_t i = 0; i < belief->hypotheses.nr; i++) {
		struct belief_hypothesis *hypothesis = &belief->hypotheses.at[i];

		if (!(hypothesis->ln_p - most > LEAST_LN_P)) {
			free(hypothesis->chains);
			continue;
		}
		sum += exp(hypothesis->ln_p - most);
		belief->hypotheses.at[nr++] = *hypothesis;
	}
	belief->hypotheses.nr = nr;
	belief->ln_evidence += most + log(sum);

	belief->p_none = 0;
	for (size_t k = 0; k < belief->classes.nr; k++) {
		belief->classes.at[k].p = 0;
	}
	for (size_t i = 0; i < nr; i++) {
		struct belief_hypothesis *hypothesis = &belief->hypotheses.at[i];

		hypothesis->ln_p -= most + log(sum);
		*(hypothesis->class < 0 ? &belief->p_none
					: &belief->classes.at[hypothesis->class].p) +=
			exp(hypothesis->ln_p);
	}
}

/* The run's likelihood, on the grid of its machine, moves every hypothesis. */
static void weigh(struct belief *belief, const struct bisect_run *run)
{
	struct belief_machine *machine = &belief->machines[run->machine];
	bool is_new_boot = machine->nr_runs == 0 || machine->boot != run->boot;
	scoped(free) bool *is_bad = mem_array(belief->classes.nr + 1, sizeof(bool));
	scoped(free) struct belief_sight *sights =
		mem_array(belief->noises.nr, sizeof(struct belief_sight));

	for (size_t k = 0; k < belief->classes.nr; k++) {
		size_t member = belief->order[belief->classes.at[k].first];

		is_bad[k] = belief_holds(belief, run->commit, member);
	}
	for (size_t i = 0; i < belief->noises.nr; i++) {
		belief_sight(belief, run, i, is_new_boot, &sights[i]);
	}
	for (size_t i = 0; i < belief->hypotheses.nr; i++) {
		struct belief_hypothesis *hypothesis = &belief->hypotheses.at[i];
		struct belief_move move = {
			.shift = hypothesis->class >= 0 && is_bad[hypothesis->class]
					 ? hypothesis->step
					 : 0,
			.step = hypothesis->class >= 0 ? hypothesis->step : 0,
			.is_first = machine->nr_runs == 0,
		};

		hypothesis->ln_p += belief_follow(belief, &hypothesis->chains[run->machine],
						  &sights[hypothesis->noise], &move);
	}
	machine->nr_boot = is_new_boot ? 1 : machine->nr_boot + 1;
	machine->boot = run->boot;
	machine->commit = run->commit;
	machine->nr_runs++;
	settle(belief);
}

/* From the first run on, on a new grid. */
static void lay_out(struct belief *belief)
{
	belief_grid_lay(belief);
	belief->ln_evidence = 0;
	for (size_t i = 0; i < countof(belief->machines); i++) {
		belief->machines[i].nr_runs = 0;
	}
	memset(belief->is_split, 0, (belief->options.nr_commits + 1) * sizeof(bool));
	for (size_t i = 0; i < belief->options.nr_commits; i++) {
		belief->order[i] = i + 1;
	}
	belief->classes.nr = 0;
	*vec_push(&belief->classes) =
		(struct belief_class){ .nr = belief->options.nr_commits, .weight = 1 };
	begin_hypotheses(belief);
	for (size_t i = 0; i < belief->runs.nr; i++) {
		belief_split(belief, belief->runs.at[i].commit);
		weigh(belief, &belief->runs.at[i]);
	}
}

void belief_add(struct belief *belief, const struct bisect_run *run)
{
	bool is_new_machine = run->machine >= belief->nr_machines;

	*vec_push(&belief->runs) = *run;
	belief->nr_of[run->commit]++;
	if (is_new_machine) {
		belief->nr_machines = run->machine + 1;
	}
	if (is_new_machine || belief_grid_is_outgrown(belief, run)) {
		lay_out(belief);
		return;
	}
	belief_split(belief, run->commit);
	weigh(belief, run);
}
