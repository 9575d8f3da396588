/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.h - the life of a worker at a daemon: join, then lease after lease, one at a time.
 *
 *	join ─> deliver what an earlier life left ─> ┌ ask for a lease ─> steps ─> deliver ┐
 *	                                             └──────────────────<──────────────────┘
 *
 * Linear and blocking.  lease.json exists from the grant until the daemon has the run back, so a
 * life that ends anywhere is made up for by the next one: a finished run is delivered, an
 * unfinished one is given back as lost.
 */
#ifndef WORKERS_AGENT_H
#define WORKERS_AGENT_H

#include "beat.h"
#include "place.h"

struct agent_settings {
	const char *name, *group;
	int settle_s;
	int build_limit_s;
	bool is_once; /* ends after one lease */
	int stop_fd;  /* readable: finish the run at hand, take no other */
};

/* Returns when asked to stop.  ERR_DENIED, ERR_INPUT: the daemon does not want this worker;
 * ERR_BROKEN: this machine cannot go on.  A daemon that is away is waited for. */
MUST_CHECK bool agent_run(const struct agent_settings *settings, const struct place *place,
			  struct client *client, struct beat *beat, struct err *err);

#endif
