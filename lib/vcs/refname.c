/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "refname.h"

#include "lib/base/str.h"

enum place { WHOLE, START, END, ANYWHERE };

static const struct rule {
	enum place place;
	const char *text;
	const char *reason;
} rules[] = {
	{ WHOLE, "", "is empty" },
	{ WHOLE, "@", "is '@', which git reads as HEAD" },
	{ START, "-", "starts with '-' like an option" },
	{ START, "/", "starts with '/'" },
	{ START, ".", "has a part that starts with '.'" },
	{ ANYWHERE, "/.", "has a part that starts with '.'" },
	{ ANYWHERE, "//", "has an empty part" },
	{ ANYWHERE, "..", "holds '..'" },
	{ ANYWHERE, "@{", "holds '@{'" },
	{ ANYWHERE, ".lock/", "has a part that ends in '.lock'" },
	{ END, ".lock", "has a part that ends in '.lock'" },
	{ END, "/", "ends in '/'" },
	{ END, ".", "ends in '.'" },
};

static bool breaks(const struct rule *rule, const char *name)
{
	switch (rule->place) {
	case WHOLE:
		return strcmp(name, rule->text) == 0;
	case START:
		return str_has_prefix(name, rule->text);
	case END:
		return str_has_suffix(name, rule->text);
	case ANYWHERE:
		return strstr(name, rule->text) != NULL;
	}
	return true;
}

static bool has_hidden(const char *name, size_t length)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, name, length, false, 3 * length);
	return strcmp(clean.at, name) != 0;
}

const char *vcs_refname_refusal(const char *name)
{
	size_t length = strlen(name);

	if (length > VCS_REFNAME_MAX_BYTES) {
		return "is longer than 250 bytes";
	}
	for (size_t i = 0; i < countof(rules); i++) {
		if (breaks(&rules[i], name)) {
			return rules[i].reason;
		}
	}
	if (name[strcspn(name, " ~^:?*[\\")] != '\0') {
		return "holds a blank or one of ~ ^ : ? * [ \\";
	}
	if (has_hidden(name, length)) {
		return "holds a control character, a hidden one, or bytes that are not UTF-8";
	}
	return NULL;
}
