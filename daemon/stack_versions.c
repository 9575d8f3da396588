/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "lib/report/view_builder.h"
#include "stack_fit.h"

enum { OLD, NEW, VERSIONS };

/* A patch in both versions, told by its subject; 0: it is not in this one. */
struct match {
	const char *name;
	size_t head[VERSIONS]; /* indices of its commit and of what it is held against */
	size_t base[VERSIONS];
};

static const struct stack_fit_commit *commit_of(const struct stack_fit *fit, int version, size_t i)
{
	return &fit->stacks[version].commits[i];
}

static struct match match_of(const struct stack_fit *fit, size_t old, size_t new)
{
	const struct stack_fit_commit *commits[] = { commit_of(fit, OLD, old),
						     commit_of(fit, NEW, new) };

	return (struct match){ .name = commits[new ? NEW : OLD]->subject,
			       .head = { old, new },
			       .base = { commits[OLD]->parent, commits[NEW]->parent } };
}

/* The patches of the new version, those that it dropped, and the whole; gives how many. */
static size_t match_patches(const struct stack_fit *fit, struct match *matches)
{
	const struct stack_fit_stack *old = &fit->stacks[OLD];
	const struct stack_fit_stack *new = &fit->stacks[NEW];
	bool *is_taken = arena_array(fit->arena, old->nr_commits, sizeof(*is_taken));
	size_t nr = 0;

	for (size_t i = 1; i < new->nr_commits; i++) {
		size_t found = 1;

		while (found < old->nr_commits &&
		       (is_taken[found] ||
			strcmp(old->commits[found].subject, new->commits[i].subject) != 0)) {
			found++;
		}
		if (found < old->nr_commits) {
			is_taken[found] = true;
		}
		matches[nr++] = match_of(fit, found < old->nr_commits ? found : 0, i);
	}
	for (size_t i = 1; i < old->nr_commits; i++) {
		if (!is_taken[i]) {
			matches[nr++] = match_of(fit, i, 0);
		}
	}
	matches[nr++] = (struct match){ .name = "the whole series",
					.head = { old->nr_commits - 1, new->nr_commits - 1 } };
	return nr;
}

static struct joint_pair pair_of(const struct stack_fit *fit, const struct match *match,
				 int version)
{
	return (struct joint_pair){ commit_of(fit, version, match->base[version])->node,
				    commit_of(fit, version, match->head[version])->node };
}

/* What a version of a patch does to a metric, in percent where there is a ratio. */
static struct view_cell cell_of(const struct stack_fit *fit, const struct match *match, int version,
				size_t metric)
{
	const struct joint *joint = &fit->joints[metric];
	struct joint_pair pair = pair_of(fit, match, version);
	struct judge_side side = joint_side(joint, pair.head);
	struct view_cell cell = { .stddev = (double)NAN, .n = side.nr };
	double effect;

	if (match->head[version] == 0 || side.nr == 0 || !is_joint_tied(joint, pair)) {
		cell.n = 0;
		cell.reason = match->head[version] == 0 ? "not in this version" : "not measured";
		return cell;
	}
	effect = joint->level[pair.head] - joint->level[pair.base];
	cell.value = joint->is_relative ? 100 * expm1(effect) : effect;
	return cell;
}

static void say(const struct stack_fit *fit, enum judge_kind kind, const char *reason,
		struct judge_verdict *verdicts)
{
	for (size_t i = 0; i < fit->any->nr_metrics; i++) {
		verdicts[i] = (struct judge_verdict){
			.metric = &fit->any->metrics[i],
			.kind = kind,
			.is_ratio = true,
			.effect = kind == JUDGE_NO_CHANGE ? 0 : (double)NAN,
			.interval_95 = { (double)NAN, (double)NAN },
			.p = (double)NAN,
			.q = (double)NAN,
			.told = reason,
		};
	}
}

static void judge_match(const struct stack_fit *fit, const struct match *match, size_t nr_matches,
			struct judge_verdict *verdicts)
{
	const struct joint_set set = { fit->joints, fit->any->metrics, fit->any->nr_metrics,
				       nr_matches };
	const struct joint_pair pairs[] = { pair_of(fit, match, OLD), pair_of(fit, match, NEW) };
	const struct judge_options options = stack_fit_options(fit);

	if (match->head[OLD] == 0 || match->head[NEW] == 0) {
		say(fit, JUDGE_MISSING, "in one version only", verdicts);
	} else if (pairs[OLD].base == pairs[NEW].base && pairs[OLD].head == pairs[NEW].head) {
		say(fit, JUDGE_NO_CHANGE, "the same commits", verdicts);
	} else {
		joint_judge_between(&set, pairs, &options, verdicts);
	}
}

static struct view_row row_of(const struct stack_fit *fit, const struct match *match,
			      const struct judge_verdict *verdict, size_t metric)
{
	struct view_cell *cells = arena_array(fit->arena, VERSIONS, sizeof(*cells));
	struct view_change *change = arena_alloc(fit->arena, sizeof(*change));
	struct view_row row = comparison_row(fit->any, metric);

	for (int version = 0; version < VERSIONS; version++) {
		cells[version] = cell_of(fit, match, version, metric);
	}
	*change = view_change_judged(verdict, fit->arena);
	row.metric = arena_printf(fit->arena, "%s: %s", row.metric, match->name);
	row.unit = fit->joints[metric].is_relative ? "%" : row.unit;
	row.cells = cells;
	row.changes = change;
	return row;
}

static void add_rows(const struct stack_fit *fit, struct view *view)
{
	size_t nr_metrics = fit->any->nr_metrics;
	size_t most = fit->stacks[OLD].nr_commits + fit->stacks[NEW].nr_commits + 1;
	struct match *matches = arena_array(fit->arena, most, sizeof(*matches));
	size_t nr = match_patches(fit, matches);
	struct view_row *rows = arena_array(fit->arena, nr * nr_metrics, sizeof(*rows));
	struct judge_verdict *verdicts =
		arena_array(fit->arena, nr * nr_metrics, sizeof(*verdicts));
	struct view_group group = { .rows = rows };

	for (size_t i = 0; i < nr; i++) {
		judge_match(fit, &matches[i], nr, verdicts + i * nr_metrics);
	}
	for (size_t m = 0; m < nr_metrics; m++) {
		for (size_t i = 0; fit->any->metrics[m].is_headline && i < nr; i++) {
			rows[group.nr_rows++] =
				row_of(fit, &matches[i], &verdicts[i * nr_metrics + m], m);
		}
	}
	comparison_axes(fit->any, &group);
	view_add_group(view, &group);
}

struct view *stack_fit_versions(const struct stack_fit *fit, const char *const names[2])
{
	struct view_column columns[VERSIONS];
	struct view *view;

	for (int i = 0; i < VERSIONS; i++) {
		const struct stack_fit_stack *stack = &fit->stacks[i];
		const struct stack_fit_commit *tip = &stack->commits[stack->nr_commits - 1];

		columns[i] = (struct view_column){ tip->oid, names[i], tip->subject };
	}
	view = view_new(columns, VERSIONS);
	if (fit->any) {
		add_rows(fit, view);
	} else {
		view->reason = "nothing is measured yet";
	}
	view_sum_up(view);
	return view;
}
