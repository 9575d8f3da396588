/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/stats/judge.h"
#include "random.h"

#define MAX_PARTS    10
#define MAX_BLOCKS   12
#define RUNS_A_BLOCK 4
#define MAX_RUNS     48
#define SIDE_RUNS    24
#define JUMP_RUNS    24 /* the jump begins among the runs that every look may need */

/* Everything measured, in order of time: 24 runs a side, of which a look takes the first. */
struct record {
	double speed[MAX_PARTS][2][SIDE_RUNS];
	double work[MAX_PARTS][2][SIDE_RUNS];
	struct judge_run runs[2][SIDE_RUNS];
};

static struct judge_run run_of(int run)
{
	return (struct judge_run){ .block = (uint32_t)(run / RUNS_A_BLOCK) + 1,
				   .boot = (uint32_t)run + 1,
				   .machine = 1,
				   .order = (uint32_t)run };
}

static void measure(const struct world *world, struct record *ret_record)
{
	struct rng rng;
	int first;
	int last;
	double noise[MAX_PARTS] = { 0 };
	size_t nr[2] = { 0, 0 };
	bool is_head[RUNS_A_BLOCK];

	rng_init(&rng, world->seed);
	first = (int)(rng_draw(&rng) % JUMP_RUNS);
	last = first + (int)(rng_draw(&rng) % 12);
	for (int part = 0; part < world->nr_parts; part++) {
		noise[part] = rng_normal(&rng);
	}
	for (int run = 0; run < MAX_RUNS; run++) {
		double level = run >= first && run <= last ? 1 + world->jump : 1;
		bool side;

		if (run % RUNS_A_BLOCK == 0) {
			rng_order(&rng, is_head);
		}
		side = is_head[run % RUNS_A_BLOCK];
		for (int part = 0; part < world->nr_parts; part++) {
			double own = sqrt(1 - world->memory * world->memory);
			double off = rng_share(&rng) < world->outliers ? 5 : 0;
			bool is_changed = side && part == 0;
			double work = 1 + (is_changed ? world->more_work : 0);

			noise[part] = world->memory * noise[part] + own * rng_normal(&rng);
			ret_record->speed[part][side][nr[side]] =
				100 * level * (1 + (is_changed ? world->change : 0)) *
				(1 + world->cv * (noise[part] - off));
			ret_record->work[part][side][nr[side]] =
				1e9 * work * (1 + 0.0001 * rng_normal(&rng));
		}
		ret_record->runs[side][nr[side]++] = run_of(run);
	}
}

static size_t metrics_of(const struct world *world, const struct record *record, size_t nr_runs,
			 struct judge_metric *ret_metrics)
{
	static const char *const speeds[MAX_PARTS] = {
		"compress_speed", "decompress_speed", "a_speed", "b_speed", "c_speed",
		"d_speed",        "e_speed",          "f_speed", "g_speed", "h_speed"
	};
	static const char *const works[MAX_PARTS] = {
		"compress_instructions", "decompress_instructions", "a_instructions",
		"b_instructions",        "c_instructions",          "d_instructions",
		"e_instructions",        "f_instructions",          "g_instructions",
		"h_instructions"
	};
	size_t nr = 0;

	for (int part = 0; part < world->nr_parts; part++) {
		ret_metrics[nr++] = (struct judge_metric){
			.name = speeds[part],
			.unit = "MB/s",
			.is_higher_better = true,
			.is_headline = true,
			.base = { record->speed[part][0], record->runs[0], nr_runs },
			.head = { record->speed[part][1], record->runs[1], nr_runs }
		};
	}
	for (int part = 0; world->has_exact && part < world->nr_parts; part++) {
		ret_metrics[nr++] = (struct judge_metric){
			.name = works[part],
			.is_headline = true,
			.is_exact = true,
			.base = { record->work[part][0], record->runs[0], nr_runs },
			.head = { record->work[part][1], record->runs[1], nr_runs }
		};
	}
	return nr;
}

static struct outcome outcome_of(const struct world *world, const struct judge_verdict *verdicts,
				 size_t nr)
{
	enum judge_kind truth = world->change < 0 ? JUDGE_REGRESSION : JUDGE_IMPROVEMENT;
	struct outcome outcome = { .is_right = verdicts[0].kind == truth };

	for (size_t i = 0; i < nr; i++) {
		bool is_named = verdicts[i].kind == JUDGE_REGRESSION ||
				verdicts[i].kind == JUDGE_IMPROVEMENT;
		bool is_compress = strncmp(verdicts[i].metric->name, "compress", 8) == 0;

		outcome.is_named |= is_named;
		if (is_named && !is_compress) {
			outcome.is_right = false;
		}
	}
	return outcome;
}

struct outcome world_judge(const struct world *world)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct judge_metric metrics[2 * MAX_PARTS];
	struct judge_verdict verdicts[2 * MAX_PARTS];
	struct record record;
	struct outcome outcome;
	const char *why;
	size_t nr;

	measure(world, &record);
	do {
		options.look++;
		nr = metrics_of(world, &record, 2 * judge_look_blocks(options.look), metrics);
		judge(metrics, nr, &options, verdicts);
	} while (judge_next(verdicts, nr, options.look, &why) == JUDGE_MORE);
	outcome = outcome_of(world, verdicts, nr);
	outcome.look = options.look;
	return outcome;
}

struct outcome world_judge_once(const struct world *world, size_t nr_blocks)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct judge_metric metrics[2 * MAX_PARTS];
	struct judge_verdict verdicts[2 * MAX_PARTS];
	struct record record;
	size_t nr;

	assert(nr_blocks <= MAX_BLOCKS);
	measure(world, &record);
	nr = metrics_of(world, &record, 2 * nr_blocks, metrics);
	judge(metrics, nr, &options, verdicts);
	return outcome_of(world, verdicts, nr);
}
