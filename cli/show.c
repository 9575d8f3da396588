/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter status, ls, show - what a daemon knows, for people or as its JSON.
 */
#include "show.h"
#include "lib/base/mem.h"

/* Fetches a document and prints it; *ret_document is NULL where it went out as it came. */
static bool print_at(struct online *online, const struct thing *thing, const char *path,
		     struct json **ret_document, struct err *err)
{
	scoped(json_free) struct json *document = NULL;

	*ret_document = NULL;
	if (online->is_json) {
		return online_print(online, path, err);
	}
	if (!online_document(online, path, &document, err)) {
		return false;
	}
	thing_print(thing, document, &online->screen);
	*ret_document = move(&document);
	return true;
}

/* status */

int verb_status(struct call *call)
{
	scoped(online_release) struct online online = { 0 };
	scoped(json_free) struct json *document = NULL;
	struct err err = ERR_INIT;
	int exit_code;

	if (!online_options(call, &online, NULL, 0, &exit_code)) {
		return exit_code;
	}
	if (call->argc != 1) {
		return call_usage(call, "expected no operand");
	}
	if (!online_open(&online, &err) ||
	    !print_at(&online, &thing_status, thing_status.path, &document, &err)) {
		return online_fail(call, &err);
	}
	return EXIT_DONE;
}

/* ls */

/* The API knows trees by number, people by name. */
static bool tree_number(struct online *online, const char *tree, char **ret_number, struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	const struct json *repositories;

	if (tree[strspn(tree, "0123456789")] == '\0') {
		*ret_number = mem_strdup(tree);
		return true;
	}
	if (!online_document(online, "/api/v1/repositories", &document, err)) {
		return false;
	}
	repositories = json_get(document, "repositories");
	for (size_t i = 0; i < json_size(repositories); i++) {
		const struct json *repository = json_at(repositories, i);
		const char *name = json_text(json_get(repository, "name"));

		if (name && strcmp(name, tree) == 0) {
			*ret_number =
				mem_printf("%" PRId64, json_int(json_get(repository, "id"), 0));
			return true;
		}
	}
	return err_set(err, ERR_ABSENT, "no tree '%s'; 'patchmeter ls repositories' lists them",
		       tree);
}

static void add_filter(struct str *path, const char *name, const char *value)
{
	if (value) {
		str_printf(path, "%c%s=", strchr(path->at, '?') ? '&' : '?', name);
		online_append(path, value);
	}
}

static bool list_path(struct online *online, const struct thing *list,
		      const struct show_filter *filter, struct str *path, struct err *err)
{
	scoped(free) char *tree = NULL;

	if (filter->tree && !tree_number(online, filter->tree, &tree, err)) {
		return false;
	}
	str_append(path, list->path);
	add_filter(path, "tree", tree);
	add_filter(path, "state", filter->state);
	add_filter(path, "before", filter->before);
	return true;
}

int show_list(const struct call *call, struct online *online, const struct thing *list,
	      const struct show_filter *filter)
{
	scoped(str_release) struct str path = STR_INIT;
	scoped(json_free) struct json *document = NULL;
	struct err err = ERR_INIT;
	int64_t before;

	if (!online_open(online, &err) || !list_path(online, list, filter, &path, &err)) {
		return online_fail(call, &err);
	}
	if (!print_at(online, list, path.at, &document, &err)) {
		return online_fail(call, &err);
	}
	if (online->is_json) {
		return EXIT_DONE;
	}
	if (json_size(json_get(document, list->name)) == 0) {
		fprintf(stderr, "patchmeter %s: no %s\n", call->verb->name, list->name);
		return EXIT_NOTHING;
	}
	before = json_int(json_get(document, "before"), 0);
	if (before > 0) {
		fprintf(stderr, "patchmeter %s: older ones by --before %" PRId64 "\n",
			call->verb->name, before);
	}
	return EXIT_DONE;
}

int verb_ls(struct call *call)
{
	scoped(online_release) struct online online = { 0 };
	struct show_filter filter = { 0 };
	const struct option_row rows[] = {
		{ "tree", 0, "TREE", "series: only of this tree, by name or number", OPTION_TEXT,
		  &filter.tree },
		{ "state", 0, "STATE", "series, runs, bisections: only in this state", OPTION_TEXT,
		  &filter.state },
		{ "before", 0, "N", "series, runs, mails, bisections: older ones than this",
		  OPTION_TEXT, &filter.before },
	};
	const struct thing *list;
	int exit_code;

	if (!online_options(call, &online, rows, countof(rows), &exit_code)) {
		return exit_code;
	}
	list = call->argc == 2 ? thing_find(lists, nr_lists, call->argv[1]) : NULL;
	if (!list) {
		return call_usage(call, "expected series, bisections, machines, runs, mails or "
					"repositories");
	}
	return show_list(call, &online, list, &filter);
}

/* show */

static bool is_commit(const char *word)
{
	size_t length = strlen(word);

	return length >= 8 && length <= 40 && strspn(word, "0123456789abcdef") == length;
}

/* "run:7", "run 7", "0123abcd", or the name of a machine.  NULL: no such kind. */
static const struct thing *read_thing(const struct call *call, const char **ret_id)
{
	const char *word = call->argv[1];
	const char *colon = strchr(word, ':');
	scoped(free) char *kind = colon ? mem_strndup(word, (size_t)(colon - word)) : NULL;

	if (call->argc == 3) {
		*ret_id = call->argv[2];
		return thing_find(things, nr_things, word);
	}
	if (kind) {
		*ret_id = colon + 1;
		return thing_find(things, nr_things, kind);
	}
	*ret_id = word;
	return thing_find(things, nr_things, is_commit(word) ? "commit" : "machine");
}

int show_thing(const struct call *call, struct online *online, const struct thing *thing,
	       const char *id, const struct thing *sight)
{
	scoped(str_release) struct str path = STR_INIT;
	scoped(json_free) struct json *document = NULL;
	struct err err = ERR_INIT;
	int64_t number;

	if (*id == '\0' || (thing->is_number && !str_to_int(id, 1, INT64_MAX, &number, NULL))) {
		return call_usage(call, "'%s': expected %s:%s", id, thing->name, thing->id);
	}
	str_append(&path, thing->path);
	online_append(&path, id);
	if (sight) {
		str_append(&path, sight->path);
	}
	if (!online_open(online, &err)) {
		return online_fail(call, &err);
	}
	if (!print_at(online, sight ? sight : thing, path.at, &document, &err)) {
		if (err.kind == ERR_ABSENT) {
			err_set(&err, ERR_ABSENT, "there is no %s %s", thing->name, id);
		}
		return online_fail(call, &err);
	}
	return EXIT_DONE;
}

int verb_show(struct call *call)
{
	scoped(online_release) struct online online = { 0 };
	const struct thing *sight = NULL;
	bool is_cumulative = false;
	bool is_versions = false;
	const struct option_row rows[] = {
		{ "cumulative", 0, NULL,
		  "series: each patch against the base and against its parent", OPTION_FLAG,
		  &is_cumulative },
		{ "versions", 0, NULL,
		  "series: each patch beside what it did in the version before", OPTION_FLAG,
		  &is_versions },
	};
	const struct thing *thing = NULL;
	const char *id = "";
	int exit_code;

	if (!online_options(call, &online, rows, countof(rows), &exit_code)) {
		return exit_code;
	}
	if (call->argc == 2 || call->argc == 3) {
		thing = read_thing(call, &id);
	}
	if (!thing) {
		return call_usage(call,
				  "expected series:N, bisection:N, run:N, mail:N, machine:NAME or "
				  "a commit");
	}
	if (is_cumulative || is_versions) {
		sight = is_cumulative ? &thing_cumulative : &thing_versions;
	}
	if (sight && (is_cumulative == is_versions || strcmp(thing->name, "series") != 0)) {
		return call_usage(call, "--cumulative or --versions needs series:N");
	}
	return show_thing(call, &online, thing, id, sight);
}
