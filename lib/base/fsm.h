/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fsm.h - states and their allowed moves as a table.
 *
 * The tables are in daemon/states.c; the SQL enums of the same names hold the same words in the
 * same order, and a test asserts that they agree.  Each move has the reason a person reads.
 */
#ifndef BASE_FSM_H
#define BASE_FSM_H

#include "base.h"

struct str;

struct fsm_move {
	const char *from;
	const char *to;
	const char *reason;
};

struct fsm {
	const char *name; /* of the SQL enum type */
	const char *const *states;
	size_t nr_states;
	const struct fsm_move *moves;
	size_t nr_moves;
};

/* No move leads out of it. */
bool is_fsm_end(const struct fsm *fsm, const char *state);

/* Every move's ends are states, and moves lead from the first state to every other. */
bool is_fsm_sound(const struct fsm *fsm);

/* Appends the diagram in mermaid's language. */
void fsm_draw(const struct fsm *fsm, struct str *str);

#endif
