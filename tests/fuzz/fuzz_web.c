/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An address finds one route or none, and what it decodes to is clean; a log never shows control
 * characters.  The first byte says which of the two. */
#include "lib/base/str.h"
#include "web/pages/log.h"
#include "web/routes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Clean text is what cleaning leaves as it is. */
static void check_clean(const char *text, size_t length, bool keep_lines)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, text, length, keep_lines, 4 * length + 4);
	if (clean.length != length || memcmp(clean.at, text, length) != 0) {
		bug("not clean: '%.*s'", (int)length, text);
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
		check_clean(request.parts[i], strlen(request.parts[i]), false);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (length > 0 && bytes[0] == '/') {
		scoped(free) char *path = mem_strndup((const char *)bytes, length);

		find(path);
	} else {
		scoped(str_release) struct str text = STR_INIT;

		log_append(&text, (const char *)bytes, length);
		check_clean(text.at, text.length, true);
	}
	return 0;
}
