/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "server.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "visit.h"

/* Header, request line and what the head of the answer needs. */
#define CONNECTION_BYTES (MAX_HEADER_BYTES + (16U << 10))

/* A body must come at this rate once it had this long to begin. */
#define MIN_BODY_BYTES_PER_S (INT64_C(1) << 10)
#define BODY_GRACE_S         10

/* How long server_close() waits for the last answers to leave. */
#define DRAIN_MS 2000

struct server {
	struct MHD_Daemon *mhd;
	struct parked *parked;
	const struct site *site;
	pthread_t *threads;
	size_t nr_threads;
	atomic_int nr_visits;
	int socket; /* until libmicrohttpd owns it; -1: it does */
	int port;
};

/* answers ------------------------------------------------------------------------------------ */

enum reach { ALL, PAGES, FILES };

/* What every answer says to browsers.  Nothing here may ever run as a script. */
static const struct {
	const char *name;
	const char *value;
	enum reach reach;
} standing_headers[] = {
	{ "X-Content-Type-Options", "nosniff", ALL },
	{ "Referrer-Policy", "same-origin", ALL },
	{ "Cross-Origin-Opener-Policy", "same-origin", ALL },
	{ "Cross-Origin-Resource-Policy", "same-origin", ALL },
	{ "Patchmeter-Protocol", "1", ALL },
	{ "Content-Security-Policy",
	  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
	  "base-uri 'none'; frame-ancestors 'none'",
	  PAGES },
	{ "Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'", FILES },
};

static struct MHD_Response *response_of(struct reply *reply)
{
	struct MHD_Response *response;
	size_t length = reply->bytes.length;

	if (reply->kind == REPLY_FILE) {
		response = MHD_create_response_from_fd_at_offset64((uint64_t)reply->size, reply->fd,
								   (uint64_t)reply->offset);
		reply->fd = -1;
	} else if (length > 0) {
		response = MHD_create_response_from_buffer(length, str_detach(&reply->bytes),
							   MHD_RESPMEM_MUST_FREE);
	} else {
		response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	}
	return response;
}

static enum MHD_Result send_reply(struct visit *visit)
{
	struct reply *reply = &visit->reply;
	struct MHD_Response *response = response_of(reply);
	bool is_typed = reply->kind == REPLY_BYTES || reply->kind == REPLY_FILE;
	bool is_page = is_typed && str_has_prefix(reply->type, "text/html");
	int status = reply->status ? reply->status : reply->kind == REPLY_EMPTY ? 204 : 200;
	enum MHD_Result result;

	if (!response) {
		return MHD_NO;
	}
	for (size_t i = 0; i < countof(standing_headers); i++) {
		enum reach reach = standing_headers[i].reach;

		if (reach == ALL || (is_typed && (reach == PAGES) == is_page)) {
			MHD_add_response_header(response, standing_headers[i].name,
						standing_headers[i].value);
		}
	}
	for (size_t i = 0; i < reply->nr_headers; i++) {
		MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
	}
	if (is_typed) {
		MHD_add_response_header(response, "Content-Type", reply->type);
	}
	log_line(LOG_DEBUG, "web=%s path='%s' status=%d", visit->request.method,
		 visit->request.path, status);
	result = MHD_queue_response(visit->connection, (unsigned)status, response);
	MHD_destroy_response(response);
	return result;
}

/* requests, on libmicrohttpd's thread -------------------------------------------------------- */

/* A list of fields while it is collected. */
struct collector {
	struct arena *arena;
	VEC(struct field) fields;
	size_t nr_bytes;
};

static enum MHD_Result collect_field(void *cls, enum MHD_ValueKind kind UNUSED, const char *name,
				     const char *value)
{
	struct collector *collector = cls;
	struct field *field = vec_push(&collector->fields);

	field->name = arena_strdup(collector->arena, name);
	field->value = arena_strdup(collector->arena, value ? value : "");
	collector->nr_bytes += strlen(field->name) + strlen(field->value) + 4;
	return MHD_YES;
}

static struct fields collect(struct visit *visit, enum MHD_ValueKind kind, size_t *ret_nr_bytes)
{
	struct collector collector = { .arena = visit->request.arena };
	struct fields fields;

	MHD_get_connection_values(visit->connection, kind, collect_field, &collector);
	fields.nr = collector.fields.nr;
	fields.at = arena_array(collector.arena, fields.nr + 1, sizeof(*fields.at));
	for (size_t i = 0; i < fields.nr; i++) {
		fields.at[i] = collector.fields.at[i];
	}
	vec_release(&collector.fields);
	*ret_nr_bytes = collector.nr_bytes;
	return fields;
}

static struct visit *begin(struct server *server, struct MHD_Connection *connection,
			   const char *url, const char *method)
{
	struct visit *visit = visit_new(server->site);
	struct request *request = &visit->request;
	struct fields query;
	size_t nr_bytes;

	visit->connection = connection;
	request->socket =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	request->method = arena_strdup(request->arena, method);
	request->path = "";
	query = collect(visit, MHD_GET_ARGUMENT_KIND, &nr_bytes);
	request->headers = collect(visit, MHD_HEADER_KIND, &nr_bytes);
	if (nr_bytes > MAX_HEADER_BYTES) {
		struct err err = ERR_INIT;

		err_set(&err, ERR_TOO_BIG, "a header of %zu bytes: at most %u", nr_bytes,
			MAX_HEADER_BYTES);
		visit_fail(visit, &err);
		visit->reply.status = 431;
		return visit;
	}
	visit_start(visit, url, &query);
	return visit;
}

/* Suspends before it enters: a handler thread may be done before this returns. */
static enum MHD_Result enter(struct server *server, struct visit *visit)
{
	MHD_suspend_connection(visit->connection);
	if (!parked_enter(server->parked, &visit->entry)) {
		struct err err = ERR_INIT;

		err_set(&err, ERR_BUSY, "the daemon is stopping");
		visit_fail(visit, &err);
		MHD_resume_connection(visit->connection);
	}
	return MHD_YES;
}

static bool is_body_too_slow(const struct visit *visit)
{
	double passed_s = span_seconds(mono_between(visit->request.arrived, mono_now()));

	return passed_s > BODY_GRACE_S &&
	       (double)visit->nr_body_bytes < (passed_s - BODY_GRACE_S) * MIN_BODY_BYTES_PER_S;
}

/* Called with the header, then with each piece of the body, then with none, and again after each
 * resume.  Returning without consuming or answering waits; MHD_NO drops the connection. */
static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version UNUSED, const char *bytes,
				  size_t *nr_bytes, void **place)
{
	struct server *server = cls;
	struct visit *visit = *place;

	if (!visit) {
		*place = visit = begin(server, connection, url, method);
		atomic_fetch_add(&server->nr_visits, 1);
		if (visit->state == VISIT_ANSWERED) {
			return send_reply(visit);
		}
		return visit->state == VISIT_ADMITTING ? enter(server, visit) : MHD_YES;
	}
	if (*nr_bytes > 0) {
		visit_take_body(visit, bytes, *nr_bytes);
		*nr_bytes = 0;
		return is_body_too_slow(visit) ? MHD_NO : MHD_YES;
	}
	if (visit->state == VISIT_ANSWERED) {
		return send_reply(visit);
	}
	if (visit->nr_body_bytes < visit->content_length) {
		return MHD_YES; /* admitted: the first call comes again after the resume */
	}
	visit->state = VISIT_WORKING;
	return enter(server, visit);
}

static void on_completed(void *cls, struct MHD_Connection *connection UNUSED, void **place,
			 enum MHD_RequestTerminationCode code UNUSED)
{
	struct server *server = cls;

	if (*place) {
		*place = visit_free(*place);
		atomic_fetch_sub(&server->nr_visits, 1);
	}
}

/* We decode by ourselves, strictly: %00 and broken escapes are refused, not guessed at. */
static size_t keep_encoded(void *cls UNUSED, struct MHD_Connection *connection UNUSED, char *text)
{
	return strlen(text);
}

/* answering, on our threads ------------------------------------------------------------------ */

static void *serve(void *data)
{
	struct server *server = data;
	struct parked_entry *entry;

	while ((entry = parked_take(server->parked))) {
		struct visit *visit = container_of(entry, struct visit, entry);

		if (visit_work(visit)) {
			MHD_resume_connection(visit->connection);
		} else {
			parked_sleep(
				server->parked, entry, visit->reply.topic,
				mono_after(visit->request.arrived, SPAN_S(visit->reply.wait_s)));
		}
	}
	return NULL;
}

/* life --------------------------------------------------------------------------------------- */

/* "ADDRESS:PORT" into its halves; the address of IPv6 stands in brackets. */
static bool split_address(const char *listen, char host[64], const char **ret_port, struct err *err)
{
	const char *colon = strrchr(listen, ':');
	const char *start = listen + (listen[0] == '[');
	const char *end = colon && listen[0] == '[' ? colon - 1 : colon;

	if (!colon || end < start || end - start >= 64 || (listen[0] == '[' && *end != ']')) {
		return err_set(err, ERR_INPUT, "listen '%s': expected ADDRESS:PORT", listen);
	}
	memcpy(host, start, (size_t)(end - start));
	host[end - start] = '\0';
	*ret_port = colon + 1;
	return true;
}

static bool bind_one(const struct addrinfo *info, const char *listen_on, int *ret_socket,
		     struct err *err)
{
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "listen '%s'", listen_on);
	}
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) {
		*ret_socket = fd;
		return true;
	}
	error = errno;
	close(fd);
	return err_set_errno(err, error == EADDRINUSE ? ERR_BUSY : ERR_BROKEN, error, "listen '%s'",
			     listen_on);
}

static bool listen_on(const char *listen, int *ret_socket, int *ret_port, struct err *err)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *info;
	struct sockaddr_storage bound;
	socklen_t length = sizeof(bound);
	const char *port = NULL;
	char host[64];
	bool done;
	int code;

	if (!split_address(listen, host, &port, err)) {
		return false;
	}
	code = getaddrinfo(host, port, &hints, &info);
	if (code != 0) {
		return err_set(err, ERR_INPUT, "listen '%s': %s", listen, gai_strerror(code));
	}
	done = bind_one(info, listen, ret_socket, err);
	freeaddrinfo(info);
	if (!done) {
		return false;
	}
	getsockname(*ret_socket, (struct sockaddr *)&bound, &length);
	*ret_port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
						      : ((struct sockaddr_in *)&bound)->sin_port);
	return true;
}

static unsigned or_else(unsigned value, unsigned otherwise)
{
	return value ? value : otherwise;
}

static bool start_mhd(struct server *server, const struct server_config *config, struct err *err)
{
	/* clang-format off */
	struct MHD_OptionItem options[] = {
		{ MHD_OPTION_LISTEN_SOCKET,           server->socket, NULL },
		{ MHD_OPTION_NOTIFY_COMPLETED,        (intptr_t)on_completed, server },
		{ MHD_OPTION_UNESCAPE_CALLBACK,       (intptr_t)keep_encoded, NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT,        or_else(config->max_connections, 512), NULL },
		{ MHD_OPTION_PER_IP_CONNECTION_LIMIT, or_else(config->max_per_address, 64), NULL },
		{ MHD_OPTION_CONNECTION_TIMEOUT,      or_else(config->idle_s, 15), NULL },
		{ MHD_OPTION_END,                     0, NULL },
	};
	/* clang-format on */

	server->mhd = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0,
				       NULL, NULL, on_request, server, MHD_OPTION_ARRAY, options,
				       MHD_OPTION_END);
	return server->mhd || err_set(err, ERR_BROKEN, "start the web server");
}

bool server_open(const struct server_config *config, struct server **ret_server, struct err *err)
{
	scoped(server_close) struct server *server = mem_alloc(sizeof(*server));
	size_t nr_threads = config->nr_threads ? config->nr_threads : 4;

	server->site = config->site;
	server->socket = -1;
	server->parked = parked_new();
	server->threads = mem_array(nr_threads, sizeof(*server->threads));
	if (!listen_on(config->listen, &server->socket, &server->port, err) ||
	    !start_mhd(server, config, err)) {
		return false;
	}
	while (server->nr_threads < nr_threads) {
		int error =
			pthread_create(&server->threads[server->nr_threads], NULL, serve, server);

		if (error) {
			return err_set_errno(err, ERR_BROKEN, error, "start a thread");
		}
		server->nr_threads++;
	}
	*ret_server = move(&server);
	return true;
}

int server_port(const struct server *server)
{
	return server->port;
}

void server_wake(struct server *server, enum bell topic)
{
	parked_wake(server->parked, topic);
}

struct server *server_close(struct server *server)
{
	struct mono deadline = mono_after(mono_now(), SPAN_MS(DRAIN_MS));

	if (!server) {
		return NULL;
	}
	if (server->mhd) {
		MHD_quiesce_daemon(server->mhd);
	}
	parked_close(server->parked);
	for (size_t i = 0; i < server->nr_threads; i++) {
		pthread_join(server->threads[i], NULL);
	}
	while (atomic_load(&server->nr_visits) > 0 && !mono_is_past(deadline)) {
		span_sleep(SPAN_MS(5));
	}
	if (server->mhd) {
		MHD_stop_daemon(server->mhd);
	}
	if (server->socket >= 0) {
		close(server->socket);
	}
	parked_free(server->parked);
	free(server->threads);
	free(server);
	return NULL;
}
