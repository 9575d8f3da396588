/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include <math.h>

#include "summary.h"

struct point {
	double value;
	struct judge_run run;
	bool is_head;
};

static int compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_boot(const void *left, const void *right)
{
	const struct point *a = left;
	const struct point *b = right;
	int order = compare(a->run.boot, b->run.boot);

	order = order ? order : compare(a->is_head, b->is_head);
	order = order ? order : compare(a->run.block, b->run.block);
	return order ? order : compare(a->run.order, b->run.order);
}

static bool is_sorted(const struct point *points, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (by_boot(&points[i - 1], &points[i]) > 0) {
			return false;
		}
	}
	return true;
}

static int by_block(const void *left, const void *right)
{
	const struct unit *a = left;
	const struct unit *b = right;
	int order = compare(a->block, b->block);

	return order ? order : compare(a->is_head, b->is_head);
}

static bool is_in_blocks(const struct unit *units, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (by_block(&units[i - 1], &units[i]) > 0) {
			return false;
		}
	}
	return true;
}

static double fold(const struct point *points, size_t nr, enum judge_estimator estimator)
{
	scoped(free) double *values = NULL;
	double value = NAN;

	if (nr == 1) {
		return points->value;
	}
	values = mem_array(nr, sizeof(*values));
	for (size_t i = 0; i < nr; i++) {
		values[i] = points[i].value;
	}
	if (estimator == JUDGE_HMEAN) {
		value = summary_hmean(values, nr);
	} else if (estimator == JUDGE_MEDIAN) {
		summary_sort(values, nr);
		value = summary_median(values, nr);
	}
	return isnan(value) ? summary_mean(values, nr) : value;
}

static void add_unit(struct units *units, const struct point *points, size_t nr,
		     enum judge_estimator estimator)
{
	*vec_push(&units->units) = (struct unit){ .block = points->run.block,
						  .machine = points->run.machine,
						  .build = points->run.build,
						  .is_head = points->is_head,
						  .value = fold(points, nr, estimator) };
}

/* Points of one boot, sorted: one unit where it ran one side, else one a point. */
static void add_boot(struct units *units, const struct point *points, size_t nr,
		     enum judge_estimator estimator)
{
	if (points->run.boot != 0 && points[0].is_head == points[nr - 1].is_head) {
		add_unit(units, points, nr, estimator);
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		add_unit(units, points + i, 1, estimator);
	}
}

static size_t add_points(struct point *points, const struct judge_samples *samples, bool is_head)
{
	size_t nr_points = 0;

	for (size_t i = 0; i < samples->nr; i++) {
		if (isfinite(samples->values[i])) {
			points[nr_points++] = (struct point){
				samples->values[i],
				samples->runs ? samples->runs[i]
					      : (struct judge_run){ .order = (uint32_t)i },
				is_head,
			};
		}
	}
	return nr_points;
}

/* Keeps a block where one machine ran both sides. */
static bool is_whole(struct units *units, const struct unit *block, size_t nr)
{
	uint32_t machine = 0;

	for (size_t i = 0; i < nr; i++) {
		if (machine != 0 && block[i].machine != 0 && block[i].machine != machine) {
			units->nr_moved++;
			return false;
		}
		machine = block[i].machine != 0 ? block[i].machine : machine;
	}
	if (block[0].is_head == block[nr - 1].is_head) {
		units->nr_lone++;
		return false;
	}
	return true;
}

static void drop_blocks(struct units *units)
{
	struct unit *all = units->units.at;
	size_t nr_kept = 0;

	for (size_t i = 0, nr; i < units->units.nr; i += nr) {
		for (nr = 1; i + nr < units->units.nr && all[i + nr].block == all[i].block; nr++) {
		}
		if (is_whole(units, all + i, nr)) {
			memmove(all + nr_kept, all + i, nr * sizeof(*all));
			nr_kept += nr;
		}
	}
	units->units.nr = nr_kept;
}

/* Nothing is known of any run: each is a unit of one block. */
static void fill_plain(struct units *units, const struct judge_samples *samples, bool is_head)
{
	for (size_t i = 0; i < samples->nr; i++) {
		if (isfinite(samples->values[i])) {
			*vec_push(&units->units) =
				(struct unit){ .is_head = is_head, .value = samples->values[i] };
			units->nr_values[is_head]++;
		}
	}
}

static void fill_from_runs(struct units *units, const struct judge_metric *metric)
{
	scoped(free) struct point *points =
		mem_array(metric->base.nr + metric->head.nr, sizeof(*points));
	size_t nr;

	units->nr_values[0] = add_points(points, &metric->base, false);
	units->nr_values[1] = add_points(points + units->nr_values[0], &metric->head, true);
	nr = units->nr_values[0] + units->nr_values[1];
	/* Files mostly have them in this order, and a look is cheaper than a sort. */
	if (!is_sorted(points, nr)) {
		qsort(points, nr, sizeof(*points), by_boot);
	}
	for (size_t i = 0, size; i < nr; i += size) {
		for (size = 1; i + size < nr && points[i + size].run.boot == points[i].run.boot;
		     size++) {
		}
		add_boot(units, points + i, size, metric->estimator);
	}
	if (!is_in_blocks(units->units.at, units->units.nr)) {
		qsort(units->units.at, units->units.nr, sizeof(*units->units.at), by_block);
	}
}

void units_fill(struct units *units, const struct judge_metric *metric)
{
	units->units.nr = 0;
	units->nr_values[0] = units->nr_values[1] = 0;
	units->nr_lone = units->nr_moved = 0;
	if (metric->base.runs || metric->head.runs) {
		fill_from_runs(units, metric);
	} else {
		fill_plain(units, &metric->base, false);
		fill_plain(units, &metric->head, true);
	}
	drop_blocks(units);
}

void units_release(struct units *units)
{
	vec_release(&units->units);
}
