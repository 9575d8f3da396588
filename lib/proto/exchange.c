/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exchange.h"

#include <curl/curl.h>
#include <poll.h>
#include <stdarg.h>

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "proto.h"

#define CONNECT_MS 10000L
#define SILENCE_S  60L /* above PROTO_WAIT_MAX_S */

struct wire {
	char *base_url;
	int stop_fd;
	CURL *easy;
	CURLM *multi;
};

struct wire *wire_new(const char *base_url, int stop_fd)
{
	struct wire *wire = mem_alloc(sizeof(*wire));

	wire->base_url = mem_strdup(base_url);
	wire->stop_fd = stop_fd;
	wire->easy = curl_easy_init();
	wire->multi = curl_multi_init();
	if (!wire->easy || !wire->multi) {
		bug("libcurl does not start");
	}
	return wire;
}

struct wire *wire_free(struct wire *wire)
{
	if (!wire) {
		return NULL;
	}
	curl_easy_cleanup(wire->easy);
	curl_multi_cleanup(wire->multi);
	free(wire->base_url);
	free(wire);
	return NULL;
}

void wire_stop_on(struct wire *wire, int stop_fd)
{
	wire->stop_fd = stop_fd;
}

bool is_wire_stopped(const struct wire *wire, int within_ms)
{
	struct pollfd fd = { .fd = wire->stop_fd, .events = POLLIN };

	return poll(&fd, 1, within_ms) > 0;
}

void header_add(struct curl_slist **headers, const char *format, ...)
{
	char line[1024];
	struct curl_slist *longer;
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	longer = curl_slist_append(*headers, line);
	if (!longer) {
		bug("out of memory");
	}
	*headers = longer;
}

void headers_free(struct curl_slist *headers)
{
	curl_slist_free_all(headers);
}

static enum err_kind kind_of(CURLcode code)
{
	static const struct {
		CURLcode code;
		enum err_kind kind;
	} rows[] = {
		{ CURLE_OPERATION_TIMEDOUT, ERR_TIMEOUT },
		{ CURLE_URL_MALFORMAT, ERR_INPUT },
		{ CURLE_UNSUPPORTED_PROTOCOL, ERR_INPUT },
		{ CURLE_PEER_FAILED_VERIFICATION, ERR_DENIED },
		{ CURLE_SSL_CACERT_BADFILE, ERR_BROKEN },
		{ CURLE_WRITE_ERROR, ERR_BROKEN },
		{ CURLE_READ_ERROR, ERR_BROKEN },
		{ CURLE_OUT_OF_MEMORY, ERR_BROKEN },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		if (rows[i].code == code) {
			return rows[i].kind;
		}
	}
	return ERR_REMOTE;
}

static void set_options(struct wire *wire, const struct exchange *exchange, const char *url,
			char *reason)
{
	CURL *easy = wire->easy;
	bool is_limited = exchange->attempt.ns > 0;

	curl_easy_reset(easy);
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, exchange->method);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange->answer);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, reason);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "patchmeter");
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, SILENCE_S);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
			 is_limited ? (long)(exchange->attempt.ns / 1000000) : 0L);
	if (strcmp(exchange->method, "HEAD") == 0) {
		curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	} else if (exchange->upload) {
		curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(easy, CURLOPT_READDATA, exchange->upload);
		curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
				 (curl_off_t)exchange->upload_bytes);
	} else if (exchange->body) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, exchange->body);
	}
}

/* An explanation is no part of what was asked for, and has a limit of its own. */
static bool is_over_limit(const struct wire *wire, const struct exchange *exchange)
{
	uint64_t limit_bytes = exchange->limit_bytes;
	long status = 0;

	curl_easy_getinfo(wire->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 300) {
		limit_bytes = PROTO_JSON_LIMIT_BYTES;
	}
	return (uint64_t)ftello(exchange->answer) > limit_bytes;
}

/* Moves bytes until the exchange has ended. */
static bool transfer(struct wire *wire, const struct exchange *exchange, CURLcode *ret_code,
		     struct err *err)
{
	struct curl_waitfd stop = { .fd = wire->stop_fd, .events = CURL_WAIT_POLLIN };
	int nr_running = 1;
	int nr_left;

	while (curl_multi_perform(wire->multi, &nr_running) == CURLM_OK && nr_running > 0 &&
	       !is_over_limit(wire, exchange)) {
		if (is_wire_stopped(wire, 0)) {
			return err_set(err, ERR_BUSY, "stopped");
		}
		curl_multi_poll(wire->multi, &stop, wire->stop_fd >= 0, 1000, NULL);
	}
	for (CURLMsg *message; (message = curl_multi_info_read(wire->multi, &nr_left));) {
		*ret_code = message->data.result;
	}
	if (is_over_limit(wire, exchange)) {
		*ret_code = CURLE_FILESIZE_EXCEEDED;
	}
	return true;
}

static int64_t header_number(CURL *easy, const char *name)
{
	struct curl_header *header;
	int64_t value;

	if (curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK ||
	    !str_to_int(header->value, 0, INT64_MAX, &value, NULL)) {
		return -1;
	}
	return value;
}

bool exchange_run(struct wire *wire, struct exchange *exchange, struct err *err)
{
	scoped(free) char *url = mem_printf("%s%s", wire->base_url, exchange->path);
	char reason[CURL_ERROR_SIZE] = "";
	CURLcode code = CURLE_OK;
	long status = 0;
	bool done;

	set_options(wire, exchange, url, reason);
	curl_multi_add_handle(wire->multi, wire->easy);
	done = transfer(wire, exchange, &code, err);
	curl_multi_remove_handle(wire->multi, wire->easy);
	curl_easy_setopt(wire->easy, CURLOPT_ERRORBUFFER, NULL);
	if (!done) {
		return false;
	}
	if (code == CURLE_FILESIZE_EXCEEDED) {
		return err_set(err, ERR_TOO_BIG, "more than %" PRIu64 " bytes",
			       exchange->limit_bytes);
	}
	if (code != CURLE_OK) {
		return err_set(err, kind_of(code), "%s",
			       *reason ? reason : curl_easy_strerror(code));
	}
	curl_easy_getinfo(wire->easy, CURLINFO_RESPONSE_CODE, &status);
	exchange->status = (int)status;
	exchange->retry_after_s = header_number(wire->easy, "Retry-After");
	exchange->received = header_number(wire->easy, PROTO_HEADER_RECEIVED);
	return true;
}
