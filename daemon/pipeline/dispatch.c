/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dispatch - takes back what machines do not answer for any more.
 *
 *	lease live ──no beat in time──> expired, its run queued again (the third time: lost)
 *	block open ──its machine away for ten minutes──> void, for compare to want another
 *
 * Giving is not here: a worker asks (web/api/worker.c), and the lease is made on its own thread.
 */
#include "pipeline.h"

#include "daemon/db/lease.h"

bool tick_dispatch(struct tick *tick, bool *ret_more, struct err *err)
{
	return lease_expire(tick->db, ret_more, err) && lease_strand(tick->db, err);
}
