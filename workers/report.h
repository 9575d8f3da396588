/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what a run left, on its way to the daemon.
 *
 * A run's folder holds its files; finish.json, written last, lists them and says how it
 * ended.  From then on the run can be delivered by any later life of this worker, as often as it
 * takes:
 *
 *	steps -> files -report_write-> finish.json -report_upload, report_finish-> folder removed
 */
#ifndef WORKERS_REPORT_H
#define WORKERS_REPORT_H

#include "lib/proto/client.h"

/* Writes finish.json: `finish` with the files that are in the folder, all of them durable.
 * ERR_BROKEN. */
MUST_CHECK bool report_write(const char *folder, const struct proto_finish *finish,
			     struct err *err);

/* Whether the folder has a finish.json. */
bool is_report(const char *folder);

/* Stores every file, then ends the lease.  Both may be repeated.  What client_put_file() and
 * client_call() give; ERR_CONFLICT: the lease is lost. */
MUST_CHECK bool report_upload(struct client *client, const struct proto_lease *lease,
			      const char *folder, struct span patience, struct err *err);
MUST_CHECK bool report_finish(struct client *client, const struct proto_lease *lease,
			      const char *folder, struct span patience, struct err *err);

#endif
