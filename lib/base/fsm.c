/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fsm.h"

#include "str.h"

/* Sets of states are bits of a word. */
#define STATES_MAX 64

static uint64_t bit_of(const struct fsm *fsm, const char *state)
{
	for (size_t i = 0; i < fsm->nr_states; i++) {
		if (strcmp(fsm->states[i], state) == 0) {
			return UINT64_C(1) << i;
		}
	}
	return 0;
}

bool is_fsm_end(const struct fsm *fsm, const char *state)
{
	for (size_t i = 0; i < fsm->nr_moves; i++) {
		if (strcmp(fsm->moves[i].from, state) == 0) {
			return false;
		}
	}
	return true;
}

bool is_fsm_sound(const struct fsm *fsm)
{
	uint64_t reached = 1;

	assert(fsm->nr_states <= STATES_MAX);
	for (size_t i = 0; i < fsm->nr_moves; i++) {
		if (!bit_of(fsm, fsm->moves[i].from) || !bit_of(fsm, fsm->moves[i].to)) {
			return false;
		}
	}
	/* Each round goes at least one move further, or nothing is left to reach. */
	for (size_t round = 1; round < fsm->nr_states; round++) {
		for (size_t i = 0; i < fsm->nr_moves; i++) {
			if (reached & bit_of(fsm, fsm->moves[i].from)) {
				reached |= bit_of(fsm, fsm->moves[i].to);
			}
		}
	}
	return fsm->nr_states > 0 && __builtin_popcountll(reached) == (int)fsm->nr_states;
}

void fsm_draw(const struct fsm *fsm, struct str *str)
{
	str_append(str, "stateDiagram-v2\n");
	str_printf(str, "    [*] --> %s\n", fsm->states[0]);
	for (size_t i = 0; i < fsm->nr_moves; i++) {
		const struct fsm_move *move = &fsm->moves[i];

		str_printf(str, "    %s --> %s : %s\n", move->from, move->to, move->reason);
	}
	for (size_t i = 0; i < fsm->nr_states; i++) {
		if (is_fsm_end(fsm, fsm->states[i])) {
			str_printf(str, "    %s --> [*]\n", fsm->states[i]);
		}
	}
}
