/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exchange.h"
#include "lib/base/str.h"

#define ANSWER_LIMIT_BYTES ((uint64_t)64 << 20)
#define ATTEMPT_S          60
#define FIRST_PAUSE_MS     200
#define LAST_PAUSE_MS      15000
#define SMALL_FILE_BYTES   (1 << 20)
#define TOKEN_LIMIT_BYTES  4096

struct client {
	struct wire *wire;
	char *token;
};

static void file_close(FILE *file)
{
	if (file) {
		fclose(file);
	}
}
DEFINE_SCOPED(file_close, FILE *)

bool client_new(const struct client_settings *settings, struct client **ret_client, struct err *err)
{
	const char *url = settings->base_url;
	scoped(free) char *base = NULL;
	struct client *client;
	size_t length = strlen(url);

	if ((!str_has_prefix(url, "http://") && !str_has_prefix(url, "https://")) ||
	    strpbrk(url, "@?# \t\r\n")) {
		return err_set(err, ERR_INPUT,
			       "server '%s': expected an address like 'http://host:8080'", url);
	}
	while (url[length - 1] == '/') {
		length--;
	}
	if (settings->token && strpbrk(settings->token, " \t\r\n")) {
		return err_set(err, ERR_INPUT, "token: blanks or newlines in it");
	}
	base = mem_strndup(url, length);
	client = mem_alloc(sizeof(*client));
	client->wire = wire_new(base, settings->stop_fd > 0 ? settings->stop_fd : -1);
	client->token = settings->token ? mem_strdup(settings->token) : NULL;
	*ret_client = client;
	return true;
}

struct client *client_free(struct client *client)
{
	if (!client) {
		return NULL;
	}
	wire_free(client->wire);
	if (client->token) {
		explicit_bzero(client->token, strlen(client->token));
	}
	free(client->token);
	free(client);
	return NULL;
}

bool client_read_token(const char *path, struct str *token, struct err *err)
{
	struct stat status;

	if (stat(path, &status) == 0 && (status.st_mode & 077) != 0) {
		return err_set(err, ERR_DENIED, "token file '%s': others can read it; chmod 600",
			       path);
	}
	if (!str_read_file(token, path, TOKEN_LIMIT_BYTES, err)) {
		return false;
	}
	str_truncate(token, strcspn(token->at, "\r\n"));
	return true;
}

void client_stop_on(struct client *client, int stop_fd)
{
	wire_stop_on(client->wire, stop_fd > 0 ? stop_fd : -1);
}

struct patience {
	struct mono until;
	int pause_ms;
};

static struct patience patience_of(struct span span)
{
	return (struct patience){ mono_after(mono_now(), span), FIRST_PAUSE_MS };
}

/* Waits before the next try; false: it would not help, there is no time for one, or we are to
 * stop. */
static bool may_try_again(const struct client *client, const struct exchange *exchange,
			  const struct err *err, struct patience *patience)
{
	int pause_ms = patience->pause_ms;
	uint32_t chance;

	if (!err_face(err->kind)->is_retryable) {
		return false;
	}
	random_bytes(&chance, sizeof(chance));
	pause_ms -= (int)(chance % (uint32_t)(pause_ms / 2));
	if (exchange->retry_after_s * 1000 > pause_ms && exchange->retry_after_s < 3600) {
		pause_ms = (int)exchange->retry_after_s * 1000;
	}
	patience->pause_ms = 2 * patience->pause_ms;
	if (patience->pause_ms > LAST_PAUSE_MS) {
		patience->pause_ms = LAST_PAUSE_MS;
	}
	return mono_left_ms(patience->until) > pause_ms && !is_wire_stopped(client->wire, pause_ms);
}

static struct curl_slist *common_headers(const struct client *client)
{
	struct curl_slist *headers = NULL;

	header_add(&headers, PROTO_HEADER_VERSION ": %d", PROTO_VERSION);
	header_add(&headers, "Accept: application/json");
	if (client->token) {
		header_add(&headers, "Authorization: Bearer %s", client->token);
	}
	return headers;
}

/* Turns a status of 300 and more into an error with the daemon's own words. */
static bool judge_status(const struct exchange *exchange, const char *text, size_t length,
			 struct err *err)
{
	scoped(json_free) struct json *json = NULL;
	scoped(str_release) struct str detail = STR_INIT;
	const char *said = NULL;

	if (exchange->status >= 200 && exchange->status < 300) {
		return true;
	}
	if (json_parse("answer", text, length, &json, NULL)) {
		said = json_text(json_get(json, "detail"));
	}
	if (said) {
		str_append_clean(&detail, said, strlen(said), false, 800);
	} else if (exchange->status < 400) {
		str_append(&detail, "a redirect, which is not followed");
	} else {
		str_append(&detail, "no explanation");
	}
	return err_set(err, proto_kind_of_status(exchange->status), "%d: %s", exchange->status,
		       detail.at);
}

/* An exchange whose answer is a short text. */
static bool try_text(struct client *client, struct exchange *exchange, struct str *answer,
		     struct err *err)
{
	char *bytes = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&bytes, &length);
	bool done;

	if (!memory) {
		bug("out of memory");
	}
	exchange->answer = memory;
	done = exchange_run(client->wire, exchange, err);
	fclose(memory);
	exchange->answer = NULL;
	done = done && judge_status(exchange, bytes, length, err);
	if (done) {
		str_append_bytes(answer, bytes, length);
	}
	free(bytes);
	return done;
}

bool client_text(struct client *client, const struct client_request *request, struct str *text,
		 struct err *err)
{
	scoped(headers_free) struct curl_slist *headers = common_headers(client);
	scoped(free) char *body = request->body ? json_write(request->body, FORM_COMPACT) : NULL;
	struct patience patience = patience_of(request->patience);
	struct exchange exchange = {
		.method = request->method,
		.path = request->path,
		.body = body                                   ? body
			: strcmp(request->method, "POST") == 0 ? ""
							       : NULL,
		.limit_bytes = ANSWER_LIMIT_BYTES,
		.attempt = request->attempt.ns > 0 ? request->attempt : SPAN_S(ATTEMPT_S),
	};

	header_add(&headers, "Content-Type: application/json");
	if (request->range) {
		header_add(&headers, "Range: bytes=%s", request->range);
	}
	exchange.headers = headers;
	while (!try_text(client, &exchange, text, err)) {
		if (!may_try_again(client, &exchange, err, &patience)) {
			return err_wrap(err, "%s %s", request->method, request->path);
		}
	}
	return true;
}

bool client_json(struct client *client, const struct client_request *request,
		 struct json **ret_json, struct err *err)
{
	scoped(str_release) struct str answer = STR_INIT;

	if (!client_text(client, request, &answer, err)) {
		return false;
	}
	if (answer.length == 0) {
		*ret_json = NULL;
		return true;
	}
	if (!json_parse("answer", answer.at, answer.length, ret_json, err)) {
		err->kind = ERR_REMOTE;
		return err_wrap(err, "%s %s", request->method, request->path);
	}
	return true;
}

/* Puts a number in place of the first word in capitals. */
static char *fill_path(const char *path, int64_t number)
{
	size_t before = strcspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	size_t length = strspn(path + before, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	if (length == 0) {
		return mem_strdup(path);
	}
	return mem_printf("%.*s%" PRId64 "%s", (int)before, path, number, path + before + length);
}

bool client_call(struct client *client, const struct client_call *call, struct arena *arena,
		 void *ret_record, struct json **ret_json, struct err *err)
{
	const struct proto_call *row = proto_call(call->id);
	scoped(json_free) struct json *body = proto_encode(row->request, call->request);
	scoped(free) char *path = fill_path(row->path, call->number);
	struct client_request request = { .method = row->method,
					  .path = path,
					  .body = body,
					  .patience = call->patience,
					  .attempt = call->attempt };
	scoped(json_free) struct json *answer = NULL;

	if (!client_json(client, &request, &answer, err)) {
		return false;
	}
	if (answer && !proto_decode(row->answer, answer, arena, ret_record, err)) {
		err->kind = ERR_REMOTE;
		return err_wrap(err, "%s %s", row->method, path);
	}
	*ret_json = move(&answer);
	return true;
}

/* --- files --- */

/* How much of the file the daemon has; 0 where it has none or does not say. */
static bool ask_received(struct client *client, const struct client_file *file, const char *path,
			 int64_t *ret_received, struct err *err)
{
	scoped(headers_free) struct curl_slist *headers = common_headers(client);
	scoped(str_release) struct str answer = STR_INIT;
	struct exchange exchange = {
		.method = "HEAD",
		.path = path,
		.limit_bytes = ANSWER_LIMIT_BYTES,
		.attempt = SPAN_S(ATTEMPT_S),
	};

	header_add(&headers, PROTO_HEADER_SECRET ": %s", file->secret);
	exchange.headers = headers;
	if (!try_text(client, &exchange, &answer, err)) {
		*ret_received = 0;
		return err->kind == ERR_ABSENT;
	}
	*ret_received = exchange.received > 0 && exchange.received <= file->file.size
				? exchange.received
				: 0;
	return true;
}

/* Sends what is missing; *received becomes what the daemon says it has. */
static bool send_rest(struct client *client, const struct client_file *file,
		      struct exchange *exchange, int64_t *received, bool *ret_is_complete,
		      struct err *err)
{
	scoped(headers_free) struct curl_slist *headers = common_headers(client);
	scoped(file_close) FILE *content = fopen(file->path, "re");
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(str_release) struct str answer = STR_INIT;
	scoped(json_free) struct json *json = NULL;
	struct proto_stored stored;

	if (!content || fseeko(content, *received, SEEK_SET) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "open '%s'", file->path);
	}
	header_add(&headers, PROTO_HEADER_SECRET ": %s", file->secret);
	header_add(&headers, PROTO_HEADER_SHA256 ": %s", file->file.sha256);
	header_add(&headers, "Content-Type: application/octet-stream");
	if (*received > 0) {
		header_add(&headers, "Content-Range: bytes %" PRId64 "-%" PRId64 "/%" PRId64,
			   *received, file->file.size - 1, file->file.size);
	}
	exchange->headers = headers;
	exchange->upload = content;
	exchange->upload_bytes = file->file.size - *received;
	if (!try_text(client, exchange, &answer, err)) {
		return false;
	}
	if (!json_parse("answer", answer.at, answer.length, &json, err) ||
	    !proto_decode(&proto_stored_message, json, arena, &stored, err)) {
		err->kind = ERR_REMOTE;
		return false;
	}
	*received = stored.received;
	*ret_is_complete = stored.is_complete;
	return true;
}

/* One try, from asking to the acknowledgement. */
static bool try_put(struct client *client, const struct client_file *file,
		    struct exchange *exchange, bool is_first, struct err *err)
{
	int64_t received = 0;
	bool is_complete = false;

	if ((!is_first || file->file.size > SMALL_FILE_BYTES) &&
	    !ask_received(client, file, exchange->path, &received, err)) {
		return false;
	}
	/* Whole, but acknowledged?  If so it will say so at once. */
	if (received == file->file.size) {
		received = 0;
	}
	if (!send_rest(client, file, exchange, &received, &is_complete, err)) {
		return false;
	}
	return is_complete ||
	       err_set(err, ERR_REMOTE, "acknowledged %" PRId64 " of %" PRId64 " bytes", received,
		       file->file.size);
}

bool client_put_file(struct client *client, const struct client_file *file, struct span patience,
		     struct err *err)
{
	scoped(free) char *path =
		mem_printf("/api/v1/lease/%" PRId64 "/file/%s", file->lease, file->file.name);
	struct patience left = patience_of(patience);
	struct exchange exchange = {
		.method = "PUT",
		.path = path,
		.limit_bytes = ANSWER_LIMIT_BYTES,
	};
	bool was_refused = false;

	for (bool is_first = true; !try_put(client, file, &exchange, is_first, err);
	     is_first = false) {
		/* What the daemon had may be of another content: it has thrown that away, once
		 * more. */
		if (err->kind == ERR_INPUT && !is_first && !was_refused) {
			was_refused = true;
			continue;
		}
		if (!may_try_again(client, &exchange, err, &left)) {
			return err_wrap(err, "PUT %s", path);
		}
	}
	return true;
}

static bool try_get(struct client *client, struct exchange *exchange, const char *to_path,
		    struct err *err)
{
	scoped(file_close) FILE *file = fopen(to_path, "we");
	char text[4096];
	size_t length = 0;

	if (!file) {
		return err_set_errno(err, ERR_BROKEN, errno, "create '%s'", to_path);
	}
	exchange->answer = file;
	if (!exchange_run(client->wire, exchange, err)) {
		return false;
	}
	if (fflush(file) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "write '%s'", to_path);
	}
	if (exchange->status >= 300) {
		FILE *again = fopen(to_path, "re");

		length = again ? fread(text, 1, sizeof(text), again) : 0;
		file_close(again);
	}
	return judge_status(exchange, text, length, err);
}

bool client_get_file(struct client *client, const char *path, const char *to_path,
		     uint64_t limit_bytes, struct span patience, struct err *err)
{
	scoped(headers_free) struct curl_slist *headers = common_headers(client);
	struct patience left = patience_of(patience);
	struct exchange exchange = {
		.method = "GET",
		.path = path,
		.headers = headers,
		.limit_bytes = limit_bytes,
	};

	while (!try_get(client, &exchange, to_path, err)) {
		unlink(to_path);
		if (!may_try_again(client, &exchange, err, &left)) {
			return err_wrap(err, "GET %s", path);
		}
	}
	return true;
}
