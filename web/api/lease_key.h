/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lease a worker's call is about: for the handlers of this folder alone. */
#ifndef WEB_API_LEASE_KEY_H
#define WEB_API_LEASE_KEY_H

#include "daemon/db/lease.h"
#include "web/request.h"

/* The number in the path, the secret (NULL: ERR_INPUT) and the token.  ERR_ABSENT: not a number. */
MUST_CHECK bool lease_key_read(const struct request *request, const char *secret,
			       struct lease_key *ret_key, struct err *err);

#endif
