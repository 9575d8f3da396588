/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "embedded.h"

#include <errno.h>
#include <glob.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/db/db.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/proc/proc.h"

#define PROGRAMS_GLOB     "/usr/lib/postgresql/*/bin"
#define RECOVERY_LIMIT_S  300
#define SOCKET_PATH_LIMIT 80 /* sun_path holds 108, PostgreSQL adds ".s.PGSQL.5432.lock" */

struct embedded {
	struct arena *arena;
	const char *programs;
	const char *data;
	const char *socket;
	const char *log;
	const char *user_name; /* that the server runs as */
	uid_t uid;
	gid_t gid;
	bool is_dropped; /* the server runs as another user than we */
	struct proc *server;
	const char *conninfo;
	double start_s;
};

/* finding ------------------------------------------------------------------------------------ */

/* "/usr/lib/postgresql/15/bin" -> 15 */
static int version_of(const char *programs)
{
	const char *at = programs + strlen("/usr/lib/postgresql/");

	return (int)strtol(at, NULL, 10);
}

static bool find_programs(struct embedded *embedded, const char *programs, struct err *err)
{
	glob_t found = { 0 };

	if (programs) {
		embedded->programs = arena_strdup(embedded->arena, programs);
	} else if (glob(PROGRAMS_GLOB, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *path = found.gl_pathv[i];
			const char *server = arena_printf(embedded->arena, "%s/postgres", path);

			if (access(server, X_OK) == 0 &&
			    (!embedded->programs ||
			     version_of(path) > version_of(embedded->programs))) {
				embedded->programs = arena_strdup(embedded->arena, path);
			}
		}
	}
	globfree(&found);
	if (!embedded->programs ||
	    access(arena_printf(embedded->arena, "%s/initdb", embedded->programs), X_OK) != 0) {
		return err_set(
			err, ERR_ABSENT,
			"no PostgreSQL server in '%s': install the package 'postgresql', set "
			"'postgresql' in [daemon], or use a server with 'database'",
			embedded->programs ? embedded->programs : PROGRAMS_GLOB);
	}
	return true;
}

static bool find_user(struct embedded *embedded, struct err *err)
{
	const struct passwd *user;

	embedded->is_dropped = geteuid() == 0;
	user = embedded->is_dropped ? getpwnam("postgres") : getpwuid(geteuid());
	if (!user) {
		return err_set(
			err, ERR_ABSENT,
			embedded->is_dropped
				? "no user 'postgres': PostgreSQL does not run as root and needs one"
				: "the user running this has no name");
	}
	embedded->user_name = arena_strdup(embedded->arena, user->pw_name);
	embedded->uid = user->pw_uid;
	embedded->gid = user->pw_gid;
	return true;
}

/* folders ------------------------------------------------------------------------------------ */

/* The server's user must be able to walk to its data.  Names the first folder that is closed. */
static bool check_parents(const struct embedded *embedded, const char *folder, struct err *err)
{
	scoped(free) char *path = mem_strdup(folder);

	for (char *at = path; *at; at++) {
		struct stat info;

		if (at[1] != '/' && at[1] != '\0') {
			continue;
		}
		char kept = at[1];

		at[1] = '\0';
		if (stat(path, &info) == 0 && !(info.st_mode & S_IXOTH) &&
		    !(info.st_uid == embedded->uid && (info.st_mode & S_IXUSR)) &&
		    !(info.st_gid == embedded->gid && (info.st_mode & S_IXGRP))) {
			return err_set(
				err, ERR_DENIED,
				"folder '%s' is closed to user '%s', as whom PostgreSQL runs: "
				"put the data elsewhere (/var/lib, /var/tmp), or chmod o+x it",
				path, embedded->user_name);
		}
		at[1] = kept;
	}
	return true;
}

static bool make_folder(const struct embedded *embedded, const char *path, mode_t mode,
			bool is_ours, struct err *err)
{
	if (mkdir(path, mode) != 0 && errno != EEXIST) {
		return err_set_errno(err, ERR_BROKEN, errno, "make folder '%s'", path);
	}
	if (!is_ours && embedded->is_dropped && chown(path, embedded->uid, embedded->gid) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "give folder '%s' to '%s'", path,
				     embedded->user_name);
	}
	return true;
}

static bool make_folders(struct embedded *embedded, const char *folder, struct err *err)
{
	struct arena *arena = embedded->arena;
	const char *home = arena_printf(arena, "%s/postgresql", folder);

	embedded->data = arena_printf(arena, "%s/data", home);
	embedded->socket = arena_printf(arena, "%s/socket", home);
	embedded->log = arena_printf(arena, "%s/log", home);
	if (strlen(embedded->socket) > SOCKET_PATH_LIMIT) {
		return err_set(err, ERR_INPUT,
			       "folder '%s' is too long for a socket in it: at most %d bytes",
			       folder, SOCKET_PATH_LIMIT - (int)strlen("/postgresql/socket"));
	}
	return make_folder(embedded, folder, 0755, true, err) &&
	       make_folder(embedded, home, 0755, true, err) && check_parents(embedded, home, err) &&
	       make_folder(embedded, embedded->data, 0700, false, err) &&
	       make_folder(embedded, embedded->socket, 0700, false, err);
}

/* programs ----------------------------------------------------------------------------------- */

static struct proc_spec spec_for(const struct embedded *embedded, const char *const *argv)
{
	static const char *const env[] = { "LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin", NULL };

	return (struct proc_spec){
		.argv = argv,
		.env = env,
		.cwd = "/",
		.stdout_path = embedded->log,
		.is_merged = true,
		.is_user_set = embedded->is_dropped,
		.uid = embedded->uid,
		.gid = embedded->gid,
		.stop_signal = SIGINT, /* "fast": ends sessions, writes a checkpoint */
		.grace = SPAN_S(60),
	};
}

/* The line of a log that says why: the last one with one of the words, else the last one. */
static void append_cause(struct str *cause, const char *log)
{
	static const char *const words[] = { "FATAL:", "PANIC:", "error:" };
	const char *found = "";
	bool is_sure = false;

	for (const char *at = log; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		bool is_cause = false;

		for (size_t i = 0; i < countof(words); i++) {
			is_cause |=
				memmem(at, strcspn(at, "\n"), words[i], strlen(words[i])) != NULL;
		}
		if (is_cause || !is_sure) {
			found = at;
			is_sure |= is_cause;
		}
	}
	str_append_clean(cause, found, strcspn(found, "\n"), false, 300);
}

static bool fail_with_log(const struct embedded *embedded, const char *what, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;
	scoped(str_release) struct str cause = STR_INIT;
	struct err ignored;

	if (str_read_file(&text, embedded->log, 1 << 20, &ignored)) {
		append_cause(&cause, text.at);
	}
	return err_set(err, ERR_BROKEN, "%s: %s (log: '%s')", what,
		       cause.length ? cause.at : "no message", embedded->log);
}

static bool write_as_server(const struct embedded *embedded, const char *path, const char *text,
			    struct err *err)
{
	if (!str_write_file(path, text, strlen(text), 0600, err)) {
		return false;
	}
	if (embedded->is_dropped && chown(path, embedded->uid, embedded->gid) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "give '%s' to '%s'", path,
				     embedded->user_name);
	}
	return true;
}

static bool write_access(struct embedded *embedded, struct err *err)
{
	struct arena *arena = embedded->arena;
	const struct passwd *us = getpwuid(geteuid());

	return write_as_server(embedded, arena_printf(arena, "%s/pg_hba.conf", embedded->data),
			       "local all all peer map=patchmeter\n", err) &&
	       write_as_server(embedded, arena_printf(arena, "%s/pg_ident.conf", embedded->data),
			       arena_printf(arena, "patchmeter %s patchmeter\n",
					    us ? us->pw_name : embedded->user_name),
			       err);
}

/* PG_VERSION is the last file that initdb needs to have written; without it the folder is a torso
 * of a killed initdb and may go. */
static bool make_cluster(struct embedded *embedded, struct err *err)
{
	struct arena *arena = embedded->arena;
	const char *done = arena_printf(arena, "%s/../made", embedded->data);
	const char *const wipe[] = { "/usr/bin/find", embedded->data,
				     "-mindepth",     "1",
				     "-delete",       NULL };
	const char *const init[] = { arena_printf(arena, "%s/initdb", embedded->programs),
				     "-D",
				     embedded->data,
				     "-U",
				     "patchmeter",
				     "--auth=reject",
				     "--encoding=UTF8",
				     "--locale=C.UTF-8",
				     "--data-checksums",
				     "--no-instructions",
				     NULL };
	struct proc_spec spec = spec_for(embedded, wipe);
	struct proc_result result;

	if (access(done, F_OK) == 0) {
		return true;
	}
	if (!proc_run(&spec, &result, err)) {
		return false;
	}
	spec = spec_for(embedded, init);
	spec.deadline = SPAN_S(RECOVERY_LIMIT_S);
	if (!proc_run(&spec, &result, err)) {
		return false;
	}
	if (result.end != PROC_EXITED || result.exit_code != 0) {
		return fail_with_log(embedded, "make the PostgreSQL cluster", err);
	}
	return write_access(embedded, err) && str_write_file(done, "", 0, 0600, err);
}

static bool check_version(struct embedded *embedded, struct err *err)
{
	scoped(str_release) struct str version = STR_INIT;
	const char *path = arena_printf(embedded->arena, "%s/PG_VERSION", embedded->data);
	int have;
	int need;

	if (!str_read_file(&version, path, 64, err)) {
		return false;
	}
	have = version_of(embedded->programs);
	need = (int)strtol(version.at, NULL, 10);
	if (have > 0 && need > 0 && have != need) {
		return err_set(
			err, ERR_CONFLICT,
			"the cluster in '%s' is of PostgreSQL %d, the server is %d: install %d "
			"or move it with pg_upgrade",
			embedded->data, need, have, need);
	}
	return true;
}

static bool is_postgres(const char *proc_folder)
{
	scoped(str_release) struct str name = STR_INIT;
	scoped(free) char *path = mem_printf("%s/comm", proc_folder);
	struct err ignored = ERR_INIT;

	return str_read_file(&name, path, 64, &ignored) && strcmp(name.at, "postgres\n") == 0;
}

/* A process of a server on our data: one that a killed daemon left, or a child of it that has not
 * noticed yet that it died.  They are known by the folder they work in, since after a power cut the
 * number in postmaster.pid may be anybody's.  0: there is none. */
static pid_t find_old_server(const struct embedded *embedded)
{
	struct stat ours;
	struct stat its;
	glob_t found = { 0 };
	pid_t pid = 0;

	if (stat(embedded->data, &ours) == 0 &&
	    glob("/proc/[0-9]*", GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && pid == 0; i++) {
			scoped(free) char *folder = mem_printf("%s/cwd", found.gl_pathv[i]);

			if (stat(folder, &its) == 0 && its.st_ino == ours.st_ino &&
			    its.st_dev == ours.st_dev && is_postgres(found.gl_pathv[i])) {
				pid = (pid_t)strtol(found.gl_pathv[i] + strlen("/proc/"), NULL, 10);
			}
		}
	}
	globfree(&found);
	return pid;
}

/* A server whose daemon was killed is still stopping: two on one folder refuse each other. */
static bool wait_for_old_server(struct embedded *embedded, struct err *err)
{
	struct mono limit = mono_after(mono_now(), SPAN_S(RECOVERY_LIMIT_S));
	pid_t pid;

	while ((pid = find_old_server(embedded)) != 0) {
		if (mono_is_past(limit)) {
			return err_set(err, ERR_CONFLICT,
				       "an older server (process %d) still uses '%s': stop it", pid,
				       embedded->data);
		}
		span_sleep(SPAN_MS(50));
	}
	return true;
}

/* What a server that was killed left, and a new one would heed if the number in it is in use. */
static bool remove_old_locks(struct embedded *embedded, struct err *err)
{
	const char *const paths[] = {
		arena_printf(embedded->arena, "%s/postmaster.pid", embedded->data),
		arena_printf(embedded->arena, "%s/.s.PGSQL.5432.lock", embedded->socket),
	};

	for (size_t i = 0; i < countof(paths); i++) {
		if (unlink(paths[i]) != 0 && errno != ENOENT) {
			return err_set_errno(err, ERR_BROKEN, errno, "remove '%s'", paths[i]);
		}
	}
	return true;
}

static bool wait_until_ready(struct embedded *embedded, struct err *err)
{
	struct mono limit = mono_after(mono_now(), SPAN_S(RECOVERY_LIMIT_S));
	struct err last = ERR_INIT;
	struct proc_result result;

	while (!mono_is_past(limit)) {
		scoped(db_close) struct db *db = NULL;

		if (is_proc_over(embedded->server)) {
			return proc_wait(embedded->server, &result, err) &&
			       fail_with_log(embedded, "start PostgreSQL", err);
		}
		if (db_open(embedded->conninfo, &db, &last)) {
			return true;
		}
		span_sleep(SPAN_MS(20));
	}
	return err_set(err, ERR_TIMEOUT, "start PostgreSQL: not ready after %d s: %s",
		       RECOVERY_LIMIT_S, last.message);
}

static bool start_server(struct embedded *embedded, struct err *err)
{
	struct arena *arena = embedded->arena;
	/* clang-format off */
	const char *const argv[] = {
		arena_printf(arena, "%s/postgres", embedded->programs), "-D", embedded->data, "-k",
		embedded->socket, "-c", "listen_addresses=", "-c", "unix_socket_permissions=0777",
		"-c", "shared_buffers=128MB", "-c", "max_connections=40", "-c", "wal_compression=lz4",
		"-c", "default_toast_compression=lz4", "-c", "max_wal_size=2GB", "-c", "jit=off",
		"-c", "autovacuum_naptime=15s", "-c", "logging_collector=off", NULL
	};
	/* clang-format on */
	struct proc_spec spec = spec_for(embedded, argv);
	struct mono start = mono_now();

	spec.output_limit_bytes = UINT64_C(1) << 40;
	embedded->conninfo =
		arena_printf(arena, "host='%s' user=patchmeter dbname=postgres", embedded->socket);
	if (!proc_start(&spec, &embedded->server, err) || !wait_until_ready(embedded, err)) {
		return false;
	}
	embedded->start_s = span_seconds(mono_between(start, mono_now()));
	return true;
}

bool embedded_open(const char *folder, const char *programs, struct embedded **ret_embedded,
		   struct err *err)
{
	scoped(embedded_close) struct embedded *embedded = mem_alloc(sizeof(*embedded));

	embedded->arena = arena_new();
	if (!find_programs(embedded, programs, err) || !find_user(embedded, err) ||
	    !make_folders(embedded, folder, err) || !wait_for_old_server(embedded, err) ||
	    !remove_old_locks(embedded, err) || !make_cluster(embedded, err) ||
	    !check_version(embedded, err) || !start_server(embedded, err)) {
		return err_wrap(err, "embedded database");
	}
	*ret_embedded = move(&embedded);
	return true;
}

const char *embedded_conninfo(const struct embedded *embedded)
{
	return embedded->conninfo;
}

double embedded_start_s(const struct embedded *embedded)
{
	return embedded->start_s;
}

bool is_embedded_alive(const struct embedded *embedded)
{
	return !is_proc_over(embedded->server);
}

struct embedded *embedded_close(struct embedded *embedded)
{
	if (!embedded) {
		return NULL;
	}
	proc_free(embedded->server);
	arena_free(embedded->arena);
	free(embedded);
	return NULL;
}
