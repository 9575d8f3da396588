/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input: a mode (h, p, s), a template, a NUL, a JSON document.  The template is its own partial
 * "self" too.  A page whose template has no markup must come out without markup.
 */
#include "lib/text/template_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define MARKUP "<>\"'"

static void render(const char *text, size_t length, enum template_mode mode,
		   const struct json *document)
{
	scoped(template_set_free) struct template_set *set = template_set_new();
	scoped(str_release) struct str out = STR_INIT;

	if (!template_set_add(set, "self", text, length, mode, NULL) ||
	    !template_render(template_set_get(set, "self"), set, document, &out, NULL)) {
		return;
	}
	if (out.length > TEMPLATE_MAX_OUTPUT_BYTES) {
		bug("an output of %zu bytes", out.length);
	}
	if (mode == TEMPLATE_HTML && !strpbrk(text, MARKUP) && strpbrk(out.at, MARKUP)) {
		bug("markup from nowhere: '%s'", out.at);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(json_free) struct json *document = NULL;
	const char *text = (const char *)bytes + 1;
	const char *end = length > 1 ? memchr(text, '\0', length - 1) : NULL;
	enum template_mode mode = length == 0 || bytes[0] == 'h' ? TEMPLATE_HTML
				  : bytes[0] == 'p'              ? TEMPLATE_PLAIN
								 : TEMPLATE_STANDARD;

	if (end && json_parse("fuzz", end + 1, length - (size_t)(end + 1 - (const char *)bytes),
			      &document, NULL)) {
		render(text, (size_t)(end - text), mode, document);
	}
	return 0;
}
