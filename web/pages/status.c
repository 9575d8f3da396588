/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first page, and the lists of what the lab is made of. */
#include <sys/statvfs.h>

#include "calibration.h"
#include "sight.h"
#include "web/handlers.h"

/* Below this the first page warns; uploads are refused before the disk is full. */
#define LOW_DISK_BYTES (INT64_C(1) << 30)

static void warn(struct json *document, const char *text)
{
	struct json *warning = json_new_object();

	json_put_text(warning, "text", text);
	json_append(json_get(document, "warnings"), warning);
}

static void check_disk(const struct request *request, struct json *document)
{
	struct statvfs disk;

	if (statvfs(request->site->data, &disk) != 0) {
		warn(document, "The data folder cannot be looked at.");
	} else if ((double)disk.f_bavail * (double)disk.f_frsize < LOW_DISK_BYTES) {
		warn(document,
		     "The disk of the data folder is nearly full: uploads are refused soon.");
	}
}

/* The rates over all benchmarks. */
static bool add_calibration(struct request *request, struct json *document, struct err *err)
{
	scoped(json_free) struct json *calibration = NULL;
	struct json *overall = json_new_array();

	json_put(document, "calibration", overall);
	if (!calibration_document(request, &calibration, err)) {
		return false;
	}
	for (size_t i = 0; i < json_size(json_get(calibration, "rates")); i++) {
		const struct json *rate = json_at(json_get(calibration, "rates"), i);

		if (!json_text(json_get(rate, "benchmark"))) {
			json_append(overall, json_clone(rate));
		}
	}
	return true;
}

bool get_status(struct request *request, struct reply *reply, struct err *err)
{
	struct json *document;

	if (!page_query(request, Q_PAGE_STATUS, NO_ARGS, &document, err)) {
		return false;
	}
	if (!add_calibration(request, document, err)) {
		json_free(document);
		return false;
	}
	check_disk(request, document);
	sight_decorate(document);
	page_title(document, "Status");
	reply_document(reply, document);
	return true;
}

bool get_machines(struct request *request, struct reply *reply, struct err *err)
{
	struct json *document;

	if (!page_query(request, Q_PAGE_MACHINES, NO_ARGS, &document, err)) {
		return false;
	}
	page_title(document, "Machines");
	reply_document(reply, document);
	return true;
}

bool get_repositories(struct request *request, struct reply *reply, struct err *err)
{
	struct json *document;

	if (!page_query(request, Q_PAGE_REPOSITORIES, NO_ARGS, &document, err)) {
		return false;
	}
	page_title(document, "Repositories");
	reply_document(reply, document);
	return true;
}
