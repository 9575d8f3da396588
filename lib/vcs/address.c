/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "address.h"

static const struct scheme {
	const char *prefix;
	enum vcs_address kind;
} schemes[] = {
	{ "https://", VCS_NETWORK },
	{ "git://", VCS_NETWORK },
	{ "ssh://", VCS_NETWORK },
	{ "file://", VCS_LOCAL },
};

static const struct scheme *scheme_of(const char *address)
{
	for (size_t i = 0; i < countof(schemes); i++) {
		if (str_has_prefix(address, schemes[i].prefix)) {
			return &schemes[i];
		}
	}
	return NULL;
}

static bool has_control(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f) {
			return true;
		}
	}
	return false;
}

/* "user@host:port": no part may pass for an option, and a password does not belong into a
 * configuration, a log or a page. */
static bool check_host(const char *host, size_t length, struct err *err)
{
	const char *at = memrchr(host, '@', length);
	const char *name = at ? at + 1 : host;

	if (at && memchr(host, ':', (size_t)(at - host))) {
		return err_set(err, ERR_INPUT, "the address holds a password");
	}
	if (name == host + length || *name == ':') {
		return err_set(err, ERR_INPUT, "the address names no host");
	}
	if (*host == '-' || *name == '-') {
		return err_set(err, ERR_DENIED, "its host looks like an option");
	}
	for (const char *c = host; c < host + length; c++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "-._~:[]@+",
			    *c)) {
			return err_set(err, ERR_INPUT, "its host holds what no host's name has");
		}
	}
	return true;
}

/* git's short form of ssh, "user@host:path". */
static bool check_short_ssh(const char *address, const char *colon, struct err *err)
{
	if (!check_host(address, (size_t)(colon - address), err)) {
		return false;
	}
	if (colon[1] == '\0' || colon[1] == '-') {
		return err_set(err, ERR_DENIED, "its path is empty or looks like an option");
	}
	return true;
}

static int hex_value(char digit)
{
	const char *digits = "0123456789abcdef";
	const char *found = digit ? strchr(digits, digit | 0x20) : NULL;

	return found ? (int)(found - digits) : -1;
}

static bool unescape(const char *text, struct str *path)
{
	for (; *text; text++) {
		if (*text == '%') {
			int high = hex_value(text[1]);
			int low = high < 0 ? -1 : hex_value(text[2]);

			if (low < 0 || (high == 0 && low == 0)) {
				return false;
			}
			str_append_char(path, (char)(high << 4 | low));
			text += 2;
		} else {
			str_append_char(path, *text);
		}
	}
	return true;
}

/* "file:///PATH" or "file://localhost/PATH". */
static bool read_file_address(const char *rest, struct str *path, struct err *err)
{
	if (str_has_prefix(rest, "localhost/")) {
		rest += strlen("localhost");
	}
	if (*rest != '/' || !unescape(rest, path)) {
		return err_set(err, ERR_INPUT, "not of the form file:///PATH");
	}
	return true;
}

static bool check(const char *address, enum vcs_address *ret_kind, struct err *err)
{
	const struct scheme *scheme = scheme_of(address);
	const char *colon = address + strcspn(address, ":/");

	if (*address == '\0' || strlen(address) > VCS_ADDRESS_MAX_BYTES || has_control(address)) {
		return err_set(err, ERR_INPUT, "empty, too long, or with control characters");
	}
	if (scheme) {
		const char *rest = address + strlen(scheme->prefix);
		scoped(str_release) struct str path = STR_INIT;

		*ret_kind = scheme->kind;
		return scheme->kind == VCS_LOCAL ? read_file_address(rest, &path, err)
						 : check_host(rest, strcspn(rest, "/"), err);
	}
	if (*colon == ':') {
		if (colon[1] == ':' || strstr(colon, "://")) {
			return err_set(
				err, ERR_DENIED,
				"only https://, git://, ssh:// and local paths are followed");
		}
		*ret_kind = VCS_NETWORK;
		return check_short_ssh(address, colon, err);
	}
	if (*address == '-') {
		return err_set(err, ERR_DENIED, "the path looks like an option");
	}
	*ret_kind = VCS_LOCAL;
	return true;
}

/* What may be a password stays out of messages. */
static void append_shown(struct str *text, const char *address)
{
	const char *scheme = strstr(address, "://");
	const char *host = scheme ? scheme + 3 : address;
	const char *at = memrchr(host, '@', strcspn(host, "/"));

	if (at && memchr(host, ':', (size_t)(at - host))) {
		str_append_clean(text, address, (size_t)(host - address), false, 50);
		str_append(text, "...");
		address = at;
	}
	str_append_clean(text, address, strlen(address), false, 200);
}

bool vcs_address_check(const char *address, enum vcs_address *ret_kind, struct err *err)
{
	enum vcs_address kind = VCS_LOCAL;

	if (!check(address, &kind, err)) {
		scoped(str_release) struct str shown = STR_INIT;

		append_shown(&shown, address);
		return err_wrap(err, "repository address '%s'", shown.at);
	}
	*ret_kind = kind;
	return true;
}

bool vcs_address_path(const char *address, struct str *path, struct err *err)
{
	const char *prefix = "file://";
	enum vcs_address kind = VCS_LOCAL;

	if (!vcs_address_check(address, &kind, err)) {
		return false;
	}
	if (kind != VCS_LOCAL) {
		return err_set(err, ERR_INPUT, "repository '%s' is not on this machine", address);
	}
	if (str_has_prefix(address, prefix)) {
		return read_file_address(address + strlen(prefix), path, err);
	}
	str_append(path, address);
	return true;
}
