/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "finding.h"

#include <math.h>

#include "number.h"
#include "view.h"

static const struct json *change_of(const struct finding *finding)
{
	return json_at(json_get(finding->row, "changes"), finding->index);
}

/* How large the change is; from zero, it is larger than any. */
static double size_of(const struct finding *finding)
{
	const char *name = finding->is_failure ? "absolute" : "percent";

	return fabs(json_number(json_get(change_of(finding), name), 1e300));
}

#define RANK_NONE 6

/* The smaller, the more it is to say.  What is counted exactly only bears out what is felt. */
static int rank_of(const struct finding *finding)
{
	int exact = json_bool(json_get(finding->row, "is_exact"), false);

	switch (view_meaning(finding->row, finding->index)) {
	case VIEW_WORSE:
		return finding->is_failure ? 2 : exact;
	case VIEW_BETTER:
		return finding->is_failure ? 5 : 3 + exact;
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

static void consider_list(struct finding *best, const struct json *list, size_t group,
			  bool is_failure)
{
	for (size_t i = 0; i < json_size(list); i++) {
		struct finding finding = { .group = group,
					   .row = json_at(list, i),
					   .is_failure = is_failure };
		size_t nr_changes = json_size(json_get(finding.row, "changes"));

		if (!is_failure && !is_view_headline(finding.row)) {
			continue;
		}
		for (; finding.index < nr_changes; finding.index++) {
			consider(best, &finding);
		}
	}
}

bool finding_of(const struct json *view, struct finding *ret_finding)
{
	const struct json *groups = json_get(view, "groups");
	struct finding best = { 0 };

	for (size_t i = 0; i < json_size(groups); i++) {
		consider_list(&best, json_get(json_at(groups, i), "rows"), i, false);
		consider_list(&best, json_get(json_at(groups, i), "failures"), i, true);
	}
	if (!best.row) {
		return false;
	}
	*ret_finding = best;
	return true;
}

static void write_rates(const struct finding *finding, struct str *out)
{
	const struct json *cells = json_get(finding->row, "cells");
	const struct json *base = json_at(cells, 0);
	const struct json *head = json_at(cells, finding->index + 1);

	str_printf(out, " in %" PRId64 " of %" PRId64 " runs, in %" PRId64 " of %" PRId64 " before",
		   json_int(json_get(head, "fails"), 0), json_int(json_get(head, "runs"), 0),
		   json_int(json_get(base, "fails"), 0), json_int(json_get(base, "runs"), 0));
}

static void write_effect(const struct finding *finding, struct str *out)
{
	scoped(str_release) struct str interval = STR_INIT;
	const struct json *cells = json_get(finding->row, "cells");

	str_append_char(out, ' ');
	view_change_text(finding->row, finding->index, out);
	view_interval_text(finding->row, finding->index, &interval);
	if (interval.length > 0) {
		str_printf(out, ", 95%% interval %s", interval.at);
	}
	str_printf(out, ", %" PRId64 "+%" PRId64 " boots",
		   json_int(json_get(json_at(cells, 0), "n"), 0),
		   json_int(json_get(json_at(cells, finding->index + 1), "n"), 0));
}

/* Of a sweep: the point that moved most. */
static void write_worst(const struct finding *finding, struct str *out)
{
	if (json_text(json_get(finding->row, "worst"))) {
		str_append(out, ", most at ");
		view_text(finding->row, "worst", out);
	}
}

void finding_write(const struct json *view, const struct finding *finding, struct str *out)
{
	const struct json *columns = json_get(view, "columns");
	double q = json_number(json_get(change_of(finding), "q"), NAN);
	char text[NUMBER_BYTES];

	view_text(finding->row, "metric", out);
	if (finding->is_failure) {
		write_rates(finding, out);
	} else {
		write_effect(finding, out);
	}
	if (isfinite(q)) {
		number_probability(q, text);
		str_printf(out, ", q = %s", text);
	}
	if (json_size(columns) > 2) {
		str_append(out, ", at ");
		view_text(json_at(columns, finding->index + 1), "name", out);
	}
	write_worst(finding, out);
	if (json_text(json_get(finding->row, "note"))) {
		str_append(out, "; ");
		view_text(finding->row, "note", out);
	}
}

const char *finding_verdict(const struct finding *finding)
{
	const char *word = json_text(json_get(change_of(finding), "verdict"));
	const struct view_verdict *verdict = view_verdict(word);

	return verdict ? verdict->title : "";
}

/* Readers of subjects know the direction from the word, so the number has no sign. */
void finding_title(const struct finding *finding, struct str *out)
{
	scoped(str_release) struct str text = STR_INIT;
	const char *sign;

	view_text(finding->row, "metric", out);
	view_change_text(finding->row, finding->index, &text);
	sign = strpbrk(text.at, "+-");
	str_printf(out, " %s %s", sign ? sign + 1 : text.at, finding_verdict(finding));
	write_worst(finding, out);
}
