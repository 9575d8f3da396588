/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request.h"

#include <errno.h>
#include <strings.h>
#include <sys/socket.h>

#include "routes.h"

struct db *request_db(struct request *request, struct err *err)
{
	if (!request->db && !pool_borrow(request->site->pool, &request->db, err)) {
		return NULL;
	}
	return request->db;
}

const char *request_query(const struct request *request, const char *name)
{
	for (size_t i = 0; i < request->query.nr; i++) {
		if (strcmp(request->query.at[i].name, name) == 0) {
			return request->query.at[i].value;
		}
	}
	return NULL;
}

const char *request_header(const struct request *request, const char *name)
{
	for (size_t i = 0; i < request->headers.nr; i++) {
		if (strcasecmp(request->headers.at[i].name, name) == 0) {
			return request->headers.at[i].value;
		}
	}
	return NULL;
}

bool request_id(const struct request *request, size_t part, int64_t *ret_id, struct err *err)
{
	const char *text = request->parts[part];

	if (text[0] == '0' || text[0] == '+' || !str_to_int(text, 1, INT64_MAX, ret_id, NULL)) {
		return err_set(err, ERR_ABSENT, "'%s' is not a number of ours", text);
	}
	return true;
}

bool is_request_json(const struct request *request)
{
	const char *format = request_query(request, "format");

	return str_has_prefix(request->path, "/api/") || (format && strcmp(format, "json") == 0);
}

static int hex_digit(char character)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = memchr(digits, character | 0x20, sizeof(digits) - 1);

	return at && character > ' ' ? (int)(at - digits) : -1;
}

bool request_decode(struct arena *arena, const char *text, const char **ret_text, struct err *err)
{
	char *decoded = arena_strdup(arena, text);
	scoped(str_release) struct str clean = STR_INIT;
	size_t length = 0;

	for (const char *at = text; *at; at++) {
		if (*at != '%') {
			decoded[length++] = *at;
			continue;
		}
		if (hex_digit(at[1]) < 0 || hex_digit(at[2]) < 0) {
			return err_set(err, ERR_INPUT, "broken %%-escape in the address");
		}
		decoded[length++] = (char)(hex_digit(at[1]) * 16 + hex_digit(at[2]));
		at += 2;
	}
	decoded[length] = '\0';
	str_append_clean(&clean, decoded, length, false, MAX_URL_BYTES * 3);
	if (clean.length != length || memcmp(clean.at, decoded, length) != 0) {
		return err_set(err, ERR_INPUT, "control character or broken UTF-8 in the address");
	}
	*ret_text = decoded;
	return true;
}

bool is_request_abandoned(const struct request *request)
{
	char byte;
	ssize_t nr = recv(request->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return nr == 0 || (nr < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}
