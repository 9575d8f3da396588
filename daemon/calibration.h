/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibration.h - what comparisons of a commit with itself say about our standard errors.
 *
 * Kept by benchmark and machine group.  A comparison is told the factor that stood when it began,
 * so that whoever judges it, however late, is told the same.
 */
#ifndef DAEMON_CALIBRATION_H
#define DAEMON_CALIBRATION_H

#include "comparison.h"

/* In the transaction that ends a comparison: where it is of a commit with itself, keeps how far it
 * was off, and corrects the factor.  Blocks; as db_exec. */
MUST_CHECK bool calibration_end(struct db *db, const struct comparison *comparison,
				struct err *err);

/* Sets the widening of a comparison.  Blocks; as db_query. */
MUST_CHECK bool calibration_tell(struct db *db, struct comparison *comparison, struct err *err);

#endif
