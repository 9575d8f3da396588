/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * told_server.h - a server that says what it was told to say, for tests of the client.
 */
#ifndef UNIT_TOLD_SERVER_H
#define UNIT_TOLD_SERVER_H

#include "lib/base/str.h"
#include "lib/proto/client.h"
#include "tests/t.h"
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

static inline size_t body_length(const char *head)
{
	const char *at = strcasestr(head, "\r\nContent-Length: ");

	return at ? strtoul(at + strlen("\r\nContent-Length: "), NULL, 10) : 0;
}

/* Appends the request to the log; false: it was cut short, as the reply wants it. */
static inline bool hear(int fd, const struct reply *reply, FILE *log)
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

static inline _Noreturn void serve(int listener, const struct reply *replies, size_t nr, FILE *log)
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

static inline struct server server_start(const struct reply *replies, size_t nr)
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
static inline char *server_end(struct server *server)
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

static inline struct client *client_for(const struct server *server, int stop_fd)
{
	struct client_settings settings = { server->url, "pm_token", stop_fd };
	struct client *client = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(client_new(&settings, &client, &err), &err);
	return client;
}

static inline int occurrences(const char *text, const char *part)
{
	int nr = 0;

	for (const char *at = text; (at = strstr(at, part)); at++) {
		nr++;
	}
	return nr;
}

/* --- the cases --- */

static inline bool beat(struct client *client, struct span patience,
			struct proto_beaten *ret_beaten, struct err *err)
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

#endif
