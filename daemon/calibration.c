/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calibration.h"

#include <math.h>

#include "lib/stats/calibrate.h"

/* As if no standard error had been corrected. */
static size_t find_ratios(const struct comparison *comparison, double *ratios)
{
	size_t nr = 0;

	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		const struct judge_verdict *verdict = &comparison->verdicts[i];

		if (isfinite(verdict->t)) {
			ratios[nr++] =
				comparison->widening * calibrate_ratio(verdict->t, verdict->df);
		}
	}
	return nr;
}

static bool correct_factor(struct db *db, const struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const double *ratios;
	size_t nr;

	if (!db_query(db, Q_CALIBRATION_RATIOS, ARGS(arg_int(comparison->cell)), &rows, err)) {
		return false;
	}
	ratios = rows_numbers(rows, 0, "ratios", comparison->arena, &nr);
	return nr < CALIBRATE_LEAST || db_exec(db, Q_CALIBRATION_FACTOR_ADD,
					       ARGS(arg_int(comparison->cell), arg_int((int64_t)nr),
						    arg_number(calibrate_factor(ratios, nr))),
					       NULL, err);
}

bool calibration_end(struct db *db, const struct comparison *comparison, struct err *err)
{
	struct arena *arena = comparison->arena;
	double *ratios = arena_array(arena, comparison->nr_metrics, sizeof(*ratios));
	size_t nr = find_ratios(comparison, ratios);
	int64_t nr_ended;

	return db_exec(db, Q_CALIBRATION_END,
		       ARGS(arg_int(comparison->cell), arg_int(comparison->id),
			    arg_text(db_number_array(arena, ratios, nr))),
		       &nr_ended, err) &&
	       (nr_ended == 0 || correct_factor(db, comparison, err));
}

bool calibration_tell(struct db *db, struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;

	if (!db_query(db, Q_CALIBRATION_FACTOR,
		      ARGS(arg_int(comparison->cell), arg_int(comparison->id)), &rows, err)) {
		return false;
	}
	comparison->widening = rows_nr(rows) > 0 ? rows_number(rows, 0, "factor") : 1;
	return true;
}
