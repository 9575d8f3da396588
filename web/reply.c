/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <unistd.h>

#include "lib/proto/proto.h"
#include "request.h"

void reply_init(struct reply *reply)
{
	*reply = (struct reply){ .bytes = STR_INIT, .fd = -1 };
}

void reply_release(struct reply *reply)
{
	json_free(reply->document);
	str_release(&reply->bytes);
	if (reply->fd >= 0) {
		close(reply->fd);
	}
	reply_init(reply);
}

/* What was filled in before is dropped, but for the headers. */
static void set_kind(struct reply *reply, enum reply_kind kind, int status)
{
	struct reply old = *reply;

	old.nr_headers = 0;
	reply->document = NULL;
	reply->fd = -1;
	str_init(&reply->bytes);
	reply_release(&old);
	reply->kind = kind;
	reply->status = status;
}

void reply_empty(struct reply *reply, int status)
{
	set_kind(reply, REPLY_EMPTY, status);
}

void reply_document(struct reply *reply, struct json *take_document)
{
	set_kind(reply, REPLY_DOCUMENT, 0);
	reply->document = take_document;
}

void reply_bytes(struct reply *reply, const char *type, struct str *take_bytes)
{
	set_kind(reply, REPLY_BYTES, 0);
	reply->type = type;
	reply->bytes = *take_bytes;
	str_init(take_bytes);
}

void reply_file(struct reply *reply, const char *type, int take_fd, int64_t offset, int64_t size)
{
	set_kind(reply, REPLY_FILE, 0);
	reply->type = type;
	reply->fd = take_fd;
	reply->offset = offset;
	reply->size = size;
}

void reply_park(struct reply *reply, enum bell topic, int wait_s)
{
	set_kind(reply, REPLY_PARK, 0);
	reply->topic = topic;
	reply->wait_s = wait_s;
}

void reply_header(struct request *request, struct reply *reply, const char *name,
		  const char *format, ...)
{
	char value[1024];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(value) ||
	    reply->nr_headers == countof(reply->headers)) {
		bug("header '%s' does not fit", name);
	}
	for (const char *at = value; *at; at++) {
		if (*at < ' ' || *at > '~') {
			bug("header '%s' with a byte that HTTP forbids", name);
		}
	}
	reply->headers[reply->nr_headers++] =
		(struct field){ name, arena_strdup(request->arena, value) };
}

void reply_failure(struct reply *reply, const struct err *err)
{
	const struct err_face *face = err_face(err->kind);
	const struct proto_problem problem = { .type = "about:blank",
					       .title = face->name,
					       .status = face->http_status,
					       .detail = err->message,
					       .kind = face->name };

	reply_document(reply, proto_encode(&proto_problem_message, &problem));
	reply->status = face->http_status;
	reply->is_failure = true;
}
