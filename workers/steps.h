/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps.h - the way of one run through this machine, as a table of steps.
 *
 *	fetch ─ build ─ settle ─ setup ─ run ─ teardown │ upload ─ finish
 *	              steps_measure()                   │ steps_deliver()
 *
 * What a step finds out about the job is a value in the work, and skips the steps that only make
 * sense without it.  What goes wrong with this machine or the network is an error; before the
 * middle it becomes the run's failure, so that the daemon hears of it.
 */
#ifndef WORKERS_STEPS_H
#define WORKERS_STEPS_H

#include "beat.h"
#include "job.h"
#include "measure.h"

struct work {
	struct arena *arena;
	const struct place *place;
	struct job job;

	/* of a leased run; NULL for one from the command line */
	const struct proto_lease *lease;
	struct client *client;
	struct beat *beat;

	/* found by the steps */
	struct failure failure;
	struct build build;
	struct measurement measurement;
	bool is_set_up;
	double busy; /* share of the processors others used before the run; NAN: not looked at */
};

/* The job and, where there is one, the lease with client and beat are the caller's to set. */
void work_init(struct work *work, struct arena *arena, const struct place *place);

/* Takes the work as far as it goes; how far is in the work. */
void steps_measure(struct work *work);

/* Takes a report (report.h) to the daemon; may be repeated.  What report_upload() gives. */
MUST_CHECK bool steps_deliver(struct work *work, struct err *err);

#endif
