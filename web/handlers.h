/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every handler of the table of routes; each blocks, and is documented by its row there. */
#ifndef WEB_HANDLERS_H
#define WEB_HANDLERS_H

#include "request.h"

typedef bool handler_fn(struct request *request, struct reply *reply, struct err *err);

/* api/worker.c */
MUST_CHECK handler_fn post_join, post_lease, post_beat, post_finish;

/* api/files.c */
MUST_CHECK handler_fn admit_file, put_file, head_file;

/* api/pack.c */
MUST_CHECK handler_fn get_pack;

/* api/bisect.c */
MUST_CHECK handler_fn post_bisection;

/* pages/health.c */
MUST_CHECK handler_fn get_alive, get_ready, get_version, get_static;

/* pages/status.c, pages/machine.c */
MUST_CHECK handler_fn get_status, get_machines, get_repositories, get_machine;

/* pages/calibration.c */
MUST_CHECK handler_fn get_calibration;

/* pages/series.c */
MUST_CHECK handler_fn get_series_list, get_series, get_commit;

/* pages/compare.c, pages/cumulative.c */
MUST_CHECK handler_fn get_compare, get_cumulative, get_versions;

/* pages/bisect.c */
MUST_CHECK handler_fn get_bisections, get_bisection;

/* pages/run.c, pages/reproduce.c */
MUST_CHECK handler_fn get_runs, get_run, get_run_file, get_reproduce;

/* pages/mail.c */
MUST_CHECK handler_fn get_mails, get_mail;

#endif
