/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lkp_compat.h compares, from what results.h read. */
#include <math.h>

#include "lkp_compat.h"

static bool is_commit(const char *text)
{
	return text && strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

static struct lkp_metric metric_of(struct arena *arena, const struct results_metric *from)
{
	double *samples = arena_array(arena, from->values.nr, sizeof(*samples));
	struct lkp_metric metric = { .name = from->name,
				     .samples = samples,
				     .has_fractions = from->has_fractions };

	for (size_t i = 0; i < from->values.nr; i++) {
		if (isfinite(from->values.at[i])) {
			samples[metric.nr++] = from->values.at[i];
		}
	}
	return metric;
}

static struct lkp_column column_of(struct arena *arena, const struct results *from)
{
	const struct results_part *part = from->parts.at[0];
	struct lkp_metric *metrics = arena_array(arena, part->metrics.nr, sizeof(*metrics));
	struct lkp_column column = { .metrics = metrics,
				     .nr_metrics = part->metrics.nr,
				     .nr_runs = part->nr_runs };

	if (is_commit(from->commit)) {
		column.head.commit = from->commit;
	} else {
		column.head.name = from->path;
	}
	for (size_t i = 0; i < part->metrics.nr; i++) {
		metrics[i] = metric_of(arena, &part->metrics.at[i]);
	}
	return column;
}

struct lkp_input lkp_input_of(struct arena *arena, const struct results *const *sides,
			      size_t nr_sides)
{
	const struct results_part *base = sides[0]->parts.at[0];
	struct lkp_column *columns = arena_array(arena, nr_sides, sizeof(*columns));
	struct view_axis *axes = arena_array(arena, base->params.nr + 2, sizeof(*axes));
	struct lkp_input input = { .axes = axes, .columns = columns, .nr_columns = nr_sides };

	if (base->benchmark) {
		axes[input.nr_axes++] = (struct view_axis){ "testcase", base->benchmark };
	}
	if (sides[0]->machine) {
		axes[input.nr_axes++] = (struct view_axis){ "tbox_group", sides[0]->machine };
	}
	for (size_t i = 0; i < base->params.nr; i++) {
		axes[input.nr_axes++] =
			(struct view_axis){ base->params.at[i].name, base->params.at[i].value };
	}
	for (size_t i = 0; i < nr_sides; i++) {
		columns[i] = column_of(arena, sides[i]);
	}
	return input;
}
