/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bisection.h"

#include <math.h>

#include "daemon/policy/bisecting.h"

#define P_NONE    0.1 /* the ends were found to differ */
#define MOST_LOST 8   /* runs, before it is given up */

static bool load_head(struct db *db, struct bisection *bisection, struct bisect_options *options,
		      struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const char *trouble;

	if (!db_query(db, Q_BISECT_HEAD, ARGS(arg_int(bisection->id), arg_int(MOST_LOST)), &rows,
		      err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_ABSENT, "no bisection %" PRId64, bisection->id);
	}
	trouble = rows_text(rows, 0, "trouble");
	bisection->stack = rows_int(rows, 0, "stack_id");
	bisection->cell = rows_int(rows, 0, "cell_id");
	bisection->repository = rows_int(rows, 0, "repository_id");
	bisection->is_log = rows_bool(rows, 0, "is_log");
	bisection->is_higher_better = rows_bool(rows, 0, "is_higher_better");
	bisection->is_stack_done = strcmp(rows_text(rows, 0, "stack_state"), "done") == 0;
	bisection->trouble = trouble ? arena_strdup(bisection->arena, trouble) : NULL;
	bisection->tip = (size_t)rows_int(rows, 0, "tip");
	*options = bisect_defaults(bisection->tip);
	options->sd = rows_number(rows, 0, "sd");
	options->sd_df = rows_number(rows, 0, "sd_df");
	options->smallest = rows_number(rows, 0, "smallest");
	options->build_cost = rows_number(rows, 0, "build_cost");
	options->budget = (size_t)rows_int(rows, 0, "budget");
	options->p_none = P_NONE;
	return true;
}

static bool load_commits(struct db *db, struct bisection *bisection, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct bisection_commit *commits;

	if (!db_query(db, Q_BISECT_COMMITS,
		      ARGS(arg_int(bisection->id), arg_int((int64_t)bisection->tip)), &rows, err)) {
		return false;
	}
	if (rows_nr(rows) != (int)bisection->tip + 1) {
		bug("a stack with a hole");
	}
	commits = arena_array(bisection->arena, bisection->tip + 1, sizeof(*commits));
	for (int i = 0; i < rows_nr(rows); i++) {
		const char *build = rows_text(rows, i, "build");
		const char *artefact = rows_text(rows, i, "artefact");

		commits[i] = (struct bisection_commit){
			.id = rows_int(rows, i, "commit_id"),
			.oid = arena_strdup(bisection->arena, rows_text(rows, i, "oid")),
			.is_built = build && strcmp(build, "done") == 0,
			.is_skipped = rows_bool(rows, i, "is_skipped"),
			.is_cleared = rows_bool(rows, i, "is_cleared"),
			.artefact = artefact ? arena_strdup(bisection->arena, artefact) : NULL,
			.is_docs_only = rows_bool(rows, i, "is_docs_only"),
		};
	}
	bisection->commits = commits;
	return true;
}

static const double *weigh(const struct bisection *bisection)
{
	double *weights = arena_array(bisection->arena, bisection->tip + 1, sizeof(*weights));

	for (size_t i = 1; i <= bisection->tip; i++) {
		const struct bisection_commit *commit = &bisection->commits[i];
		const char *before = bisection->commits[i - 1].artefact;
		bool is_same = commit->artefact && before && strcmp(commit->artefact, before) == 0;

		weights[i] =
			commit->is_cleared ? 0 : bisecting_weight(commit->is_docs_only, is_same);
	}
	return weights;
}

size_t bisection_machine(struct bisection *bisection, int64_t epoch)
{
	for (size_t i = 0; i < bisection->nr_epochs; i++) {
		if (bisection->epochs[i] == epoch) {
			return i;
		}
	}
	if (bisection->nr_epochs == BISECT_MOST_MACHINES) {
		return BISECT_MOST_MACHINES;
	}
	bisection->epochs[bisection->nr_epochs] = epoch;
	return bisection->nr_epochs++;
}

struct evidence {
	size_t commit;
	int64_t epoch;
	const char *boot; /* NULL: unknown */
	double value;
};

static bool load_evidence(struct db *db, const struct bisection *bisection,
			  struct evidence **ret_runs, size_t *ret_nr, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct evidence *runs;

	if (!db_query(db, Q_BISECT_RUNS,
		      ARGS(arg_int(bisection->id), arg_int((int64_t)bisection->tip)), &rows, err)) {
		return false;
	}
	*ret_nr = (size_t)rows_nr(rows);
	*ret_runs = runs = arena_array(bisection->arena, *ret_nr, sizeof(*runs));
	for (int i = 0; i < rows_nr(rows); i++) {
		const char *boot = rows_text(rows, i, "boot_id");
		double value = rows_number(rows, i, "value");

		runs[i] = (struct evidence){
			.commit = (size_t)rows_int(rows, i, "position"),
			.epoch = rows_int(rows, i, "epoch_id"),
			.boot = boot ? arena_strdup(bisection->arena, boot) : NULL,
			.value = bisection->is_log ? log(value) : value,
		};
	}
	return true;
}

/* Runs that share a boot of one commit.  Where a machine is not booted for each, its boots hold
 * runs of others, too, and each run is one. */
static uint64_t boot_of(const struct evidence *runs, size_t nr, const struct evidence *run)
{
	const struct evidence *first = run;

	for (const struct evidence *other = runs; run->boot && other < runs + nr; other++) {
		if (!other->boot || other->epoch != run->epoch ||
		    strcmp(other->boot, run->boot) != 0) {
			continue;
		}
		if (other->commit != run->commit) {
			return (uint64_t)(run - runs) + 1;
		}
		first = other < first ? other : first;
	}
	return (uint64_t)(first - runs) + 1;
}

static bool replay(struct db *db, struct bisection *bisection, struct err *err)
{
	bool *is_run = arena_array(bisection->arena, bisection->tip + 1, sizeof(*is_run));
	struct evidence *runs;
	size_t nr;

	if (!load_evidence(db, bisection, &runs, &nr, err)) {
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct bisect_run run = {
			.commit = runs[i].commit,
			.machine = bisection_machine(bisection, runs[i].epoch),
			.boot = boot_of(runs, nr, &runs[i]),
			.value = runs[i].value,
		};

		if (!isfinite(run.value) || run.machine == BISECT_MOST_MACHINES) {
			continue;
		}
		bisect_add(bisection->engine, &run);
		bisection->nr_runs++;
		bisection->nr_run_commits += !is_run[run.commit];
		is_run[run.commit] = true;
	}
	return true;
}

bool bisection_load(struct db *db, int64_t id, struct bisection **ret_bisection, struct err *err)
{
	scoped(bisection_free) struct bisection *bisection = mem_alloc(sizeof(*bisection));
	struct bisect_options options;

	bisection->id = id;
	bisection->arena = arena_new();
	if (!load_head(db, bisection, &options, err) || !load_commits(db, bisection, err)) {
		return false;
	}
	options.weights = weigh(bisection);
	bisection->engine = bisect_new(&options);
	for (size_t i = 0; i <= bisection->tip; i++) {
		if (bisection->commits[i].is_skipped) {
			bisect_skip(bisection->engine, i);
		}
	}
	if (!replay(db, bisection, err)) {
		return false;
	}
	*ret_bisection = move(&bisection);
	return true;
}

struct bisection *bisection_free(struct bisection *bisection)
{
	if (bisection) {
		bisect_free(bisection->engine);
		arena_free(bisection->arena);
		free(bisection);
	}
	return NULL;
}

double bisection_level(const struct bisection *bisection, double level)
{
	return bisection->is_log ? exp(level) : level;
}
