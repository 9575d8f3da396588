/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter log, reproduce - what a run printed, and the script that does it again.
 *
 * A log is fetched in pieces by offset, so that a cut costs a piece and not the log, and one that
 * grows can be followed.
 */
#include "layout.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "online.h"

#define PIECE_BYTES ((int64_t)1 << 20)
#define LOOK_AGAIN  SPAN_MS(500)
#define PATIENCE    SPAN_S(600)

struct log {
	struct online *online;
	const char *run;
	const char *file; /* NULL: the one the server shows */
	bool is_followed;
	int64_t offset;     /* printed so far */
	struct str waiting; /* the state that was last told */
};

/* What the end of a run is to somebody who waited for it; in any other state it goes on. */
static const struct {
	const char *state;
	int exit_code;
} ends[] = {
	{ "done", EXIT_DONE },
	{ "failed", EXIT_JOB_FAILED },
	{ "lost", EXIT_LOST },
	{ "cancelled", EXIT_LOST },
};

static bool is_over(const struct json *run, int *ret_exit)
{
	const char *state = json_text(json_get(run, "state"));

	for (size_t i = 0; state && i < countof(ends); i++) {
		if (strcmp(ends[i].state, state) == 0) {
			*ret_exit = ends[i].exit_code;
			return true;
		}
	}
	return false;
}

/* -1: the run has no such file yet. */
static int64_t size_of(const struct json *run, const char *file)
{
	const struct json *files = json_get(run, "files");

	for (size_t i = 0; file && i < json_size(files); i++) {
		const char *name = json_text(json_get(json_at(files, i), "name"));

		if (name && strcmp(name, file) == 0) {
			return json_int(json_get(json_at(files, i), "size_bytes"), 0);
		}
	}
	return -1;
}

static void file_path(const struct log *log, const char *file, struct str *path)
{
	str_printf(path, "/run/%s/file/", log->run);
	while (*file) {
		size_t length = strcspn(file, "/");
		scoped(free) char *part = mem_strndup(file, length);

		online_append(path, part);
		file += length;
		if (*file == '/') {
			str_append_char(path, *file++);
		}
	}
}

/* Prints from where it stands up to `size` bytes. */
static bool print_rest(struct log *log, const char *file, int64_t size, struct err *err)
{
	scoped(str_release) struct str path = STR_INIT;

	file_path(log, file, &path);
	while (log->offset < size) {
		int64_t last =
			size - log->offset > PIECE_BYTES ? log->offset + PIECE_BYTES - 1 : size - 1;
		scoped(free) char *range = mem_printf("%" PRId64 "-%" PRId64, log->offset, last);
		scoped(str_release) struct str piece = STR_INIT;
		const struct client_request request = {
			.method = "GET", .path = path.at, .patience = PATIENCE, .range = range
		};

		if (!client_text(log->online->client, &request, &piece, err)) {
			return false;
		}
		if (piece.length != (size_t)(last - log->offset + 1)) {
			return err_set(err, ERR_REMOTE, "GET %s: %zu bytes instead of %s", path.at,
				       piece.length, range);
		}
		screen_print(&log->online->screen, piece.at, piece.length);
		fflush(stdout);
		log->offset += (int64_t)piece.length;
	}
	return true;
}

static bool read_run(struct log *log, struct json **ret_run, struct err *err)
{
	scoped(free) char *path = mem_printf("/api/v1/runs/%s", log->run);

	if (!online_document(log->online, path, ret_run, err)) {
		return err->kind == ERR_ABSENT
			       ? err_set(err, ERR_ABSENT, "there is no run %s", log->run)
			       : false;
	}
	return true;
}

/* Says once what a wait is for. */
static void tell_state(struct log *log, const struct json *run)
{
	const char *state = json_text(json_get(run, "state"));
	scoped(str_release) struct str clean = STR_INIT;

	if (log->is_followed && state && strcmp(state, log->waiting.at) != 0) {
		str_truncate(&log->waiting, 0);
		str_append(&log->waiting, state);
		str_append_clean(&clean, state, strlen(state), false, 100);
		fprintf(stderr, "patchmeter log: run %s is %s\n", log->run, clean.at);
	}
}

/* One look at the run; *ret_is_over: there is nothing to wait for. */
static bool look(struct log *log, bool *ret_is_over, int *ret_exit, struct err *err)
{
	scoped(json_free) struct json *run = NULL;
	const char *file;
	int64_t size;

	if (!read_run(log, &run, err)) {
		return false;
	}
	tell_state(log, run);
	file = log->file ? log->file : json_text(layout_at(run, "log.name"));
	size = size_of(run, file);
	if (size >= 0 && !print_rest(log, file, size, err)) {
		return false;
	}
	*ret_is_over = is_over(run, ret_exit) || !log->is_followed;
	if (size < 0 && *ret_is_over) {
		return err_set(err, ERR_ABSENT, "run %s is %s and has no %s", log->run,
			       json_text(json_get(run, "state")), log->file ? log->file : "log");
	}
	return true;
}

static int print_log(const struct call *call, struct log *log)
{
	bool is_done = false;
	int exit_code = EXIT_DONE;
	struct err err = ERR_INIT;

	if (!online_open(log->online, &err)) {
		return online_fail(call, &err);
	}
	while (true) {
		if (!look(log, &is_done, &exit_code, &err)) {
			return online_fail(call, &err);
		}
		if (is_done) {
			return log->is_followed ? exit_code : EXIT_DONE;
		}
		log->online->patience = PATIENCE;
		span_sleep(LOOK_AGAIN);
	}
}

/* "7" or "run:7"; NULL: neither. */
static const char *read_run_id(const struct call *call)
{
	const char *prefix = "run:";
	const char *id = call->argc == 2 ? call->argv[1] : "";
	int64_t number;

	id += str_has_prefix(id, prefix) ? strlen(prefix) : 0;
	return str_to_int(id, 1, INT64_MAX, &number, NULL) ? id : NULL;
}

int verb_log(struct call *call)
{
	scoped(online_release) struct online online = { .is_raw = true };
	struct log log = { .online = &online, .waiting = STR_INIT };
	const struct option_row rows[] = {
		{ "follow", 'f', NULL,
		  "go on until the run has ended; exit 7: it failed, 8: it was lost", OPTION_FLAG,
		  &log.is_followed },
		{ "file", 0, "NAME", "this file of the run, such as stderr", OPTION_TEXT,
		  &log.file },
	};
	int exit_code;

	if (!online_options(call, &online, rows, countof(rows), &exit_code)) {
		return exit_code;
	}
	log.run = read_run_id(call);
	if (!log.run) {
		return call_usage(call, "expected the number of a run");
	}
	exit_code = print_log(call, &log);
	str_release(&log.waiting);
	return exit_code;
}

int verb_reproduce(struct call *call)
{
	scoped(online_release) struct online online = { .is_raw = true };
	scoped(str_release) struct str path = STR_INIT;
	struct err err = ERR_INIT;
	const char *run;
	int exit_code;

	if (!online_options(call, &online, NULL, 0, &exit_code)) {
		return exit_code;
	}
	run = read_run_id(call);
	if (!run) {
		return call_usage(call, "expected the number of a run");
	}
	str_printf(&path, "/run/%s/reproduce.sh", run);
	if (!online_open(&online, &err) || !online_print(&online, path.at, &err)) {
		if (err.kind == ERR_ABSENT) {
			err_set(&err, ERR_ABSENT, "there is no run %s", run);
		}
		return online_fail(call, &err);
	}
	return EXIT_DONE;
}
