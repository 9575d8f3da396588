/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter compare - what changed between commits, from files of results or from a daemon.
 */
#include "compare.h"
#include "compat.h"
#include "explain.h"
#include "lib/base/mem.h"
#include "measured.h"
#include "screen.h"

#define LIMIT_BYTES ((size_t)64 << 20)
#define NAMES_SHOWN 10

/* The job file of a benchmark tells what its metrics mean; that there is none is no failure. */
static bool read_job(const char *benchmark, const struct compare_options *options,
		     struct jobs *jobs, struct err *err)
{
	struct spec *spec;
	struct err local = ERR_INIT;

	if (strchr(benchmark, '/') || jobs_find(jobs, benchmark)) {
		return true;
	}
	if (!jobs_read(options->jobs, benchmark, &spec, &local)) {
		return (local.kind == ERR_ABSENT && !options->jobs) ||
		       err_set(err, local.kind, "%s", local.message);
	}
	*vec_push(&jobs->specs) = spec;
	return true;
}

static bool read_jobs(const struct sides *sides, const struct compare_options *options,
		      struct jobs *jobs, struct err *err)
{
	for (size_t i = 0; i < sides->nr; i++) {
		for (size_t j = 0; j < sides->at[i].nr_parts; j++) {
			const struct results_part *part = sides->at[i].parts[j];

			if (part->is_job && !read_job(part->benchmark, options, jobs, err)) {
				return false;
			}
		}
	}
	return true;
}

/* printing */

/* The tables with intervals are for people alone; the others have the units of the jobs. */
void compare_print(struct view *view, const struct compare_options *options)
{
	scoped(str_release) struct str out = STR_INIT;

	out.sink = stdout;
	if (strcmp(options->format, "text") == 0 || strcmp(options->format, "md") == 0) {
		view_scale(view);
	}
	format_get(options->format)
		->write(view, &(struct format_options){ .is_all = options->is_all }, &out);
	fwrite(out.at, 1, out.length, stdout);
}

static void print_explanation(const struct pairing *pairing)
{
	scoped(str_release) struct str text = STR_INIT;

	explain(pairing, &text);
	print_clean(stdout, &text);
}

static void describe_side(const struct side *side, struct str *out)
{
	size_t nr_metrics = 0;
	size_t nr_failed = 0;

	str_printf(out, "  %s has ", side->name);
	for (size_t i = 0; i < side->nr_parts; i++) {
		const struct results_part *part = side->parts[i];

		for (size_t j = 0; j < part->metrics.nr; j++) {
			if (nr_metrics++ < NAMES_SHOWN) {
				str_printf(out, "%s%s", nr_metrics > 1 ? ", " : "",
					   part->metrics.at[j].name);
			}
		}
		nr_failed += part->nr_failed;
	}
	if (nr_metrics == 0) {
		str_append(out, "no metric");
	}
	if (nr_metrics > NAMES_SHOWN) {
		str_printf(out, " and %zu more", nr_metrics - NAMES_SHOWN);
	}
	if (nr_failed > 0) {
		str_printf(out, "; %zu runs failed", nr_failed);
	}
	str_append_char(out, '\n');
}

/* Nothing can be compared: what each side has, and why that makes no pair. */
static int fail_nothing(const struct call *call, const struct pairing *pairing)
{
	scoped(str_release) struct str text = STR_INIT;

	str_printf(&text, "nothing to compare: %s\n", pairing_reason(pairing));
	for (size_t i = 0; i < pairing->sides->nr; i++) {
		describe_side(&pairing->sides->at[i], &text);
	}
	fprintf(stderr, "patchmeter %s: ", call->verb->name);
	print_clean(stderr, &text);
	return EXIT_NOTHING;
}

/* What was left out or differs, a line each. */
static void print_notes(const struct call *call, const struct view *view)
{
	for (size_t i = 0; i < view->nr_notes; i++) {
		scoped(str_release) struct str clean = STR_INIT;

		str_append_clean(&clean, view->notes[i], strlen(view->notes[i]), false, SIZE_MAX);
		fprintf(stderr, "patchmeter %s: note: %s\n", call->verb->name, clean.at);
	}
}

/* deciding */

static bool has_regression(const struct view *view, const struct view_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j + 1 < view->nr_columns; j++) {
			if ((rows[i].rates || is_view_headline(&rows[i])) &&
			    view_meaning(&rows[i], j) == VIEW_WORSE) {
				return true;
			}
		}
	}
	return false;
}

int compare_exit_code(const struct view *view, const struct compare_options *options)
{
	for (size_t i = 0; options->wants_exit_code && i < view->groups.nr; i++) {
		const struct view_group *group = &view->groups.at[i];

		if (has_regression(view, group->rows, group->nr_rows) ||
		    has_regression(view, group->failures, group->nr_failures)) {
			return EXIT_DIFFERENT;
		}
	}
	return EXIT_DONE;
}

/* the two ways to be called without a daemon; the third is compare_measured.c */

static int compare_files(const struct call *call, const struct compare_options *options)
{
	scoped(sides_release) struct sides sides = { 0 };
	scoped(jobs_release) struct jobs jobs = { 0 };
	scoped(pairing_free) struct pairing *pairing = NULL;
	scoped(view_free) struct view *view = NULL;
	struct err err = ERR_INIT;

	if (!sides_read(&sides, call->argv + 1, (size_t)call->argc - 1, options->by, &err)) {
		return err.kind == ERR_CONFLICT ? call_usage(call, "%s", err.message)
						: call_fail_file(call, &err);
	}
	if (options->is_compat) {
		return compat_compare(
			call, (const struct results *const *)sides.inputs, sides.nr_inputs,
			&(struct compat_options){ options->is_all, options->is_json });
	}
	if (!read_jobs(&sides, options, &jobs, &err)) {
		return call_fail_file(call, &err);
	}
	pairing = pairing_new(&sides, &jobs);
	if (!options->is_json && !pairing_reason(pairing)) {
		sides_forget_metrics(&sides);
	}
	view = pairing_view(pairing, options->is_json);
	print_notes(call, view);
	if (pairing_reason(pairing)) {
		if (options->is_json) {
			compare_print(view, options);
		}
		return fail_nothing(call, pairing);
	}
	compare_print(view, options);
	if (options->is_explained) {
		print_explanation(pairing);
	}
	return compare_exit_code(view, options);
}

/* A document that --json printed before. */
static int show_document(const struct call *call, const struct compare_options *options)
{
	scoped(json_free) struct json *document = NULL;
	scoped(view_free) struct view *view = NULL;
	struct err err = ERR_INIT;

	if (options->is_explained) {
		return call_usage(call, "--explain needs the results themselves, not a document");
	}
	if (!json_read_file(call->argv[1], LIMIT_BYTES, &document, &err) ||
	    !view_read(document, &view, &err)) {
		return call_fail_file(call, &err);
	}
	print_notes(call, view);
	compare_print(view, options);
	return view->groups.nr > 0 ? compare_exit_code(view, options) : EXIT_NOTHING;
}

static bool is_measured(const struct call *call)
{
	for (int i = 1; i < call->argc; i++) {
		if (!is_measured_name(call->argv[i])) {
			return false;
		}
	}
	return true;
}

/* --lkp-compat has a table and decisions, and nothing that could be told or failed by them. */
static int check_compat(const struct call *call, struct compare_options *options)
{
	if (!options->is_compat) {
		return 0;
	}
	if (options->is_explained || options->wants_exit_code || options->by) {
		return call_usage(call, "--%s needs patchmeter's verdicts, not --lkp-compat",
				  options->by             ? "by"
				  : options->is_explained ? "explain"
							  : "exit-code");
	}
	if (call->argc < 3) {
		return call_usage(call, "--lkp-compat needs the results of a base and a head");
	}
	options->format = options->format ? options->format : "lkp";
	if (strcmp(options->format, "lkp") != 0 && strcmp(options->format, "json") != 0) {
		return call_usage(call, "--lkp-compat needs --format lkp or json");
	}
	return 0;
}

/* Checks what the options say together; 0: fine, else the exit code. */
static int check_options(const struct call *call, struct compare_options *options)
{
	if (options->is_json) {
		if (options->format && strcmp(options->format, "json") != 0) {
			return call_usage(call, "--json and --format %s contradict each other",
					  options->format);
		}
		options->format = "json";
	}
	if (check_compat(call, options) != 0) {
		return EXIT_USAGE;
	}
	options->format = options->format ? options->format : "text";
	options->is_json = strcmp(options->format, "json") == 0;
	if (!format_get(options->format)) {
		scoped(str_release) struct str names = STR_INIT;

		for (size_t i = 0; format_at(i); i++) {
			str_printf(&names, "%s%s", i ? ", " : "", format_at(i)->name);
		}
		return call_usage(call, "--format: expected one of %s", names.at);
	}
	if (options->is_explained && strcmp(options->format, "text") != 0 &&
	    strcmp(options->format, "lkp") != 0) {
		return call_usage(call, "--explain needs --format text or lkp");
	}
	if (call->argc < 2) {
		return call_usage(
			call, "expected the results of a base and a head, or one input and --by");
	}
	if (call->argc - 1 > VIEW_MAX_COLUMNS) {
		return call_usage(call, "expected at most %d results", VIEW_MAX_COLUMNS);
	}
	return 0;
}

int verb_compare(struct call *call)
{
	struct online online = { .is_raw = true };
	struct compare_options options = { .online = &online };
	const struct option_row rows[] = {
		{ "format", 0, "FORMAT",
		  "text, lkp (the table of mails), pct, pct-raw, percent, md, csv or json",
		  OPTION_TEXT, &options.format },
		{ "json", 0, NULL, "the same as --format json", OPTION_FLAG, &options.is_json },
		{ "all", 0, NULL, "show metrics that did not change, too", OPTION_FLAG,
		  &options.is_all },
		{ "by", 0, "PARAM",
		  "a table a value of this parameter; of one input compare its values", OPTION_TEXT,
		  &options.by },
		{ "explain", 0, NULL, "tell how each verdict was reached", OPTION_FLAG,
		  &options.is_explained },
		{ "exit-code", 0, NULL, "exit with 1 where a headline metric is worse", OPTION_FLAG,
		  &options.wants_exit_code },
		{ "lkp-compat", 0, NULL, "decide and print as lkp-tests does, defects included",
		  OPTION_FLAG, &options.is_compat },
		{ "jobs", 0, "FOLDER", "where the job files are", OPTION_TEXT, &options.jobs },
	};
	int exit_code;

	if (!online_options(call, &online, rows, countof(rows), &exit_code)) {
		return exit_code;
	}
	exit_code = check_options(call, &options);
	if (exit_code != 0) {
		return exit_code;
	}
	if (is_measured(call) && !options.is_compat) {
		return compare_measured(call, &options);
	}
	if (call->argc == 2 && !options.by && is_results_document(call->argv[1])) {
		return show_document(call, &options);
	}
	return compare_files(call, &options);
}
