/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A name or an address that is taken cannot be an option, a path upwards, or a line of its own. */
#include "lib/base/mem.h"
#include "lib/vcs/address.h"
#include "lib/vcs/refname.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void try_name(const char *name)
{
	scoped(str_release) struct str clean = STR_INIT;

	if (vcs_refname_refusal(name)) {
		return;
	}
	str_append_clean(&clean, name, strlen(name), false, VCS_REFNAME_MAX_BYTES);
	if (strcmp(clean.at, name) != 0 || name[strcspn(name, " ~^:?*[\\")] != '\0' ||
	    *name == '-' || *name == '/' || strstr(name, "..") || strstr(name, "//") ||
	    str_has_suffix(name, ".lock")) {
		bug("the name '%s' was taken", name);
	}
}

static void try_address(const char *address)
{
	scoped(str_release) struct str path = STR_INIT;
	scoped(str_release) struct str clean = STR_INIT;
	enum vcs_address kind = VCS_LOCAL;
	struct err err = ERR_INIT;
	const char *host;

	if (!vcs_address_check(address, &kind, &err)) {
		str_append_clean(&clean, err.message, strlen(err.message), false, 4096);
		if (strcmp(clean.at, err.message) != 0) {
			bug("the message '%s' is not clean", err.message);
		}
		return;
	}
	host = strstr(address, "://");
	if (*address == '-' || strchr(address, '\n') ||
	    (kind == VCS_NETWORK && host && host[3] == '-') ||
	    (kind == VCS_LOCAL && strstr(address, "::") && !strchr(address, '/'))) {
		bug("the address '%s' was taken", address);
	}
	if (vcs_address_path(address, &path, NULL) != (kind == VCS_LOCAL)) {
		bug("the address '%s' has no path", address);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(free) char *text = mem_strndup((const char *)bytes, length);

	try_name(text);
	try_address(text);
	return 0;
}
