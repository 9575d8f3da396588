/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "lib/base/str.h"
#include "lib/stats/failure.h"
#include "pairing.h"

/* Why a side has no value; NULL: no more is known than that. */
static const char *absence(const struct pairing *pairing, size_t row, size_t side)
{
	const struct pairing_part *part = &pairing->parts.at[pairing->rows.at[row].part];
	const struct results_part *from = part->sides[side];

	if (pairing->reasons[side]) {
		return pairing->reasons[side];
	}
	if (from && from->nr_failed > 0) {
		return arena_printf(pairing->arena, "%zu of %zu runs failed: %s", from->nr_failed,
				    from->nr_failed + from->nr_runs, from->failures.at[0].reason);
	}
	return NULL;
}

static struct view_cell cell_of(const struct pairing *pairing, size_t row, size_t side,
				bool has_samples)
{
	const struct pairing_row *from = &pairing->rows.at[row];
	const struct judge_side *judged = pairing_side(pairing, row, side);
	const char *reason = absence(pairing, row, side);
	struct view_cell cell = { 0 };

	if (judged) {
		cell = view_cell_judged(judged, reason);
	} else if (from->unjudged) {
		cell = from->unjudged[side];
	}
	cell.reason = cell.n > 0 ? NULL : reason;
	if (has_samples) {
		static const double none[1];
		const struct results_metric *metric = from->sides[side];

		cell.samples = metric && metric->values.nr > 0 ? metric->values.at : none;
		cell.nr_samples = metric ? metric->values.nr : 0;
	}
	return cell;
}

static struct view_row row_of(const struct pairing *pairing, size_t i, bool has_samples,
			      struct arena *arena)
{
	const struct pairing_row *from = &pairing->rows.at[i];
	struct view_cell *cells = arena_array(arena, pairing->sides->nr, sizeof(*cells));
	struct view_change *changes = arena_array(arena, pairing->sides->nr - 1, sizeof(*changes));

	for (size_t side = 0; side < pairing->sides->nr; side++) {
		cells[side] = cell_of(pairing, i, side, has_samples);
	}
	for (size_t head = 1; head < pairing->sides->nr; head++) {
		changes[head - 1] = view_change_judged(pairing_verdict(pairing, head, i), arena);
	}
	return (struct view_row){ .metric = from->title,
				  .unit = from->known.unit,
				  .is_higher_better = from->known.is_higher_better,
				  .is_exact = from->known.is_exact,
				  .class =
					  from->known.is_headline ? VIEW_HEADLINE : VIEW_SUPPORTING,
				  .estimator = from->known.estimator_word,
				  .note = from->known.note,
				  .cells = cells,
				  .changes = changes };
}

/* --- failures --- */

static size_t fails_of(const struct results_part *part, const char *reason)
{
	for (size_t i = 0; i < part->failures.nr; i++) {
		if (strcmp(part->failures.at[i].reason, reason) == 0) {
			return part->failures.at[i].nr;
		}
	}
	return 0;
}

static struct view_row failure_of(const struct pairing *pairing, const struct pairing_part *part,
				  const char *reason)
{
	size_t nr_sides = pairing->sides->nr;
	struct view_rate *rates = arena_array(pairing->arena, nr_sides, sizeof(*rates));
	struct view_change *changes = arena_array(pairing->arena, nr_sides - 1, sizeof(*changes));
	bool is_alone = pairing->parts.nr == 1;

	for (size_t side = 0; side < nr_sides; side++) {
		const struct results_part *from = part->sides[side];

		if (from) {
			rates[side].fails = fails_of(from, reason);
			rates[side].runs = from->nr_runs + from->nr_failed;
		}
	}
	for (size_t head = 1; head < nr_sides; head++) {
		struct failure failure = failure_judge(
			(struct failure_count){ rates[0].fails, rates[0].runs },
			(struct failure_count){ rates[head].fails, rates[head].runs });

		changes[head - 1] = view_change_bare(judge_word(failure.kind), NULL);
		changes[head - 1].p = failure.p;
	}
	return (struct view_row){ .metric = is_alone ? reason
						     : arena_printf(pairing->arena, "%s.%s",
								    part->label, reason),
				  .rates = rates,
				  .changes = changes };
}

struct failures {
	VEC(struct view_row) list;
};

/* Adds each reason for which some side of the part failed. */
static void add_failures(const struct pairing *pairing, const struct pairing_part *part,
			 struct failures *failures)
{
	scoped(names_free) struct names *names = names_new();

	for (size_t side = 0; side < pairing->sides->nr; side++) {
		const struct results_part *from = part->sides[side];

		for (size_t i = 0; from && i < from->failures.nr; i++) {
			const char *reason = from->failures.at[i].reason;
			uint32_t nr_names = names_nr(names);

			if (names_number(names, reason) > nr_names) {
				*vec_push(&failures->list) = failure_of(pairing, part, reason);
			}
		}
	}
}

/* --- the document --- */

static void find_axes(const struct pairing *pairing, size_t table, struct view_group *group)
{
	const struct sides *sides = pairing->sides;
	struct view_axis *axes = arena_array(pairing->arena, pairing->axes.nr + 3, sizeof(*axes));
	const struct results_part *first = sides->at[0].nr_parts ? sides->at[0].parts[0] : NULL;
	size_t nr = 0;

	if (is_pairing_simple(sides) && first->benchmark && !sides->is_divided) {
		axes[nr++] = (struct view_axis){ "testcase", first->benchmark };
	}
	if (sides->at[0].results->machine) {
		axes[nr++] = (struct view_axis){ "machine", sides->at[0].results->machine };
	}
	if (pairing->tables.at[table]) {
		axes[nr++] = (struct view_axis){ sides->by, pairing->tables.at[table] };
	}
	for (size_t i = 0; i < pairing->axes.nr; i++) {
		axes[nr++] =
			(struct view_axis){ pairing->axes.at[i].name, pairing->axes.at[i].value };
	}
	group->axes = axes;
	group->nr_axes = nr;
}

static void add_table(const struct pairing *pairing, size_t table, bool has_samples,
		      struct view *view)
{
	scoped(free) struct view_row *rows = mem_array(pairing->rows.nr, sizeof(*rows));
	struct failures failures = { 0 };
	struct view_group group = { .rows = rows };

	for (size_t i = 0; i < pairing->rows.nr; i++) {
		if (pairing->parts.at[pairing->rows.at[i].part].table == table) {
			rows[group.nr_rows++] = row_of(pairing, i, has_samples, view->arena);
		}
	}
	for (size_t i = 0; i < pairing->parts.nr; i++) {
		if (pairing->parts.at[i].table == table) {
			add_failures(pairing, &pairing->parts.at[i], &failures);
		}
	}
	group.failures = failures.list.at;
	group.nr_failures = failures.list.nr;
	find_axes(pairing, table, &group);
	view_add_group(view, &group);
	vec_release(&failures.list);
}

static bool is_commit(const char *text)
{
	return text && strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

static struct view *empty_view(const struct pairing *pairing)
{
	const struct sides *sides = pairing->sides;
	struct view_column *columns = arena_array(pairing->arena, sides->nr, sizeof(*columns));

	for (size_t side = 0; side < sides->nr; side++) {
		const char *commit = sides->at[side].results->commit;

		if (is_commit(commit) && !sides->is_divided && !sides->at[side].is_named) {
			columns[side].commit = commit;
		} else {
			columns[side].name = sides->at[side].name;
		}
	}
	return view_new(columns, sides->nr);
}

struct view *pairing_view(const struct pairing *pairing, bool has_samples)
{
	struct view *view = empty_view(pairing);

	view->reason = pairing_reason(pairing);
	for (size_t table = 0; !view->reason && table < pairing->tables.nr; table++) {
		add_table(pairing, table, has_samples, view);
	}
	view->nr_notes = pairing->notes.nr;
	view->notes = arena_array(view->arena, view->nr_notes, sizeof(*view->notes));
	for (size_t i = 0; i < pairing->notes.nr; i++) {
		view->notes[i] = pairing->notes.at[i];
	}
	view_sum_up(view);
	return view;
}
