/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fsm.h"

#include "str.h"

static bool is_state(const struct fsm *fsm, const char *state)
{
	for (size_t i = 0; i < fsm->nr_states; i++) {
		if (strcmp(fsm->states[i], state) == 0) {
			return true;
		}
	}
	return false;
}

bool is_fsm_move(const struct fsm *fsm, const char *from, const char *to)
{
	for (size_t i = 0; i < fsm->nr_moves; i++) {
		if (strcmp(fsm->moves[i].from, from) == 0 && strcmp(fsm->moves[i].to, to) == 0) {
			return true;
		}
	}
	return false;
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

static bool is_entered(const struct fsm *fsm, const char *state)
{
	for (size_t i = 0; i < fsm->nr_moves; i++) {
		if (strcmp(fsm->moves[i].to, state) == 0) {
			return true;
		}
	}
	return false;
}

bool is_fsm_sound(const struct fsm *fsm)
{
	for (size_t i = 0; i < fsm->nr_moves; i++) {
		if (!is_state(fsm, fsm->moves[i].from) || !is_state(fsm, fsm->moves[i].to)) {
			return false;
		}
	}
	for (size_t i = 1; i < fsm->nr_states; i++) {
		if (!is_entered(fsm, fsm->states[i])) {
			return false;
		}
	}
	return fsm->nr_states > 0;
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
