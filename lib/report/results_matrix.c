/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "lib/base/pull.h"
#include "results_build.h"

/* Most metrics have as many samples as the one before, `nr_before`. */
static bool read_samples(struct pull *pull, struct results_metric *metric, size_t nr_before,
			 struct err *err)
{
	struct pull_item item;

	results_expect(metric, nr_before);
	if (!pull_need(pull, PULL_ARRAY, &item, err)) {
		return false;
	}
	for (;;) {
		if (!pull_next(pull, &item, err)) {
			return false;
		}
		if (item.kind == PULL_ARRAY_END) {
			results_trim(metric);
			return true;
		}
		if (item.kind != PULL_NUMBER && item.kind != PULL_NULL) {
			return pull_refuse(pull, &item, err,
					   "expected a number, or null for missing");
		}
		results_note_form(metric, pull, &item);
		results_add_value(metric, item.kind == PULL_NUMBER ? item.number : (double)NAN);
	}
}

/* lkp-tests names the file of each run. */
static bool count_sources(struct pull *pull, size_t *ret_nr, struct err *err)
{
	struct pull_item item;

	if (!pull_need(pull, PULL_ARRAY, &item, err)) {
		return false;
	}
	for (*ret_nr = 0;; ++*ret_nr) {
		if (!pull_next(pull, &item, err)) {
			return false;
		}
		if (item.kind == PULL_ARRAY_END) {
			return true;
		}
		if (item.kind != PULL_TEXT) {
			return pull_refuse(pull, &item, err, "expected a text");
		}
	}
}

bool results_read_matrix(const struct input *input, struct err *err)
{
	struct results_part *part = results_part(input, NULL, NULL, 0);
	scoped(pull_release) struct pull pull;
	struct pull_item item;
	size_t nr_before = 0;

	pull_init(&pull, input->file, input->text, input->length, 0);
	if (!pull_need(&pull, PULL_OBJECT, &item, err)) {
		return false;
	}
	for (;;) {
		struct results_metric *metric;

		if (!pull_next(&pull, &item, err)) {
			return false;
		}
		if (item.kind == PULL_OBJECT_END) {
			return pull_need(&pull, PULL_END, &item, err);
		}
		if (strcmp(item.text, "stats_source") == 0) {
			if (!count_sources(&pull, &part->nr_runs, err)) {
				return false;
			}
			continue;
		}
		metric = results_metric(input, part, item.text);
		if (!read_samples(&pull, metric, nr_before, err)) {
			return false;
		}
		nr_before = metric->values.nr;
	}
}

/* The first member of a matrix is a list of samples, no member of a run is a list. */
bool is_results_matrix(const char *text, size_t length)
{
	scoped(pull_release) struct pull pull;
	struct pull_item item;

	pull_init(&pull, "", text, length, 0);
	return pull_next(&pull, &item, NULL) && item.kind == PULL_OBJECT &&
	       pull_next(&pull, &item, NULL) &&
	       (item.kind == PULL_OBJECT_END ||
		(pull_next(&pull, &item, NULL) && item.kind == PULL_ARRAY));
}

/* Its members in any order; a matrix with a metric of such a name holds numbers there. */
bool is_results_view(const char *text, size_t length)
{
	static const char *const names[] = { "schema", "columns", "groups", "notes", "summary" };
	scoped(pull_release) struct pull pull;
	struct pull_item item;
	bool is_one = false;

	pull_init(&pull, "", text, length, 0);
	if (!pull_next(&pull, &item, NULL) || item.kind != PULL_OBJECT ||
	    !pull_next(&pull, &item, NULL) || item.kind != PULL_NAME) {
		return false;
	}
	for (size_t i = 0; i < countof(names); i++) {
		is_one = is_one || strcmp(names[i], item.text) == 0;
	}
	if (!is_one || !pull_next(&pull, &item, NULL)) {
		return false;
	}
	return item.kind != PULL_ARRAY ||
	       (pull_next(&pull, &item, NULL) && item.kind != PULL_NUMBER &&
		item.kind != PULL_NULL && item.kind != PULL_ARRAY_END);
}

bool results_refuse_view(const struct input *input, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: a comparison document, which is shown alone",
		       input->file);
}
