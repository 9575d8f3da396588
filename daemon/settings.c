/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settings.h"

#include "daemon/db/db.h"
#include "lib/base/option.h"

static const struct conf_key keys[] = {
	{ "daemon", "listen", CONF_TEXT, 0, 0, 0, NULL, "127.0.0.1:8080",
	  "address and port of the pages and the API; port 0 takes any" },
	{ "daemon", "database", CONF_TEXT, 0, 0, 0, NULL, NULL,
	  "connection string of the PostgreSQL database; not with --embedded" },
	{ "daemon", "data", CONF_TEXT, 0, 0, 0, NULL, "/var/lib/patchmeter",
	  "folder for raw results, git mirrors and the outbox" },
	{ "daemon", "jobs", CONF_TEXT, 0, 0, 0, NULL, PATCHMETER_JOBS,
	  "folder with one folder a benchmark" },
	{ "daemon", "postgresql", CONF_TEXT, 0, 0, 0, NULL, NULL,
	  "folder of the PostgreSQL server's programs; the newest installed where not set" },
	{ "daemon", "url", CONF_TEXT, 0, 0, 0, NULL, NULL,
	  "address of the pages as people reach them, for links in mails" },
	{ "daemon", "poll", CONF_DURATION, 0, 1, 86400, NULL, "60s",
	  "time between two looks at a repository" },
	{ "mail", "from", CONF_TEXT, 0, 0, 0, NULL, "patchmeter <patchmeter@localhost>",
	  "sender of the mails" },
	{ "mail", "domain", CONF_TEXT, 0, 0, 0, NULL, "patchmeter.localhost",
	  "right side of the Message-IDs" },
	{ "tree", "url", CONF_TEXT, CONF_NAMED, 0, 0, NULL, NULL,
	  "git repository: a path or an address" },
	{ "tree", "base", CONF_TEXT, CONF_NAMED, 0, 0, NULL, "main",
	  "branch that patch stacks stand on" },
	{ "tree", "branch", CONF_TEXT, CONF_NAMED | CONF_REPEATED, 0, 0, NULL, NULL,
	  "branches to test, a glob; may be repeated" },
	{ "tree", "job", CONF_TEXT, CONF_NAMED | CONF_REPEATED, 0, 0, NULL, NULL,
	  "benchmark to run; may be repeated" },
	{ "tree", "group", CONF_TEXT, CONF_NAMED, 0, 0, NULL, "default",
	  "machines that may run it" },
	{ "tree", "budget", CONF_DURATION, CONF_NAMED, 60, 8640000, NULL, "2h",
	  "machine time that one patch stack may cost" },
	{ "tree", "mail", CONF_CHOICE, CONF_NAMED, 0, 0, "dry-run on", "dry-run",
	  "whether mails leave the outbox" },
};

void settings_describe(struct str *str)
{
	conf_describe(keys, countof(keys), str);
}

static bool check_trees(const struct conf *conf, struct err *err)
{
	static const char *const needed[] = { "url", "branch", "job" };
	size_t nr_trees;
	const char *const *trees = conf_names(conf, "tree", &nr_trees);

	for (size_t i = 0; i < nr_trees; i++) {
		if (*trees[i] == '\0' || strspn(trees[i], "abcdefghijklmnopqrstuvwxyz"
							  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
							  "0123456789._+-") != strlen(trees[i])) {
			return err_set(err, ERR_INPUT,
				       "tree '%s': a name is made of letters, digits and '._+-'",
				       trees[i]);
		}
		for (size_t n = 0; n < countof(needed); n++) {
			size_t nr_values = 0;

			conf_list(conf, "tree", trees[i], needed[n], &nr_values);
			if (nr_values == 0) {
				return err_set(err, ERR_INPUT, "tree '%s': '%s' is not set",
					       trees[i], needed[n]);
			}
		}
	}
	return true;
}

bool settings_read(const char *path, const struct option_list *overrides, const char *embedded,
		   struct settings *ret_settings, struct err *err)
{
	scoped(conf_free) struct conf *conf = conf_new(keys, countof(keys));
	struct settings settings = { .path = path, .overrides = overrides, .embedded = embedded };

	if (path && !conf_read(conf, path, err)) {
		return false;
	}
	for (size_t i = 0; i < overrides->nr; i++) {
		if (!conf_set(conf, overrides->at[i], err)) {
			return false;
		}
	}
	if (!check_trees(conf, err)) {
		return false;
	}
	settings.listen = conf_text(conf, "daemon", "", "listen");
	settings.database = embedded ? NULL : conf_text(conf, "daemon", "", "database");
	settings.data = embedded ? embedded : conf_text(conf, "daemon", "", "data");
	settings.jobs = conf_text(conf, "daemon", "", "jobs");
	settings.postgresql = conf_text(conf, "daemon", "", "postgresql");
	settings.url = conf_text(conf, "daemon", "", "url");
	settings.poll_s = conf_seconds(conf, "daemon", "", "poll");
	settings.mail_from = conf_text(conf, "mail", "", "from");
	settings.message_domain = conf_text(conf, "mail", "", "domain");
	if (!embedded && !settings.database) {
		return err_set(err, ERR_INPUT,
			       "no database: set 'database' in [daemon], or give --embedded DIR");
	}
	settings.conf = move(&conf);
	*ret_settings = settings;
	return true;
}

bool settings_reread(const struct settings *settings, struct settings *ret_settings,
		     struct err *err)
{
	return settings_read(settings->path, settings->overrides, settings->embedded, ret_settings,
			     err);
}

void settings_release(struct settings *settings)
{
	settings->conf = conf_free(settings->conf);
}

static bool store_tree(const struct conf *conf, const char *name, struct db *db, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	size_t nr_branches;
	size_t nr_jobs;
	const char *const *branches = conf_list(conf, "tree", name, "branch", &nr_branches);
	const char *const *jobs = conf_list(conf, "tree", name, "job", &nr_jobs);

	return db_exec(db, Q_REPOSITORY_STORE,
		       ARGS(arg_text(name), arg_text(conf_text(conf, "tree", name, "url")),
			    arg_text(conf_text(conf, "tree", name, "base")),
			    arg_text(db_text_array(arena, branches, nr_branches)),
			    arg_text(db_text_array(arena, jobs, nr_jobs)),
			    arg_text(conf_text(conf, "tree", name, "group")),
			    arg_int(conf_seconds(conf, "tree", name, "budget")),
			    arg_text(conf_text(conf, "tree", name, "mail"))),
		       NULL, err);
}

bool settings_store(const struct settings *settings, struct db *db, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	size_t nr_trees;
	const char *const *trees = conf_names(settings->conf, "tree", &nr_trees);

	if (!db_begin(db, err)) {
		return false;
	}
	for (size_t i = 0; i < nr_trees; i++) {
		if (!store_tree(settings->conf, trees[i], db, err)) {
			db_rollback(db);
			return err_wrap(err, "tree '%s'", trees[i]);
		}
	}
	if (!db_exec(db, Q_REPOSITORY_REMOVE_OTHERS,
		     ARGS(arg_text(db_text_array(arena, trees, nr_trees))), NULL, err) ||
	    !db_commit(db, "settings", err)) {
		db_rollback(db);
		return false;
	}
	return true;
}
