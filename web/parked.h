/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parked.h - the waiting room: requests that are ready for a thread, and those that sleep.
 *
 * Ready ones leave first come, first served.  A sleeping one becomes ready when its bell rings,
 * when its deadline passes, or when the room closes.  The state is in memory because it is worth
 * nothing after a restart: who was waiting asks again.
 *
 *	while ((entry = parked_take(parked)))
 *		if (!answer(container_of(entry, struct visit, entry)))
 *			parked_sleep(parked, entry, BELL_LEASE, deadline);
 *
 * Call from any thread.  An entry belongs to its owner and is in the room at most once.
 */
#ifndef WEB_PARKED_H
#define WEB_PARKED_H

#include "daemon/bell.h"
#include "lib/base/clock.h"

struct parked;

struct parked_entry {
	struct parked_entry *next;
	enum bell topic;
	struct mono deadline;
	uint64_t nr_wakes; /* how many there had been when it was taken */
	bool is_last_look; /* its deadline has passed or the room has closed */
};

struct parked *parked_new(void);
struct parked *parked_free(struct parked *parked); /* must be empty */
DEFINE_SCOPED(parked_free, struct parked *)

/* To the end of the line.  False: the room has closed, the entry stays outside. */
MUST_CHECK bool parked_enter(struct parked *parked, struct parked_entry *entry);

/* Sleeps until the bell or the deadline.  A bell that rang since the entry was taken is not lost:
 * the entry is ready at once. */
void parked_sleep(struct parked *parked, struct parked_entry *entry, enum bell topic,
		  struct mono deadline);

/* Blocks until one is ready.  NULL: the room has closed and is empty. */
struct parked_entry *parked_take(struct parked *parked);

void parked_wake(struct parked *parked, enum bell topic);

/* Lets nobody in any more and makes all sleepers ready for their last look. */
void parked_close(struct parked *parked);

#endif
