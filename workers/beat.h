/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beat.h - the heartbeat, in a process of its own.
 *
 * A lease lives by beats, and nothing a job does may stop them: so they are sent by a process that
 * is forked before anything else, runs with real-time priority in locked memory where that is
 * allowed, shares nothing with the agent but one socket, ignores polite signals, and ends when the
 * agent does.
 *
 *	if (!beat_start(&settings, &beat, err)) ...	// in main(), before threads and big memory
 *	beat_hold(beat, &lease, "build");
 *	... stop_fd = beat_fd(beat) ...			// readable: look at beat_verdict()
 *	beat_rest(beat);
 *
 * The other way the socket carries verdicts: the daemon wants the run cancelled, or says that the
 * lease is lost.
 */
#ifndef WORKERS_BEAT_H
#define WORKERS_BEAT_H

#include "lib/proto/client.h"

enum beat_verdict {
	BEAT_FINE,
	BEAT_CANCEL, /* the run is not wanted any more: end it, finish with "cancelled" */
	BEAT_LOST,   /* another may have the run by now: end it, drop it */
	BEAT_DEAD    /* the process has ended: nothing keeps a lease alive */
};

struct beat;

/* Forks.  The settings' stop_fd is not looked at.  ERR_INPUT, ERR_BROKEN. */
MUST_CHECK bool beat_start(const struct client_settings *settings, struct beat **ret_beat,
			   struct err *err);
struct beat *beat_free(struct beat *beat);
DEFINE_SCOPED(beat_free, struct beat *)

/* Beats for this lease from now on; forgets what was said about earlier ones. */
void beat_hold(struct beat *beat, const struct proto_lease *lease, const char *phase);
/* What the next beat says. */
void beat_phase(struct beat *beat, const char *phase);
/* No more beats. */
void beat_rest(struct beat *beat);

/* Readable when there may be a new verdict.  Lent. */
int beat_fd(const struct beat *beat);
/* About the lease that is held, by all that was heard; does not block. */
enum beat_verdict beat_verdict(struct beat *beat);

#endif
