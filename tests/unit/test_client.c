/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/proto/client.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "tests/t.h"

#define SHA    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BEATEN "{\"action\":\"continue\",\"until_s\":60}"
#define STORED "{\"received\":10,\"is_complete\":true}"

/* --- a server that says what it was told to say, once a connection, and notes what it heard --- */

struct reply {
	const char *text; /* status line, headers and body; NULL: hangs up without a word */
	size_t hear;      /* hangs up after so many bytes of the request's body; 0: hears all */
};

struct server {
	pid_t pid;
	char *folder;
	char *url;
};

static size_t body_length(const char *head)
{
	const char *at = strcasestr(head, "\r\nContent-Length: ");

	return at ? strtoul(at + strlen("\r\nContent-Length: "), NULL, 10) : 0;
}

/* Appends the request to the log; false: it was cut short, as the reply wants it. */
static bool hear(int fd, const struct reply *reply, FILE *log)
{
	scoped(str_release) struct str heard = STR_INIT;
	char *end = NULL;
	char byte;

	while (!end && read(fd, &byte, 1) == 1) {
		str_append_char(&heard, byte);
		end = strstr(heard.at, "\r\n\r\n");
	}
	size_t left = end ? body_length(heard.at) : 0;

	if (strcasestr(heard.at, "\r\nExpect: 100-continue")) {
		(void)!write(fd, "HTTP/1.1 100 Continue\r\n\r\n", 25);
	}
	for (size_t nr = 0; nr < left && (reply->hear == 0 || nr < reply->hear); nr++) {
		if (read(fd, &byte, 1) != 1) {
			break;
		}
		str_append_char(&heard, byte);
	}
	fprintf(log, "%s\n----\n", heard.at);
	fflush(log);
	return reply->text != NULL;
}

static _Noreturn void serve(int listener, const struct reply *replies, size_t nr, FILE *log)
{
	for (size_t i = 0; i < nr; i++) {
		int fd = accept(listener, NULL, NULL);

		if (hear(fd, &replies[i], log)) {
			(void)!write(fd, replies[i].text, strlen(replies[i].text));
		}
		shutdown(fd, SHUT_RDWR);
		close(fd);
	}
	_exit(0);
}

static struct server server_start(const struct reply *replies, size_t nr)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct server server = { .folder = t_folder() };
	scoped(free) char *log_path = mem_printf("%s/log", server.folder);
	FILE *log = fopen(log_path, "we");

	CHECK(log && bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(listen(listener, 8) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
	server.url = mem_printf("http://127.0.0.1:%d/", ntohs(address.sin_port));
	server.pid = fork();
	if (server.pid == 0) {
		serve(listener, replies, nr, log);
	}
	close(listener);
	fclose(log);
	return server;
}

/* What was heard; the server must have said all it had to say. */
static char *server_end(struct server *server)
{
	scoped(free) char *log_path = mem_printf("%s/log", server->folder);
	scoped(str_release) struct str log = STR_INIT;
	struct err err = ERR_INIT;
	int status = -1;

	for (int i = 0; i < 200 && waitpid(server->pid, &status, WNOHANG) == 0; i++) {
		span_sleep(SPAN_MS(10));
	}
	if (!CHECK_INT(status, 0)) {
		kill(server->pid, SIGKILL);
		waitpid(server->pid, NULL, 0);
	}
	CHECK_DONE(str_read_file(&log, log_path, 1 << 20, &err), &err);
	free(server->url);
	free(server->folder);
	return str_detach(&log);
}

static struct client *client_for(const struct server *server, int stop_fd)
{
	struct client_settings settings = { server->url, "pm_token", stop_fd };
	struct client *client = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(client_new(&settings, &client, &err), &err);
	return client;
}

static int occurrences(const char *text, const char *part)
{
	int nr = 0;

	for (const char *at = text; (at = strstr(at, part)); at++) {
		nr++;
	}
	return nr;
}

/* --- the cases --- */

static bool beat(struct client *client, struct span patience, struct proto_beaten *ret_beaten,
		 struct err *err)
{
	static const struct proto_beat record = { .secret = "pm_secret", .phase = "run" };
	static char action[16];
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *json = NULL;
	struct client_call call = {
		.id = PROTO_CALL_BEAT, .number = 7, .request = &record, .patience = patience
	};

	if (!client_call(client, &call, arena, ret_beaten, &json, err)) {
		return false;
	}
	if (json) {
		snprintf(action, sizeof(action), "%s", ret_beaten->action);
		ret_beaten->action = action;
	}
	return true;
}

#define ANSWER(status, headers, body) \
	"HTTP/1.1 " status "\r\nConnection: close\r\n" headers "\r\n" body

static void speaks_the_protocol(void)
{
	static const struct reply replies[] = { { ANSWER("200 OK", "", BEATEN), 0 } };
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct proto_beaten beaten = { 0 };
	struct err err = ERR_INIT;

	setenv("http_proxy", "http://127.0.0.1:9", 1); /* not used */
	CHECK_DONE(beat(client, SPAN_S(0), &beaten, &err), &err);
	CHECK_TEXT(beaten.action, "continue");
	CHECK_INT(beaten.until_s, 60);
	scoped(free) char *heard = server_end(&server);

	CHECK(str_has_prefix(heard, "POST /api/v1/lease/7/beat HTTP/1.1\r\n"));
	CHECK(strstr(heard, "\r\nAuthorization: Bearer pm_token\r\n"));
	CHECK(strstr(heard, "\r\nPatchmeter-Protocol: 1\r\n"));
	CHECK(strstr(heard, "\r\nContent-Type: application/json\r\n"));
	CHECK(strstr(heard, "\r\n\r\n{\"secret\":\"pm_secret\",\"phase\":\"run\"}\n"));
}

static void tells_nothing_from_failure(void)
{
	static const struct reply replies[] = { { ANSWER("204 No Content", "", ""), 0 } };
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct proto_beaten beaten = { "untouched", 1 };
	struct err err = ERR_INIT;

	CHECK_DONE(beat(client, SPAN_S(0), &beaten, &err), &err);
	CHECK_TEXT(beaten.action, "untouched");
	free(server_end(&server));
}

static void tries_again(void)
{
	static const struct reply replies[] = {
		{ ANSWER("503 Service Unavailable", "Retry-After: 1\r\n", ""), 0 },
		{ NULL, 0 },
		{ ANSWER("500 Internal Server Error", "", "oops"), 0 },
		{ ANSWER("200 OK", "", BEATEN), 0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct proto_beaten beaten = { 0 };
	struct err err = ERR_INIT;
	struct mono before = mono_now();

	CHECK_DONE(beat(client, SPAN_S(30), &beaten, &err), &err);
	CHECK(span_seconds(mono_between(before, mono_now())) >= 1.0);
	scoped(free) char *heard = server_end(&server);

	CHECK_INT(occurrences(heard, "POST /api"), 4);
}

static void gives_up_in_time(void)
{
	struct server none = { .url = (char[]){ "http://127.0.0.1:1" } };
	scoped(client_free) struct client *client = client_for(&none, 0);
	struct proto_beaten beaten;
	struct err err = ERR_INIT;
	struct mono before = mono_now();
	double took_s;

	CHECK_FAILS(beat(client, SPAN_S(0), &beaten, &err), &err, ERR_REMOTE,
		    "POST /api/v1/lease/7/beat: ");
	CHECK(span_seconds(mono_between(before, mono_now())) < 0.5);
	before = mono_now();
	CHECK_FAILS(beat(client, SPAN_S(2), &beaten, &err), &err, ERR_REMOTE, "127.0.0.1");
	took_s = span_seconds(mono_between(before, mono_now()));
	CHECK(took_s > 0.3 && took_s < 2.5);
	CHECK(!strstr(err.message, "pm_token") && !strstr(err.message, "pm_secret"));
}

static void keeps_the_daemons_words(void)
{
	static const struct reply replies[] = {
		{ ANSWER("409 Conflict", "",
			 "{\"title\":\"conflict\",\"status\":409,\"detail\":\"lease 7 is lost\\u001b\"}"),
		  0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct proto_beaten beaten;
	struct err err = ERR_INIT;

	CHECK_FAILS(beat(client, SPAN_S(30), &beaten, &err), &err, ERR_CONFLICT,
		    "POST /api/v1/lease/7/beat: 409: lease 7 is lost\xef\xbf\xbd");
	free(server_end(&server));
}

static void does_not_follow(void)
{
	static const struct reply replies[] = {
		{ ANSWER("302 Found", "Location: http://127.0.0.1:9/\r\n", ""), 0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct proto_beaten beaten;
	struct err err = ERR_INIT;

	CHECK_FAILS(beat(client, SPAN_S(30), &beaten, &err), &err, ERR_INPUT,
		    "302: a redirect, which is not followed");
	free(server_end(&server));
}

static void distrusts_answers(void)
{
	static const struct reply replies[] = {
		{ ANSWER("200 OK", "", "<html>"), 0 },
		{ ANSWER("200 OK", "", "{\"action\":\"dance\",\"until_s\":1}"), 0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct proto_beaten beaten;
	struct err err = ERR_INIT;

	CHECK_FAILS(beat(client, SPAN_S(0), &beaten, &err), &err, ERR_REMOTE, "answer");
	CHECK_FAILS(beat(client, SPAN_S(0), &beaten, &err), &err, ERR_REMOTE,
		    "beaten: 'action': not one of its words");
	free(server_end(&server));
}

static void stops_at_once(void)
{
	int ends[2];
	struct err err = ERR_INIT;
	struct proto_beaten beaten;
	struct mono before;

	CHECK(pipe(ends) == 0);
	struct server none = { .url = (char[]){ "http://127.0.0.1:1" } };
	scoped(client_free) struct client *client = client_for(&none, ends[0]);
	pid_t child = fork();

	if (child == 0) {
		span_sleep(SPAN_MS(300));
		_exit(write(ends[1], "x", 1) != 1);
	}
	before = mono_now();
	CHECK(!beat(client, SPAN_S(60), &beaten, &err));
	CHECK(span_seconds(mono_between(before, mono_now())) < 5);
	CHECK_FAILS(beat(client, SPAN_S(60), &beaten, &err), &err, ERR_BUSY, "stopped");
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

static void refuses_addresses(void)
{
	static const char *const bad[] = { "",
					   "box:8080",
					   "ftp://box",
					   "file:///etc/passwd",
					   "http://user@box",
					   "http://box\r\nX: y",
					   "http://box?x" };

	for (size_t i = 0; i < countof(bad); i++) {
		struct client_settings settings = { .base_url = bad[i] };
		struct client *client = NULL;
		struct err err = ERR_INIT;

		CHECK_FAILS(client_new(&settings, &client, &err), &err, ERR_INPUT, "server '");
	}
}

static void fetches_files(void)
{
	static const struct reply replies[] = {
		{ ANSWER("200 OK", "Content-Length: 10\r\n", "01234"), 0 },
		{ ANSWER("200 OK", "Content-Length: 10\r\n", "0123456789"), 0 },
		{ ANSWER("200 OK", "", "0123456789+"), 0 },
		{ ANSWER("404 Not Found", "", "{\"detail\":\"no commit 'abc'\"}"), 0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	scoped(free) char *path = mem_printf("%s/fetched", server.folder);
	scoped(str_release) struct str text = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_DONE(client_get_file(client, "/x", path, 10, SPAN_S(10), &err), &err);
	CHECK_DONE(str_read_file(&text, path, 100, &err), &err);
	CHECK_TEXT(text.at, "0123456789");
	CHECK_FAILS(client_get_file(client, "/x", path, 10, SPAN_S(10), &err), &err, ERR_TOO_BIG,
		    "more than 10 bytes");
	CHECK(access(path, F_OK) != 0);
	CHECK_FAILS(client_get_file(client, "/x", path, 10, SPAN_S(10), &err), &err, ERR_ABSENT,
		    "no commit 'abc'");
	CHECK(access(path, F_OK) != 0);
	free(server_end(&server));
}

static bool put(struct client *client, const char *folder, struct span patience, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/content", folder);
	struct client_file file = { 7, "pm_secret", path, { "stdout", 10, SHA } };

	CHECK_DONE(str_write_file(path, "0123456789", 10, 0600, err), err);
	return client_put_file(client, &file, patience, err);
}

static void stores_files(void)
{
	static const struct reply replies[] = { { ANSWER("200 OK", "", STORED), 0 } };
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct err err = ERR_INIT;

	CHECK_DONE(put(client, server.folder, SPAN_S(0), &err), &err);
	scoped(free) char *heard = server_end(&server);

	CHECK(str_has_prefix(heard, "PUT /api/v1/lease/7/file/stdout HTTP/1.1\r\n"));
	CHECK(strstr(heard, "\r\nContent-Length: 10\r\n"));
	CHECK(strstr(heard, "\r\nPatchmeter-Lease-Secret: pm_secret\r\n"));
	CHECK(strstr(heard, "\r\nPatchmeter-SHA256: " SHA "\r\n"));
	CHECK(!strstr(heard, "Content-Range"));
	CHECK(strstr(heard, "\r\n\r\n0123456789\n"));
}

static void resumes_after_a_cut(void)
{
	static const struct reply replies[] = {
		{ NULL, 4 },
		{ ANSWER("200 OK", "Patchmeter-Received: 4\r\n", ""), 0 },
		{ ANSWER("200 OK", "", STORED), 0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct err err = ERR_INIT;

	CHECK_DONE(put(client, server.folder, SPAN_S(10), &err), &err);
	scoped(free) char *heard = server_end(&server);

	CHECK(strstr(heard, "\nHEAD /api/v1/lease/7/file/stdout HTTP/1.1\r\n"));
	CHECK(strstr(heard, "\r\nContent-Range: bytes 4-9/10\r\n"));
	CHECK(strstr(heard, "\r\nContent-Length: 6\r\n"));
	CHECK(strstr(heard, "\r\n\r\n456789\n"));
}

static void asks_for_the_acknowledgement(void)
{
	static const struct reply replies[] = {
		{ NULL, 0 }, /* the acknowledgement is lost */
		{ ANSWER("200 OK", "Patchmeter-Received: 10\r\n", ""), 0 },
		{ ANSWER("200 OK", "", STORED), 0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct err err = ERR_INIT;

	CHECK_DONE(put(client, server.folder, SPAN_S(10), &err), &err);
	scoped(free) char *heard = server_end(&server);

	CHECK(!strstr(heard, "Content-Range"));
}

static void begins_anew_where_the_rest_did_not_fit(void)
{
	static const struct reply replies[] = {
		{ NULL, 4 },
		{ ANSWER("200 OK", "Patchmeter-Received: 4\r\n", ""), 0 },
		{ ANSWER("400 Bad Request", "", "{\"detail\":\"wrong hash\"}"), 0 },
		{ ANSWER("404 Not Found", "", ""), 0 },
		{ ANSWER("200 OK", "", STORED), 0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct err err = ERR_INIT;

	CHECK_DONE(put(client, server.folder, SPAN_S(10), &err), &err);
	scoped(free) char *heard = server_end(&server);

	CHECK_INT(occurrences(heard, "\r\n\r\n0123456789\n"), 1);
}

static void is_told_that_the_lease_is_lost(void)
{
	static const struct reply replies[] = {
		{ ANSWER("409 Conflict", "", "{\"detail\":\"lease 7 is lost\"}"), 0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct err err = ERR_INIT;

	CHECK_FAILS(put(client, server.folder, SPAN_S(60), &err), &err, ERR_CONFLICT,
		    "PUT /api/v1/lease/7/file/stdout: 409: lease 7 is lost");
	free(server_end(&server));
}

static void gives_bytes_as_they_came(void)
{
	static const struct reply replies[] = {
		{ ANSWER("206 Partial Content", "Content-Type: text/plain\r\n", "not\x1bjson"), 0 },
		{ ANSWER("404 Not Found", "", "{\"detail\":\"run 7 has no file 'x'\"}"), 0 },
	};
	struct server server = server_start(replies, countof(replies));
	scoped(client_free) struct client *client = client_for(&server, 0);
	struct client_request request = { .method = "GET", .path = "/x?tail=1", .range = "5-12" };
	scoped(str_release) struct str text = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_DONE(client_text(client, &request, &text, &err), &err);
	CHECK_TEXT(text.at, "not\x1bjson");
	CHECK_FAILS(client_text(client, &request, &text, &err), &err, ERR_ABSENT,
		    "run 7 has no file 'x'");
	CHECK_INT(text.length, 8); /* nothing of the refusal */
	scoped(free) char *heard = server_end(&server);

	CHECK(str_has_prefix(heard, "GET /x?tail=1 HTTP/1.1\r\n"));
	CHECK_INT(occurrences(heard, "\r\nRange: bytes=5-12\r\n"), 2);
}

static const struct t_case cases[] = {
	{ "a call carries token, version and body, and reads the answer", speaks_the_protocol },
	{ "an answer without a body is no failure", tells_nothing_from_failure },
	{ "a failure that may pass is tried again, not before Retry-After", tries_again },
	{ "patience ends, and the message keeps the token to itself", gives_up_in_time },
	{ "a refusal is not tried again and keeps the daemon's words, cleaned",
	  keeps_the_daemons_words },
	{ "a redirect is not followed", does_not_follow },
	{ "an answer that breaks the tables is an error of the other end", distrusts_answers },
	{ "a readable stop descriptor ends every call", stops_at_once },
	{ "only plain http and https addresses are used", refuses_addresses },
	{ "any answer can be had, byte by byte or a range of it", gives_bytes_as_they_came },
	{ "a file is fetched whole, within its limit, or nothing is left", fetches_files },
	{ "a file is stored with its length and hash", stores_files },
	{ "a cut upload goes on where the daemon has got to", resumes_after_a_cut },
	{ "an upload whose acknowledgement was lost asks for it again",
	  asks_for_the_acknowledgement },
	{ "a resumed upload that was refused begins anew, once",
	  begins_anew_where_the_rest_did_not_fit },
	{ "a lost lease ends an upload", is_told_that_the_lease_is_lost },
};
T_MAIN(cases)
