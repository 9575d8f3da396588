/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisection.h - a bisection as its rows say: the engine, told of every run that there is.
 *
 * Nothing of it is kept: whoever wants to know what to run next replays the runs.
 *
 *	if (!bisection_load(db, id, &bisection, err))
 *		return false;
 *	bisect_answer(bisection->engine, &answer);	// positions in the stack
 */
#ifndef DAEMON_BISECTION_H
#define DAEMON_BISECTION_H

#include "daemon/db/db.h"
#include "lib/stats/bisect.h"

struct bisection_commit {
	int64_t id;
	const char *oid;
	bool is_built;
	bool is_skipped;
	bool is_cleared; /* an operator says that it is not the culprit */
	const char *artefact; /* NULL: unknown */
	bool is_docs_only;
};

struct bisection {
	struct arena *arena; /* owns everything below but the engine */
	int64_t id, stack, cell, repository;
	bool is_log, is_higher_better;
	bool is_stack_done;                     /* it was asked for again */
	const char *trouble;                    /* why it cannot go on; NULL: it can */
	size_t tip;                             /* position of the head */
	const struct bisection_commit *commits; /* tip + 1 */
	struct bisect *engine;
	int64_t epochs[BISECT_MOST_MACHINES]; /* of the machines, as the engine numbers them */
	size_t nr_epochs;
	size_t nr_runs, nr_run_commits;
};

/* Blocks; as db_query.  ERR_ABSENT: no such bisection. */
MUST_CHECK bool bisection_load(struct db *db, int64_t id, struct bisection **ret_bisection,
			       struct err *err);
struct bisection *bisection_free(struct bisection *bisection);
DEFINE_SCOPED(bisection_free, struct bisection *)

/* The engine's number of a machine's epoch, whose level is its own; BISECT_MOST_MACHINES: there are
 * too many. */
size_t bisection_machine(struct bisection *bisection, int64_t epoch);

/* A level of the engine in the metric's unit. */
double bisection_level(const struct bisection *bisection, double level);

#endif
