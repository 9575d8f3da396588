/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of a run on their way in.  A file that is on its way stands in the store under its lease,
 * so that it can be gone on with after a cut, and never reaches another lease.
 */
#include "daemon/store/store.h"
#include "lease_key.h"
#include "lib/proto/proto.h"
#include "web/handlers.h"

/* What the header of a PUT says. */
struct coming {
	struct lease_key key;
	struct lease_file file; /* size_bytes: of the whole file */
	int64_t offset;         /* of this part; -1: the whole file comes */
	int64_t length;         /* of this part */
	char *upload;           /* its name in the store, in the arena */
};

/* Names of files have slashes, names of uploads have not. */
static char *upload_name(struct request *request, const struct lease_key *key, const char *name)
{
	struct hash hash = hash_of(name, strlen(name));
	char text[HASH_TEXT_BYTES];

	hash_format(&hash, text);
	return arena_printf(request->arena, "lease-%" PRId64 "-%s", key->lease, text);
}

static bool read_name(const struct request *request, const char **ret_name, struct err *err)
{
	const char *name = request->parts[1];

	if (!is_proto_file_name(name)) {
		return err_set(
			err, ERR_INPUT,
			"file name '%s': up to 5 parts of 100 of [A-Za-z0-9._+-], none with a dot "
			"or dash in front",
			name);
	}
	*ret_name = name;
	return true;
}

/* "bytes A-B/TOTAL" */
static bool read_range(const char *text, struct coming *coming, struct err *err)
{
	long long first;
	long long last;
	long long total;
	int end = 0;

	if (sscanf(text, "bytes %18lld-%18lld/%18lld%n", &first, &last, &total, &end) != 3 ||
	    text[end] != '\0' || first < 0 || last < first || total <= last ||
	    last - first + 1 != coming->length) {
		return err_set(err, ERR_INPUT, "Content-Range '%s': expected bytes A-B/TOTAL",
			       text);
	}
	coming->offset = first;
	coming->file.size_bytes = total;
	return true;
}

static bool read_coming(struct request *request, struct coming *coming, struct err *err)
{
	const char *range = request_header(request, "Content-Range");
	const char *length = request_header(request, "Content-Length");

	*coming = (struct coming){ .offset = -1 };
	coming->file.hash = request_header(request, PROTO_HEADER_SHA256);
	if (!coming->file.hash || !is_hash_text(coming->file.hash)) {
		return err_set(err, ERR_INPUT,
			       "header '%s': expected 64 lower-case hexadecimal digits",
			       PROTO_HEADER_SHA256);
	}
	if (!read_name(request, &coming->file.name, err) ||
	    !lease_key_read(request, request_header(request, PROTO_HEADER_SECRET), &coming->key,
			    err) ||
	    !str_to_int(length ? length : "", 0, MAX_FILE_BYTES, &coming->length, err)) {
		return false;
	}
	coming->file.size_bytes = coming->length;
	coming->upload = upload_name(request, &coming->key, coming->file.name);
	if (range && !read_range(range, coming, err)) {
		return false;
	}
	return coming->file.size_bytes <= MAX_FILE_BYTES ||
	       err_set(err, ERR_TOO_BIG, "file '%s' of %" PRId64 " bytes: at most %" PRId64,
		       coming->file.name, coming->file.size_bytes, MAX_FILE_BYTES);
}

static void reply_stored(struct request *request, struct reply *reply, int64_t received,
			 bool is_complete)
{
	reply_document(reply, proto_encode(&proto_stored_message,
					   &(struct proto_stored){ .received = received,
								   .is_complete = is_complete }));
	reply_header(request, reply, PROTO_HEADER_RECEIVED, "%" PRId64, received);
}

bool admit_file(struct request *request, struct reply *reply, struct err *err)
{
	struct db *db = request_db(request, err);
	scoped(upload_close) struct upload *upload = NULL;
	struct coming coming;
	bool is_stored;

	if (!db || !read_coming(request, &coming, err) ||
	    !lease_check_file(db, &coming.key, &coming.file, &is_stored, err)) {
		return false;
	}
	if (is_stored) {
		reply_stored(request, reply, coming.file.size_bytes, true);
		return true;
	}
	if (!upload_open(request->site->store, coming.upload, coming.length, &upload, err)) {
		return false;
	}
	if (coming.offset <= 0) {
		upload_reset(upload);
	} else if (coming.offset != upload_received(upload)) {
		return err_set(err, ERR_BUSY,
			       "file '%s' stands at %" PRId64 " bytes, not at %" PRId64
			       ": ask with HEAD",
			       coming.file.name, upload_received(upload), coming.offset);
	}
	request->upload = move(&upload);
	return true;
}

bool put_file(struct request *request, struct reply *reply, struct err *err)
{
	struct db *db = request_db(request, err);
	int64_t received = upload_received(request->upload);
	struct coming coming;

	if (!db || !read_coming(request, &coming, err)) {
		return false;
	}
	if (received < coming.file.size_bytes) {
		reply_stored(request, reply, received, false);
		return true;
	}
	if (!upload_commit(request->upload, coming.file.hash, err) ||
	    !lease_add_file(db, &coming.key, &coming.file, err)) {
		return err_wrap(err, "file '%s'", coming.file.name);
	}
	reply_stored(request, reply, received, true);
	return true;
}

bool head_file(struct request *request, struct reply *reply, struct err *err)
{
	struct db *db = request_db(request, err);
	scoped(rows_free) struct rows *rows = NULL;
	struct lease_key key;
	struct lease_run run;
	const char *name = NULL;
	int64_t received;

	if (!db || !read_name(request, &name, err) ||
	    !lease_key_read(request, request_header(request, PROTO_HEADER_SECRET), &key, err) ||
	    !lease_beat(db, &key, NULL, &run, err) ||
	    !db_query(db, Q_ARTEFACT_SUM, ARGS(arg_int(run.cell), arg_int(run.run), arg_text(name)),
		      &rows, err)) {
		return false;
	}
	received = rows_text(rows, 0, "hash")
			   ? rows_int(rows, 0, "named_bytes")
			   : store_received(request->site->store, upload_name(request, &key, name));
	if (received == 0 && !rows_text(rows, 0, "hash")) {
		return err_set(err, ERR_ABSENT, "nothing of file '%s' is here", name);
	}
	reply_empty(reply, 200);
	reply_header(request, reply, PROTO_HEADER_RECEIVED, "%" PRId64, received);
	return true;
}
