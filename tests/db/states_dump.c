/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the state tables of daemon/states.c: lines for tests, or the diagrams of
 * schema/README.md. */
#include "daemon/states.h"
#include "lib/base/str.h"

static void print_lines(const struct fsm *fsm)
{
	for (size_t i = 0; i < fsm->nr_states; i++) {
		printf("state %s %s\n", fsm->name, fsm->states[i]);
	}
	for (size_t i = 0; i < fsm->nr_moves; i++) {
		printf("move %s %s %s\n", fsm->name, fsm->moves[i].from, fsm->moves[i].to);
	}
}

static void print_diagram(const struct fsm *fsm)
{
	scoped(str_release) struct str text = STR_INIT;

	fsm_draw(fsm, &text);
	printf("### %s\n\n```mermaid\n%s```\n\n", fsm->name, text.at);
}

int main(int argc, char **argv)
{
	bool is_diagram = argc > 1 && strcmp(argv[1], "--diagrams") == 0;

	for (size_t i = 0; i < nr_state_machines; i++) {
		if (!is_fsm_sound(state_machines[i])) {
			fprintf(stderr, "%s is not sound\n", state_machines[i]->name);
			return 1;
		}
		(is_diagram ? print_diagram : print_lines)(state_machines[i]);
	}
	return 0;
}
