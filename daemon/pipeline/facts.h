/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.h - what a mail says besides the comparison: commit, tree, machine, stack, links.
 *
 * The names are those that lib/report/mail.h asks for.
 */
#ifndef PIPELINE_FACTS_H
#define PIPELINE_FACTS_H

#include "daemon/comparison.h"
#include "pipeline.h"

/* `finding` is a row of Q_REPORT_FINDING.  The caller owns the document.  Blocks; errors as
 * db_query. */
MUST_CHECK bool facts_gather(struct tick *tick, const struct rows *finding,
			     const struct comparison *comparison, struct json **ret_facts,
			     struct err *err);

#endif
