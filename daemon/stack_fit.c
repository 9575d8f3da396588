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

static bool load_commits(struct db *db, int64_t stack, int64_t cell, struct stack_fit *fit,
			 struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_STACK_FIT_COMMITS, ARGS(arg_int(stack), arg_int(cell)), &rows, err)) {
		return false;
	}
	fit->nr_commits = (size_t)rows_nr(rows);
	fit->commits = arena_array(fit->arena, fit->nr_commits, sizeof(*fit->commits));
	for (int i = 0; i < rows_nr(rows); i++) {
		fit->commits[i] = (struct stack_fit_commit){
			.oid = arena_strdup(fit->arena, rows_text(rows, i, "oid")),
			.subject = arena_strdup(fit->arena, rows_text(rows, i, "subject")),
			.position = rows_int(rows, i, "position"),
			.parent = i > 0 ? (size_t)i - 1 : 0,
			.node = (size_t)i,
			.reason = reason_of(fit->arena, rows, i),
		};
	}
	return true;
}

static size_t index_of(const struct stack_fit *fit, int64_t position)
{
	for (size_t i = 0; i < fit->nr_commits; i++) {
		if (fit->commits[i].position == position) {
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

static struct link link_of(const struct stack_fit *fit, const struct rows *rows, int row)
{
	return (struct link){
		.base = index_of(fit, rows_int(rows, row, "base")),
		.head = index_of(fit, rows_int(rows, row, "head")),
		.is_parent = strcmp(rows_text(rows, row, "role"), "parent") == 0,
	};
}

static void make_joints(struct stack_fit *fit)
{
	fit->joints = arena_array(fit->arena, fit->any->nr_metrics, sizeof(*fit->joints));
	for (size_t i = 0; i < fit->any->nr_metrics; i++) {
		joint_init(&fit->joints[i], fit->nr_commits);
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
static void find_twins(struct stack_fit *fit, const struct rows *rows)
{
	for (int i = 0; i < rows_nr(rows); i++) {
		struct link link = link_of(fit, rows, i);
		const char *reason = rows_text(rows, i, "reason");

		if (link.is_parent) {
			fit->commits[link.head].parent = link.base;
			fit->commits[link.head].comparison = rows_int(rows, i, "id");
			if (reason && strcmp(reason, "same binary") == 0) {
				fit->commits[link.head].node = fit->commits[link.base].node;
			}
		}
	}
}

static bool load_samples(struct db *db, int64_t stack, int64_t cell, struct stack_fit *fit,
			 struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_STACK_FIT_COMPARISONS, ARGS(arg_int(stack), arg_int(cell)), &rows,
		      err)) {
		return false;
	}
	find_twins(fit, rows);
	for (int i = 0; i < rows_nr(rows); i++) {
		struct link link = link_of(fit, rows, i);
		struct joint_pair pair = { fit->commits[link.base].node,
					   fit->commits[link.head].node };
		int look = (int)rows_int(rows, i, "look");

		fit->look = look > fit->look ? look : fit->look;
		if (rows_bool(rows, i, "is_measured") &&
		    !add_comparison(db, fit, cell, rows_int(rows, i, "id"), pair, err)) {
			return false;
		}
	}
	return true;
}

bool stack_fit_load(struct db *db, int64_t stack, int64_t cell, struct stack_fit **ret_fit,
		    struct err *err)
{
	scoped(stack_fit_free) struct stack_fit *fit = mem_alloc(sizeof(*fit));

	fit->arena = arena_new();
	if (!load_commits(db, stack, cell, fit, err) || !load_samples(db, stack, cell, fit, err)) {
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
						      .reason = "same binary" };
	}
}

/* All metrics of two commits of the stack. */
static struct judge_verdict *judge_pair(const struct stack_fit *fit, size_t base, size_t head)
{
	const struct joint_set set = { fit->joints, fit->any->metrics, fit->any->nr_metrics,
				       2 * (fit->nr_commits - 1) };
	struct joint_pair pair = { fit->commits[base].node, fit->commits[head].node };
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct judge_verdict *verdicts = arena_array(fit->arena, set.nr, sizeof(*verdicts));

	options.look = fit->look;
	options.widening = fit->any->widening;
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
	struct view_step *steps;
};

static void fill_column(const struct stack_fit *fit, struct table *tables, size_t i)
{
	const struct stack_fit_commit *commit = &fit->commits[i];
	const struct judge_verdict *change = i ? judge_pair(fit, 0, i) : NULL;
	const struct judge_verdict *step = i ? judge_pair(fit, commit->parent, i) : NULL;

	for (size_t m = 0; m < fit->any->nr_metrics; m++) {
		struct judge_side side = joint_side(&fit->joints[m], commit->node);

		tables[m].cells[i] = view_cell_judged(&side, commit->reason);
		if (i > 0) {
			tables[m].changes[i - 1] = view_change_judged(&change[m]);
			tables[m].steps[i - 1] =
				(struct view_step){ view_change_judged(&step[m]), commit->parent };
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

static void add_group(const struct stack_fit *fit, struct json *view)
{
	size_t nr = fit->any->nr_metrics;
	struct table *tables = arena_array(fit->arena, nr, sizeof(*tables));
	struct view_row *rows = arena_array(fit->arena, nr, sizeof(*rows));
	struct view_group group = { .rows = rows, .nr_rows = nr };

	for (size_t i = 0; i < nr; i++) {
		struct table *table = &tables[i];

		table->cells = arena_array(fit->arena, fit->nr_commits, sizeof(*table->cells));
		table->changes = arena_array(fit->arena, fit->nr_commits, sizeof(*table->changes));
		table->steps = arena_array(fit->arena, fit->nr_commits, sizeof(*table->steps));
	}
	for (size_t i = 0; i < fit->nr_commits; i++) {
		fill_column(fit, tables, i);
	}
	for (size_t i = 0; i < nr; i++) {
		rows[i] = row_of(fit, &tables[i], i);
	}
	comparison_axes(fit->any, &group);
	view_add_group(view, &group);
}

struct json *stack_fit_view(const struct stack_fit *fit)
{
	struct view_column *columns = arena_array(fit->arena, fit->nr_commits, sizeof(*columns));
	struct json *view;

	for (size_t i = 0; i < fit->nr_commits; i++) {
		columns[i] = (struct view_column){ .commit = fit->commits[i].oid,
						   .subject = fit->commits[i].subject };
	}
	view = view_new(columns, fit->nr_commits);
	if (fit->any) {
		add_group(fit, view);
	} else {
		json_put_text(view, "reason", "nothing is measured yet");
	}
	view_sum_up(view);
	return view;
}

/* up and down -------------------------------------------------------------------------------- */

static bool is_up_and_down(const struct stack_fit *fit, size_t commit, size_t after)
{
	const struct stack_fit_commit *commits = fit->commits;
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
	for (size_t after = from + 1; fit->any && after < fit->nr_commits; after++) {
		size_t commit = fit->commits[after].parent;

		if (commit > 0 && is_up_and_down(fit, commit, after)) {
			*ret_after = after;
			return commit;
		}
	}
	return 0;
}
