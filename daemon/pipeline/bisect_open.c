/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bisect_open.h"

#include <math.h>

#include "daemon/comparison.h"
#include "daemon/policy/bisecting.h"

/* What a run and a build are taken to last where none has ended. */
#define GUESS_S 30.0

static size_t find_metric(const struct comparison *ends, int64_t slot)
{
	size_t i = 0;

	while (ends->slots[i] != slot) {
		if (++i == ends->nr_metrics) {
			bug("a bisection of a metric that its ends do not have");
		}
	}
	return i;
}

/* The deviation of the ends' runs, relative where the step is. */
static double spread_of(const struct judge_verdict *verdict)
{
	const struct judge_side *base = &verdict->base;
	const struct judge_side *head = &verdict->head;

	if (verdict->is_ratio) {
		return sqrt((pow(base->sd / base->level, 2) + pow(head->sd / head->level, 2)) / 2);
	}
	return sqrt((pow(base->sd, 2) + pow(head->sd, 2)) / 2);
}

static struct bisecting_scale scale_of(const struct comparison *ends, size_t i)
{
	const struct judge_metric *metric = &ends->metrics[i];
	const struct judge_verdict *verdict = &ends->verdicts[i];
	double step = verdict->is_ratio ? log1p(verdict->effect) : verdict->effect;
	double df = metric->prior_weight > 0 ? metric->prior_weight : metric->prior_df;

	return bisecting_scale(step, metric->prior_variance, verdict->is_ratio ? df : 0,
			       spread_of(verdict));
}

static double or_guess(double seconds)
{
	return seconds > 0 ? seconds : GUESS_S; /* also for NAN */
}

static bool add(struct tick *tick, const struct rows *due, const struct comparison *ends,
		size_t metric, int64_t *ret_id, struct err *err)
{
	struct bisecting_scale scale = scale_of(ends, metric);
	double run_s = or_guess(rows_number(due, 0, "run_s"));
	/* the commits of a stack that is not too long are built */
	double build_cost = rows_bool(due, 0, "is_ends_only")
				    ? or_guess(rows_number(due, 0, "build_s")) / run_s
				    : 0;

	return db_query_int(tick->db, Q_BISECT_OPEN,
			    ARGS(arg_int(rows_int(due, 0, "stack_id")), arg_int(ends->cell),
				 arg_int(ends->id), arg_int(ends->slots[metric]),
				 arg_bool(ends->verdicts[metric].is_ratio), arg_number(scale.sd),
				 arg_number(scale.df), arg_number(scale.smallest),
				 arg_number(build_cost),
				 arg_int(bisecting_runs(run_s, rows_int(due, 0, "budget_s")))),
			    ret_id, err);
}

bool bisect_open(struct tick *tick, const struct rows *due, struct err *err)
{
	scoped(comparison_free) struct comparison *ends = NULL;
	int64_t stack = rows_int(due, 0, "stack_id");
	struct event event = { .kind = "bisection",
			       .repository = rows_int(due, 0, "repository_id"),
			       .stack = stack };
	size_t metric;

	if (!comparison_load(tick->db, rows_int(due, 0, "cell_id"),
			     rows_int(due, 0, "comparison_id"), &ends, err) ||
	    !comparison_load_verdicts(tick->db, ends, err)) {
		return false;
	}
	metric = find_metric(ends, rows_int(due, 0, "slot"));
	event.detail = arena_printf(tick->arena, "opened: the ends differ in %s.%s, and %s",
				    ends->benchmark, ends->metrics[metric].name,
				    rows_bool(due, 0, "is_ends_only")
					    ? "there are too many commits to measure each"
					    : "to measure each commit is above the budget");
	return db_begin(tick->db, err) && add(tick, due, ends, metric, &event.bisection, err) &&
	       db_exec(tick->db, Q_BISECT_UNNEEDED, ARGS(arg_int(stack), arg_int(ends->cell)), NULL,
		       err) &&
	       event_add(tick->db, &event, err) && bell_ring(tick->db, BELL_BISECT, err) &&
	       db_commit(tick->db, "decide", err);
}
