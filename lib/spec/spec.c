/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec.h"

#include <ctype.h>

#include "checks.h"
#include "include.h"
#include "keys.h"
#include "lib/base/str.h"
#include "matrix.h"
#include "param.h"
#include "pattern.h"

/* clang-format off */
#define IN_SPEC(member) .offset = offsetof(struct spec, member)
#define IN_METRIC(member) .offset = offsetof(struct metric, member)
#define TIMEOUT_MOST_S 604800

static const struct key needs_keys[] = {
	{ "commands", KEY_TEXTS, FORM_BOTH, IN_SPEC(commands) },
	{ "packages", KEY_TEXTS, FORM_BOTH, IN_SPEC(packages) },
	{ "url", KEY_TEXT, FORM_BOTH, IN_SPEC(url), .check = check_line },
};

static const struct key job_keys[] = {
	{ "name", KEY_TEXT, FORM_JOB, IN_SPEC(name), .check = check_name, .is_needed = true },
	{ "summary", KEY_TEXT, FORM_JOB, IN_SPEC(summary), .check = check_line, .is_needed = true },
	{ "needs", KEY_OTHER, .forms = FORM_BOTH },
	{ "params", KEY_OTHER, .forms = FORM_JOB },
	{ "sweep", KEY_TEXT, FORM_JOB, IN_SPEC(sweep), .check = check_line },
	{ "build", KEY_TEXT, FORM_BOTH, IN_SPEC(build), .check = check_script },
	{ "setup", KEY_TEXT, FORM_BOTH, IN_SPEC(setup), .check = check_script },
	{ "run", KEY_TEXT, FORM_BOTH, IN_SPEC(run), .check = check_script, .is_needed = true },
	{ "teardown", KEY_TEXT, FORM_BOTH, IN_SPEC(teardown), .check = check_script },
	{ "timeout", KEY_DURATION, FORM_JOB, IN_SPEC(timeout_s), .min = 1, .max = TIMEOUT_MOST_S },
	{ "timeout_s", KEY_COUNT, FORM_RECIPE, IN_SPEC(timeout_s), .min = 1, .max = TIMEOUT_MOST_S,
	  .is_needed = true },
	{ "repeat", KEY_COUNT, FORM_BOTH, IN_SPEC(repeat), .min = 1, .max = 1000 },
	{ "warmup", KEY_COUNT, FORM_BOTH, IN_SPEC(warmup), .min = 0, .max = 100 },
	{ "metrics", KEY_OTHER, FORM_BOTH, .is_needed = true },
	{ "include", KEY_OTHER, .forms = FORM_JOB },
};

static const struct key metric_keys[] = {
	{ "name", KEY_TEXT, FORM_BOTH, IN_METRIC(name), .check = check_metric_name,
	  .is_needed = true },
	{ "unit", KEY_TEXT, FORM_BOTH, IN_METRIC(unit), .check = check_line, .is_needed = true },
	{ "better", KEY_TEXT, FORM_BOTH, IN_METRIC(better), .check = check_better,
	  .is_needed = true },
	{ "headline", KEY_FLAG, FORM_BOTH, IN_METRIC(is_headline) },
	{ "estimator", KEY_TEXT, FORM_BOTH, IN_METRIC(estimator), .check = check_estimator },
	{ "floor", KEY_PERCENT, FORM_BOTH, IN_METRIC(floor_pct) },
	{ "noise", KEY_TEXT, FORM_BOTH, IN_METRIC(noise), .check = check_line },
	{ "exact", KEY_FLAG, FORM_BOTH, IN_METRIC(is_exact) },
	{ "from", KEY_TEXT, FORM_BOTH, IN_METRIC(from), .check = check_from },
	{ "regex", KEY_TEXT, FORM_BOTH, IN_METRIC(regex), .check = check_pattern },
	{ "pointer", KEY_TEXT, FORM_BOTH, IN_METRIC(pointer), .check = check_pointer },
	{ "lines", KEY_TEXT, FORM_BOTH, IN_METRIC(lines), .check = check_line },
	{ "point", KEY_TEXT, FORM_RECIPE, IN_METRIC(point), .check = check_line },
	{ "points", KEY_COUNT, FORM_RECIPE, IN_METRIC(nr_points), .min = 1,
	  .max = SPEC_LIMIT_METRICS },
};
/* clang-format on */

struct spec *spec_free(struct spec *spec)
{
	if (spec) {
		arena_free(spec->arena); /* the spec itself lies in it */
	}
	return NULL;
}

static struct spec *spec_new(void)
{
	struct arena *arena = arena_new();
	struct spec *spec = arena_alloc(arena, sizeof(*spec));

	spec->arena = arena;
	spec->timeout_s = 600;
	spec->repeat = 1;
	return spec;
}

const struct param *spec_param(const struct spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->nr_params; i++) {
		if (strcmp(spec->params[i].name, name) == 0) {
			return &spec->params[i];
		}
	}
	return NULL;
}

/* params */

static bool check_param_name(const struct node *node, struct err *err)
{
	const char *name = node->name;
	bool is_right = isalpha((unsigned char)*name) && strlen(name) <= 64;

	for (const char *at = name; is_right && *at; at++) {
		is_right = isalnum((unsigned char)*at) || *at == '_';
	}
	if (!is_right) {
		return place_fail(
			&node->name_place, err,
			"parameter '%.40s'; expected at most 64 letters, digits and _ with a "
			"letter first",
			name);
	}
	if (strcmp(name, "sweep") == 0) {
		return place_fail(&node->name_place, err,
				  "parameter 'sweep'; expected 'sweep' beside 'params', not in it");
	}
	return true;
}

static bool add_value(struct param *param, const struct node *node, struct err *err)
{
	const char *expected;

	if (node->kind != NODE_TEXT) {
		return node_refuse(node, err, "a text or a number");
	}
	expected = param_expected(node->text, node->is_quoted);
	if (expected) {
		return node_fail(node, err, "parameter '%s' is '%.40s'; expected %s", param->name,
				 node->text, expected);
	}
	for (size_t i = 0; i < param->nr; i++) {
		if (strcmp(param->values[i], node->text) == 0) {
			return node_fail(node, err,
					 "parameter '%s' has '%.40s' twice; expected it once",
					 param->name, node->text);
		}
	}
	param->values[param->nr++] = node->text;
	return true;
}

static bool read_param(struct spec *spec, const struct node *node, struct err *err)
{
	struct param *param = &spec->params[spec->nr_params];
	const struct node *item = node->kind == NODE_LIST ? node->first : node;

	if (!check_param_name(node, err)) {
		return false;
	}
	if (node->kind != NODE_TEXT &&
	    !check_list(node, err, "a value, or a list of values with at least one")) {
		return false;
	}
	if (node->nr > MATRIX_LIMIT) {
		return node_fail(node, err, "parameter '%s' has %zu values; expected at most %d",
				 node->name, node->nr, MATRIX_LIMIT);
	}
	param->name = node->name;
	param->values = arena_array(spec->arena, node->nr + 1, sizeof(*param->values));
	do {
		if (!add_value(param, item, err)) {
			return false;
		}
		item = node->kind == NODE_LIST ? item->next : NULL;
	} while (item);
	spec->nr_params++;
	return true;
}

bool spec_set_param(struct spec *spec, const char *assignment, struct err *err)
{
	const char *equals = strchr(assignment, '=');
	const char *name =
		arena_strndup(spec->arena, assignment, equals ? (size_t)(equals - assignment) : 0);
	const struct param *param = spec_param(spec, name);
	const char *expected;

	if (!equals || !param) {
		return err_set(err, ERR_INPUT,
			       "'%.80s' sets no parameter of '%s'; expected NAME=VALUE", assignment,
			       spec->name);
	}
	if (spec->sweep && strcmp(spec->sweep, name) == 0) {
		return err_set(err, ERR_INPUT,
			       "'%.80s' sets the parameter of the sweep; expected another",
			       assignment);
	}
	expected = param_expected(equals + 1, true);
	if (!expected && spec->build && is_percent(equals + 1) &&
	    is_param_used(spec->build, name)) {
		expected = "a number, as 'build' uses it";
	}
	if (expected) {
		return err_set(err, ERR_INPUT, "parameter '%s' is '%.40s'; expected %s", name,
			       equals + 1, expected);
	}
	param->values[0] = arena_strdup(spec->arena, equals + 1);
	spec->params[param - spec->params].nr = 1;
	return true;
}

/* A build is shared by all machines that run it, so it cannot depend on their processors. */
static bool check_build(const struct spec *spec, const struct node *params, struct err *err)
{
	for (size_t i = 0; spec->build && i < spec->nr_params; i++) {
		const struct param *param = &spec->params[i];

		for (size_t j = 0; j < param->nr; j++) {
			if (is_percent(param->values[j]) &&
			    is_param_used(spec->build, param->name)) {
				return node_fail(node_get(params, param->name), err,
						 "'build' uses the percentage '%s'; expected a "
						 "parameter that is the same on all machines",
						 param->name);
			}
		}
	}
	return true;
}

static bool read_params(struct spec *spec, const struct node *params, struct err *err)
{
	size_t nr_variants;

	if (!params) {
		return true;
	}
	if (params->kind != NODE_MAP) {
		return node_refuse(params, err, "a map of parameters");
	}
	spec->params = arena_array(spec->arena, params->nr, sizeof(*spec->params));
	for (const struct node *node = params->first; node; node = node->next) {
		if (!read_param(spec, node, err)) {
			return false;
		}
	}
	nr_variants = matrix_size(spec);
	if (nr_variants > MATRIX_LIMIT) {
		return node_fail(params, err,
				 "the parameters make more than %d variants; expected "
				 "shorter lists",
				 MATRIX_LIMIT);
	}
	return check_build(spec, params, err);
}

/* Points become parts of metric names and of blank-separated lists. */
static bool check_sweep(const struct spec *spec, const struct node *sweep, struct err *err)
{
	const struct param *param = sweep ? spec_param(spec, spec->sweep) : NULL;

	if (!sweep) {
		return true;
	}
	if (!param || param->nr < 2) {
		return node_refuse(sweep, err, "the name of a parameter with a list of values");
	}
	for (size_t i = 0; i < param->nr; i++) {
		const char *point = param->values[i];

		if (*point == '\0' || strlen(point) > 32 || is_percent(point) ||
		    point[strspn(point, "0123456789abcdefghijklmnopqrstuvwxyz"
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ._-")] != '\0') {
			return node_fail(sweep, err,
					 "a sweep through '%.40s'; expected points of at most "
					 "32 letters, digits and ._-",
					 point);
		}
	}
	return true;
}

/* metrics */

static bool check_metric(const struct spec *spec, const struct metric *metric,
			 const struct node *node, struct err *err)
{
	scoped(pattern_free) struct pattern *pattern = NULL;

	int nr_ways = !!metric->regex + !!metric->pointer + !!metric->lines;

	if (nr_ways != 1) {
		return node_fail(node, err,
				 "metric '%s' has %d of regex, pointer and lines; expected one",
				 metric->name, nr_ways);
	}
	if (!spec->sweep) {
		return true;
	}
	if (metric->pointer) {
		return node_fail(node, err,
				 "metric '%s': 'pointer' in a sweep; expected regex or lines",
				 metric->name);
	}
	if (metric->regex && pattern_new(metric->regex, &pattern, err) &&
	    !has_pattern_point(pattern)) {
		return node_fail(node, err,
				 "metric '%s': a sweep without the group 'point'; expected one "
				 "(?<point>...)",
				 metric->name);
	}
	return true;
}

static bool add_metric(struct spec *spec, const struct metric *metric, const struct node *node,
		       struct err *err)
{
	for (size_t i = 0; i < spec->nr_metrics; i++) {
		if (strcmp(spec->metrics[i].name, metric->name) == 0) {
			return node_fail(node, err, "metric '%s' stands twice; expected it once",
					 metric->name);
		}
	}
	if (spec->nr_metrics == SPEC_LIMIT_METRICS) {
		return node_fail(node, err, "more than %d metrics; expected fewer",
				 SPEC_LIMIT_METRICS);
	}
	spec->metrics[spec->nr_metrics++] = *metric;
	return true;
}

/* One row, or in a sweep one for their mean and one for each point. */
static bool read_metric(struct spec *spec, unsigned form, const struct node *node, struct err *err)
{
	const struct param *sweep = spec->sweep ? spec_param(spec, spec->sweep) : NULL;
	struct metric row = { .estimator = "mean", .from = "stdout" };

	if (!keys_read(spec->arena, metric_keys, countof(metric_keys), form, node, &row, err) ||
	    !check_metric(spec, &row, node, err)) {
		return false;
	}
	row.nr_points = sweep ? (int64_t)sweep->nr : row.nr_points;
	if (!add_metric(spec, &row, node, err)) {
		return false;
	}
	for (size_t i = 0; sweep && i < sweep->nr; i++) {
		struct metric metric = row;

		metric.nr_points = 0;
		metric.is_headline = false;
		metric.point = sweep->values[i];
		metric.name = arena_printf(spec->arena, "%s.%s", row.name, metric.point);
		if (!add_metric(spec, &metric, node, err)) {
			return false;
		}
	}
	return true;
}

/* A recipe may say anything: the points of a mean have to follow it. */
static bool check_points(const struct spec *spec, const struct node *list, struct err *err)
{
	for (size_t i = 0; i < spec->nr_metrics; i++) {
		const struct metric *metric = &spec->metrics[i];
		size_t last = i + (size_t)metric->nr_points;

		for (size_t j = i + 1; j <= last; j++) {
			if (j >= spec->nr_metrics || !spec->metrics[j].point) {
				return node_fail(list, err,
						 "metric '%s' is the mean of %" PRId64
						 " points; expected so many after it",
						 metric->name, metric->nr_points);
			}
		}
	}
	return true;
}

static bool read_metrics(struct spec *spec, unsigned form, const struct node *list, struct err *err)
{
	bool is_decided = list->kind == NODE_LIST && list->nr == 0;

	if (!is_decided && !check_list(list, err, "a list of metrics, or [] for none")) {
		return false;
	}
	spec->metrics = arena_array(spec->arena, SPEC_LIMIT_METRICS, sizeof(*spec->metrics));
	for (const struct node *node = list->first; node; node = node->next) {
		if (!read_metric(spec, form, node, err)) {
			return false;
		}
	}
	if (!check_points(spec, list, err)) {
		return false;
	}
	for (size_t i = 0; i < spec->nr_metrics; i++) {
		is_decided |= spec->metrics[i].is_headline;
	}
	return is_decided ||
	       node_fail(list, err,
			 "no headline metric; expected 'headline: true' in one at least");
}

static bool read_spec(struct spec *spec, unsigned form, const struct node *root, struct err *err)
{
	const struct node *needs = node_get(root, "needs");

	return keys_read(spec->arena, job_keys, countof(job_keys), form, root, spec, err) &&
	       (!needs ||
		keys_read(spec->arena, needs_keys, countof(needs_keys), form, needs, spec, err)) &&
	       read_params(spec, node_get(root, "params"), err) &&
	       check_sweep(spec, node_get(root, "sweep"), err) &&
	       read_metrics(spec, form, node_get(root, "metrics"), err);
}

bool spec_read(const char *path, struct spec **ret_spec, struct err *err)
{
	scoped(spec_free) struct spec *spec = spec_new();
	const struct node *root;

	if (!include_read(spec->arena, path, &root, err) || !read_spec(spec, FORM_JOB, root, err)) {
		return false;
	}
	*ret_spec = move(&spec);
	return true;
}

bool spec_parse(const char *what, const char *bytes, size_t length, struct spec **ret_spec,
		struct err *err)
{
	scoped(spec_free) struct spec *spec = spec_new();
	const struct node *root;
	const struct node *include;

	if (!node_read_yaml(spec->arena, what, bytes, length, &root, err)) {
		return false;
	}
	include = node_get(root, "include");
	if (include) {
		return node_fail(include, err,
				 "'include' in a text without a folder; expected the keys "
				 "themselves");
	}
	if (!read_spec(spec, FORM_JOB, root, err)) {
		return false;
	}
	*ret_spec = move(&spec);
	return true;
}

/* recipes */

struct json *spec_recipe(const struct spec *spec)
{
	struct json *recipe = keys_write(job_keys, countof(job_keys), FORM_RECIPE, spec);
	struct json *needs = keys_write(needs_keys, countof(needs_keys), FORM_RECIPE, spec);
	struct json *metrics = json_new_array();

	for (size_t i = 0; i < spec->nr_metrics; i++) {
		json_append(metrics, keys_write(metric_keys, countof(metric_keys), FORM_RECIPE,
						&spec->metrics[i]));
	}
	json_put(recipe, "needs", needs);
	json_put(recipe, "metrics", metrics);
	return recipe;
}

bool spec_from_recipe(const struct json *recipe, struct spec **ret_spec, struct err *err)
{
	scoped(spec_free) struct spec *spec = spec_new();
	const struct node *root = node_read_json(spec->arena, "recipe", recipe);

	if (!read_spec(spec, FORM_RECIPE, root, err)) {
		return false;
	}
	*ret_spec = move(&spec);
	return true;
}

bool spec_read_with(const char *path, const char *const *assignments, size_t nr,
		    struct spec **ret_spec, struct err *err)
{
	scoped(spec_free) struct spec *spec = NULL;

	if (!spec_read(path, &spec, err)) {
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		if (!spec_set_param(spec, assignments[i], err)) {
			return false;
		}
	}
	*ret_spec = move(&spec);
	return true;
}
