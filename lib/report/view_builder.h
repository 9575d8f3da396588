/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_builder.h - a comparison document (view.h) from plain numbers and verdicts.
 *
 *	scoped(view_free) struct view *view = view_new(columns, nr_columns);   // the base first
 *	view_add_group(view, &group);            // one set of parameters: its rows and failures
 *	view_sum_up(view);
 *
 * Whoever judged hands in what it judged: the view computes no estimate and no test of its own,
 * so that what is printed is what was tested.  What rows point to, texts too, has to live as long
 * as the view: its arena is there for that.
 */
#ifndef REPORT_VIEW_BUILDER_H
#define REPORT_VIEW_BUILDER_H

#include "lib/stats/judge.h"
#include "view.h"

/* At most VIEW_MAX_COLUMNS, at least one. */
struct view *view_new(const struct view_column *columns, size_t nr_columns);

/* Adds a group; sorts its axes by name and its rows as view.h says, all three lists copied.  In
 * cells of what is missing there is nothing else; changes get `absolute`, and `percent` where it
 * follows from the values. */
void view_add_group(struct view *view, const struct view_group *group);

/* A cell of what was measured: the arithmetic mean of the samples that are not NAN and their
 * deviation.  With none left, `reason` says why. */
struct view_cell view_cell_of(const double *samples, size_t nr_samples, const char *reason);

/* What the judge said: a side (`reason` NULL or why it is missing), and the change, whose
 * reason lives as long as the arena. */
struct view_cell view_cell_judged(const struct judge_side *side, const char *reason);
struct view_change view_change_judged(const struct judge_verdict *verdict, struct arena *arena);

/* A change of which nothing but the verdict is known. */
struct view_change view_change_bare(const char *verdict, const char *reason);

#endif
