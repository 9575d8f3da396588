/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a daemon found between commits, shown as `patchmeter compare` shows results. */
#include "compare.h"
#include "lib/base/mem.h"
#include "measured.h"

/* The worst of all views counts; it begins with EXIT_NOTHING. */
static void note_view(const struct view *view, const struct compare_options *options,
		      int *exit_code)
{
	if (view->groups.nr > 0 && *exit_code != EXIT_DIFFERENT) {
		*exit_code = compare_exit_code(view, options);
	}
}

static bool is_word(const struct json *comparison, const char *name, const char *word)
{
	const char *text = json_text(json_get(comparison, name));

	return text && strcmp(text, word) == 0;
}

/* What was found counts no more where fresh builds have spoken. */
static bool is_outdone(const struct json *comparisons, const struct json *comparison)
{
	int64_t other = json_int(json_get(comparison, "other"), 0);

	for (size_t i = 0; is_word(comparison, "purpose", "discover") && i < json_size(comparisons);
	     i++) {
		const struct json *at = json_at(comparisons, i);

		if (other > 0 && json_int(json_get(at, "id"), 0) == other &&
		    is_word(at, "state", "done")) {
			return true;
		}
	}
	return false;
}

/* What the table alone does not tell. */
static void print_state(const struct json *comparison)
{
	const struct json *progress = json_get(comparison, "progress");

	if (is_word(comparison, "purpose", "confirm")) {
		fputs("patchmeter compare: fresh builds, to confirm what was found:\n", stderr);
	}
	if (json_bool(json_get(comparison, "is_busy"), false) &&
	    json_kind(progress) == KIND_OBJECT) {
		fprintf(stderr,
			"patchmeter compare: partial, %" PRId64 " of %" PRId64
			" runs have ended:\n",
			json_int(json_get(progress, "nr_ended"), 0),
			json_int(json_get(progress, "nr"), 0));
	}
}

/* Prints what the daemon found between two commits; a pair may have been measured by several
 * benchmarks. */
static bool print_measured(const struct compare_options *options, const char *base,
			   const char *head, int *exit_code, struct err *err)
{
	scoped(free) char *path = measured_path(base, head);
	scoped(json_free) struct json *document = NULL;
	const struct json *comparisons;

	if (options->is_json && !online_print(options->online, path, err)) {
		return false;
	}
	if (!online_document(options->online, path, &document, err)) {
		return false;
	}
	comparisons = json_get(document, "comparisons");
	for (size_t i = 0; i < json_size(comparisons); i++) {
		const struct json *comparison = json_at(comparisons, i);
		scoped(view_free) struct view *view = NULL;

		if (!view_read(json_get(comparison, "view"), &view, err)) {
			err->kind = ERR_REMOTE;
			return err_wrap(err, "comparison %zu", i + 1);
		}
		if (!options->is_json) {
			fputs(i > 0 ? "\n" : "", stdout);
			print_state(comparison);
			compare_print(view, options);
		}
		if (!is_outdone(comparisons, comparison)) {
			note_view(view, options, exit_code);
		}
	}
	return true;
}

static bool compare_commits(const struct call *call, const struct compare_options *options,
			    int *exit_code, struct err *err)
{
	scoped(free) char *base = NULL;

	if (!online_open(options->online, err)) {
		return false;
	}
	if (call->argc == 2) {
		scoped(free) char *tip = NULL;

		return measured_ends(options->online, call->argv[1], &base, &tip, err) &&
		       print_measured(options, base, tip, exit_code, err);
	}
	if (!measured_commit(options->online, call->argv[1], &base, err)) {
		return false;
	}
	for (int i = 2; i < call->argc; i++) {
		scoped(free) char *head = NULL;

		if (!measured_commit(options->online, call->argv[i], &head, err) ||
		    !print_measured(options, base, head, exit_code, err)) {
			return false;
		}
	}
	return true;
}

int compare_measured(const struct call *call, const struct compare_options *options)
{
	int exit_code = EXIT_NOTHING;
	struct err err = ERR_INIT;
	bool is_done;

	if (options->is_explained) {
		return call_usage(call, "--explain needs the results themselves");
	}
	is_done = compare_commits(call, options, &exit_code, &err);
	online_release(options->online);
	if (!is_done) {
		return online_fail(call, &err);
	}
	if (exit_code == EXIT_NOTHING) {
		fputs("patchmeter compare: nothing has been measured yet\n", stderr);
	}
	return exit_code;
}
