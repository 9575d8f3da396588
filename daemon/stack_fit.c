/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_fit.h"

#include <math.h>

#include "lib/report/view_builder.h"

/* loading ------------------------------------------------------------------------------------ */

static const char *reason_of(struct arena *arena, const struct rows *rows, int row)
{
	const char *build = rows_text(rows, row, "build");
	const char *reason = rows_text(rows, row, "build_reason");

	if (build && strcmp(build, "failed") == 0) {
		return arena_strdup(arena, reason ? reason : "build failed");
	}
	return build ? "not measured" : "not planned";
}

/* A commit that an earlier stack holds too has its node. */
static size_t node_of(struct stack_fit *fit, const char *oid)
{
	for (size_t i = 0; i + 1 < fit->nr_stacks; i++) {
		for (size_t j = 0; j < fit->stacks[i].nr_commits; j++) {
			if (strcmp(fit->stacks[i].commits[j].oid, oid) == 0) {
				return fit->stacks[i].commits[j].node;
			}
		}
	}
	return fit->nr_nodes++;
}

static bool load_commits(struct db *db, int64_t cell, struct stack_fit *fit,
			 struct stack_fit_stack *stack, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_STACK_FIT_COMMITS, ARGS(arg_int(stack->id), arg_int(cell)), &rows,
		      err)) {
		return false;
	}
	stack->nr_commits = (size_t)rows_nr(rows);
	stack->commits = arena_array(fit->arena, stack->nr_commits, sizeof(*stack->commits));
	for (int i = 0; i < rows_nr(rows); i++) {
		stack->commits[i] = (struct stack_fit_commit){
			.oid = arena_strdup(fit->arena, rows_text(rows, i, "oid")),
			.subject = arena_strdup(fit->arena, rows_text(rows, i, "subject")),
			.position = rows_int(rows, i, "position"),
			.parent = i > 0 ? (size_t)i - 1 : 0,
			.node = node_of(fit, rows_text(rows, i, "oid")),
			.reason = reason_of(fit->arena, rows, i),
		};
	}
	return true;
}

static size_t index_of(const struct stack_fit_stack *stack, int64_t position)
{
	for (size_t i = 0; i < stack->nr_commits; i++) {
		if (stack->commits[i].position == position) {
			return i;
		}
	}
	bug("a comparison of a commit outside its stack");
}

/* A link of the stack: its place in the rows that tell of it. */
struct link {
	size_t base, head;
	bool is_parent;
};

static struct link link_of(const struct stack_fit_stack *stack, const struct rows *rows, int row)
{
	return (struct link){
		.base = index_of(stack, rows_int(rows, row, "base")),
		.head = index_of(stack, rows_int(rows, row, "head")),
		.is_parent = strcmp(rows_text(rows, row, "role"), "parent") == 0,
	};
}

static void make_joints(struct stack_fit *fit)
{
	fit->joints = arena_array(fit->arena, fit->any->nr_metrics, sizeof(*fit->joints));
	for (size_t i = 0; i < fit->any->nr_metrics; i++) {
		joint_init(&fit->joints[i], fit->nr_nodes);
	}
}

static bool add_comparison(struct db *db, struct stack_fit *fit, int64_t cell, int64_t id,
			   struct joint_pair pair, struct err *err)
{
	scoped(comparison_free) struct comparison *comparison = NULL;
	const struct comparison *from;

	if (!comparison_load(db, cell, id, &comparison, err)) {
		return false;
	}
	from = comparison;
	if (!fit->any) {
		fit->any = move(&comparison);
		make_joints(fit);
	}
	/* a metric that came into being since stands behind the others */
	for (size_t i = 0; i < fit->any->nr_metrics && i < from->nr_metrics; i++) {
		joint_add_metric(&fit->joints[i], &from->metrics[i], pair);
	}
	return true;
}

/* Which commits are one binary must be known before samples are added to their nodes. */
static void find_twins(struct stack_fit_stack *stack, const struct rows *rows)
{
	for (int i = 0; i < rows_nr(rows); i++) {
		struct link link = link_of(stack, rows, i);
		struct stack_fit_commit *head = &stack->commits[link.head];
		const char *reason = rows_text(rows, i, "reason");

		if (link.is_parent) {
			head->parent = link.base;
			head->comparison = rows_int(rows, i, "id");
			if (reason && strcmp(reason, "same binary") == 0) {
				head->node = stack->commits[link.base].node;
			}
		}
	}
}

/* All commits have their nodes before the first sample comes. */
static bool load_stack(struct db *db, int64_t cell, struct stack_fit *fit, int64_t id,
		       struct rows **ret_links, struct err *err)
{
	struct stack_fit_stack *stack = &fit->stacks[fit->nr_stacks++];

	stack->id = id;
	if (!load_commits(db, cell, fit, stack, err) ||
	    !db_query(db, Q_STACK_FIT_COMPARISONS, ARGS(arg_int(id), arg_int(cell)), ret_links,
		      err)) {
		return false;
	}
	find_twins(stack, *ret_links);
	return true;
}

/* Whether the first stack has this comparison too. */
static bool is_shared(const struct rows *first, int64_t id)
{
	for (int i = 0; i < rows_nr(first); i++) {
		if (rows_int(first, i, "id") == id) {
			return true;
		}
	}
	return false;
}

static bool load_samples(struct db *db, int64_t cell, struct stack_fit *fit,
			 struct rows *const *links, struct err *err)
{
	for (size_t s = 0; s < fit->nr_stacks; s++) {
		const struct stack_fit_stack *stack = &fit->stacks[s];

		for (int i = 0; i < rows_nr(links[s]); i++) {
			struct link link = link_of(stack, links[s], i);
			struct joint_pair pair = { stack->commits[link.base].node,
						   stack->commits[link.head].node };
			int64_t id = rows_int(links[s], i, "id");
			int look = (int)rows_int(links[s], i, "look");

			fit->look = look > fit->look ? look : fit->look;
			if (rows_bool(links[s], i, "is_measured") &&
			    !(s > 0 && is_shared(links[0], id)) &&
			    !add_comparison(db, fit, cell, id, pair, err)) {
				return false;
			}
		}
	}
	return true;
}

bool stack_fit_load(struct db *db, int64_t cell, const int64_t *stacks, size_t nr_stacks,
		    struct stack_fit **ret_fit, struct err *err)
{
	scoped(stack_fit_free) struct stack_fit *fit = mem_alloc(sizeof(*fit));
	struct rows *links[STACK_FIT_STACKS] = { NULL };
	bool is_done = true;

	assert(nr_stacks >= 1 && nr_stacks <= STACK_FIT_STACKS);
	fit->arena = arena_new();
	for (size_t i = 0; is_done && i < nr_stacks; i++) {
		is_done = load_stack(db, cell, fit, stacks[i], &links[i], err);
	}
	is_done = is_done && load_samples(db, cell, fit, links, err);
	for (size_t i = 0; i < nr_stacks; i++) {
		rows_free(links[i]);
	}
	if (!is_done) {
		return false;
	}
	for (size_t i = 0; fit->any && i < fit->any->nr_metrics; i++) {
		joint_fit(&fit->joints[i], prior_of_history(&fit->any->metrics[i]));
	}
	*ret_fit = move(&fit);
	return true;
}

struct stack_fit *stack_fit_free(struct stack_fit *fit)
{
	if (fit) {
		for (size_t i = 0; fit->any && i < fit->any->nr_metrics; i++) {
			joint_release(&fit->joints[i]);
		}
		comparison_free(fit->any);
		arena_free(fit->arena);
		free(fit);
	}
	return NULL;
}

/* verdicts ----------------------------------------------------------------------------------- */

static void say_same(const struct stack_fit *fit, struct judge_verdict *verdicts)
{
	for (size_t i = 0; i < fit->any->nr_metrics; i++) {
		verdicts[i] = (struct judge_verdict){ .metric = &fit->any->metrics[i],
						      .kind = JUDGE_NO_CHANGE,
						      .is_ratio = true,
						      .interval_95 = { (double)NAN, (double)NAN },
						      .p = (double)NAN,
						      .q = (double)NAN,
						      .told = "same binary" };
	}
}

struct judge_options stack_fit_options(const struct stack_fit *fit)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;

	/* later looks are at exact metrics alone */
	options.look = fit->look < JUDGE_TIME_LOOKS ? fit->look : JUDGE_TIME_LOOKS;
	options.widening = fit->any->widening;
	return options;
}

/* All metrics of two commits of the stack. */
static struct judge_verdict *judge_pair(const struct stack_fit *fit, size_t base, size_t head)
{
	const struct joint_set set = { fit->joints, fit->any->metrics, fit->any->nr_metrics,
				       2 * (fit->stacks[0].nr_commits - 1) };
	struct joint_pair pair = { fit->stacks[0].commits[base].node,
				   fit->stacks[0].commits[head].node };
	const struct judge_options options = stack_fit_options(fit);
	struct judge_verdict *verdicts = arena_array(fit->arena, set.nr, sizeof(*verdicts));

	if (pair.base == pair.head) {
		say_same(fit, verdicts);
	} else {
		joint_judge(&set, pair, &options, verdicts);
	}
	return verdicts;
}

/* the document ------------------------------------------------------------------------------- */

struct table {
	struct view_cell *cells;
	struct view_change *changes;
	struct view_change *steps;
};

static void fill_column(const struct stack_fit *fit, struct table *tables, size_t i)
{
	const struct stack_fit_commit *commit = &fit->stacks[0].commits[i];
	const struct judge_verdict *change = i ? judge_pair(fit, 0, i) : NULL;
	const struct judge_verdict *step = i ? judge_pair(fit, commit->parent, i) : NULL;

	for (size_t m = 0; m < fit->any->nr_metrics; m++) {
		struct judge_side side = joint_side(&fit->joints[m], commit->node);

		tables[m].cells[i] = view_cell_judged(&side, commit->reason);
		if (i > 0) {
			tables[m].changes[i - 1] = view_change_judged(&change[m], fit->arena);
			tables[m].steps[i - 1] = view_change_judged(&step[m], fit->arena);
			tables[m].steps[i - 1].against = commit->parent;
		}
	}
}

static struct view_row row_of(const struct stack_fit *fit, const struct table *table, size_t i)
{
	struct view_row row = comparison_row(fit->any, i);

	row.cells = table->cells;
	row.changes = table->changes;
	row.steps = table->steps;
	return row;
}

static void add_group(const struct stack_fit *fit, struct view *view)
{
	size_t nr = fit->any->nr_metrics;
	struct table *tables = arena_array(fit->arena, nr, sizeof(*tables));
	struct view_row *rows = arena_array(fit->arena, nr, sizeof(*rows));
	struct view_group group = { .rows = rows, .nr_rows = nr };

	for (size_t i = 0; i < nr; i++) {
		struct table *table = &tables[i];

		table->cells =
			arena_array(fit->arena, fit->stacks[0].nr_commits, sizeof(*table->cells));
		table->changes =
			arena_array(fit->arena, fit->stacks[0].nr_commits, sizeof(*table->changes));
		table->steps =
			arena_array(fit->arena, fit->stacks[0].nr_commits, sizeof(*table->steps));
	}
	for (size_t i = 0; i < fit->stacks[0].nr_commits; i++) {
		fill_column(fit, tables, i);
	}
	for (size_t i = 0; i < nr; i++) {
		rows[i] = row_of(fit, &tables[i], i);
	}
	comparison_axes(fit->any, &group);
	view_add_group(view, &group);
}

struct view *stack_fit_view(const struct stack_fit *fit)
{
	struct view_column *columns =
		arena_array(fit->arena, fit->stacks[0].nr_commits, sizeof(*columns));
	struct view *view;

	for (size_t i = 0; i < fit->stacks[0].nr_commits; i++) {
		columns[i] = (struct view_column){ .commit = fit->stacks[0].commits[i].oid,
						   .subject = fit->stacks[0].commits[i].subject };
	}
	view = view_new(columns, fit->stacks[0].nr_commits);
	if (fit->any) {
		add_group(fit, view);
	} else {
		view->reason = "nothing is measured yet";
	}
	view_sum_up(view);
	return view;
}

/* up and down -------------------------------------------------------------------------------- */

static bool is_up_and_down(const struct stack_fit *fit, size_t commit, size_t after)
{
	const struct stack_fit_commit *commits = fit->stacks[0].commits;
	size_t before = commits[commits[commit].parent].node;

	for (size_t i = 0; i < fit->any->nr_metrics; i++) {
		if (fit->any->metrics[i].is_headline && !fit->any->metrics[i].is_exact &&
		    joint_goes_up_and_down(&fit->joints[i], before, commits[commit].node,
					   commits[after].node)) {
			return true;
		}
	}
	return false;
}

size_t stack_fit_up_and_down(const struct stack_fit *fit, size_t from, size_t *ret_after)
{
	for (size_t after = from + 1; fit->any && after < fit->stacks[0].nr_commits; after++) {
		size_t commit = fit->stacks[0].commits[after].parent;

		if (commit > 0 && is_up_and_down(fit, commit, after)) {
			*ret_after = after;
			return commit;
		}
	}
	return 0;
}
