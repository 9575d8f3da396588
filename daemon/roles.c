/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "roles.h"

#include "daemon/pipeline/pipeline.h"
#include "lib/base/str.h"

static bool is_role(const char *name, size_t length)
{
	for (size_t i = 0; i < nr_stages; i++) {
		if (strlen(stages[i].name) == length && memcmp(stages[i].name, name, length) == 0) {
			return true;
		}
	}
	return length == 3 && memcmp(name, "web", 3) == 0;
}

bool roles_parse(const char *list, struct roles *ret_roles, struct err *err)
{
	for (const char *at = list; at && *at;) {
		size_t length = strcspn(at, ",");

		if (!is_role(at, length)) {
			scoped(str_release) struct str known = STR_INIT;

			for (size_t i = 0; i < nr_stages; i++) {
				str_printf(&known, "%s ", stages[i].name);
			}
			return err_set(err, ERR_INPUT, "no role '%.*s': there are %sweb",
				       (int)length, at, known.at);
		}
		at += length + (at[length] == ',');
	}
	ret_roles->list = list;
	return true;
}

bool has_role(const struct roles *roles, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = roles->list; at && *at;) {
		size_t here = strcspn(at, ",");

		if (here == length && memcmp(at, name, length) == 0) {
			return true;
		}
		at += here + (at[here] == ',');
	}
	return roles->list == NULL;
}
