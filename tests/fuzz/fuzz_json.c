/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What json_parse() lets pass is written in every form and read again as the same value. */
#include "lib/base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const enum json_form forms[] = { FORM_COMPACT, FORM_CANONICAL, FORM_PRETTY };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	scoped(json_free) struct json *json = NULL;
	scoped(json_free) struct json *clone = NULL;
	scoped(free) char *canonical = NULL;

	if (!json_parse("fuzz", (const char *)bytes, length, &json, NULL)) {
		return 0;
	}
	clone = json_clone(json);
	canonical = json_write(clone, FORM_CANONICAL);
	for (size_t i = 0; i < countof(forms); i++) {
		scoped(free) char *text = json_write(json, forms[i]);
		scoped(json_free) struct json *back = NULL;
		scoped(free) char *again = NULL;
		struct err err = ERR_INIT;

		if (!json_parse("written", text, strlen(text), &back, &err)) {
			bug("'%s': %s", text, err.message);
		}
		again = json_write(back, FORM_CANONICAL);
		if (strcmp(again, canonical) != 0) {
			bug("'%s' became '%s'", canonical, again);
		}
	}
	return 0;
}
