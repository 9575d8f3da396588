/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mainline.h"

#include <math.h>

#include "lib/stats/changepoint.h"
#include "lib/stats/noise.h"

/* A base that is off by less than this spoils nothing. */
#define LEAST 0.005
/* Points on main are real with a chance of 99 %; the jump in question is looked for so many bases
 * around the one of the comparison. */
#define POINT_P 0.01
#define REACH   10

bool mainline_tell(struct db *db, struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct arena *arena = comparison->arena;
	struct comparison_level *expected =
		arena_array(arena, comparison->nr_metrics, sizeof(*expected));

	if (!db_query(db, Q_BASE_LEVELS, ARGS(arg_int(comparison->cell), arg_int(comparison->id)),
		      &rows, err)) {
		return false;
	}
	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		expected[i].line = (struct judge_interval){ NAN, NAN };
		for (int row = 0; row < rows_nr(rows); row++) {
			size_t nr;
			const double *levels;

			if (rows_int(rows, row, "slot") != comparison->slots[i]) {
				continue;
			}
			levels = rows_numbers(rows, row, "levels", arena, &nr);
			expected[i].line = noise_predict(levels, nr);
			expected[i].before = rows_number(rows, row, "own");
		}
	}
	comparison->expected = expected;
	return true;
}

/* Out of line, by more than the smallest effect, and not where the same commit was before: main
 * itself may have changed. */
static bool is_off(const struct comparison *comparison, size_t i)
{
	const struct judge_verdict *verdict = &comparison->verdicts[i];
	const struct comparison_level *expected = &comparison->expected[i];
	double level = log(verdict->base.level);
	double middle = (expected->line.low + expected->line.high) / 2;
	double least = fmax(LEAST, verdict->metric->floor);
	double most = fmax(expected->line.high - middle, log1p(least));

	return is_judge_change(verdict->kind) && fabs(level - middle) > most &&
	       !(fabs(level - expected->before) <= most);
}

void mainline_check(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->nr_metrics && !comparison->base_note; i++) {
		if (is_off(comparison, i)) {
			comparison->base_note = arena_printf(
				comparison->arena,
				"the base is off its own history: %s is %.4g, expected %.4g to "
				"%.4g",
				comparison->metrics[i].name, comparison->verdicts[i].base.level,
				exp(comparison->expected[i].line.low),
				exp(comparison->expected[i].line.high));
		}
	}
}

void mainline_mark(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->nr_metrics; i++) {
		if (is_off(comparison, i)) {
			comparison->verdicts[i].told = "the base is off its own history";
		}
	}
}

/* A clause, or NULL: main has not made that jump. */
static const char *main_note(struct arena *arena, const struct judge_verdict *verdict,
			     const struct rows *rows, int row)
{
	struct changepoint_question question = { .before = verdict->base.level,
						 .after = verdict->head.level,
						 .near = (size_t)rows_int(rows, row, "older"),
						 .reach = REACH };
	struct changepoints found;
	struct changepoint jump;
	size_t nr;
	size_t nr_commits;
	const double *levels = rows_numbers(rows, row, "levels", arena, &nr);
	const char *const *commits = rows_texts(rows, row, "commits", arena, &nr_commits);
	bool is_there;

	changepoint_find(levels, nr, POINT_P, &found);
	is_there = changepoint_was_there(levels, nr, &found, &question, &jump);
	changepoint_release(&found);
	return is_there ? arena_printf(arena,
				       "main has made this jump by itself: %+.1f %% at %.12s "
				       "(p = %.2g)",
				       100 * (jump.after / jump.before - 1), commits[jump.at],
				       jump.p)
			: NULL;
}

bool mainline_look_back(struct db *db, struct comparison *comparison, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const char **notes = arena_array(comparison->arena, comparison->nr_metrics, sizeof(*notes));

	if (!db_query(db, Q_MAIN_HISTORY, ARGS(arg_int(comparison->cell), arg_int(comparison->id)),
		      &rows, err)) {
		return false;
	}
	for (int row = 0; row < rows_nr(rows); row++) {
		for (size_t i = 0; i < comparison->nr_metrics; i++) {
			const struct judge_verdict *verdict = &comparison->verdicts[i];

			if (rows_int(rows, row, "slot") == comparison->slots[i] &&
			    is_judge_change(verdict->kind)) {
				notes[i] = main_note(comparison->arena, verdict, rows, row);
			}
		}
	}
	comparison->main_notes = notes;
	return true;
}
