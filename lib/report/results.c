/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "lib/base/json.h"
#include "lib/base/pull.h"
#include "results_runs.h"

#define LIMIT_BYTES       ((size_t)1 << 30)
#define LIMIT_ABOUT_BYTES ((size_t)1 << 20)

/* result.json */

static char *scalar_text(const struct json *value)
{
	return json_text(value) ? mem_strdup(json_text(value)) : json_write(value, FORM_CANONICAL);
}

static int by_name(const void *left, const void *right)
{
	return strcmp(((const struct results_param *)left)->name,
		      ((const struct results_param *)right)->name);
}

static void read_params(struct results *results, const struct json *params)
{
	for (void *it = json_first(params); it; it = json_next(params, it)) {
		scoped(free) char *value = scalar_text(json_member_value(it));

		*vec_push(&results->params) =
			(struct results_param){ .name = arena_strdup(results->arena,
								     json_member_name(it)),
						.value = arena_strdup(results->arena, value) };
	}
	if (results->params.nr > 1) {
		qsort(results->params.at, results->params.nr, sizeof(*results->params.at), by_name);
	}
}

static const char *read_text(struct results *results, const struct json *about, const char *name)
{
	const char *text = json_text(json_get(about, name));

	return text && *text ? arena_strdup(results->arena, text) : NULL;
}

static bool read_about(struct results *results, const char *file, struct err *err)
{
	scoped(json_free) struct json *about = NULL;
	struct err local = ERR_INIT;

	if (!json_read_file(file, LIMIT_ABOUT_BYTES, &about, &local)) {
		return local.kind == ERR_ABSENT || err_set(err, local.kind, "%s", local.message);
	}
	if (json_int(json_get(about, "schema"), 0) != 1) {
		return err_set(err, ERR_INPUT, "%s: 'schema': expected 1", file);
	}
	results->benchmark = read_text(results, about, "benchmark");
	results->commit = read_text(results, about, "commit");
	results->machine = read_text(results, about, "machine");
	read_params(results, json_get(about, "params"));
	return true;
}

/* Runs that do not say where they ran, ran on the folder's machine. */
static void place_runs(struct results *results, struct names *ids)
{
	scoped(free) char *key = NULL;
	uint32_t machine;

	if (!results->machine) {
		return;
	}
	key = mem_printf("machine '%s'", results->machine);
	machine = names_number(ids, key);
	for (size_t i = 0; i < results->metrics.nr; i++) {
		struct results_metric *metric = &results->metrics.at[i];

		for (size_t j = 0; j < metric->samples.nr; j++) {
			if (metric->samples.at[j].machine == 0) {
				metric->samples.at[j].machine = machine;
			}
		}
	}
}

static bool read_folder(struct results *results, struct names *ids, struct err *err)
{
	scoped(free) char *about = mem_printf("%s/result.json", results->path);
	scoped(free) char *file = mem_printf("%s/runs.jsonl", results->path);
	scoped(str_release) struct str text = STR_INIT;
	struct err local = ERR_INIT;

	if (!read_about(results, about, err)) {
		return false;
	}
	if (!str_read_file(&text, file, LIMIT_BYTES, &local)) {
		return local.kind == ERR_ABSENT || err_set(err, local.kind, "%s", local.message);
	}
	if (!results_add_runs(results, file, &text, ids, err)) {
		return false;
	}
	place_runs(results, ids);
	return true;
}

/* matrices */

static bool read_samples(struct pull *pull, struct results_metric *metric, struct err *err)
{
	struct pull_item item;

	if (!pull_need(pull, PULL_ARRAY, &item, err)) {
		return false;
	}
	for (;;) {
		if (!pull_next(pull, &item, err)) {
			return false;
		}
		if (item.kind == PULL_ARRAY_END) {
			return true;
		}
		if (item.kind != PULL_NUMBER && item.kind != PULL_NULL) {
			return pull_refuse(pull, &item, err,
					   "expected a number, or null for missing");
		}
		results_note_form(metric, pull, &item);
		*vec_push(&metric->samples) =
			(struct judge_sample){ .value = item.kind == PULL_NUMBER ? item.number
										 : (double)NAN,
					       .order = (uint32_t)metric->samples.nr };
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

static bool read_matrix(struct results *results, const struct str *text, struct err *err)
{
	scoped(pull_release) struct pull pull;
	struct pull_item item;

	pull_init(&pull, results->path, text->at, text->length, 0);
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
			if (!count_sources(&pull, &results->nr_runs, err)) {
				return false;
			}
			continue;
		}
		metric = vec_push(&results->metrics);
		*metric =
			(struct results_metric){ .name = arena_strdup(results->arena, item.text) };
		if (!read_samples(&pull, metric, err)) {
			return false;
		}
	}
}

/* The first member of a matrix is a list of samples, no member of a run is a list. */
static bool is_matrix(const struct str *text)
{
	scoped(pull_release) struct pull pull;
	struct pull_item item;

	pull_init(&pull, "", text->at, text->length, 0);
	return pull_next(&pull, &item, NULL) && item.kind == PULL_OBJECT &&
	       pull_next(&pull, &item, NULL) &&
	       (item.kind == PULL_OBJECT_END ||
		(pull_next(&pull, &item, NULL) && item.kind == PULL_ARRAY));
}

static struct results *results_new(const char *path)
{
	struct results *results = mem_alloc(sizeof(*results));

	results->arena = arena_new();
	results->path = arena_strdup(results->arena, path);
	return results;
}

static bool add_text(struct results *results, const struct str *text, struct names *ids,
		     struct err *err)
{
	if (text->length == 0) {
		return err_set(err, ERR_INPUT, "%s: is empty", results->path);
	}
	return is_matrix(text) ? read_matrix(results, text, err)
			       : results_add_runs(results, results->path, text, ids, err);
}

bool results_parse(const char *what, const struct str *text, struct names *ids,
		   struct results **ret_results, struct err *err)
{
	scoped(results_free) struct results *results = results_new(what);

	if (!add_text(results, text, ids, err)) {
		return false;
	}
	*ret_results = move(&results);
	return true;
}

static bool read_file(struct results *results, struct names *ids, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;

	return str_read_file(&text, results->path, LIMIT_BYTES, err) &&
	       add_text(results, &text, ids, err);
}

bool results_read(const char *path, struct names *ids, struct results **ret_results,
		  struct err *err)
{
	scoped(results_free) struct results *results = results_new(path);
	struct stat stat_;

	if (stat(path, &stat_) != 0) {
		return err_set_errno(err, errno == ENOENT ? ERR_ABSENT : ERR_BROKEN, errno,
				     "read '%s'", path);
	}
	if (!(S_ISDIR(stat_.st_mode) ? read_folder(results, ids, err)
				     : read_file(results, ids, err))) {
		return false;
	}
	*ret_results = move(&results);
	return true;
}

struct results *results_free(struct results *results)
{
	if (results) {
		for (size_t i = 0; i < results->metrics.nr; i++) {
			vec_release(&results->metrics.at[i].samples);
		}
		vec_release(&results->metrics);
		vec_release(&results->params);
		vec_release(&results->failures);
		arena_free(results->arena);
		free(results);
	}
	return NULL;
}
