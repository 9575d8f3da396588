/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bell.h - who is woken by what.
 *
 * A transaction that makes work for a stage rings its bell: `SELECT pg_notify('belt', 'plan')`.
 * A bell carries no data and may get lost; the row is the truth, and every stage also looks by
 * itself once per period.  The words here are the payloads.
 */
#ifndef DAEMON_BELL_H
#define DAEMON_BELL_H

enum bell {
	BELL_WATCH,
	BELL_SERIES,
	BELL_PLAN,
	BELL_DISPATCH,
	BELL_INGEST,
	BELL_COMPARE,
	BELL_DECIDE,
	BELL_CONFIRM,
	BELL_BISECT,
	BELL_REPORT,
	BELL_LEASE, /* a run is queued: parked workers look again */
	NR_BELLS
};

#define BELL_BIT(bell) (1U << (bell))

/* The payload of a bell. */
const char *bell_name(enum bell bell);

#endif
