/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "finding.h"

#include <math.h>

#include "number.h"

static const struct view_change *change_of(const struct finding *finding)
{
	return &finding->row->changes[finding->index];
}

/* How large the change is; from zero, it is larger than any. */
static double size_of(const struct finding *finding)
{
	const struct view_change *change = change_of(finding);
	double size = finding->row->rates ? change->absolute : change->percent;

	return isnan(size) ? 1e300 : fabs(size);
}

#define RANK_NONE 6

/* The smaller, the more it is to say.  What is counted exactly only bears out what is felt. */
static int rank_of(const struct finding *finding)
{
	bool is_failure = finding->row->rates;
	int exact = finding->row->is_exact;

	switch (view_meaning(finding->row, finding->index)) {
	case VIEW_WORSE:
		return is_failure ? 2 : exact;
	case VIEW_BETTER:
		return is_failure ? 5 : 3 + exact;
	case VIEW_SAME:
	case VIEW_UNKNOWN:
	case VIEW_MISSING:
		break;
	}
	return RANK_NONE;
}

static void consider(struct finding *best, const struct finding *finding)
{
	int rank = rank_of(finding);
	int best_rank = best->row ? rank_of(best) : RANK_NONE;

	if (rank < best_rank ||
	    (rank == best_rank && rank < RANK_NONE && size_of(finding) > size_of(best))) {
		*best = *finding;
	}
}

static void consider_row(struct finding *best, const struct view *view, size_t group,
			 const struct view_row *row)
{
	struct finding finding = { .group = group, .row = row };

	for (; finding.index + 1 < view->nr_columns; finding.index++) {
		consider(best, &finding);
	}
}

bool finding_of(const struct view *view, struct finding *ret_finding)
{
	struct finding best = { 0 };

	for (size_t i = 0; i < view->groups.nr; i++) {
		const struct view_group *group = &view->groups.at[i];

		for (size_t j = 0; j < group->nr_rows; j++) {
			if (is_view_headline(&group->rows[j])) {
				consider_row(&best, view, i, &group->rows[j]);
			}
		}
		for (size_t j = 0; j < group->nr_failures; j++) {
			consider_row(&best, view, i, &group->failures[j]);
		}
	}
	if (!best.row) {
		return false;
	}
	*ret_finding = best;
	return true;
}

static void write_rates(const struct finding *finding, struct str *out)
{
	const struct view_rate *base = &finding->row->rates[0];
	const struct view_rate *head = &finding->row->rates[finding->index + 1];

	str_printf(out, " in %zu of %zu runs, in %zu of %zu before", head->fails, head->runs,
		   base->fails, base->runs);
}

static void write_effect(const struct finding *finding, struct str *out)
{
	scoped(str_release) struct str interval = STR_INIT;
	const struct view_cell *cells = finding->row->cells;

	str_append_char(out, ' ');
	view_change_text(finding->row, change_of(finding), out);
	view_interval_text(change_of(finding), &interval);
	if (interval.length > 0) {
		str_printf(out, ", 95%% interval %s", interval.at);
	}
	str_printf(out, ", %zu+%zu boots", cells[0].n, cells[finding->index + 1].n);
}

/* Of a sweep: the point that moved most. */
static void write_worst(const struct finding *finding, struct str *out)
{
	if (finding->row->worst) {
		str_append(out, ", most at ");
		view_text(finding->row->worst, out);
	}
}

void finding_write(const struct view *view, const struct finding *finding, struct str *out)
{
	double q = change_of(finding)->q;
	char text[NUMBER_BYTES];

	view_text(finding->row->metric, out);
	if (finding->row->rates) {
		write_rates(finding, out);
	} else {
		write_effect(finding, out);
	}
	if (isfinite(q)) {
		number_probability(q, text);
		str_printf(out, ", q = %s", text);
	}
	if (view->nr_columns > 2) {
		str_append(out, ", at ");
		view_text(view->columns[finding->index + 1].name, out);
	}
	write_worst(finding, out);
	if (finding->row->note) {
		str_append(out, "; ");
		view_text(finding->row->note, out);
	}
}

const char *finding_verdict(const struct finding *finding)
{
	return change_of(finding)->verdict->title;
}

/* Readers of subjects know the direction from the word, so the number has no sign. */
void finding_title(const struct finding *finding, struct str *out)
{
	scoped(str_release) struct str text = STR_INIT;
	const char *sign;

	view_text(finding->row->metric, out);
	view_change_text(finding->row, change_of(finding), &text);
	sign = strpbrk(text.at, "+-");
	str_printf(out, " %s %s", sign ? sign + 1 : text.at, finding_verdict(finding));
	write_worst(finding, out);
}
