/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * states.h - every durable state and its allowed moves.
 *
 * The words are those of the SQL enums of the same names, in the same order; tests/db asserts that
 * they agree, and that no statement of schema/queries makes another move.  schema/README.md shows
 * the diagrams that fsm_draw() makes of them.
 */
#ifndef DAEMON_STATES_H
#define DAEMON_STATES_H

#include "lib/base/fsm.h"

extern const struct fsm *const state_machines[];
extern const size_t nr_state_machines;

#endif
