/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was mailed, to whom and why; and what was not. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page.h"
#include "sight.h"
#include "web/handlers.h"

bool get_mails(struct request *request, struct reply *reply, struct err *err)
{
	struct json *document;
	int64_t before;

	if (!page_number(request, "before", &before, err) ||
	    !page_query(request, Q_PAGE_MAILS, ARGS(arg_id(before)), &document, err)) {
		return false;
	}
	before = json_int(json_get(document, "before"), 0);
	if (before > 0) {
		scoped(free) char *next = mem_printf("/mail?before=%" PRId64, before);

		json_put_text(document, "next", next);
	}
	page_title(document, "Mail");
	reply_document(reply, document);
	return true;
}

/* The bytes of the outbox. */
static bool reply_message(struct request *request, struct reply *reply, int64_t id,
			  const char *file, struct err *err)
{
	const char *path =
		arena_printf(request->arena, "%s/outbox/%s", request->site->data, file ? file : "");
	struct stat stat;
	int fd;

	if (!file || strchr(file, '/')) {
		return err_set(err, ERR_ABSENT, "mail %" PRId64 " is not in the outbox yet", id);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return err_set_errno(err, ERR_ABSENT, errno, "open mail %" PRId64, id);
	}
	reply_file(reply, "message/rfc822", fd, 0, 0);
	if (fstat(fd, &stat) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "look at mail %" PRId64, id);
	}
	reply->size = stat.st_size;
	reply_header(request, reply, "Content-Disposition",
		     "attachment; filename=\"mail-%" PRId64 ".eml\"", id);
	return true;
}

bool get_mail(struct request *request, struct reply *reply, struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	const char *format = request_query(request, "format");
	bool is_message = format && strcmp(format, "eml") == 0;
	int64_t id;

	if (format && !is_message && strcmp(format, "json") != 0 && strcmp(format, "html") != 0) {
		return err_set(err, ERR_INPUT, "parameter 'format': expected html, json or eml");
	}
	if (!request_id(request, 0, &id, err) ||
	    !page_query(request, Q_PAGE_MAIL, ARGS(arg_int(id)), &document, err)) {
		return false;
	}
	if (is_message) {
		return reply_message(request, reply, id, json_text(json_get(document, "file")),
				     err);
	}
	sight_decorate(document);
	page_title(document, "%s", json_text(json_get(document, "subject")));
	reply_document(reply, move(&document));
	return true;
}
