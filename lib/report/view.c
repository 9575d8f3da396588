/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"

#include <math.h>

#include "lib/base/str.h"
#include "number.h"

static const struct view_verdict verdicts[] = {
	{ "regression", "regression", VIEW_WORSE },
	{ "improvement", "improvement", VIEW_BETTER },
	{ "no-change", "no change", VIEW_SAME },
	{ "cannot-resolve", "cannot resolve", VIEW_UNKNOWN },
	{ "too-few-runs", "too few runs", VIEW_UNKNOWN },
	{ "layout-sensitive", "layout sensitive", VIEW_UNKNOWN },
	{ "not-confirmed-in-time", "not confirmed in time", VIEW_UNKNOWN },
	{ "not-judged", "not judged", VIEW_UNKNOWN },
	{ "not-comparable", "not comparable", VIEW_MISSING },
	{ "missing", "missing", VIEW_MISSING },
};

const struct view_verdict *view_verdict(const char *word)
{
	for (size_t i = 0; word && i < countof(verdicts); i++) {
		if (strcmp(word, verdicts[i].word) == 0) {
			return &verdicts[i];
		}
	}
	return NULL;
}

const char *view_mark(enum view_meaning meaning)
{
	static const char *const marks[] = {
		[VIEW_WORSE] = "\xe2\x96\xb2", [VIEW_BETTER] = "\xe2\x96\xbc",  /* triangles */
		[VIEW_SAME] = "\xe2\x97\x8f",  [VIEW_MISSING] = "\xe2\x97\x8b", /* circles */
		[VIEW_UNKNOWN] = "?",
	};

	return marks[meaning];
}

bool view_has_changed(const struct view *view, const struct view_row *row)
{
	for (size_t i = 0; i + 1 < view->nr_columns; i++) {
		enum view_meaning meaning = view_meaning(row, i);

		if (meaning == VIEW_WORSE || meaning == VIEW_BETTER) {
			return true;
		}
	}
	return false;
}

const char *view_better(const struct view_row *row)
{
	return row->is_higher_better ? "higher" : "lower";
}

const char *view_class(const struct view_row *row)
{
	static const char *const classes[] = { "headline", "supporting", "monitor" };

	return classes[row->class];
}

void view_text(const char *text, struct str *out)
{
	if (text) {
		str_append_clean(out, text, strlen(text), false, VIEW_MAX_TEXT_BYTES);
	}
}

const char *view_axis_value(const struct view_group *group, const char *name)
{
	for (size_t i = 0; i < group->nr_axes; i++) {
		if (strcmp(group->axes[i].name, name) == 0) {
			return group->axes[i].value;
		}
	}
	return "";
}

void view_short_metric(const struct view_group *group, const struct view_row *row, struct str *out)
{
	const char *test = view_axis_value(group, VIEW_TEST);
	const char *metric = row->metric;
	size_t length = strlen(test);

	if (length > 0 && strncmp(metric, test, length) == 0 && metric[length] == '.' &&
	    metric[length + 1]) {
		metric += length + 1;
	}
	view_text(metric, out);
}

void view_group_title(const struct view_group *group, struct str *out)
{
	for (size_t i = 0; i < group->nr_axes; i++) {
		str_append(out, i ? " " : "");
		view_text(group->axes[i].name, out);
		str_append_char(out, '=');
		view_text(group->axes[i].value, out);
	}
}

void view_change_text(const struct view_row *row, const struct view_change *change, struct str *out)
{
	char text[NUMBER_BYTES];

	if (row->rates && isfinite(change->absolute)) {
		str_printf(out, "%+.0f points", change->absolute);
	} else if (row->unit && strcmp(row->unit, "%") == 0) {
		number_difference(change->absolute, text);
		str_append(out, text);
		str_append(out, isfinite(change->absolute) ? " points" : "");
	} else if (isfinite(change->percent)) {
		number_percent(change->percent, text);
		str_append(out, text);
	} else {
		number_difference(change->absolute, text);
		str_append(out, text);
	}
}

void view_interval_text(const struct view_change *change, struct str *out)
{
	double ends[] = { change->low, change->high };
	char text[NUMBER_BYTES];

	if (!isfinite(ends[0]) || !isfinite(ends[1])) {
		return;
	}
	for (size_t i = 0; i < countof(ends); i++) {
		if (change->is_ratio) {
			number_percent(ends[i], text);
		} else {
			number_difference(ends[i], text);
		}
		str_append(out, i ? " to " : "");
		str_append(out, text);
	}
}

/* summing up */

/* Adds ln(head / base), above zero where that is better. */
static void add_ratio(struct view_sum *sum, const struct view_row *row, size_t index,
		      double *log_sum)
{
	double base = row->cells[0].value;
	double head = row->cells[index + 1].value;
	double ratio = log(head / base);

	if (!(base > 0) || !(head > 0) || !isfinite(ratio)) {
		sum->nr_left_out++;
		return;
	}
	*log_sum += row->is_higher_better ? ratio : -ratio;
	sum->nr_overall++;
}

static void add_group(struct view_sum *sum, const struct view_group *group, size_t index,
		      double *log_sum)
{
	for (size_t i = 0; i < group->nr_rows; i++) {
		const struct view_row *row = &group->rows[i];
		enum view_meaning meaning = view_meaning(row, index);

		if (row->class == VIEW_MONITOR) {
			sum->nr_monitors += meaning == VIEW_WORSE || meaning == VIEW_BETTER;
		} else {
			sum->nr[meaning]++;
		}
		if (is_view_headline(row)) {
			add_ratio(sum, row, index, log_sum);
		}
	}
	for (size_t i = 0; i < group->nr_failures; i++) {
		enum view_meaning meaning = view_meaning(&group->failures[i], index);

		sum->nr_failures += meaning == VIEW_WORSE || meaning == VIEW_BETTER;
	}
}

void view_sum_up(struct view *view)
{
	view->sums = arena_array(view->arena, view->nr_columns - 1, sizeof(*view->sums));
	for (size_t i = 0; i + 1 < view->nr_columns; i++) {
		struct view_sum *sum = &view->sums[i];
		double log_sum = 0;

		for (size_t j = 0; j < view->groups.nr; j++) {
			add_group(sum, &view->groups.at[j], i, &log_sum);
		}
		sum->percent = sum->nr_overall ? 100 * expm1(log_sum / (double)sum->nr_overall)
					       : (double)NAN;
	}
}

const struct view_count *view_count(const struct view_sum *sum, size_t index, int64_t *ret_nr)
{
	static const struct view_count counts[] = {
		[VIEW_WORSE] = { "regressions", "regression", "regressions" },
		[VIEW_BETTER] = { "improvements", "improvement", "improvements" },
		[VIEW_SAME] = { "unchanged", "without a change", "without a change" },
		[VIEW_UNKNOWN] = { "unknown", "undecided", "undecided" },
		[VIEW_MISSING] = { "missing", "missing", "missing" },
		{ "failures", "failure rate changed", "failure rates changed" },
		{ "monitors", "change in monitors", "changes in monitors" },
	};

	if (index >= countof(counts)) {
		return NULL;
	}
	*ret_nr = index <= VIEW_MISSING       ? sum->nr[index]
		  : index == VIEW_MISSING + 1 ? sum->nr_failures
					      : sum->nr_monitors;
	return &counts[index];
}

void view_summary_text(const struct view *view, size_t index, struct str *out)
{
	const struct view_sum *sum = &view->sums[index];
	const struct view_count *count;
	char text[NUMBER_BYTES];
	size_t before = out->length;
	int64_t nr;

	for (size_t i = 0; (count = view_count(sum, i, &nr)); i++) {
		if (nr > 0) {
			str_printf(out, "%s%" PRId64 " %s", out->length > before ? ", " : "", nr,
				   nr == 1 ? count->one : count->many);
		}
	}
	if (out->length == before) {
		str_append(out, "nothing to compare");
	}
	if (sum->nr_overall > 0 && sum->nr_overall + sum->nr_left_out > 1) {
		number_percent(sum->percent, text);
		str_printf(out,
			   "; overall %s (geometric mean of %" PRId64
			   " headline %s, above zero is better",
			   text, sum->nr_overall, sum->nr_overall == 1 ? "metric" : "metrics");
		if (sum->nr_left_out > 0) {
			str_printf(out, ", %" PRId64 " left out", sum->nr_left_out);
		}
		str_append_char(out, ')');
	}
}
