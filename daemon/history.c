/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history.h"

#include "lib/stats/noise.h"

/* adding ------------------------------------------------------------------------------------- */

/* What the metrics of a comparison said, as the columns of a statement. */
struct said {
	double *slots, *squares, *df;
	size_t nr;
};

static struct said said_new(const struct comparison *comparison)
{
	struct arena *arena = comparison->arena;
	size_t nr = comparison->nr_metrics;

	return (struct said){ .slots = arena_array(arena, nr, sizeof(double)),
			      .squares = arena_array(arena, nr, sizeof(double)),
			      .df = arena_array(arena, nr, sizeof(double)) };
}

static void said_push(struct said *said, int slot, struct noise noise)
{
	if (noise.df > 0) {
		said->slots[said->nr] = slot;
		said->squares[said->nr] = noise.squares;
		said->df[said->nr++] = noise.df;
	}
}

static bool said_store(const struct said *said, struct db *db, const struct comparison *comparison,
		       enum query query, struct err *err)
{
	struct arena *arena = comparison->arena;

	return db_exec(db, query,
		       ARGS(arg_int(comparison->cell),
			    arg_text(db_number_array(arena, said->slots, said->nr)),
			    arg_text(db_number_array(arena, said->squares, said->nr)),
			    arg_text(db_number_array(arena, said->df, said->nr))),
		       NULL, err);
}

bool history_add(struct db *db, const struct comparison *comparison, struct err *err)
{
	bool is_one_commit = strcmp(comparison->base.oid, comparison->head.oid) == 0;
	struct said of_runs = said_new(comparison);
	struct said of_builds = said_new(comparison);

	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		const struct judge_metric *metric = &comparison->metrics[i];
		int slot = comparison->slots[i];

		if (!metric->is_exact) {
			said_push(&of_runs, slot, noise_of(metric));
		}
		said_push(&of_builds, slot, noise_of_builds(metric, is_one_commit));
	}
	return said_store(&of_runs, db, comparison, Q_NOISE_ADD, err) &&
	       said_store(&of_builds, db, comparison, Q_BUILD_NOISE_ADD, err);
}

/* telling ------------------------------------------------------------------------------------ */

/* NULL: the comparison knows no such metric. */
static struct judge_metric *find_metric(struct comparison *comparison, int64_t slot)
{
	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		if (comparison->slots[i] == slot) {
			return &comparison->metrics[i];
		}
	}
	return NULL;
}

static struct noise_prior read_days(const struct rows *rows, int row, struct arena *arena)
{
	size_t nr;
	size_t nr_df;
	const double *squares = rows_numbers(rows, row, "squares", arena, &nr);
	const double *df = rows_numbers(rows, row, "df", arena, &nr_df);
	struct noise *days = arena_array(arena, nr, sizeof(*days));

	for (size_t i = 0; i < nr; i++) {
		days[i] = (struct noise){ squares[i], df[i] };
	}
	return noise_prior_of(days, nr);
}

static bool tell_runs(struct db *db, struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_NOISE_DAYS, ARGS(arg_int(comparison->cell), arg_int(comparison->id)),
		      &rows, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(rows); i++) {
		struct judge_metric *metric = find_metric(comparison, rows_int(rows, i, "slot"));

		/* An exact one's noise is none of its own; it may have become exact since. */
		if (metric && !metric->is_exact) {
			struct noise_prior prior = read_days(rows, i, comparison->arena);

			metric->prior_variance = prior.variance;
			metric->prior_df = prior.df;
			metric->prior_weight = prior.weight;
		}
	}
	return true;
}

static bool tell_builds(struct db *db, struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_BUILD_NOISE, ARGS(arg_int(comparison->cell), arg_int(comparison->id)),
		      &rows, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(rows); i++) {
		struct judge_metric *metric = find_metric(comparison, rows_int(rows, i, "slot"));
		struct noise own = { rows_number(rows, i, "squares"), rows_number(rows, i, "df") };
		struct noise family = { rows_number(rows, i, "family_squares"),
					rows_number(rows, i, "family_df") };

		if (metric) {
			struct noise_prior prior = noise_prior_of_builds(&own, &family);

			metric->build_variance = prior.variance;
			metric->build_df = prior.df;
		}
	}
	return true;
}

bool history_tell(struct db *db, struct comparison *comparison, struct err *err)
{
	return tell_runs(db, comparison, err) && tell_builds(db, comparison, err);
}
