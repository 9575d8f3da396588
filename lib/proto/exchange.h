/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exchange.h - one HTTP request and its answer (private to lib/proto; all of libcurl is behind it).
 */
#ifndef PROTO_EXCHANGE_H
#define PROTO_EXCHANGE_H

#include "lib/base/clock.h"
#include "lib/base/err.h"

struct wire;

/* `stop_fd`: readable: exchanges end with ERR_BUSY "stopped"; -1: none. */
struct wire *wire_new(const char *base_url, int stop_fd);
struct wire *wire_free(struct wire *wire);

/* Replaces the descriptor. */
void wire_stop_on(struct wire *wire, int stop_fd);

/* Whether stop_fd is readable, now or within the time; sleeps so long where there is none. */
bool is_wire_stopped(const struct wire *wire, int within_ms);

/* Appends "NAME: VALUE" to a request's headers. */
struct curl_slist;
void header_add(struct curl_slist **headers, const char *format, ...) PRINTF_LIKE(2, 3);
void headers_free(struct curl_slist *headers);
DEFINE_SCOPED(headers_free, struct curl_slist *)

/* libcurl reads and writes FILEs by itself, so there are no callbacks. */
struct exchange {
	const char *method;
	const char *path;
	struct curl_slist *headers;
	const char *body; /* NULL: none, or `upload` */
	FILE *upload;     /* from where it stands */
	int64_t upload_bytes;
	FILE *answer;
	uint64_t limit_bytes; /* of the answer */
	struct span attempt;  /* 0: as long as bytes keep coming */

	/* found */
	int status;
	int64_t retry_after_s; /* -1: not said, here and below */
	int64_t received;      /* PROTO_HEADER_RECEIVED */
};

/* Done: there is an answer, whatever its status.  Blocks. */
MUST_CHECK bool exchange_run(struct wire *wire, struct exchange *exchange, struct err *err);

#endif
