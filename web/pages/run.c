/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs; and a run: what it was, what it gave, what it printed. */
#include <unistd.h>

#include "daemon/store/store.h"
#include "lib/report/number.h"
#include "log.h"
#include "page.h"
#include "web/handlers.h"

/* the list ----------------------------------------------------------------------------------- */

static bool is_run_state(const char *word)
{
	static const char *const words[] = { "queued", "leased", "finished", "done",
					     "failed", "lost",   "cancelled" };

	for (size_t i = 0; i < countof(words); i++) {
		if (strcmp(words[i], word) == 0) {
			return true;
		}
	}
	return false;
}

bool get_runs(struct request *request, struct reply *reply, struct err *err)
{
	const char *state = request_query(request, "state");
	struct json *document;
	int64_t before;

	if (state && *state == '\0') {
		state = NULL; /* the form's "any" */
	}
	if (state && !is_run_state(state)) {
		return err_set(err, ERR_INPUT, "parameter 'state': no state of a run is '%s'",
			       state);
	}
	if (!page_number(request, "before", &before, err) ||
	    !page_query(request, Q_PAGE_RUNS, ARGS(arg_text(state), arg_id(before)), &document,
			err)) {
		return false;
	}
	before = json_int(json_get(document, "before"), 0);
	if (before > 0) {
		scoped(free) char *next = mem_printf("/runs?before=%" PRId64 "%s%s", before,
						     state ? "&state=" : "", state ? state : "");

		json_put_text(document, "next", next);
	}
	page_title(document, "Runs");
	reply_document(reply, document);
	return true;
}

/* a run -------------------------------------------------------------------------------------- */

/* The first of these that a run has left is the log that is shown. */
static const char *const logs[] = { "build.log", "stdout", "stderr", "setup.log", "teardown.log" };

static void add_metric_texts(struct json *document)
{
	struct json *metrics = json_get(document, "metrics");
	char text[NUMBER_BYTES];

	for (size_t i = 0; i < json_size(metrics); i++) {
		struct json *metric = json_at(metrics, i);

		number_value(json_number(json_get(metric, "value"), 0), text);
		json_put_text(metric, "text", text);
	}
}

static bool has_file(const struct json *document, const char *name)
{
	const struct json *files = json_get(document, "files");

	for (size_t i = 0; i < json_size(files); i++) {
		if (strcmp(json_text(json_get(json_at(files, i), "name")), name) == 0) {
			return true;
		}
	}
	return false;
}

/* NULL: the run has left no log. */
static const char *choose_log(const struct request *request, const struct json *document)
{
	const char *wanted = request_query(request, "file");

	if (wanted) {
		return has_file(document, wanted) ? wanted : NULL;
	}
	for (size_t i = 0; i < countof(logs); i++) {
		if (has_file(document, logs[i])) {
			return logs[i];
		}
	}
	return NULL;
}

struct stored {
	int fd;
	int64_t size_bytes;
};

static bool open_file(struct request *request, int64_t run, const char *name,
		      struct stored *ret_stored, struct err *err)
{
	struct db *db = request_db(request, err);
	scoped(rows_free) struct rows *rows = NULL;

	if (!db || !db_query(db, Q_RUN_FILE, ARGS(arg_int(run), arg_text(name)), &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return err_set(err, ERR_ABSENT, "run %" PRId64 " has no file '%s'", run, name);
	}
	return store_get(request->site->store, rows_text(rows, 0, "hash"), &ret_stored->fd,
			 &ret_stored->size_bytes, err);
}

static bool add_log(struct request *request, int64_t run, struct json *document, struct err *err)
{
	const char *name = choose_log(request, document);
	scoped(str_release) struct str text = STR_INIT;
	struct json *log = json_new_object();
	struct stored stored = { -1, 0 };
	bool is_cut;
	bool done;

	json_put(document, "log", log);
	if (!name) {
		return true;
	}
	if (!open_file(request, run, name, &stored, err)) {
		return false;
	}
	done = log_read_end(stored.fd, stored.size_bytes, &text, &is_cut, err);
	close(stored.fd);
	if (done) {
		json_put_text(log, "name", name);
		json_put_bool(log, "is_cut", is_cut);
		json_put_int(log, "size_bytes", stored.size_bytes);
		json_put(log, "text", json_new_text_bytes(text.at, text.length));
	}
	return done;
}

bool get_run(struct request *request, struct reply *reply, struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	int64_t id;

	if (!request_id(request, 0, &id, err) ||
	    !page_query(request, Q_PAGE_RUN, ARGS(arg_int(id)), &document, err) ||
	    !add_log(request, id, document, err)) {
		return false;
	}
	add_metric_texts(document);
	page_params(document);
	page_title(document, "Run %" PRId64, id);
	reply_document(reply, move(&document));
	return true;
}

/* raw files ---------------------------------------------------------------------------------- */

struct range {
	int64_t offset;
	int64_t size;
	bool is_part;
};

/* "bytes=A-B", "bytes=A-" or "bytes=-N"; anything else asks for the whole file (RFC 9110). */
static bool read_range(const char *text, int64_t size, struct range *range, struct err *err)
{
	long long first = 0;
	long long last = size - 1;
	int end = 0;

	if (sscanf(text, "bytes=-%18lld%n", &last, &end) == 1 && text[end] == '\0') {
		first = last < size ? size - last : 0;
		last = size - 1;
	} else if (sscanf(text, "bytes=%18lld-%n", &first, &end) == 1 && end > 0 &&
		   (text[end] == '\0' ||
		    (sscanf(text, "bytes=%18lld-%18lld%n", &first, &last, &end) == 2 &&
		     text[end] == '\0'))) {
		last = last < size ? last : size - 1;
	} else {
		return true;
	}
	if (first < 0 || first > last) {
		return err_set(err, ERR_INPUT, "Range '%s': the file has %" PRId64 " bytes", text,
			       size);
	}
	*range = (struct range){ first, last - first + 1, true };
	return true;
}

static bool choose_range(const struct request *request, int64_t size, struct range *range,
			 struct err *err)
{
	const char *header = request_header(request, "Range");
	int64_t tail;

	*range = (struct range){ 0, size, false };
	if (!page_number(request, "tail", &tail, err)) {
		return false;
	}
	if (tail > 0 && tail < size) {
		*range = (struct range){ size - tail, tail, false };
	}
	return tail > 0 || !header || read_range(header, size, range, err);
}

/* What a browser may show as text; never as HTML, whatever is in it. */
static const char *type_of(const char *name)
{
	static const char *const suffixes[] = {
		"stdout", "stderr", "exit", ".log", ".txt", ".json"
	};

	for (size_t i = 0; i < countof(suffixes); i++) {
		if (str_has_suffix(name, suffixes[i])) {
			return "text/plain; charset=utf-8";
		}
	}
	return "application/octet-stream";
}

static void name_download(struct request *request, struct reply *reply, int64_t run,
			  const char *name)
{
	char *flat = arena_strdup(request->arena, name);

	for (char *at = flat; *at; at++) {
		if (*at == '/') {
			*at = '-';
		}
	}
	reply_header(request, reply, "Content-Disposition",
		     "attachment; filename=\"run-%" PRId64 "-%s\"", run, flat);
}

bool get_run_file(struct request *request, struct reply *reply, struct err *err)
{
	const char *name = request->parts[1];
	struct stored stored = { -1, 0 };
	struct range range;
	int64_t id;

	if (!request_id(request, 0, &id, err) || !open_file(request, id, name, &stored, err)) {
		return false;
	}
	reply_file(reply, type_of(name), stored.fd, 0, stored.size_bytes);
	if (!choose_range(request, stored.size_bytes, &range, err)) {
		return false;
	}
	reply->offset = range.offset;
	reply->size = range.size;
	reply_header(request, reply, "Accept-Ranges", "bytes");
	if (range.is_part) {
		reply->status = 206;
		reply_header(request, reply, "Content-Range",
			     "bytes %" PRId64 "-%" PRId64 "/%" PRId64, range.offset,
			     range.offset + range.size - 1, stored.size_bytes);
	}
	name_download(request, reply, id, name);
	return true;
}
