/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "told_server.h"

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
};
T_MAIN(cases)
