/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter tree - the trees of patchmeterd.conf: which branches are tested, and by what.
 *
 * It edits the file and nothing else; the daemon looks at the file every few seconds.  The options
 * of `add` are the keys of a [tree] section, made from the same rows.
 */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "lib/base/json.h"
#include "lib/base/mem.h"
#include "lib/settings/config.h"
#include "lib/text/table.h"
#include "lib/vcs/address.h"
#include "verb.h"

/* A key of [tree] and what the command line says of it. */
struct given {
	const struct conf_key *key;
	struct option_list values;
};

struct options {
	struct arena *arena;
	const char *config;
	bool is_json;
	VEC(struct given) given;
};

static void add_keys(struct options *options)
{
	for (size_t i = 0; i < config_nr_keys; i++) {
		if (strcmp(config_keys[i].section, "tree") == 0) {
			*vec_push(&options->given) = (struct given){ .key = &config_keys[i] };
		}
	}
}

static const char *hint_of(const struct conf_key *key, struct arena *arena)
{
	char *hint = arena_strdup(arena, key->type == CONF_CHOICE ? key->words : key->key);

	if (key->type == CONF_DURATION) {
		return "TIME";
	}
	for (char *at = hint; *at; at++) {
		if (key->type == CONF_CHOICE) {
			*at = *at == ' ' ? '|' : *at;
		} else if (*at >= 'a' && *at <= 'z') {
			*at = (char)(*at - 'a' + 'A');
		}
	}
	return hint;
}

static const struct given *find_given(const struct options *options, const char *key)
{
	for (size_t i = 0; i < options->given.nr; i++) {
		if (strcmp(options->given.at[i].key->key, key) == 0) {
			return &options->given.at[i];
		}
	}
	bug("no key 'tree.%s'", key);
}

static bool is_any_given(const struct options *options)
{
	for (size_t i = 0; i < options->given.nr; i++) {
		if (options->given.at[i].values.nr > 0) {
			return true;
		}
	}
	return false;
}

/* add */

/* The daemon works in another folder: a path is written in full. */
static bool complete_url(const struct options *options, struct err *err)
{
	const struct option_list *urls = &find_given(options, "url")->values;
	enum vcs_address kind = VCS_NETWORK;
	char path[PATH_MAX];

	if (urls->nr == 0) {
		return true;
	}
	if (!vcs_address_check(urls->at[urls->nr - 1], &kind, err)) {
		return false;
	}
	if (kind == VCS_LOCAL && !str_has_prefix(urls->at[urls->nr - 1], "file://")) {
		if (!realpath(urls->at[urls->nr - 1], path)) {
			return err_set_errno(err, ERR_INPUT, errno, "repository '%s'",
					     urls->at[urls->nr - 1]);
		}
		urls->at[urls->nr - 1] = arena_strdup(options->arena, path);
	}
	return true;
}

static bool check_given(const struct options *options, const char *name, struct err *err)
{
	scoped(conf_free) struct conf *conf = config_new();

	if (!config_check_name(name, err) || !complete_url(options, err)) {
		return false;
	}
	for (size_t i = 0; i < options->given.nr; i++) {
		const struct given *given = &options->given.at[i];

		for (size_t j = 0; j < given->values.nr; j++) {
			const char *assignment = arena_printf(options->arena, "tree.%s.%s=%s", name,
							      given->key->key, given->values.at[j]);

			if (!conf_set(conf, assignment, err)) {
				return false;
			}
		}
	}
	return config_check(conf, err);
}

/* The file must be one that the daemon reads, or the new tree would never be seen. */
static bool read_file(const struct options *options, struct conf *conf, struct err *err)
{
	return conf_read(conf, options->config, err) && config_check(conf, err);
}

static bool write_tree(const struct options *options, const char *name, struct err *err)
{
	VEC(const char *) pairs = { 0 };
	bool done;

	for (size_t i = 0; i < options->given.nr; i++) {
		const struct given *given = &options->given.at[i];
		bool is_list = given->key->flags & CONF_REPEATED;

		for (size_t j = is_list || given->values.nr == 0 ? 0 : given->values.nr - 1;
		     j < given->values.nr; j++) {
			*vec_push(&pairs) = given->key->key;
			*vec_push(&pairs) = given->values.at[j];
		}
	}
	done = conf_file_add(options->config, "tree", name, pairs.at, pairs.nr / 2, err);
	vec_release(&pairs);
	return done;
}

/* Not an error: the daemon may have been started with another folder by -c. */
static void warn_of_jobs(const struct options *options, const struct conf *conf)
{
	const struct option_list *jobs = &find_given(options, "job")->values;
	const char *folder = conf_text(conf, "daemon", "", "jobs");

	for (size_t i = 0; i < jobs->nr; i++) {
		const char *path =
			arena_printf(options->arena, "%s/%s/job.yaml", folder, jobs->at[i]);

		if (access(path, F_OK) != 0) {
			fprintf(stderr, "patchmeter tree: warning: there is no '%s'\n", path);
		}
	}
}

static int add(const struct call *call, const struct options *options)
{
	scoped(conf_free) struct conf *conf = config_new();
	const char *name = call->argv[2];
	struct err err = ERR_INIT;

	if (!check_given(options, name, &err)) {
		return call_usage(call, "%s", err.message);
	}
	if (!read_file(options, conf, &err) && err.kind != ERR_ABSENT) {
		return call_fail_file(call, &err);
	}
	if (!write_tree(options, name, &err)) {
		return call_fail(call, &err);
	}
	warn_of_jobs(options, conf);
	return EXIT_DONE;
}

/* rm */

static int rm(const struct call *call, const struct options *options)
{
	struct err err = ERR_INIT;

	if (access(options->config, F_OK) != 0) {
		err_set_errno(&err, ERR_BROKEN, errno, "read '%s'", options->config);
		return call_fail_file(call, &err);
	}
	if (!conf_file_remove(options->config, "tree", call->argv[2], &err)) {
		return call_fail(call, &err);
	}
	return EXIT_DONE;
}

/* ls */

static struct json *value_of(const struct conf *conf, const char *tree, const struct conf_key *key)
{
	size_t nr;
	const char *const *values = conf_list(conf, "tree", tree, key->key, &nr);
	struct json *list;

	if (!(key->flags & CONF_REPEATED)) {
		const char *text = conf_text(conf, "tree", tree, key->key);

		return text ? json_new_text(text) : json_new_null();
	}
	list = json_new_array();
	for (size_t i = 0; i < nr; i++) {
		json_append(list, json_new_text(values[i]));
	}
	return list;
}

static void print_json(const struct options *options, const struct conf *conf)
{
	scoped(json_free) struct json *document = json_new_object();
	struct json *trees = json_new_array();
	scoped(free) char *text = NULL;
	size_t nr_names;
	const char *const *names = conf_names(conf, "tree", &nr_names);

	json_put_int(document, "schema", 1);
	json_put_text(document, "config", options->config);
	json_put(document, "trees", trees);
	for (size_t i = 0; i < nr_names; i++) {
		struct json *tree = json_new_object();

		json_put_text(tree, "name", names[i]);
		for (size_t j = 0; j < options->given.nr; j++) {
			const struct conf_key *key = options->given.at[j].key;

			json_put(tree, key->key, value_of(conf, names[i], key));
		}
		json_append(trees, tree);
	}
	text = json_write(document, FORM_PRETTY);
	puts(text);
}

static const char *cell_of(const struct options *options, const struct conf *conf, const char *tree,
			   const struct conf_key *key)
{
	scoped(str_release) struct str cell = STR_INIT;
	size_t nr;
	const char *const *values = conf_list(conf, "tree", tree, key->key, &nr);

	for (size_t i = 0; i < nr; i++) {
		str_printf(&cell, "%s%s", i ? " " : "", values[i]);
	}
	return nr ? arena_strdup(options->arena, cell.at) : conf_text(conf, "tree", tree, key->key);
}

static void print_table(const struct options *options, const struct conf *conf)
{
	size_t nr_columns = options->given.nr + 1;
	struct table_column *columns = arena_array(options->arena, nr_columns, sizeof(*columns));
	const char **cells = arena_array(options->arena, nr_columns, sizeof(*cells));
	scoped(table_free) struct table *table = NULL;
	scoped(str_release) struct str text = STR_INIT;
	size_t nr_names;
	const char *const *names = conf_names(conf, "tree", &nr_names);

	columns[0] = (struct table_column){ "tree", TABLE_LEFT };
	for (size_t i = 0; i < options->given.nr; i++) {
		columns[i + 1] = (struct table_column){ options->given.at[i].key->key, TABLE_LEFT };
	}
	table = table_new(columns, nr_columns);
	for (size_t i = 0; i < nr_names; i++) {
		cells[0] = names[i];
		for (size_t j = 0; j < options->given.nr; j++) {
			cells[j + 1] = cell_of(options, conf, names[i], options->given.at[j].key);
		}
		table_add(table, cells);
	}
	table_write(table, TABLE_TEXT, &text);
	fputs(text.at, stdout);
}

static int ls(const struct call *call, const struct options *options)
{
	scoped(conf_free) struct conf *conf = config_new();
	struct err err = ERR_INIT;
	size_t nr_names;

	if (!read_file(options, conf, &err)) {
		return call_fail_file(call, &err);
	}
	conf_names(conf, "tree", &nr_names);
	if (options->is_json) {
		print_json(options, conf);
	} else if (nr_names > 0) {
		print_table(options, conf);
	}
	if (nr_names == 0) {
		fprintf(stderr, "patchmeter tree: '%s' has no tree\n", options->config);
		return EXIT_NOTHING;
	}
	return EXIT_DONE;
}

static const struct action {
	const char *name;
	int argc; /* with the verb and the action */
	int (*run)(const struct call *call, const struct options *options);
} actions[] = {
	{ "add", 3, add },
	{ "ls", 2, ls },
	{ "rm", 3, rm },
};

static int run_action(const struct call *call, const struct options *options)
{
	for (size_t i = 0; call->argc > 1 && i < countof(actions); i++) {
		if (strcmp(actions[i].name, call->argv[1]) != 0) {
			continue;
		}
		if (call->argc != actions[i].argc) {
			return call_usage(call, "%s: expected %s", actions[i].name,
					  actions[i].argc == 3 ? "the name of a tree"
							       : "no operand");
		}
		if (actions[i].run != add && is_any_given(options)) {
			return call_usage(call, "%s takes no keys of a tree", actions[i].name);
		}
		return actions[i].run(call, options);
	}
	return call_usage(call, "expected add, ls or rm");
}

static struct option_row row_of(struct given *given, struct arena *arena)
{
	const struct conf_key *key = given->key;
	const char *doc = key->fallback
				  ? arena_printf(arena, "add: %s (%s)", key->doc, key->fallback)
				  : arena_printf(arena, "add: %s", key->doc);

	return (struct option_row){ key->key, 0,           hint_of(key, arena),
				    doc,      OPTION_LIST, &given->values };
}

int verb_tree(struct call *call)
{
	scoped(arena_free) struct arena *arena = arena_new();
	struct options options = { .arena = arena, .config = getenv("PATCHMETER_CONFIG") };
	VEC(struct option_row) rows = { 0 };
	int exit_code;

	options.config = options.config ? options.config : CONFIG_PATH;
	*vec_push(&rows) = (struct option_row){
		"config",    0,
		"FILE",      "the configuration ($PATCHMETER_CONFIG, or " CONFIG_PATH ")",
		OPTION_TEXT, &options.config
	};
	*vec_push(&rows) = (struct option_row){ "json",           0,           NULL,
						"ls: print JSON", OPTION_FLAG, &options.is_json };
	add_keys(&options);
	for (size_t i = 0; i < options.given.nr; i++) {
		*vec_push(&rows) = row_of(&options.given.at[i], arena);
	}
	if (call_options(call, rows.at, rows.nr, &exit_code)) {
		exit_code = run_action(call, &options);
	}
	for (size_t i = 0; i < options.given.nr; i++) {
		option_list_release(&options.given.at[i].values);
	}
	vec_release(&options.given);
	vec_release(&rows);
	return exit_code;
}
