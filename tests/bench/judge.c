/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts how often the judge is right in make-believe worlds: `tests/bench/judge [TRIALS]`.
 * docs/statistics.md quotes its table.
 */
#include <math.h>

#include "lib/base/str.h"
#include "lib/stats/judge.h"
#include "world.h"

struct scenario {
	const char *name;
	struct world world;
};

static const double cvs[] = { 0.01, 0.02, 0.03, 0.05 };

static const struct scenario scenarios[] = {
	{ "A/A, times alone", { .nr_parts = 2 } },
	{ "A/A, times alone, jump 15 %", { .nr_parts = 2, .jump = 0.15 } },
	{ "A/A, times alone, jump 50 %", { .nr_parts = 2, .jump = 0.5 } },
	{ "A/A, times alone, neighbours 0.5", { .nr_parts = 2, .memory = 0.5 } },
	{ "A/A, times alone, neighbours 0.9", { .nr_parts = 2, .memory = 0.9 } },
	{ "A/A, times alone, outliers 10 %", { .nr_parts = 2, .outliers = 0.1 } },
	{ "A/A, ten times alone", { .nr_parts = 10 } },
	{ "A/A, exact", { .nr_parts = 2, .has_exact = true } },
	{ "A/A, exact, jump 15 %", { .nr_parts = 2, .has_exact = true, .jump = 0.15 } },
	{ "work +10 %, time the same", { .nr_parts = 2, .has_exact = true, .more_work = 0.1 } },
	{ "time -10 %, work the same", { .nr_parts = 2, .has_exact = true, .change = -0.1 } },
	{ "both 10 % worse",
	  { .nr_parts = 2, .has_exact = true, .change = -0.1, .more_work = 0.1 } },
	{ "both 10 % worse, jump 15 %",
	  { .nr_parts = 2, .has_exact = true, .change = -0.1, .more_work = 0.1, .jump = 0.15 } },
	{ "both 5 % worse",
	  { .nr_parts = 2, .has_exact = true, .change = -0.05, .more_work = 0.05 } },
	{ "time -10 %, times alone", { .nr_parts = 2, .change = -0.1 } },
	{ "time -10 %, times alone, jump 15 %", { .nr_parts = 2, .change = -0.1, .jump = 0.15 } },
	{ "time -5 %, times alone", { .nr_parts = 2, .change = -0.05 } },
};

static void play(const struct scenario *scenario, int64_t nr_trials)
{
	for (size_t i = 0; i < countof(cvs); i++) {
		int64_t nr_named = 0;
		int64_t nr_right = 0;
		int64_t looks[JUDGE_LOOKS] = { 0 };
		double nr_runs = 0;

		for (int64_t trial = 0; trial < nr_trials; trial++) {
			struct world world = scenario->world;
			struct outcome outcome;

			world.seed = (uint64_t)trial + 1;
			world.cv = cvs[i];
			outcome = world_judge(&world);
			nr_named += outcome.is_named;
			nr_right += outcome.is_right;
			looks[outcome.look - 1]++;
			nr_runs += 2 * (double)judge_look_blocks(outcome.look);
		}
		printf("%-36s %3.0f %% %8.2f %% %8.2f %% %6.1f %5.0f %5.0f %5.0f\n", scenario->name,
		       100 * cvs[i], 100 * (double)nr_named / (double)nr_trials,
		       100 * (double)nr_right / (double)nr_trials,
		       nr_runs / (double)nr_trials, 100 * (double)looks[0] / (double)nr_trials,
		       100 * (double)looks[1] / (double)nr_trials,
		       100 * (double)(nr_trials - looks[0] - looks[1]) / (double)nr_trials);
	}
}

/* The same with one look at 2, 4 and 6 blocks, whatever the number of looks would be. */
static void play_once(const struct scenario *scenario, int64_t nr_trials)
{
	static const size_t nr_blocks[] = { 2, 4, 6 };

	for (size_t i = 0; i < countof(cvs); i++) {
		printf("%-36s %3.0f %%", scenario->name, 100 * cvs[i]);
		for (size_t j = 0; j < countof(nr_blocks); j++) {
			int64_t nr_named = 0;
			int64_t nr_right = 0;

			for (int64_t trial = 0; trial < nr_trials; trial++) {
				struct world world = scenario->world;
				struct outcome outcome;

				world.seed = (uint64_t)trial + 1;
				world.cv = cvs[i];
				outcome = world_judge_once(&world, nr_blocks[j]);
				nr_named += outcome.is_named;
				nr_right += outcome.is_right;
			}
			printf("  %7.2f %7.2f", 100 * (double)nr_named / (double)nr_trials,
			       100 * (double)nr_right / (double)nr_trials);
		}
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	int64_t nr_trials = 2000;

	if (argc > 1 && !str_to_int(argv[1], 1, 10000000, &nr_trials, &err)) {
		fprintf(stderr, "judge: %s\n", err.message);
		return 2;
	}
	printf("%-36s %5s %10s %10s %6s %s\n", "world", "cv", "named", "right", "runs",
	       "ended at look 1, 2, 3 in %");
	for (size_t i = 0; i < countof(scenarios); i++) {
		play(&scenarios[i], nr_trials);
	}
	printf("\none look: named and right in %% at 2, 4 and 6 blocks\n");
	for (size_t i = 0; i < countof(scenarios); i++) {
		play_once(&scenarios[i], nr_trials);
	}
	return 0;
}
