/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settings.h"

#include "daemon/db/db.h"
#include "lib/base/option.h"
#include "lib/settings/config.h"

void settings_describe(struct str *str)
{
	conf_describe(config_keys, config_nr_keys, str);
}

bool settings_read(const char *path, const struct option_list *overrides, const char *embedded,
		   struct settings *ret_settings, struct err *err)
{
	scoped(conf_free) struct conf *conf = config_new();
	struct settings settings = { .path = path, .overrides = overrides, .embedded = embedded };

	if (path && !conf_read(conf, path, err)) {
		return false;
	}
	for (size_t i = 0; i < overrides->nr; i++) {
		if (!conf_set(conf, overrides->at[i], err)) {
			return false;
		}
	}
	if (!config_check(conf, err)) {
		return false;
	}
	settings.listen = conf_text(conf, "daemon", "", "listen");
	settings.database = embedded ? NULL : conf_text(conf, "daemon", "", "database");
	settings.data = embedded ? embedded : conf_text(conf, "daemon", "", "data");
	settings.jobs = conf_text(conf, "daemon", "", "jobs");
	settings.postgresql = conf_text(conf, "daemon", "", "postgresql");
	settings.url = conf_text(conf, "daemon", "", "url");
	settings.poll_s = conf_seconds(conf, "daemon", "", "poll");
	settings.calibrate_s = conf_seconds(conf, "daemon", "", "calibrate");
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
