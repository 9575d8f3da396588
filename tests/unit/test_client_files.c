/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files through the client: stored, fetched, resumed. */
#include "told_server.h"

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
	{ "a file is fetched whole, within its limit, or nothing is left", fetches_files },
	{ "a file is stored with its length and hash", stores_files },
	{ "a cut upload goes on where the daemon has got to", resumes_after_a_cut },
	{ "an upload whose acknowledgement was lost asks for it again",
	  asks_for_the_acknowledgement },
	{ "a resumed upload that was refused begins anew, once",
	  begins_anew_where_the_rest_did_not_fit },
	{ "a lost lease ends an upload", is_told_that_the_lease_is_lost },
	{ "any answer can be had, byte by byte or a range of it", gives_bytes_as_they_came },
};

T_MAIN(cases)
