/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auth.h - from a token to who asks, and whether that one may.
 *
 * Only `Authorization: Bearer TOKEN` counts: no cookie, no address.  The database knows tokens by
 * their SHA-256 alone, so a look-up of the hash tells nothing by its duration.
 */
#ifndef WEB_AUTH_H
#define WEB_AUTH_H

#include "request.h"

/* Sets request->who.  ERR_DENIED: no or no valid token where the route needs one (then
 * request->who stays a stranger's), or one of another scope. */
MUST_CHECK bool auth_check(struct request *request, struct err *err);

const char *scope_name(enum scope scope);

#endif
