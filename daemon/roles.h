/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roles.h - which parts of the belt this process runs: --roles=watch,series,web.
 *
 * Any number of daemons may work on one database; rows are claimed, never shared.
 */
#ifndef DAEMON_ROLES_H
#define DAEMON_ROLES_H

#include "lib/base/err.h"

struct roles {
	const char *list; /* comma-separated; NULL: all */
};

/* ERR_INPUT names the unknown role and the known ones. */
MUST_CHECK bool roles_parse(const char *list, struct roles *ret_roles, struct err *err);

/* A stage's name, or "web". */
bool has_role(const struct roles *roles, const char *name);

#endif
