/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.h - the one thing that a comparison says, and the sentence that says it.
 *
 *	struct finding finding;
 *	if (finding_of(view, &finding))
 *		finding_write(view, &finding, &out);
 *	// fio.write_iops -7.4%, 95% interval -8.4% to -6.4%, 6+6 boots, q = 2e-07
 *
 * Headlines decide: the worst regression; else a failure that became more frequent; else the best
 * improvement; else a failure that became rarer.  Supporting rows and monitors are never it.
 */
#ifndef REPORT_FINDING_H
#define REPORT_FINDING_H

#include "view.h"

struct finding {
	size_t group;
	const struct view_row *row; /* a row, or a failure; borrowed from the view */
	size_t index;               /* of the change: 0 is the second column */
};

/* False: nothing changed. */
bool finding_of(const struct view *view, struct finding *ret_finding);

/* Appends what, how much and how sure; no verdict, no line end. */
void finding_write(const struct view *view, const struct finding *finding, struct str *out);

/* Appends the same for a subject: "fio.write_iops 7.4% regression". */
void finding_title(const struct finding *finding, struct str *out);

/* "regression" */
const char *finding_verdict(const struct finding *finding);

#endif
