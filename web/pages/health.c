/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machines ask: does it live, is it ready, which version; and the style of the pages. */
#include <sys/statvfs.h>

#include "lib/proto/proto.h"
#include "web/assets.h"
#include "web/handlers.h"

/* Less than this on the data folder's disk is a fault that is told. */
#define LOW_DISK_BYTES (INT64_C(256) << 20)

bool get_alive(struct request *request UNUSED, struct reply *reply, struct err *err UNUSED)
{
	struct str text = STR_INIT;

	str_append(&text, "ok\n");
	reply_bytes(reply, "text/plain; charset=utf-8", &text);
	return true;
}

static void check_database(struct request *request, struct json *document, bool *is_ready)
{
	struct err err = ERR_INIT;
	struct db *db = request_db(request, &err);
	scoped(rows_free) struct rows *rows = NULL;

	if (!db || !db_query(db, Q_BELT_LOOK, NO_ARGS, &rows, &err)) {
		json_put_text(document, "database", err.message);
		*is_ready = false;
		return;
	}
	json_put_text(document, "database", "ok");
}

static void check_disk(const struct request *request, struct json *document, bool *is_ready)
{
	struct statvfs disk;
	double free_bytes;

	if (statvfs(request->site->data, &disk) != 0) {
		json_put_text(document, "disk", "the data folder cannot be looked at");
		*is_ready = false;
		return;
	}
	free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
	json_put_number(document, "disk_free_bytes", free_bytes);
	json_put_text(document, "disk", free_bytes < LOW_DISK_BYTES ? "nearly full" : "ok");
	*is_ready &= free_bytes >= LOW_DISK_BYTES;
}

bool get_ready(struct request *request, struct reply *reply, struct err *err UNUSED)
{
	struct json *document = json_new_object();
	bool is_ready = true;

	check_database(request, document, &is_ready);
	check_disk(request, document, &is_ready);
	json_put_bool(document, "is_ready", is_ready);
	reply_document(reply, document);
	reply->status = is_ready ? 200 : 503;
	return true;
}

bool get_version(struct request *request UNUSED, struct reply *reply, struct err *err UNUSED)
{
	struct json *document = json_new_object();

	json_put_text(document, "version", PATCHMETER_VERSION);
	json_put_int(document, "schema", nr_migrations);
	json_put_int(document, "protocol", PROTO_VERSION);
	reply_document(reply, document);
	return true;
}

bool get_static(struct request *request, struct reply *reply, struct err *err)
{
	const char *name = strrchr(request->path, '/') + 1;
	struct str text = STR_INIT;

	for (size_t i = 0; i < nr_web_static; i++) {
		if (strcmp(web_static[i].name, name) == 0) {
			str_append_bytes(&text, web_static[i].text, web_static[i].length);
			reply_bytes(reply,
				    str_has_suffix(name, ".css") ? "text/css; charset=utf-8"
								 : "image/svg+xml",
				    &text);
			reply_header(request, reply, "Cache-Control", "public, max-age=300");
			return true;
		}
	}
	return err_set(err, ERR_ABSENT, "there is no file '%s'", name);
}
