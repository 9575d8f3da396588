/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patchmeterd: reads the settings, builds the parts, runs the loop, tears down in reverse. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/crash.h"
#include "daemon/db/migrate.h"
#include "daemon/embedded.h"
#include "daemon/fetch.h"
#include "daemon/loop.h"
#include "daemon/mail/compose.h"
#include "daemon/pipeline/pipeline.h"
#include "daemon/roles.h"
#include "daemon/site.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/option.h"
#include "lib/vcs/vcs.h"

struct command_line {
	const char *config;
	const char *embedded;
	const char *listen;
	const char *role_list;
	struct option_list overrides;
	bool is_help, is_version, is_check, is_crash_list, is_verbose;
	bool is_migrate; /* `admin migrate` */
};

static bool parse(int argc, char **argv, struct command_line *line, struct err *err)
{
	const struct option_row rows[] = {
		{ "config", 0, "FILE", "configuration, patchmeterd.conf(5)", OPTION_TEXT,
		  &line->config },
		{ NULL, 'c', "SECTION.KEY=VALUE", "sets one key over the file; may be repeated",
		  OPTION_LIST, &line->overrides },
		{ "embedded", 0, "DIR", "keeps everything under DIR, with a private PostgreSQL",
		  OPTION_TEXT, &line->embedded },
		{ "listen", 0, "ADDRESS:PORT", "the same as -c daemon.listen=...", OPTION_TEXT,
		  &line->listen },
		{ "roles", 0, "LIST", "runs only these stages, or web; default: all", OPTION_TEXT,
		  &line->role_list },
		{ "check-config", 0, NULL, "reads the configuration and exits", OPTION_FLAG,
		  &line->is_check },
		{ "list-crash-points", 0, NULL, "prints where PATCHMETER_CRASH can kill it",
		  OPTION_FLAG, &line->is_crash_list },
		{ "verbose", 'v', NULL, "logs more", OPTION_FLAG, &line->is_verbose },
		{ "version", 0, NULL, "prints the version", OPTION_FLAG, &line->is_version },
		{ "help", 'h', NULL, "prints this", OPTION_FLAG, &line->is_help },
	};

	if (!option_parse(rows, countof(rows), false, &argc, argv, err)) {
		return false;
	}
	if (argc == 3 && strcmp(argv[1], "admin") == 0 && strcmp(argv[2], "migrate") == 0) {
		line->is_migrate = true;
	} else if (argc > 1) {
		return err_set(err, ERR_INPUT, "unknown argument '%s', see --help", argv[1]);
	}
	if (line->is_help) {
		scoped(str_release) struct str text = STR_INIT;

		str_append(&text,
			   "usage: patchmeterd [options]\n"
			   "       patchmeterd [options] admin migrate\n\n"
			   "The daemon of patchmeter: watches, plans, judges, reports, and serves "
			   "the pages.\n\noptions:\n");
		option_describe(rows, countof(rows), &text);
		str_append(&text, "\nkeys of the configuration:\n");
		settings_describe(&text);
		fputs(text.at, stdout);
	}
	return true;
}

/* Answers that need neither a database nor a loop. */
static bool answer(const struct command_line *line)
{
	scoped(str_release) struct str text = STR_INIT;

	if (line->is_version) {
		str_append(&text, "patchmeterd " PATCHMETER_VERSION "\n");
	}
	if (line->is_crash_list) {
		crash_list(&text);
	}
	fputs(text.at, stdout);
	return line->is_help || line->is_version || line->is_crash_list;
}

static bool open_database(const struct settings *settings, bool is_migrate, bool is_ours,
			  const char *conninfo, struct err *err)
{
	scoped(db_close) struct db *db = NULL;
	int nr_applied = 0;

	if (!db_open(conninfo, &db, err)) {
		return false;
	}
	if (is_migrate || is_ours) {
		if (!migrate_up(db, &nr_applied, err)) {
			return false;
		}
		if (nr_applied > 0) {
			log_line(LOG_INFO, "msg='applied %d migration(s)'", nr_applied);
		}
	} else if (!migrate_check(db, err)) {
		return false;
	}
	return is_migrate || (db_prepare_all(db, err) && settings_store(settings, db, err));
}

static bool make_folders(const char *data, struct err *err)
{
	static const char *const names[] = { "", "/mirror", "/outbox" };

	for (size_t i = 0; i < countof(names); i++) {
		scoped(free) char *path = mem_printf("%s%s", data, names[i]);

		if (mkdir(path, 0755) != 0 && (errno != EEXIST || access(path, W_OK) != 0)) {
			return err_set_errno(err, ERR_BROKEN, errno, "use folder '%s'", path);
		}
	}
	return true;
}

/* Two daemons on one folder would each stop the other's database, and overwrite its url.  Also
 * takes away the url of one that was killed: whoever waits for ours must not find that one. */
static bool claim_folder(const char *data, int *ret_lock_fd, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/lock", data);
	scoped(free) char *url = mem_printf("%s/" SITE_URL_FILE, data);

	*ret_lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*ret_lock_fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "open '%s'", path);
	}
	if (flock(*ret_lock_fd, LOCK_EX | LOCK_NB) != 0) {
		return err_set(err, ERR_CONFLICT, "another daemon uses the folder '%s'", data);
	}
	return unlink(url) == 0 || errno == ENOENT ||
	       err_set_errno(err, ERR_BROKEN, errno, "remove '%s'", url);
}

static bool is_enabled(const char *stage, const void *roles)
{
	return has_role(roles, stage);
}

static bool serve(struct settings *settings, const struct roles *roles,
		  const struct embedded *embedded, const char *conninfo, struct err *err)
{
	scoped(pool_close) struct pool *pool = NULL;
	scoped(db_close) struct db *listener = NULL;
	scoped(site_close) struct site_parts *site = NULL;
	struct loop_parts parts = {
		.settings = settings, .embedded = embedded, .is_enabled = is_enabled, .roles = roles
	};

	if (!pool_open(conninfo, nr_stages, &pool, err) || !db_open(conninfo, &listener, err) ||
	    !db_listen(listener, err)) {
		return false;
	}
	if (has_role(roles, "web")) {
		if (!site_open(settings, conninfo, listener, &site, err)) {
			return false;
		}
		settings->url = settings->url ? settings->url : site_url(site);
	}
	parts.pool = pool;
	parts.listener = listener;
	parts.server = site ? site_server(site) : NULL;
	return loop_run(&parts, err);
}

static bool run(const struct command_line *line, struct err *err)
{
	scoped(settings_release) struct settings settings = { 0 };
	scoped(embedded_close) struct embedded *embedded = NULL;
	struct roles roles = { NULL };
	int lock_fd; /* held to the end of the process */
	const char *conninfo;

	if (!roles_parse(line->role_list, &roles, err) ||
	    !settings_read(line->config, &line->overrides, line->embedded, &settings, err)) {
		return false;
	}
	if (line->listen) {
		settings.listen = line->listen;
	}
	if (line->is_check) {
		return true;
	}
	if (!make_folders(settings.data, err)) {
		return false;
	}
	if ((line->embedded || (has_role(&roles, "web") && !line->is_migrate)) &&
	    !claim_folder(settings.data, &lock_fd, err)) {
		return false;
	}
	if (line->embedded && !embedded_open(line->embedded, settings.postgresql, &embedded, err)) {
		return false;
	}
	if (embedded) {
		log_line(LOG_INFO, "msg='the embedded database is up' database_s=%.3f",
			 embedded_start_s(embedded));
	}
	conninfo = embedded ? embedded_conninfo(embedded) : settings.database;
	if (!open_database(&settings, line->is_migrate, embedded != NULL, conninfo, err)) {
		return false;
	}
	return line->is_migrate || serve(&settings, &roles, embedded, conninfo, err);
}

int main(int argc, char **argv)
{
	scoped(option_list_release) struct option_list none = { 0 };
	struct command_line line = { .overrides = none };
	struct err err = ERR_INIT;
	bool is_done;

	if (argc > 1 && strcmp(argv[1], "fetch-child") == 0) {
		return vcs_init(&err) ? fetch_child(argc - 1, argv + 1) : 1;
	}
	is_done = parse(argc, argv, &line, &err);
	/* libuv reads it when its pool starts: a thread for each stage, and some for files. */
	setenv("UV_THREADPOOL_SIZE", "16", 0);
	signal(SIGPIPE, SIG_IGN);
	compose_init();
	umask(022);
	if (line.is_verbose) {
		log_set_level(LOG_DEBUG);
	}
	if (is_done && !answer(&line)) {
		is_done = vcs_init(&err) && run(&line, &err);
		vcs_shutdown();
	}
	option_list_release(&line.overrides);
	if (!is_done) {
		fprintf(stderr, "patchmeterd: %s\n", err.message);
		return err_face(err.kind)->exit_code;
	}
	return 0;
}
