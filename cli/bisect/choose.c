/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "choose.h"

#include "start.h"

/* What a machine of the other program runs. */
struct machine {
	struct bisect_next now;
	bool is_up;
	uint64_t boot;
};

struct talk {
	struct words words;
	FILE *to;
	struct bisect_start start;
	struct bisect *bisect;
	struct machine machines[BISECT_MOST_MACHINES];
	uint64_t nr_boots;
};

static void ask(struct talk *talk, size_t index)
{
	struct machine *machine = &talk->machines[index];
	struct bisect_next next;

	bisect_next(talk->bisect, index, &next);
	if (!machine->is_up || next.is_fresh || machine->now.commit != next.commit) {
		machine->boot = 2 * talk->nr_boots++ + 1; /* odd: see start.c */
	}
	machine->now = next;
	fprintf(talk->to, "%s %zu\n", next.is_fresh ? "BOOT" : "RUN", next.commit);
}

static bool hear(struct talk *talk, size_t index, struct err *err)
{
	struct machine *machine = &talk->machines[index];
	const struct words *words = &talk->words;
	struct bisect_run run = { machine->now.commit, index, machine->boot, 0 };

	if (!words_read(&talk->words, err)) {
		return false;
	}
	if (words->nr == 1 && strcmp(words->at[0], "SKIP") == 0) {
		machine->is_up = false;
		bisect_skip(talk->bisect, run.commit);
		return true;
	}
	if (words->nr == 2 && strcmp(words->at[0], "OBS") == 0) {
		machine->is_up = true;
		if (!bisect_start_value(&talk->start, words, 1, &run.value, err)) {
			return false;
		}
		bisect_add(talk->bisect, &run);
		return true;
	}
	return words->nr == 0 ? words_fail(words, err, "the input ended; expected OBS or SKIP")
			      : words_fail(words, err, "expected OBS VALUE or SKIP, not '%s'",
					   words->at[0]);
}

static bool play_round(struct talk *talk, struct err *err)
{
	for (size_t i = 0; i < talk->start.nr_machines; i++) {
		ask(talk, i);
	}
	fflush(talk->to);
	for (size_t i = 0; i < talk->start.nr_machines; i++) {
		if (!hear(talk, i, err)) {
			return false;
		}
	}
	return true;
}

static void tell(struct talk *talk, const struct bisect_answer *answer)
{
	fputs("DONE", talk->to);
	for (size_t i = 0; talk->start.options.every_step && i < answer->nr_found; i++) {
		struct bisect_found found;

		bisect_found(talk->bisect, i, &found);
		fprintf(talk->to, " %zu %.6g", found.commit, found.p);
	}
	if (answer->state == BISECT_NONE) {
		fprintf(talk->to, " none %.6g", answer->p);
	} else if (answer->state == BISECT_SPENT) {
		fprintf(talk->to, " unsure %.6g", answer->p);
	} else if (!talk->start.options.every_step) {
		fprintf(talk->to, " %zu %.6g", answer->last, answer->p);
	}
	fputc('\n', talk->to);
	fflush(talk->to);
}

static bool play(struct talk *talk, struct err *err)
{
	struct bisect_answer answer;

	for (size_t i = 0; i < talk->start.given.nr; i++) {
		bisect_add(talk->bisect, &talk->start.given.at[i]);
	}
	for (bisect_answer(talk->bisect, &answer); answer.state == BISECT_OPEN;
	     bisect_answer(talk->bisect, &answer)) {
		if (!play_round(talk, err)) {
			return false;
		}
	}
	tell(talk, &answer);
	return true;
}

static bool play_next(struct talk *talk, struct err *err)
{
	bool done;

	if (!bisect_start_read(&talk->words, &talk->start, err)) {
		return false;
	}
	memset(talk->machines, 0, sizeof(talk->machines));
	talk->bisect = bisect_new(&talk->start.options);
	done = play(talk, err);
	bisect_free(talk->bisect);
	bisect_start_release(&talk->start);
	return done;
}

bool bisect_choose(FILE *from, FILE *to, struct err *err)
{
	struct talk talk = { .words.from = from, .to = to };

	while (words_read(&talk.words, err)) {
		if (talk.words.nr == 0) {
			return true;
		}
		if (!play_next(&talk, err)) {
			return false;
		}
	}
	return false;
}
