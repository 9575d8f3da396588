/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect_revert.h - is the commit that was found the cause?
 *
 * Fresh runs bear out that it differs from its parent.  What comes after it may lean on it, or undo
 * it; so it is taken back on the tip, where that applies cleanly, and the tip is measured without
 * it.  Only what recovers then is called the cause.
 */
#ifndef PIPELINE_BISECT_REVERT_H
#define PIPELINE_BISECT_REVERT_H

#include "pipeline.h"

/* `confirmed` is a row of Q_BISECT_CONFIRMED: the next step of it, and the end.  Blocks on the
 * disk; as db_query. */
MUST_CHECK bool bisect_revert(struct tick *tick, const struct rows *confirmed, struct err *err);

#endif
