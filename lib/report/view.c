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

static const struct json *change_at(const struct json *row, size_t index)
{
	return json_at(json_get(row, "changes"), index);
}

enum view_meaning view_meaning(const struct json *row, size_t index)
{
	const char *word = json_text(json_get(change_at(row, index), "verdict"));
	const struct view_verdict *verdict = view_verdict(word);

	return verdict ? verdict->meaning : VIEW_MISSING;
}

bool view_has_changed(const struct json *row)
{
	for (size_t i = 0; i < json_size(json_get(row, "changes")); i++) {
		enum view_meaning meaning = view_meaning(row, i);

		if (meaning == VIEW_WORSE || meaning == VIEW_BETTER) {
			return true;
		}
	}
	return false;
}

static bool has_class(const struct json *row, const char *class)
{
	const char *text = json_text(json_get(row, "class"));

	return text && strcmp(text, class) == 0;
}

bool is_view_headline(const struct json *row)
{
	return has_class(row, "headline");
}

static bool is_in_points(const struct json *row)
{
	const char *unit = json_text(json_get(row, "unit"));

	return unit && strcmp(unit, "%") == 0;
}

static double number_at(const struct json *object, const char *name)
{
	return json_number(json_get(object, name), NAN);
}

void view_text(const struct json *object, const char *name, struct str *out)
{
	const char *text = json_text(json_get(object, name));

	if (text) {
		str_append_clean(out, text, strlen(text), false, VIEW_MAX_TEXT_BYTES);
	}
}

const char *view_axis_value(const struct json *group, const char *name)
{
	const struct json *axes = json_get(group, "axes");

	for (size_t i = 0; i < json_size(axes); i++) {
		const char *other = json_text(json_get(json_at(axes, i), "name"));

		if (other && strcmp(other, name) == 0) {
			return json_text(json_get(json_at(axes, i), "value"));
		}
	}
	return "";
}

void view_short_metric(const struct json *group, const struct json *row, struct str *out)
{
	const char *test = view_axis_value(group, VIEW_TEST);
	const char *metric = json_text(json_get(row, "metric"));
	size_t length = strlen(test);

	if (length > 0 && strncmp(metric, test, length) == 0 && metric[length] == '.' &&
	    metric[length + 1]) {
		metric += length + 1;
	}
	str_append_clean(out, metric, strlen(metric), false, VIEW_MAX_TEXT_BYTES);
}

void view_group_title(const struct json *group, struct str *out)
{
	const struct json *axes = json_get(group, "axes");

	for (size_t i = 0; i < json_size(axes); i++) {
		str_append(out, i ? " " : "");
		view_text(json_at(axes, i), "name", out);
		str_append_char(out, '=');
		view_text(json_at(axes, i), "value", out);
	}
}

void view_change_text(const struct json *row, size_t index, struct str *out)
{
	const struct json *change = change_at(row, index);
	double percent = number_at(change, "percent");
	double absolute = number_at(change, "absolute");
	char text[NUMBER_BYTES];

	if (!json_get(row, "unit") && isfinite(absolute)) {
		str_printf(out, "%+.0f points", absolute);
	} else if (is_in_points(row)) {
		number_difference(absolute, text);
		str_printf(out, "%s%s", text, isfinite(absolute) ? " points" : "");
	} else if (isfinite(percent)) {
		number_percent(percent, text);
		str_append(out, text);
	} else {
		number_difference(absolute, text);
		str_append(out, text);
	}
}

void view_interval_text(const struct json *row, size_t index, struct str *out)
{
	const struct json *change = change_at(row, index);
	bool is_ratio = json_bool(json_get(change, "is_ratio"), false);
	double ends[] = { number_at(change, "low"), number_at(change, "high") };
	char text[NUMBER_BYTES];

	if (!isfinite(ends[0]) || !isfinite(ends[1])) {
		return;
	}
	for (size_t i = 0; i < countof(ends); i++) {
		if (is_ratio) {
			number_percent(ends[i], text);
		} else {
			number_difference(ends[i], text);
		}
		str_append(out, i ? " to " : "");
		str_append(out, text);
	}
}

/* summing up */

struct sums {
	int nr[VIEW_MISSING + 1]; /* rows by meaning, without monitors */
	int nr_failures;
	int nr_monitors;
	double log_sum; /* of head over base, above zero is better */
	int nr_ratios;
	int nr_left_out;
};

static void add_ratio(struct sums *sums, const struct json *row, size_t index)
{
	const struct json *cells = json_get(row, "cells");
	const char *better = json_text(json_get(row, "better"));
	double base = number_at(json_at(cells, 0), "value");
	double head = number_at(json_at(cells, index + 1), "value");
	double ratio = log(head / base);

	if (!(base > 0) || !(head > 0) || !isfinite(ratio)) {
		sums->nr_left_out++;
		return;
	}
	sums->log_sum += better && strcmp(better, "lower") == 0 ? -ratio : ratio;
	sums->nr_ratios++;
}

static void add_group(struct sums *sums, const struct json *group, size_t index)
{
	const struct json *rows = json_get(group, "rows");
	const struct json *failures = json_get(group, "failures");

	for (size_t i = 0; i < json_size(rows); i++) {
		const struct json *row = json_at(rows, i);
		enum view_meaning meaning = view_meaning(row, index);

		if (has_class(row, "monitor")) {
			sums->nr_monitors += meaning == VIEW_WORSE || meaning == VIEW_BETTER;
		} else {
			sums->nr[meaning]++;
		}
		if (is_view_headline(row)) {
			add_ratio(sums, row, index);
		}
	}
	for (size_t i = 0; i < json_size(failures); i++) {
		enum view_meaning meaning = view_meaning(json_at(failures, i), index);

		sums->nr_failures += meaning == VIEW_WORSE || meaning == VIEW_BETTER;
	}
}

static struct json *sums_json(const struct sums *sums)
{
	struct json *summary = json_new_object();
	struct json *overall = json_new_object();

	json_put_int(summary, "regressions", sums->nr[VIEW_WORSE]);
	json_put_int(summary, "improvements", sums->nr[VIEW_BETTER]);
	json_put_int(summary, "unchanged", sums->nr[VIEW_SAME]);
	json_put_int(summary, "unknown", sums->nr[VIEW_UNKNOWN]);
	json_put_int(summary, "missing", sums->nr[VIEW_MISSING]);
	json_put_int(summary, "failures", sums->nr_failures);
	json_put_int(summary, "monitors", sums->nr_monitors);
	json_put_number(overall, "percent",
			sums->nr_ratios ? 100 * expm1(sums->log_sum / sums->nr_ratios)
					: (double)NAN);
	json_put_int(overall, "nr", sums->nr_ratios);
	json_put_int(overall, "nr_left_out", sums->nr_left_out);
	json_put(summary, "overall", overall);
	return summary;
}

void view_sum_up(struct json *view)
{
	const struct json *groups = json_get(view, "groups");
	size_t nr_columns = json_size(json_get(view, "columns"));
	struct json *summary = json_new_array();

	for (size_t i = 0; i + 1 < nr_columns; i++) {
		struct sums sums = { 0 };

		for (size_t j = 0; j < json_size(groups); j++) {
			add_group(&sums, json_at(groups, j), i);
		}
		json_append(summary, sums_json(&sums));
	}
	json_put(view, "summary", summary);
}

/* What is said of each count: for one, and for more. */
static const struct {
	const char *name;
	const char *one;
	const char *many;
} counts[] = {
	{ "regressions", "regression", "regressions" },
	{ "improvements", "improvement", "improvements" },
	{ "unchanged", "without a change", "without a change" },
	{ "unknown", "undecided", "undecided" },
	{ "missing", "missing", "missing" },
	{ "failures", "failure rate changed", "failure rates changed" },
	{ "monitors", "change in monitors", "changes in monitors" },
};

void view_summary_text(const struct json *view, size_t index, struct str *out)
{
	const struct json *summary = json_at(json_get(view, "summary"), index);
	const struct json *overall = json_get(summary, "overall");
	int64_t nr_overall = json_int(json_get(overall, "nr"), 0);
	int64_t nr_left_out = json_int(json_get(overall, "nr_left_out"), 0);
	char text[NUMBER_BYTES];
	size_t before = out->length;

	for (size_t i = 0; i < countof(counts); i++) {
		int64_t nr = json_int(json_get(summary, counts[i].name), 0);

		if (nr > 0) {
			str_printf(out, "%s%" PRId64 " %s", out->length > before ? ", " : "", nr,
				   nr == 1 ? counts[i].one : counts[i].many);
		}
	}
	if (out->length == before) {
		str_append(out, "nothing to compare");
	}
	if (nr_overall > 0 && nr_overall + nr_left_out > 1) {
		number_percent(json_number(json_get(overall, "percent"), NAN), text);
		str_printf(out,
			   "; overall %s (geometric mean of %" PRId64
			   " headline %s, above zero is better",
			   text, nr_overall, nr_overall == 1 ? "metric" : "metrics");
		if (nr_left_out > 0) {
			str_printf(out, ", %" PRId64 " left out", nr_left_out);
		}
		str_append_char(out, ')');
	}
}
