/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "visit.h"

#include "auth.h"
#include "daemon/store/store.h"
#include "handlers.h"
#include "lib/base/log.h"
#include "lib/text/template_set.h"
#include "routes.h"
#include "web/pages/page.h"

struct visit *visit_new(const struct site *site)
{
	struct visit *visit = mem_alloc(sizeof(*visit));

	visit->request = (struct request){
		.site = site,
		.arena = arena_new(),
		.who = { .scope = SCOPE_PUBLIC },
		.arrived = mono_now(),
	};
	reply_init(&visit->reply);
	str_init(&visit->body);
	return visit;
}

struct visit *visit_free(struct visit *visit)
{
	if (visit) {
		assert(!visit->request.db);
		json_free(visit->request.body);
		upload_close(visit->request.upload);
		arena_free(visit->request.arena);
		reply_release(&visit->reply);
		str_release(&visit->body);
		free(visit);
	}
	return NULL;
}

/* the answer --------------------------------------------------------------------------------- */

static const char *type_of_json(const struct visit *visit)
{
	return visit->reply.is_failure ? "application/problem+json" : "application/json";
}

/* The template of the answer; NULL: it goes out as JSON. */
static const struct template *page_of(const struct visit *visit)
{
	const struct request *request = &visit->request;
	const char *name = request->route ? request->route->template : NULL;

	if (visit->reply.is_failure) {
		name = "error";
	}
	if (!name || is_request_json(request)) {
		return NULL;
	}
	return template_set_get(request->site->pages, name);
}

/* What only the page needs: its twin's address, and what the template language cannot work out. */
static void dress(const struct request *request, struct json *document)
{
	scoped(str_release) struct str url = STR_INIT;

	if (request->route) {
		str_printf(&url, "%s%sformat=json", request->address,
			   strchr(request->address, '?') ? "&" : "?");
		json_put_text(document, "json_url", url.at);
	}
	page_dress(document);
}

/* Turns a document into bytes. */
static bool render(struct visit *visit, struct err *err)
{
	scoped(str_release) struct str out = STR_INIT;
	struct reply *reply = &visit->reply;
	const struct template *page = page_of(visit);
	int status = reply->status;

	if (page) {
		dress(&visit->request, reply->document);
		if (!template_render(page, visit->request.site->pages, reply->document, &out,
				     err)) {
			return false;
		}
		reply_bytes(reply, "text/html; charset=utf-8", &out);
	} else {
		scoped(free) char *text = json_write(reply->document, FORM_COMPACT);
		const char *type = type_of_json(visit);

		str_append(&out, text);
		str_append_char(&out, '\n');
		reply_bytes(reply, type, &out);
	}
	reply->status = status;
	return true;
}

/* Of a failed answer: what only a programmer or operator can mend is told to the log too.  That the
 * database is away is told by the loop, once; here every worker that tries again would tell it. */
static void log_failure(const struct visit *visit, const struct err *err)
{
	if (err_face(err->kind)->http_status >= 500) {
		log_line(err_face(err->kind)->is_retryable ? LOG_DEBUG : LOG_WARN,
			 "web=%s path='%s' kind=%s msg='%s'", visit->request.method,
			 visit->request.path, err_face(err->kind)->name, err->message);
	}
}

void visit_fail(struct visit *visit, const struct err *err)
{
	struct request *request = &visit->request;
	struct reply *reply = &visit->reply;
	struct err render_err = ERR_INIT;

	log_failure(visit, err);
	reply_failure(reply, err);
	if (err->kind == ERR_DENIED && request->route && request->who.token_id == 0) {
		reply->status = 401;
		reply_header(request, reply, "WWW-Authenticate", "Bearer");
	}
	if (err_face(err->kind)->is_retryable) {
		reply_header(request, reply, "Retry-After", "5");
	}
	if (!render(visit, &render_err)) {
		log_failure(visit, &render_err);
		reply_empty(reply, 500);
	}
	visit->state = VISIT_ANSWERED;
}

/* reading ------------------------------------------------------------------------------------ */

/* Pages come as HTML and JSON; a route that has more checks them by itself. */
static bool check_format(const struct request *request, struct err *err)
{
	const char *format = request_query(request, "format");

	if (!format || is_route_listing(request->route, "format") || strcmp(format, "json") == 0 ||
	    strcmp(format, "html") == 0) {
		return true;
	}
	return err_set(err, ERR_INPUT, "parameter 'format': expected html or json, not '%.40s'",
		       format);
}

/* The address as it was sent, without the wish for a format. */
static const char *make_address(struct arena *arena, const char *path, const struct fields *query)
{
	scoped(str_release) struct str address = STR_INIT;
	char separator = '?';

	str_append(&address, path);
	for (size_t i = 0; i < query->nr; i++) {
		if (strcmp(query->at[i].name, "format") != 0) {
			str_printf(&address, "%c%s=%s", separator, query->at[i].name,
				   query->at[i].value);
			separator = '&';
		}
	}
	return arena_strdup(arena, address.at);
}

/* Keeps the parameters that the route knows. */
static bool take_query(struct request *request, const struct fields *query, struct err *err)
{
	request->query.at = arena_array(request->arena, query->nr + 1, sizeof(struct field));
	for (size_t i = 0; i < query->nr; i++) {
		struct field *field = &request->query.at[request->query.nr];

		if (!request_decode(request->arena, query->at[i].name, &field->name, err) ||
		    !request_decode(request->arena, query->at[i].value, &field->value, err)) {
			return false;
		}
		if (!is_route_parameter(request->route, field->name)) {
			return err_set(err, ERR_INPUT, "unknown parameter '%s'", field->name);
		}
		request->query.nr++;
	}
	return check_format(request, err);
}

/* *ret_status: that of a failure, where its kind does not tell it. */
static bool check_body(struct visit *visit, int *ret_status, struct err *err)
{
	const struct request *request = &visit->request;
	enum body_kind body = request->route->body;
	const char *text = request_header(request, "Content-Length");
	int64_t limit = body == BODY_FILE ? MAX_FILE_BYTES : body == BODY_JSON ? MAX_JSON_BYTES : 0;
	int64_t length = 0;

	if (!text && body == BODY_FILE) {
		*ret_status = 411;
		return err_set(err, ERR_INPUT, "a file needs its Content-Length");
	}
	if (text && !str_to_int(text, 0, INT64_MAX, &length, NULL)) {
		return err_set(err, ERR_INPUT, "Content-Length '%s': not a number", text);
	}
	if (length > limit) {
		return err_set(err, ERR_TOO_BIG, "a body of %" PRId64 " bytes: at most %" PRId64,
			       length, limit);
	}
	visit->content_length = length;
	return true;
}

static bool start(struct visit *visit, const char *path, const struct fields *query,
		  int *ret_status, struct err *err)
{
	struct request *request = &visit->request;
	const char *allowed = NULL;
	size_t url_bytes = strlen(path);

	for (size_t i = 0; i < query->nr; i++) {
		url_bytes += strlen(query->at[i].name) + strlen(query->at[i].value) + 2;
	}
	if (url_bytes > MAX_URL_BYTES) {
		*ret_status = 414;
		return err_set(err, ERR_TOO_BIG, "an address of %zu bytes: at most %u", url_bytes,
			       MAX_URL_BYTES);
	}
	if (!request_decode(request->arena, path, &request->path, err)) {
		return false;
	}
	if (!route_find(request, path, &allowed, err)) {
		if (allowed) {
			*ret_status = 405;
			reply_header(request, &visit->reply, "Allow", "%s", allowed);
		}
		return false;
	}
	request->address = make_address(request->arena, path, query);
	return take_query(request, query, err) && check_body(visit, ret_status, err);
}

void visit_start(struct visit *visit, const char *path, const struct fields *query)
{
	struct err err = ERR_INIT;
	int status = 0;

	if (!start(visit, path, query, &status, &err)) {
		visit_fail(visit, &err);
		visit->reply.status = status ? status : visit->reply.status;
	} else if (visit->request.route->admit) {
		visit->state = VISIT_ADMITTING;
	}
}

void visit_take_body(struct visit *visit, const char *bytes, size_t length)
{
	struct request *request = &visit->request;
	struct err err = ERR_INIT;

	visit->nr_body_bytes += (int64_t)length;
	if (visit->state != VISIT_READING) {
		return; /* answered: the rest of a refused body is passed over */
	}
	if (request->upload) {
		if (!upload_write(request->upload, bytes, length, &err)) {
			visit_fail(visit, &err);
		}
	} else if (request->route->body == BODY_JSON &&
		   visit->body.length + length <= MAX_JSON_BYTES) {
		str_append_bytes(&visit->body, bytes, length);
	} else {
		err_set(&err, ERR_TOO_BIG, "a body of more than %u bytes",
			request->route->body == BODY_JSON ? MAX_JSON_BYTES : 0);
		visit_fail(visit, &err);
	}
}

/* working ------------------------------------------------------------------------------------ */

static bool work(struct visit *visit, struct err *err)
{
	struct request *request = &visit->request;
	const struct route *route = request->route;
	handler_fn *handle = route->handle;

	/* who was parked has been checked already */
	if (!request->who.token_id && !auth_check(request, err)) {
		return false;
	}
	if (visit->state == VISIT_ADMITTING) {
		handle = route->admit;
	} else if (route->body == BODY_JSON && !request->body &&
		   !json_parse("body", visit->body.at, visit->body.length, &request->body, err)) {
		return false;
	}
	if (!handle(request, &visit->reply, err)) {
		return false;
	}
	return visit->reply.kind != REPLY_DOCUMENT || render(visit, err);
}

bool visit_work(struct visit *visit)
{
	struct request *request = &visit->request;
	struct err err = ERR_INIT;
	bool done;

	request->is_last_look = visit->entry.is_last_look;
	done = work(visit, &err);
	if (request->db) {
		pool_return(request->site->pool, request->db);
		request->db = NULL;
	}
	if (!done) {
		visit_fail(visit, &err);
		return true;
	}
	if (visit->reply.kind == REPLY_PARK) {
		assert(!request->is_last_look);
		return false;
	}
	visit->state =
		request->upload && visit->state == VISIT_ADMITTING ? VISIT_READING : VISIT_ANSWERED;
	return true;
}
