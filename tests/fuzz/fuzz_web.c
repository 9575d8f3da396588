/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An address finds one route or none, and what it decodes to is clean. */
#include "lib/base/str.h"
#include "web/routes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Clean text is what cleaning leaves as it is. */
static void check_clean(const char *text)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, text, strlen(text), false, SIZE_MAX);
	if (strcmp(clean.at, text) != 0) {
		bug("not clean: '%s'", text);
	}
}

static void find(const char *path)
{
	scoped(arena_free) struct arena *arena = arena_new();
	struct request request = { .arena = arena, .method = "GET", .path = "" };
	const char *allowed = NULL;
	struct err err = ERR_INIT;

	if (!route_find(&request, path, &allowed, &err)) {
		if (!err.message[0] || request.route) {
			bug("no message, or a route all the same");
		}
		return;
	}
	for (size_t i = 0; i < MAX_PARTS && request.parts[i]; i++) {
		check_clean(request.parts[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(free) char *path = mem_strndup((const char *)bytes, length);

	find(path);
	return 0;
}
