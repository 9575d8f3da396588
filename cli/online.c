/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "online.h"

#include "lib/base/mem.h"

#define ADDRESS_LIMIT_BYTES 4096

void online_release(struct online *online)
{
	online->client = client_free(online->client);
}

static bool read_address(const char *data, struct str *address, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/url", data);

	if (!str_read_file(address, path, ADDRESS_LIMIT_BYTES, err)) {
		return err_set(err, err->kind == ERR_ABSENT ? ERR_REMOTE : err->kind,
			       "no daemon serves '%s': cannot read '%s'", data, path);
	}
	str_truncate(address, strcspn(address->at, "\r\n"));
	return true;
}

static bool read_token(const struct online *online, struct str *token, struct err *err)
{
	scoped(free) char *beside =
		online->data ? mem_printf("%s/admin.token", online->data) : NULL;
	const char *path = online->token_file ? online->token_file : beside;

	if (!path) {
		return err_set(err, ERR_INPUT, "no token: give --token-file FILE, or --data DIR");
	}
	return client_read_token(path, token, err);
}

bool online_open(struct online *online, struct err *err)
{
	scoped(str_release) struct str address = STR_INIT;
	scoped(str_release) struct str token = STR_INIT;
	const char *environment = getenv("PATCHMETER_SERVER");

	if (online->server) {
		str_append(&address, online->server);
	} else if (online->data) {
		if (!read_address(online->data, &address, err)) {
			return false;
		}
	} else if (environment && *environment) {
		str_append(&address, environment);
	} else {
		return err_set(err, ERR_INPUT,
			       "no server: give --server URL or --data DIR, or set "
			       "PATCHMETER_SERVER");
	}
	if (online->is_operator && !read_token(online, &token, err)) {
		return false;
	}
	return client_new(
		&(struct client_settings){ .base_url = address.at,
					   .token = online->is_operator ? token.at : NULL },
		&online->client, err);
}

bool online_get(struct online *online, const char *path, struct str *text, struct err *err)
{
	const struct client_request request = { .method = "GET",
						.path = path,
						.patience = online->patience };

	return client_text(online->client, &request, text, err);
}

bool online_document(struct online *online, const char *path, struct json **ret_document,
		     struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;
	scoped(json_free) struct json *document = NULL;

	if (!online_get(online, path, &text, err)) {
		return false;
	}
	if (!json_parse("answer", text.at, text.length, &document, err)) {
		err->kind = ERR_REMOTE;
		return err_wrap(err, "GET %s", path);
	}
	if (json_kind(document) != KIND_OBJECT) {
		return err_set(err, ERR_REMOTE, "GET %s: the answer is no object", path);
	}
	*ret_document = move(&document);
	return true;
}

bool online_print(struct online *online, const char *path, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;

	if (!online_get(online, path, &text, err)) {
		return false;
	}
	if (text.length > 0 && !str_has_suffix(text.at, "\n")) {
		str_append_char(&text, '\n');
	}
	screen_print(&online->screen, text.at, text.length);
	return true;
}

void online_append(struct str *path, const char *part)
{
	for (; *part; part++) {
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~",
			   *part)) {
			str_append_char(path, *part);
		} else {
			str_printf(path, "%%%02X", (unsigned char)*part);
		}
	}
}

int online_fail(const struct call *call, const struct err *err)
{
	int exit_code = call_fail(call, err);

	return err->kind == ERR_INPUT ? EXIT_USAGE : exit_code;
}
