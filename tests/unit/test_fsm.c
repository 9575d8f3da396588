/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/fsm.h"

#include "lib/base/str.h"
#include "tests/t.h"

static const char *const states[] = { "queued", "running", "done", "lost" };

static const struct fsm_move moves[] = {
	{ "queued", "running", "a worker took it" },
	{ "running", "done", "the worker finished" },
	{ "running", "queued", "the lease ran out" },
	{ "queued", "lost", "nobody can run it" },
};

static const struct fsm run = { "run_state", states, countof(states), moves, countof(moves) };

static void knows_its_ends(void)
{
	CHECK(is_fsm_end(&run, "done"));
	CHECK(is_fsm_end(&run, "lost"));
	CHECK(!is_fsm_end(&run, "queued"));
}

static void finds_unsound_tables(void)
{
	static const struct fsm_move to_nowhere[] = { { "queued", "nowhere", "" } };
	static const struct fsm_move short_of_done[] = {
		{ "queued", "running", "" },
		{ "running", "lost", "" },
	};
	/* done and lost lead to each other, but nothing leads to them. */
	static const struct fsm_move island[] = {
		{ "queued", "running", "" },
		{ "done", "lost", "" },
		{ "lost", "done", "" },
	};

	CHECK(is_fsm_sound(&run));
	CHECK(!is_fsm_sound(&(struct fsm){ "x", states, 1, to_nowhere, 1 }));
	CHECK(!is_fsm_sound(&(struct fsm){ "x", states, 4, short_of_done, 2 }));
	CHECK(!is_fsm_sound(&(struct fsm){ "x", states, 4, island, 3 }));
	CHECK(!is_fsm_sound(&(struct fsm){ "x", states, 0, NULL, 0 }));
}

static void draws(void)
{
	scoped(str_release) struct str text = STR_INIT;

	fsm_draw(&run, &text);
	CHECK_TEXT(text.at, "stateDiagram-v2\n"
			    "    [*] --> queued\n"
			    "    queued --> running : a worker took it\n"
			    "    running --> done : the worker finished\n"
			    "    running --> queued : the lease ran out\n"
			    "    queued --> lost : nobody can run it\n"
			    "    done --> [*]\n"
			    "    lost --> [*]\n");
}

static const struct t_case cases[] = {
	{ "a state that nothing leaves is an end", knows_its_ends },
	{ "a table with a foreign or an unreachable state is unsound", finds_unsound_tables },
	{ "the drawing has every move with its reason", draws },
};

T_MAIN(cases)
