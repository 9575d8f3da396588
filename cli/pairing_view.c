/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "lib/base/str.h"
#include "pairing.h"

static const struct judge_side *side_of(const struct judge_verdict *verdict, bool is_head)
{
	return is_head ? &verdict->head : &verdict->base;
}

/* What the judge took of a side, by any comparison that took something. */
static const struct judge_side *judged_side(const struct pairing *pairing, size_t row, size_t side)
{
	for (size_t head = 1; head < pairing->nr_sides; head++) {
		const struct judge_verdict *verdict = &pairing->verdicts[head - 1][row];

		if ((side == 0 || side == head) && side_of(verdict, side > 0)->nr > 0) {
			return side_of(verdict, side > 0);
		}
	}
	return NULL;
}

/* Why a side has no value; NULL: no more is known than that. */
static const char *absence(const struct pairing *pairing, size_t side)
{
	const struct results *results = pairing->sides[side];

	if (pairing->reasons[side]) {
		return pairing->reasons[side];
	}
	if (results->nr_failed > 0) {
		return arena_printf(pairing->arena, "%zu of %zu runs failed: %s",
				    results->nr_failed, results->nr_failed + results->nr_runs,
				    results->failures.at[0].reason);
	}
	return NULL;
}

static struct view_cell cell_of(const struct pairing *pairing, size_t row, size_t side)
{
	const struct results_metric *metric = pairing->rows.at[row].sides[side];
	const struct judge_side *judged = judged_side(pairing, row, side);
	size_t nr = metric ? metric->samples.nr : 0;
	double *samples = arena_array(pairing->arena, nr, sizeof(*samples));
	const char *reason = absence(pairing, side);
	struct view_cell cell;

	for (size_t i = 0; i < nr; i++) {
		samples[i] = metric->samples.at[i].value;
	}
	if (!judged) {
		return view_cell_of(samples, nr, reason);
	}
	cell = view_cell_judged(judged, reason);
	cell.samples = samples;
	cell.nr_samples = nr;
	return cell;
}

static struct view_row row_of(const struct pairing *pairing, size_t i)
{
	const struct pairing_row *from = &pairing->rows.at[i];
	struct view_cell *cells = arena_array(pairing->arena, pairing->nr_sides, sizeof(*cells));
	struct view_change *changes =
		arena_array(pairing->arena, pairing->nr_sides - 1, sizeof(*changes));

	for (size_t side = 0; side < pairing->nr_sides; side++) {
		cells[side] = cell_of(pairing, i, side);
	}
	for (size_t head = 1; head < pairing->nr_sides; head++) {
		changes[head - 1] = view_change_judged(&pairing->verdicts[head - 1][i]);
	}
	return (struct view_row){ .metric = from->title,
				  .unit = from->known.unit,
				  .is_higher_better = from->known.is_higher_better,
				  .is_exact = from->known.is_exact,
				  .class =
					  from->known.is_headline ? VIEW_HEADLINE : VIEW_SUPPORTING,
				  .note = from->known.note,
				  .cells = cells,
				  .changes = changes };
}

/* failures */

static size_t fails_of(const struct results *results, const char *reason)
{
	for (size_t i = 0; i < results->failures.nr; i++) {
		if (strcmp(results->failures.at[i].reason, reason) == 0) {
			return results->failures.at[i].nr;
		}
	}
	return 0;
}

static struct view_failure failure_of(const struct pairing *pairing, const char *reason)
{
	struct view_rate *rates = arena_array(pairing->arena, pairing->nr_sides, sizeof(*rates));
	struct view_change *changes =
		arena_array(pairing->arena, pairing->nr_sides - 1, sizeof(*changes));

	for (size_t side = 0; side < pairing->nr_sides; side++) {
		const struct results *results = pairing->sides[side];

		if (!pairing->reasons[side]) {
			rates[side].fails = fails_of(results, reason);
			rates[side].runs = results->nr_runs + results->nr_failed;
		}
	}
	for (size_t head = 1; head < pairing->nr_sides; head++) {
		size_t fails[] = { rates[0].fails, rates[head].fails };
		size_t runs[] = { rates[0].runs, rates[head].runs };
		double p;

		changes[head - 1] = (struct view_change){
			.effect = NAN,
			.low = NAN,
			.high = NAN,
			.q = NAN,
			.verdict = judge_word(judge_failures(fails, runs, &p)),
		};
		changes[head - 1].p = p;
	}
	return (struct view_failure){ .metric = reason, .rates = rates, .changes = changes };
}

static void find_failures(const struct pairing *pairing, struct view_group *group)
{
	scoped(names_free) struct names *names = names_new();
	struct view_failure *failures;
	size_t most = 0;

	for (size_t side = 0; side < pairing->nr_sides; side++) {
		most += pairing->sides[side]->failures.nr;
	}
	failures = arena_array(pairing->arena, most, sizeof(*failures));
	for (size_t side = 0; side < pairing->nr_sides; side++) {
		const struct results *results = pairing->sides[side];

		for (size_t i = 0; !pairing->reasons[side] && i < results->failures.nr; i++) {
			const char *reason = results->failures.at[i].reason;

			if (names_number(names, reason) > group->nr_failures) {
				failures[group->nr_failures++] = failure_of(pairing, reason);
			}
		}
	}
	group->failures = failures;
}

/* the document */

static void find_axes(const struct pairing *pairing, struct view_group *group)
{
	const struct results *base = pairing->sides[0];
	struct view_axis *axes = arena_array(pairing->arena, base->params.nr + 2, sizeof(*axes));
	size_t nr = 0;

	if (base->benchmark) {
		axes[nr++] = (struct view_axis){ "testcase", base->benchmark };
	}
	if (base->machine) {
		axes[nr++] = (struct view_axis){ "machine", base->machine };
	}
	for (size_t i = 0; i < base->params.nr; i++) {
		axes[nr++] =
			(struct view_axis){ base->params.at[i].name, base->params.at[i].value };
	}
	group->axes = axes;
	group->nr_axes = nr;
}

static bool is_commit(const char *text)
{
	return text && strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

static struct json *empty_view(const struct pairing *pairing)
{
	struct view_column *columns =
		arena_array(pairing->arena, pairing->nr_sides, sizeof(*columns));

	for (size_t side = 0; side < pairing->nr_sides; side++) {
		const struct results *results = pairing->sides[side];

		if (is_commit(results->commit)) {
			columns[side].commit = results->commit;
		} else {
			columns[side].name = results->path;
		}
	}
	return view_new(columns, pairing->nr_sides);
}

struct json *pairing_view(const struct pairing *pairing)
{
	struct view_row *rows = arena_array(pairing->arena, pairing->rows.nr, sizeof(*rows));
	struct view_group group = { .rows = rows, .nr_rows = pairing->rows.nr };
	struct json *view = empty_view(pairing);
	const char *reason = pairing_reason(pairing);

	if (reason) {
		json_put_text(view, "reason", reason);
	} else {
		for (size_t i = 0; i < pairing->rows.nr; i++) {
			rows[i] = row_of(pairing, i);
		}
		find_axes(pairing, &group);
		find_failures(pairing, &group);
		view_add_group(view, &group);
	}
	view_sum_up(view);
	return view;
}
