/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect_open.h - a stack whose ends differ is searched instead of measured commit by commit.
 */
#ifndef PIPELINE_BISECT_OPEN_H
#define PIPELINE_BISECT_OPEN_H

#include "pipeline.h"

/* `due` is a row of Q_BISECT_DUE.  A transaction of its own.  Blocks; as db_query. */
MUST_CHECK bool bisect_open(struct tick *tick, const struct rows *due, struct err *err);

#endif
