/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ingest - what a worker uploaded becomes samples, or a failure with its reason.
 *
 *	run finished ──build──> done | failed (build row too)
 *	             ──measure──> done (values) ──last of its block──> block done
 *	                      ──> failed ──tries left──> the same run again
 *	                                 ──none left──> block void
 *
 * Nothing that failed ever becomes a number.
 */
#include "pipeline.h"

#include <math.h>

#include "lib/base/str.h"
#include "lib/proto/proto.h"
#include "lib/spec/metrics.h"
#include "lib/stats/summary.h"

#define TRIES_MAX         3
#define EXCERPT_BYTES     4096
#define EXCERPT_LOG_BYTES ((size_t)64 << 20)
#define EXIT_BYTES        ((size_t)4096)

struct finished_run {
	int64_t cell, id, build, block, benchmark;
	int attempt;
	bool is_build;
	bool is_bisected; /* its block is of a bisection */
	const char *name; /* of the benchmark */
	struct spec *spec;
	struct proto_finish outcome;
};

struct verdict_of_run {
	const char *reason; /* NULL: it counts; else a word of proto_reasons */
	const char *detail;
	const char *values; /* SQL array by slot */
};

/* What was delivered and cannot be read any more must not hold up what can: it is run again. */
static struct verdict_of_run lost(struct tick *tick, const struct err *trouble)
{
	return (struct verdict_of_run){ .reason = "lost",
					.detail = arena_strdup(tick->arena, trouble->message) };
}

/* Not the commit's fault, so it is tried again and does not stand in a series' failures. */
static bool is_infrastructure(const char *reason)
{
	static const char *const words[] = { "fetch-failed", "lost", "cancelled",
					     "machine-changed" };

	for (size_t i = 0; i < countof(words); i++) {
		if (strcmp(words[i], reason) == 0) {
			return true;
		}
	}
	return false;
}

/* files -------------------------------------------------------------------------------------- */

static const char *find_file(const struct rows *artefacts, const char *name)
{
	for (int i = 0; i < rows_nr(artefacts); i++) {
		if (strcmp(rows_text(artefacts, i, "name"), name) == 0) {
			return rows_text(artefacts, i, "hash");
		}
	}
	return NULL;
}

static const char *stored_path(struct tick *tick, const char *hash)
{
	return arena_printf(tick->arena, "%s/%.2s/%.2s/%s", path_store(tick->settings, tick->arena),
			    hash, hash + 2, hash);
}

/* The end of the log that tells most: of the build, else of the first step that left one. */
static const char *excerpt(struct tick *tick, const struct rows *artefacts, bool is_build)
{
	static const char *const logs[][5] = {
		{ "stderr", "stdout", "setup.log", "teardown.log", NULL },
		{ "build.log", "fetch.log", NULL },
	};
	scoped(str_release) struct str clean = STR_INIT;
	struct err ignored;

	for (const char *const *name = logs[is_build]; *name && clean.length == 0; name++) {
		scoped(str_release) struct str text = STR_INIT;
		const char *hash = find_file(artefacts, *name);
		size_t start;

		if (!hash ||
		    !str_read_file(&text, stored_path(tick, hash), EXCERPT_LOG_BYTES, &ignored)) {
			continue;
		}
		start = text.length > EXCERPT_BYTES ? text.length - EXCERPT_BYTES : 0;
		str_append_clean(&clean, text.at + start, text.length - start, true,
				 4 * (size_t)EXCERPT_BYTES);
	}
	return arena_strdup(tick->arena, clean.at);
}

static const char *iteration_name(struct tick *tick, const char *name, int64_t i, int64_t nr)
{
	return nr == 1 ? name : arena_printf(tick->arena, "%s.%" PRId64, name, i + 1);
}

static bool read_output(struct tick *tick, const struct rows *artefacts, int64_t i, int64_t nr,
			struct output *output, struct err *err)
{
	static const struct {
		const char *name;
		enum stream stream;
	} streams[] = {
		{ "stdout", STREAM_STDOUT },
		{ "stderr", STREAM_STDERR },
		{ "output", STREAM_FILE },
	};

	for (size_t s = 0; s < countof(streams); s++) {
		const char *name = iteration_name(tick, streams[s].name, i, nr);
		const char *hash = find_file(artefacts, name);

		if (hash && !output_read(output, streams[s].stream, stored_path(tick, hash), err)) {
			return false;
		}
	}
	return true;
}

/* samples ------------------------------------------------------------------------------------ */

/* Reads every iteration; a run counts only if each of them does. */
static void read_iterations(struct tick *tick, const struct finished_run *run,
			    const struct rows *artefacts, double *ret_values,
			    struct verdict_of_run *verdict)
{
	size_t nr_metrics = run->spec->nr_metrics;
	size_t nr = (size_t)(run->spec->repeat > 0 ? run->spec->repeat : 1);
	double *values = arena_array(tick->arena, nr_metrics * nr, sizeof(*values));
	struct err trouble = ERR_INIT;

	for (size_t i = 0; i < nr; i++) {
		scoped(output_release) struct output output = OUTPUT_INIT;
		struct reading *readings;

		if (!read_output(tick, artefacts, (int64_t)i, (int64_t)nr, &output, &trouble)) {
			*verdict = lost(tick, &trouble);
			return;
		}
		output.exit_code = run->outcome.exit_code > 0 ? (int)run->outcome.exit_code : 0;
		output.signal = (int)run->outcome.signal;
		verdict->reason = metrics_read(tick->arena, run->spec, &output, &readings);
		for (size_t m = 0; m < nr_metrics; m++) {
			values[m * nr + i] = readings[m].missing ? (double)NAN : readings[m].value;
			if (verdict->reason && readings[m].missing && !verdict->detail) {
				verdict->detail =
					arena_printf(tick->arena, "%s: %s",
						     readings[m].metric->name, readings[m].detail);
			}
		}
		if (verdict->reason) {
			return;
		}
	}
	for (size_t m = 0; m < nr_metrics; m++) {
		ret_values[m] =
			summary_estimate(run->spec->metrics[m].estimator, values + m * nr, nr);
	}
}

static void put_slot(const struct rows *slots, const char *name, double value, double *by_slot)
{
	for (int i = 0; i < rows_nr(slots); i++) {
		if (strcmp(rows_text(slots, i, "name"), name) == 0) {
			by_slot[rows_int(slots, i, "slot") - 1] = value;
		}
	}
}

static bool read_samples(struct tick *tick, const struct finished_run *run,
			 const struct rows *artefacts, struct verdict_of_run *verdict,
			 struct err *err)
{
	scoped(rows_free) struct rows *slots = NULL;
	scoped(json_free) struct json *usage = NULL;
	double *values = arena_array(tick->arena, run->spec->nr_metrics, sizeof(*values));
	struct reading *times;
	size_t nr_times;
	size_t nr_slots;
	double *by_slot;

	if (!db_query(tick->db, Q_METRIC_LIST, ARGS(arg_int(run->benchmark)), &slots, err)) {
		return false;
	}
	read_iterations(tick, run, artefacts, values, verdict);
	if (verdict->reason) {
		return true;
	}
	nr_slots = rows_nr(slots) ? (size_t)rows_int(slots, rows_nr(slots) - 1, "slot") : 0;
	by_slot = arena_array(tick->arena, nr_slots, sizeof(*by_slot));
	for (size_t i = 0; i < nr_slots; i++) {
		by_slot[i] = (double)NAN;
	}
	for (size_t m = 0; m < run->spec->nr_metrics; m++) {
		put_slot(slots, run->spec->metrics[m].name, values[m], by_slot);
	}
	usage = run->outcome.usage ? proto_encode(&proto_usage_message, run->outcome.usage) : NULL;
	nr_times = metrics_of_usage(tick->arena, usage, &times);
	for (size_t i = 0; i < nr_times; i++) {
		put_slot(slots, times[i].metric->name,
			 times[i].missing ? (double)NAN : times[i].value, by_slot);
	}
	verdict->values = db_number_array(tick->arena, by_slot, nr_slots);
	return true;
}

/* what follows ------------------------------------------------------------------------------- */

static bool store_failure(struct tick *tick, const struct finished_run *run,
			  const struct verdict_of_run *verdict, const char *log, struct err *err)
{
	const char *detail = verdict->detail ? verdict->detail : "";
	const char *reason = *detail ? arena_printf(tick->arena, "%s: %s", verdict->reason, detail)
				     : verdict->reason;

	return db_exec(tick->db, Q_RUN_FAILED,
		       ARGS(arg_int(run->cell), arg_int(run->id), arg_text(reason)), NULL, err) &&
	       db_exec(tick->db, Q_FAILURE_ADD,
		       ARGS(arg_int(run->cell), arg_int(run->id), arg_text(verdict->reason),
			    arg_text(detail), arg_bool(is_infrastructure(verdict->reason)),
			    arg_text(log)),
		       NULL, err);
}

/* Those who wait for builds. */
static bool ring_of_build(struct db *db, struct err *err)
{
	return bell_ring(db, BELL_PLAN, err) && bell_ring(db, BELL_CONFIRM, err) &&
	       bell_ring(db, BELL_BISECT, err);
}

/* A build that fails is an answer about the commit; one that the lab spoilt is tried again. */
static bool end_build(struct tick *tick, const struct finished_run *run,
		      const struct verdict_of_run *verdict, struct err *err)
{
	const struct proto_build *build = run->outcome.build;

	if (!verdict->reason) {
		return db_exec(tick->db, Q_BUILD_DONE,
			       ARGS(arg_int(run->build), arg_text(build ? build->artefact : NULL),
				    arg_text(build ? build->toolchain : NULL),
				    arg_number(build ? build->wall_s : (double)NAN),
				    arg_int(run->id)),
			       NULL, err) &&
		       ring_of_build(tick->db, err);
	}
	if (is_infrastructure(verdict->reason) && run->attempt < TRIES_MAX) {
		return db_exec(tick->db, Q_RUN_AGAIN, ARGS(arg_int(run->cell), arg_int(run->id)),
			       NULL, err) &&
		       bell_ring(tick->db, BELL_LEASE, err);
	}
	return db_exec(tick->db, Q_BUILD_FAILED,
		       ARGS(arg_int(run->build), arg_text(verdict->reason), arg_int(run->id)), NULL,
		       err) &&
	       ring_of_build(tick->db, err);
}

static bool end_measure(struct tick *tick, const struct finished_run *run,
			const struct verdict_of_run *verdict, struct err *err)
{
	if (verdict->reason && run->attempt < TRIES_MAX) {
		return db_exec(tick->db, Q_RUN_AGAIN, ARGS(arg_int(run->cell), arg_int(run->id)),
			       NULL, err) &&
		       bell_ring(tick->db, BELL_LEASE, err);
	}
	if (verdict->reason) {
		const char *why = verdict->detail ? arena_printf(tick->arena, "%s: %s",
								 verdict->reason, verdict->detail)
						  : verdict->reason;

		return db_exec(tick->db, Q_BLOCK_VOID,
			       ARGS(arg_int(run->cell), arg_int(run->block), arg_text(why)), NULL,
			       err) &&
		       db_exec(tick->db, Q_BLOCK_CANCEL_RUNS,
			       ARGS(arg_int(run->cell), arg_int(run->block)), NULL, err) &&
		       bell_ring(tick->db, run->is_bisected ? BELL_BISECT : BELL_COMPARE, err);
	}
	return db_exec(tick->db, Q_BLOCK_CLOSE, ARGS(arg_int(run->cell), arg_int(run->block)), NULL,
		       err) &&
	       bell_ring(tick->db, run->is_bisected ? BELL_BISECT : BELL_COMPARE, err);
}

static bool store(struct tick *tick, const struct finished_run *run,
		  const struct verdict_of_run *verdict, const char *log, struct err *err)
{
	bool is_good = verdict->reason == NULL;

	return db_begin(tick->db, err) &&
	       (is_good ? db_exec(tick->db, Q_RUN_DONE,
				  ARGS(arg_int(run->cell), arg_int(run->id),
				       arg_text(verdict->values), arg_text(run->outcome.boot_id)),
				  NULL, err)
			: store_failure(tick, run, verdict, log, err)) &&
	       (run->is_build ? end_build(tick, run, verdict, err)
			      : end_measure(tick, run, verdict, err)) &&
	       db_commit(tick->db, "ingest", err);
}

static bool ingest(struct tick *tick, const struct finished_run *run, struct err *err)
{
	scoped(rows_free) struct rows *artefacts = NULL;
	struct verdict_of_run verdict = { 0 };
	const char *log = "";

	if (!db_query(tick->db, Q_ARTEFACT_LIST, ARGS(arg_int(run->cell), arg_int(run->id)),
		      &artefacts, err)) {
		return false;
	}
	if (strcmp(run->outcome.outcome, "ok") != 0) {
		verdict.reason = run->outcome.reason ? run->outcome.reason : "lost";
		verdict.detail = run->outcome.detail;
	} else if (!run->is_build && !read_samples(tick, run, artefacts, &verdict, err)) {
		return false;
	}
	if (verdict.reason) {
		log = excerpt(tick, artefacts,
			      run->is_build || str_has_prefix(verdict.reason, "build-"));
	}
	return store(tick, run, &verdict, log, err);
}

/* What the worker said, by the recipe that it had; both keep what the run points into. */
struct papers {
	struct json *recipe, *outcome;
	struct spec *spec;
};

static void papers_release(struct papers *papers)
{
	json_free(papers->recipe);
	json_free(papers->outcome);
	spec_free(papers->spec);
}
DEFINE_SCOPED_EMBEDDED(papers_release, struct papers)

static bool papers_read(const struct rows *rows, struct arena *arena, struct papers *papers,
			struct finished_run *run, struct err *err)
{
	const char *recipe = rows_text(rows, 0, "recipe");
	const char *outcome = rows_text(rows, 0, "outcome");

	if (!json_parse("recipe", recipe, strlen(recipe), &papers->recipe, err) ||
	    !json_parse("outcome", outcome, strlen(outcome), &papers->outcome, err) ||
	    !spec_from_recipe(papers->recipe, &papers->spec, err)) {
		return false;
	}
	run->spec = papers->spec;
	return proto_decode(&proto_finish_message, papers->outcome, arena, &run->outcome, err);
}

bool tick_ingest(struct tick *tick, bool *ret_more, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	scoped(papers_release) struct papers papers = { 0 };
	struct finished_run run = { 0 };
	struct err trouble = ERR_INIT;

	if (!db_query(tick->db, Q_INGEST_RUN, NO_ARGS, &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return true;
	}
	*ret_more = true;
	run.cell = rows_int(rows, 0, "cell_id");
	run.id = rows_int(rows, 0, "id");
	run.build = rows_int(rows, 0, "build_id");
	run.block = rows_int(rows, 0, "block_id");
	run.is_bisected = rows_bool(rows, 0, "is_bisected");
	run.benchmark = rows_int(rows, 0, "benchmark_id");
	run.attempt = (int)rows_int(rows, 0, "attempt");
	run.is_build = strcmp(rows_text(rows, 0, "kind"), "build") == 0;
	run.name = rows_text(rows, 0, "benchmark");
	if (!papers_read(rows, tick->arena, &papers, &run, &trouble)) {
		const struct verdict_of_run verdict = lost(tick, &trouble);

		return store(tick, &run, &verdict, "", err);
	}
	return ingest(tick, &run, err) || err_wrap(err, "run %" PRId64, run.id);
}
