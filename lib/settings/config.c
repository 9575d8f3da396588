/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

const struct conf_key config_keys[] = {
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
	{ "daemon", "calibrate", CONF_DURATION, 0, 0, 31536000, NULL, "7d",
	  "time between two comparisons of a commit with itself on a benchmark in use; 0s: none" },
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

const size_t config_nr_keys = countof(config_keys);

struct conf *config_new(void)
{
	return conf_new(config_keys, config_nr_keys);
}

bool config_check_name(const char *tree, struct err *err)
{
	size_t nr_good = strspn(tree, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._+-");

	return (nr_good > 0 && tree[nr_good] == '\0') ||
	       err_set(err, ERR_INPUT, "tree '%s': a name is made of letters, digits and '._+-'",
		       tree);
}

static bool check_tree(const struct conf *conf, const char *tree, struct err *err)
{
	static const char *const needed[] = { "url", "branch", "job" };
	const char *const *jobs;
	size_t nr;

	for (size_t i = 0; i < countof(needed); i++) {
		conf_list(conf, "tree", tree, needed[i], &nr);
		if (nr == 0) {
			return err_set(err, ERR_INPUT, "tree '%s': '%s' is not set", tree,
				       needed[i]);
		}
	}
	jobs = conf_list(conf, "tree", tree, "job", &nr);
	for (size_t i = 0; i < nr; i++) {
		if (strchr(jobs[i], '/') || *jobs[i] == '\0' || *jobs[i] == '.') {
			return err_set(err, ERR_INPUT,
				       "tree '%s': job '%s': expected the name of a folder in the "
				       "jobs folder",
				       tree, jobs[i]);
		}
	}
	return true;
}

bool config_check(const struct conf *conf, struct err *err)
{
	size_t nr_trees;
	const char *const *trees = conf_names(conf, "tree", &nr_trees);

	for (size_t i = 0; i < nr_trees; i++) {
		if (!config_check_name(trees[i], err) || !check_tree(conf, trees[i], err)) {
			return false;
		}
	}
	return true;
}
