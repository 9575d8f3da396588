/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter job - for who writes job files: validate, expand, explain.
 */
#include "lib/spec/matrix.h"
#include "lib/spec/param.h"
#include "lib/text/table.h"
#include "verb.h"

#define SHORT_CELL 12

struct options {
	struct setting setting;
	struct option_list params;
	int64_t nr_cpus; /* 0: of a machine that is not known here */
	bool is_json;
};

static void print_json(struct json *take_document)
{
	scoped(json_free) struct json *document = take_document;
	scoped(free) char *text = json_write(document, FORM_PRETTY);

	puts(text);
}

/* validate */

static void validate(const char *path, const struct spec *spec, const struct options *options)
{
	struct json *document;

	if (!options->is_json) {
		printf("%s: '%s' is valid: %zu variant%s, %zu metric%s\n", path, spec->name,
		       matrix_size(spec), matrix_size(spec) == 1 ? "" : "s", spec->nr_metrics,
		       spec->nr_metrics == 1 ? "" : "s");
		return;
	}
	document = json_new_object();
	json_put_int(document, "schema", 1);
	json_put_text(document, "file", path);
	json_put_text(document, "benchmark", spec->name);
	json_put_int(document, "variants", (int64_t)matrix_size(spec));
	json_put_int(document, "metrics", (int64_t)spec->nr_metrics);
	print_json(document);
}

/* expand */

static struct json *environment_of(const struct spec *spec, const struct json *identity,
				   int64_t nr_cpus)
{
	struct json *array = json_new_array();
	char **lines = param_environment(spec->arena, json_get(identity, "params"), NULL, nr_cpus);

	for (; *lines; lines++) {
		json_append(array, json_new_text(*lines));
	}
	return array;
}

static struct json *variant_row(const struct spec *spec, size_t index,
				const struct options *options)
{
	struct json *row = json_new_object();
	struct json *identity = matrix_identity(spec, index, &options->setting);
	char hash[HASH_TEXT_BYTES];

	matrix_cell(identity, hash);
	json_put_text(row, "cell", hash);
	matrix_build(spec, identity, hash);
	json_put_text(row, "build", spec->build ? hash : NULL);
	json_put(row, "identity", identity);
	if (options->nr_cpus > 0) {
		json_put_int(row, "cpus", options->nr_cpus);
		json_put(row, "environment", environment_of(spec, identity, options->nr_cpus));
	}
	return row;
}

static void append_value(const struct spec *spec, const char *text, int64_t nr_cpus,
			 struct str *line)
{
	str_append(line, text);
	if (is_percent(text) && nr_cpus > 0) {
		str_printf(line, " (%s of %" PRId64 ")", param_resolve(spec->arena, text, nr_cpus),
			   nr_cpus);
	}
}

static void print_variant(const struct spec *spec, size_t index, const struct options *options)
{
	scoped(json_free) struct json *identity = matrix_identity(spec, index, &options->setting);
	scoped(str_release) struct str line = STR_INIT;
	char cell[HASH_TEXT_BYTES];

	matrix_cell(identity, cell);
	str_printf(&line, "%.*s", SHORT_CELL, cell);
	for (size_t i = 0; i < spec->nr_params; i++) {
		const struct json *value =
			json_get(json_get(identity, "params"), spec->params[i].name);

		str_printf(&line, "  %s=", spec->params[i].name);
		if (json_kind(value) == KIND_TEXT) {
			append_value(spec, json_text(value), options->nr_cpus, &line);
		}
		for (size_t j = 0; json_kind(value) == KIND_ARRAY && j < json_size(value); j++) {
			str_printf(&line, "%s%s", j > 0 ? "," : "", json_text(json_at(value, j)));
		}
	}
	puts(line.at);
}

static void expand(const char *path UNUSED, const struct spec *spec, const struct options *options)
{
	struct json *document;
	struct json *variants;

	if (!options->is_json) {
		for (size_t i = 0; i < matrix_size(spec); i++) {
			print_variant(spec, i, options);
		}
		return;
	}
	document = json_new_object();
	variants = json_new_array();
	for (size_t i = 0; i < matrix_size(spec); i++) {
		json_append(variants, variant_row(spec, i, options));
	}
	json_put_int(document, "schema", 1);
	json_put_text(document, "benchmark", spec->name);
	json_put(document, "variants", variants);
	print_json(document);
}

/* explain */

static void print_texts(const char *what, const struct texts *texts)
{
	for (size_t i = 0; i < texts->nr; i++) {
		printf("%s%s", i > 0 ? " " : what, texts->at[i]);
	}
	fputs(texts->nr > 0 ? "\n" : "", stdout);
}

static void print_params(const struct spec *spec)
{
	for (size_t i = 0; i < spec->nr_params; i++) {
		const struct param *param = &spec->params[i];
		bool is_swept = spec->sweep && strcmp(spec->sweep, param->name) == 0;

		printf("  PARAM_%s:", param->name);
		for (size_t j = 0; j < param->nr; j++) {
			printf(" %s", param->values[j]);
		}
		puts(is_swept ? "  (all in one run)" : "");
	}
}

static void print_script(const char *name, const char *script)
{
	const char *line = script;

	if (!script) {
		return;
	}
	printf("%s:\n", name);
	while (*line) {
		int length = (int)strcspn(line, "\n");

		printf("  %.*s\n", length, line);
		line += length + (line[length] == '\n');
	}
}

static void print_metrics(const struct spec *spec)
{
	static const struct table_column columns[] = {
		{ "metric", TABLE_LEFT },  { "unit", TABLE_LEFT },      { "better", TABLE_LEFT },
		{ "decides", TABLE_LEFT }, { "estimator", TABLE_LEFT }, { "from", TABLE_LEFT },
		{ "read by", TABLE_LEFT }
	};
	scoped(table_free) struct table *table = table_new(columns, countof(columns));
	scoped(str_release) struct str text = STR_INIT;

	for (size_t i = 0; i < spec->nr_metrics; i++) {
		const struct metric *metric = &spec->metrics[i];

		table_add(table, (const char *[]){ metric->name, metric->unit, metric->better,
						   metric->is_headline ? "yes" : "no",
						   metric->estimator, metric->from,
						   metric->regex     ? metric->regex
						   : metric->pointer ? metric->pointer
								     : metric->lines });
	}
	table_write(table, TABLE_TEXT, &text);
	fputs(text.at, stdout);
}

static void explain(const char *path UNUSED, const struct spec *spec, const struct options *options)
{
	if (options->is_json) {
		struct json *document = spec_recipe(spec);

		json_put_int(document, "schema", 1);
		json_put_text(document, "benchmark", spec->name);
		json_put_text(document, "summary", spec->summary);
		print_json(document);
		return;
	}
	printf("%s: %s\n", spec->name, spec->summary);
	print_texts("commands: ", &spec->commands);
	print_texts("packages: ", &spec->packages);
	if (spec->url) {
		printf("upstream: %s\n", spec->url);
	}
	printf("%zu variant%s of\n", matrix_size(spec), matrix_size(spec) == 1 ? "" : "s");
	print_params(spec);
	printf("each run at most %" PRId64 " s, %" PRId64 " time%s in a boot after %" PRId64
	       " for warming up\n",
	       spec->timeout_s, spec->repeat, spec->repeat == 1 ? "" : "s", spec->warmup);
	print_script("build", spec->build);
	print_script("setup", spec->setup);
	print_script("run", spec->run);
	print_script("teardown", spec->teardown);
	print_metrics(spec);
}

static const struct {
	const char *name;
	void (*run)(const char *path, const struct spec *spec, const struct options *options);
} actions[] = {
	{ "validate", validate },
	{ "expand", expand },
	{ "explain", explain },
};

static int run_action(const struct call *call, const struct options *options)
{
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	if (call->argc != 3) {
		return call_usage(call, "expected validate, expand or explain, and a file");
	}
	for (size_t i = 0; i < countof(actions); i++) {
		if (strcmp(actions[i].name, call->argv[1]) != 0) {
			continue;
		}
		if (!spec_read_with(call->argv[2], options->params.at, options->params.nr, &spec,
				    &err)) {
			return call_fail_file(call, &err);
		}
		actions[i].run(call->argv[2], spec, options);
		return EXIT_DONE;
	}
	return call_usage(call, "'%s': expected validate, expand or explain", call->argv[1]);
}

int verb_job(struct call *call)
{
	struct options options = { 0 };
	const struct option_row rows[] = {
		{ "param", 'p', "NAME=VALUE", "give a parameter this value", OPTION_LIST,
		  &options.params },
		{ "cpus", 0, "N", "show percentages as on a machine with N processors", OPTION_INT,
		  &options.nr_cpus },
		{ "compiler", 0, "TEXT", "of the identity", OPTION_TEXT,
		  &options.setting.compiler },
		{ "config", 0, "TEXT", "of the identity", OPTION_TEXT, &options.setting.config },
		{ "rootfs", 0, "TEXT", "of the identity", OPTION_TEXT, &options.setting.rootfs },
		{ "group", 0, "TEXT", "of the identity: the machine group", OPTION_TEXT,
		  &options.setting.group },
		{ "json", 0, NULL, "print JSON", OPTION_FLAG, &options.is_json },
	};
	int exit_code;

	if (call_options(call, rows, countof(rows), &exit_code)) {
		exit_code = options.nr_cpus < 0 || options.nr_cpus > 100000
				    ? call_usage(call, "--cpus: expected 1 to 100000")
				    : run_action(call, &options);
	}
	option_list_release(&options.params);
	return exit_code;
}
