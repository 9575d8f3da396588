/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan - what is to be built and run.
 *
 *	stack new ──builds queued──> building ──all builds ended──> measuring
 *	want open ──> blocks, runs
 *
 * Nothing is measured before the builds of a stack have ended, since only they say which commits
 * can be compared, and which are the same binary.
 */
#include "pipeline.h"

#include "daemon/policy/budget.h"
#include "daemon/policy/pairing.h"
#include "lib/base/hash.h"
#include "lib/base/json.h"
#include "lib/spec/matrix.h"
#include "lib/spec/metrics.h"
#include "lib/spec/spec.h"
#include "lib/stats/judge.h"

/* Smaller is sooner. */
enum { PRIORITY_BUILD = 10, PRIORITY_TIP = 20, PRIORITY_INNER = 30 };

/* What a run is taken to last where none of its kind has ended yet. */
#define GUESS_RUN_S 30.0

/* new stacks --------------------------------------------------------------------------------- */

struct new_stack {
	int64_t id, repository;
	const char *group;
	bool is_ends_only;
};

static bool store_metrics(struct tick *tick, const struct metric *rows, size_t nr,
			  int64_t benchmark, struct err *err)
{
	for (size_t i = 0; i < nr; i++) {
		if (!db_exec(tick->db, Q_METRIC_STORE,
			     ARGS(arg_int(benchmark), arg_text(rows[i].name),
				  arg_text(rows[i].unit), arg_text(rows[i].better),
				  arg_text(rows[i].estimator), arg_bool(rows[i].is_headline),
				  arg_bool(rows[i].is_exact), arg_number(rows[i].floor_pct / 100)),
			     NULL, err)) {
			return false;
		}
	}
	return true;
}

static bool store_benchmark(struct tick *tick, const struct spec *spec, int64_t *ret_id,
			    struct err *err)
{
	struct reading *times;
	size_t nr_times = metrics_of_usage(tick->arena, NULL, &times);

	if (!db_query_int(tick->db, Q_BENCHMARK_ENSURE, ARGS(arg_text(spec->name)), ret_id, err) ||
	    !store_metrics(tick, spec->metrics, spec->nr_metrics, *ret_id, err)) {
		return false;
	}
	for (size_t i = 0; i < nr_times; i++) {
		if (!store_metrics(tick, times[i].metric, 1, *ret_id, err)) {
			return false;
		}
	}
	return true;
}

/* One variant of a job: its cell, and the jobs and builds of the stack on it. */
static bool plan_variant(struct tick *tick, const struct new_stack *stack, const struct spec *spec,
			 size_t index, int64_t benchmark, struct err *err)
{
	const struct setting setting = { .group = stack->group };
	scoped(json_free) struct json *identity = matrix_identity(spec, index, &setting);
	scoped(json_free) struct json *recipe = spec_recipe(spec);
	scoped(free) char *identity_text = json_write(identity, FORM_CANONICAL);
	scoped(free) char *recipe_text = json_write(recipe, FORM_CANONICAL);
	char hash[HASH_TEXT_BYTES];
	char build[HASH_TEXT_BYTES];
	int64_t cell;

	matrix_cell(identity, hash);
	matrix_build(spec, identity, build);
	return db_query_int(tick->db, Q_CELL_STORE,
			    ARGS(arg_text(hash), arg_int(benchmark), arg_text(stack->group),
				 arg_text(identity_text), arg_text(recipe_text), arg_text(build)),
			    &cell, err) &&
	       db_exec(tick->db, Q_STACK_CELL_ADD, ARGS(arg_int(stack->id), arg_int(cell)), NULL,
		       err) &&
	       db_exec(tick->db, Q_PLAN_JOBS, ARGS(arg_int(stack->id), arg_int(cell), arg_null()),
		       NULL, err) &&
	       db_exec(tick->db, Q_PLAN_BUILDS, ARGS(arg_int(stack->id), arg_int(cell), arg_null()),
		       NULL, err) &&
	       db_exec(tick->db, Q_PLAN_BUILD_RUNS,
		       ARGS(arg_int(stack->id), arg_int(cell), arg_null(), arg_int(PRIORITY_BUILD)),
		       NULL, err);
}

/* *ret_is_wrong: it is the job's file that failed. */
static bool plan_job(struct tick *tick, const struct new_stack *stack, const char *name,
		     bool *ret_is_wrong, struct err *err)
{
	const char *path = arena_printf(tick->arena, "%s/%s/job.yaml", tick->settings->jobs, name);
	scoped(spec_free) struct spec *spec = NULL;
	int64_t benchmark;
	size_t nr;

	*ret_is_wrong = true;
	if (!spec_read(path, &spec, err)) {
		return false;
	}
	nr = matrix_size(spec);
	if (nr > MATRIX_LIMIT) {
		return err_set(err, ERR_INPUT, "more than %d variants", MATRIX_LIMIT);
	}
	*ret_is_wrong = false;
	if (!store_benchmark(tick, spec, &benchmark, err)) {
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		if (!plan_variant(tick, stack, spec, i, benchmark, err)) {
			return false;
		}
	}
	return true;
}

/* A job file that is wrong or gone does not stop the belt: the stack ends and says why. */
static bool refuse(struct tick *tick, const struct new_stack *stack, const char *reason,
		   struct err *err)
{
	const struct event event = { .kind = "refused",
				     .repository = stack->repository,
				     .stack = stack->id,
				     .detail = reason };

	return db_begin(tick->db, err) &&
	       db_exec(tick->db, Q_STACK_MOVE,
		       ARGS(arg_int(stack->id), arg_text("new"), arg_text("refused"),
			    arg_text(reason)),
		       NULL, err) &&
	       event_add(tick->db, &event, err) && db_commit(tick->db, "plan", err);
}

static bool plan_new(struct tick *tick, const struct rows *rows, struct err *err)
{
	const struct new_stack stack = { .id = rows_int(rows, 0, "id"),
					 .repository = rows_int(rows, 0, "repository_id"),
					 .group = rows_text(rows, 0, "machine_group"),
					 .is_ends_only = rows_bool(rows, 0, "is_ends_only") };
	size_t nr;
	const char *const *jobs = rows_texts(rows, 0, "jobs", tick->arena, &nr);

	if (!db_begin(tick->db, err)) {
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		bool is_job_wrong;

		if (!plan_job(tick, &stack, jobs[i], &is_job_wrong, err)) {
			db_rollback(tick->db);
			err_wrap(err, "job '%s'", jobs[i]);
			return is_job_wrong &&
			       refuse(tick, &stack, arena_strdup(tick->arena, err->message), err);
		}
	}
	return db_exec(tick->db, Q_STACK_MOVE,
		       ARGS(arg_int(stack.id), arg_text("new"), arg_text("building"), arg_null()),
		       NULL, err) &&
	       bell_ring(tick->db, BELL_LEASE, err) && bell_ring(tick->db, BELL_PLAN, err) &&
	       db_commit(tick->db, "plan", err);
}

/* built stacks ------------------------------------------------------------------------------- */

struct built_stack {
	int64_t id, repository, budget_s;
	const char *reason; /* why a cell has nothing to compare; NULL: each has */
	double cost_s;      /* grows by what is planned */
	size_t nr_pairs;
	size_t nr_waiting;
};

struct tested_commit {
	int64_t commit;
	int position;
};

/* The comparison of one pair, its place in the stack, and the wish for its first runs. */
static bool plan_pair(struct tick *tick, struct built_stack *stack, int64_t cell,
		      const struct pair *pair, const struct tested_commit *commits, bool is_wanted,
		      struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	int64_t id;
	bool is_fresh;

	if (!db_query(tick->db, Q_COMPARISON_ENSURE,
		      ARGS(arg_int(cell), arg_int(commits[pair->base].commit),
			   arg_int(commits[pair->head].commit),
			   arg_int(pair->is_tip ? PRIORITY_TIP : PRIORITY_INNER)),
		      &rows, err)) {
		return false;
	}
	id = rows_int(rows, 0, "id");
	is_fresh = strcmp(rows_text(rows, 0, "state"), "waiting") == 0;
	if (!db_exec(tick->db, Q_STACK_COMPARISON_ADD,
		     ARGS(arg_int(stack->id), arg_text(pair->is_tip ? "tip" : "parent"),
			  arg_int(commits[pair->head].position), arg_int(cell), arg_int(id),
			  arg_int((int64_t)pair->nr_between)),
		     NULL, err)) {
		return false;
	}
	stack->nr_pairs++;
	if (!is_fresh) {
		return true;
	}
	if (pair->is_same_binary) {
		return db_exec(tick->db, Q_COMPARISON_MOVE,
			       ARGS(arg_int(cell), arg_int(id), arg_text("waiting"),
				    arg_text("done"), arg_text("same binary")),
			       NULL, err);
	}
	stack->nr_waiting += !is_wanted;
	return !is_wanted ||
	       db_exec(tick->db, Q_WANT_ADD,
		       ARGS(arg_int(cell), arg_int(id), arg_int((int64_t)judge_look_blocks(1)),
			    arg_text("first look")),
		       NULL, err);
}

/* Without two commits that are built there is nothing to compare, and that is no "no change". */
static const char *why_no_pair(struct tick *tick, const struct rows *builds, const char *benchmark)
{
	const char *reason = rows_nr(builds) ? rows_text(builds, 0, "reason") : NULL;

	return reason ? arena_printf(tick->arena, "no base: its build for '%s' failed: %s",
				     benchmark, reason)
		      : arena_printf(tick->arena, "nothing to compare: no commit builds for '%s'",
				     benchmark);
}

static bool plan_cell(struct tick *tick, struct built_stack *stack, int64_t cell,
		      const char *benchmark, double run_s, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct pairing_commit *builds;
	struct tested_commit *commits;
	struct pair *pairs;
	size_t nr;
	size_t nr_pairs;
	bool is_all;

	if (!db_query(tick->db, Q_STACK_BUILDS, ARGS(arg_int(stack->id), arg_int(cell)), &rows,
		      err)) {
		return false;
	}
	nr = (size_t)rows_nr(rows);
	builds = arena_array(tick->arena, nr, sizeof(*builds));
	commits = arena_array(tick->arena, nr, sizeof(*commits));
	pairs = arena_array(tick->arena, nr + 1, sizeof(*pairs));
	for (size_t i = 0; i < nr; i++) {
		commits[i].commit = rows_int(rows, (int)i, "commit_id");
		commits[i].position = (int)rows_int(rows, (int)i, "position");
		builds[i].is_built = rows_bool(rows, (int)i, "is_built");
		builds[i].artefact = rows_text(rows, (int)i, "artefact");
	}
	nr_pairs = pairing_make(builds, nr, pairs);
	if (nr_pairs == 0 && !stack->reason) {
		stack->reason = why_no_pair(tick, rows, benchmark);
	}
	is_all = is_within_budget(run_s, nr_pairs, stack->budget_s);
	for (size_t i = 0; i < nr_pairs; i++) {
		bool is_wanted = is_all || pairs[i].is_tip;

		if (!plan_pair(tick, stack, cell, &pairs[i], commits, is_wanted, err)) {
			return false;
		}
		stack->cost_s +=
			is_wanted && !pairs[i].is_same_binary ? budget_first_look_s(run_s) : 0;
	}
	return true;
}

/* Told before the time is spent. */
static bool tell_cost(struct tick *tick, const struct built_stack *stack, struct err *err)
{
	const struct event event = {
		.kind = "plan",
		.repository = stack->repository,
		.stack = stack->id,
		.detail = arena_printf(
			tick->arena,
			"%zu comparisons, about %.0f min of machine time for a first "
			"look, budget %.0f min%s%s%s",
			stack->nr_pairs, stack->cost_s / 60, (double)stack->budget_s / 60,
			stack->nr_waiting ? "; the ends first, the others on a sign of them" : "",
			stack->reason ? "; " : "", stack->reason ? stack->reason : ""),
	};

	return db_exec(tick->db, Q_STACK_ESTIMATE,
		       ARGS(arg_int(stack->id), arg_int((int64_t)stack->cost_s)), NULL, err) &&
	       event_add(tick->db, &event, err);
}

static bool plan_built(struct tick *tick, const struct rows *found, struct err *err)
{
	scoped(rows_free) struct rows *cells = NULL;
	struct built_stack stack = { .id = rows_int(found, 0, "id"),
				     .repository = rows_int(found, 0, "repository_id"),
				     .budget_s = rows_int(found, 0, "budget_s") };

	if (!db_begin(tick->db, err) ||
	    !db_query(tick->db, Q_STACK_CELLS, ARGS(arg_int(stack.id)), &cells, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(cells); i++) {
		double run_s = rows_number(cells, i, "run_s");

		if (!plan_cell(tick, &stack, rows_int(cells, i, "cell_id"),
			       rows_text(cells, i, "benchmark"), run_s > 0 ? run_s : GUESS_RUN_S,
			       err)) {
			return false;
		}
	}
	return tell_cost(tick, &stack, err) &&
	       db_exec(tick->db, Q_STACK_MOVE,
		       ARGS(arg_int(stack.id), arg_text("building"), arg_text("measuring"),
			    arg_text(stack.reason)),
		       NULL, err) &&
	       bell_ring(tick->db, BELL_PLAN, err) && bell_ring(tick->db, BELL_DECIDE, err) &&
	       db_commit(tick->db, "plan", err);
}

/* wants -------------------------------------------------------------------------------------- */

/* The same want gives the same orders, however often a killed tick is run again. */
static uint64_t seed_of(const char *pair, int64_t block)
{
	scoped(free) char *text = mem_printf("%s %" PRId64, pair, block);
	struct hash hash = hash_of(text, strlen(text));
	uint64_t seed;

	memcpy(&seed, hash.at, sizeof(seed));
	return seed >> 1; /* SQL's bigint has a sign */
}

struct block {
	int64_t id;
	int64_t layout; /* of the base's build */
};

/* A confirmation has two builds a side, half of its blocks on each; in a neutral rebuild each side
 * has another. */
static int64_t choose_layout(const struct rows *want, int64_t number)
{
	const char *purpose = rows_text(want, 0, "purpose");

	if (strcmp(purpose, "confirm") == 0) {
		return rows_int(want, 0, "nr_first_before") + number < rows_int(want, 0, "nr_first")
			       ? 1
			       : 2;
	}
	return strcmp(purpose, "rebuild") == 0 ? 1 : 0;
}

static bool add_run(struct tick *tick, const struct rows *want, const struct block *block,
		    int position, bool is_head, struct err *err)
{
	bool is_moved = is_head && strcmp(rows_text(want, 0, "purpose"), "rebuild") == 0;

	return db_exec(tick->db, Q_RUN_ADD,
		       ARGS(arg_int(rows_int(want, 0, "cell_id")),
			    arg_text(rows_text(want, 0, "machine_group")),
			    arg_int(rows_int(want, 0, "priority")),
			    arg_int(rows_int(want, 0, is_head ? "head_job" : "base_job")),
			    arg_int(rows_int(want, 0, is_head ? "head_id" : "base_id")),
			    arg_int(block->layout + is_moved), arg_int(block->id),
			    arg_int(position), arg_bool(is_head)),
		       NULL, err);
}

static bool add_block(struct tick *tick, const struct rows *want, int64_t number, struct err *err)
{
	uint64_t seed =
		seed_of(rows_text(want, 0, "pair"), rows_int(want, 0, "nr_before") + number);
	struct block block = { .layout = choose_layout(want, number) };
	bool is_head[BLOCK_RUNS];

	if (!db_query_int(tick->db, Q_BLOCK_ADD,
			  ARGS(arg_int(rows_int(want, 0, "cell_id")),
			       arg_int(rows_int(want, 0, "comparison_id")), arg_int((int64_t)seed),
			       arg_int(block.layout)),
			  &block.id, err)) {
		return false;
	}
	pairing_shuffle(seed, is_head);
	for (int i = 0; i < BLOCK_RUNS; i++) {
		if (!add_run(tick, want, &block, i, is_head[i], err)) {
			return false;
		}
	}
	return true;
}

static bool plan_want(struct tick *tick, const struct rows *want, struct err *err)
{
	int64_t cell = rows_int(want, 0, "cell_id");
	int64_t comparison = rows_int(want, 0, "comparison_id");
	const char *state = rows_text(want, 0, "state");

	if (!db_begin(tick->db, err)) {
		return false;
	}
	for (int64_t i = 0; i < rows_int(want, 0, "nr_blocks"); i++) {
		if (!add_block(tick, want, i, err)) {
			return false;
		}
	}
	return (strcmp(state, "measuring") == 0 ||
		db_exec(tick->db, Q_COMPARISON_MOVE,
			ARGS(arg_int(cell), arg_int(comparison), arg_text(state),
			     arg_text("measuring"), arg_null()),
			NULL, err)) &&
	       db_exec(tick->db, Q_WANT_CLOSE,
		       ARGS(arg_int(cell), arg_int(rows_int(want, 0, "id")), arg_text("met")), NULL,
		       err) &&
	       bell_ring(tick->db, BELL_LEASE, err) && db_commit(tick->db, "plan", err);
}

bool tick_plan(struct tick *tick, bool *ret_more, struct err *err)
{
	static const struct {
		enum query find;
		bool (*plan)(struct tick *tick, const struct rows *rows, struct err *err);
	} steps[] = {
		{ Q_PLAN_OPEN_WANT, plan_want },
		{ Q_PLAN_BUILT_STACK, plan_built },
		{ Q_PLAN_NEW_STACK, plan_new },
	};

	for (size_t i = 0; i < countof(steps); i++) {
		scoped(rows_free) struct rows *rows = NULL;

		if (!db_query(tick->db, steps[i].find, NO_ARGS, &rows, err)) {
			return false;
		}
		if (rows_nr(rows) > 0) {
			*ret_more = true;
			return steps[i].plan(tick, rows, err);
		}
	}
	return true;
}
