/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history.h"

#include "lib/stats/noise.h"

bool history_add(struct db *db, const struct comparison *comparison, struct err *err)
{
	struct arena *arena = comparison->arena;
	double *slots = arena_array(arena, comparison->nr_metrics, sizeof(*slots));
	double *squares = arena_array(arena, comparison->nr_metrics, sizeof(*squares));
	double *df = arena_array(arena, comparison->nr_metrics, sizeof(*df));
	size_t nr = 0;

	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		struct noise noise = noise_of(&comparison->metrics[i]);

		if (noise.df > 0 && !comparison->metrics[i].is_exact) {
			slots[nr] = comparison->slots[i];
			squares[nr] = noise.squares;
			df[nr++] = noise.df;
		}
	}
	return db_exec(db, Q_NOISE_ADD,
		       ARGS(arg_int(comparison->cell), arg_text(db_number_array(arena, slots, nr)),
			    arg_text(db_number_array(arena, squares, nr)),
			    arg_text(db_number_array(arena, df, nr))),
		       NULL, err);
}

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

bool history_tell(struct db *db, struct comparison *comparison, struct err *err)
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
