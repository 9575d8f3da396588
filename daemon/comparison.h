/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comparison.h - two commits on one cell: their samples, the judge's verdicts, the document.
 *
 * The stages judge with it; report and the pages show with it, from the verdicts that are stored.
 *
 *	if (!comparison_load(db, cell, id, &comparison, err))
 *		return false;
 *	comparison_judge(comparison, look);			// a stage: fills the verdicts
 *	comparison_load_verdicts(db, comparison, err);		// a page: takes the stored ones
 *	view = comparison_view(comparison, comparison);
 */
#ifndef DAEMON_COMPARISON_H
#define DAEMON_COMPARISON_H

#include "daemon/db/db.h"
#include "lib/base/json.h"
#include "lib/report/view_builder.h"
#include "lib/stats/failure.h"

struct comparison_side {
	const char *oid;
	const char *subject;
};

/* Where the level of base should be, as a logarithm; NAN: nobody knows. */
struct comparison_level {
	struct judge_interval line; /* by the bases before */
	double before;              /* of the same commit, measured earlier */
};

struct comparison_failure {
	const char *reason; /* word of the vocabulary */
	struct failure_count base, head;
	bool is_known; /* other commits do it on this cell, too */
};

struct comparison {
	struct arena *arena; /* owns everything below */
	int64_t cell, id;
	const char *state;
	const char *reason; /* why it ended without verdicts; NULL: it did not */
	const char *benchmark;
	const char *group;
	struct json *identity; /* of the cell */
	int look;              /* how often it was judged */
	bool is_searched;      /* a bisection found what it is to confirm */
	/* Of a confirmation: the verdict that it is to confirm, by metric.  NULL: it is none. */
	const enum judge_kind *found;
	double widening; /* of standard errors: what calibrations ask */
	struct comparison_side base, head;
	size_t nr_metrics;
	const int *slots;                        /* of each metric */
	struct judge_metric *metrics;            /* with their samples */
	const struct comparison_level *expected; /* of each metric */
	/* A change is named and its base is off its own history: a clause. */
	const char *base_note;
	/* Of each metric, for who shows its verdict: a clause, or NULL. */
	const char **main_notes;
	size_t nr_failures;
	const struct comparison_failure *failures;
	struct judge_verdict
		*verdicts; /* set by comparison_judge() or comparison_load_verdicts() */
};

/* Blocks.  ERR_ABSENT: no such comparison; else as db_query. */
MUST_CHECK bool comparison_load(struct db *db, int64_t cell, int64_t id,
				struct comparison **ret_comparison, struct err *err);
struct comparison *comparison_free(struct comparison *comparison);
DEFINE_SCOPED(comparison_free, struct comparison *)

/* Judges the samples as the `look`-th look, from 1; those of a confirmation as its only one. */
void comparison_judge(struct comparison *comparison, int look);

/* Takes the verdicts of the last look from the database.  Metrics without one are "missing". */
MUST_CHECK bool comparison_load_verdicts(struct db *db, struct comparison *comparison,
					 struct err *err);

/* The document of lib/report/view.h; the caller owns it.  With the oldest run first, samples as
 * they were measured.  It shows the metrics of one comparison and the failures of another one (or
 * the same) of these commits on this cell; NULL: it shows none. */
struct view *comparison_view(const struct comparison *metrics, const struct comparison *failing);

/* What a view's row says of a metric, and its group of the cell, without any value.  Both live as
 * long as the comparison. */
struct view_row comparison_row(const struct comparison *comparison, size_t i);
void comparison_axes(const struct comparison *comparison, struct view_group *group);

#endif
