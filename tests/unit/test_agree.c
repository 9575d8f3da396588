/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What metrics say together, the looks, and how often that is right in make-believe worlds. */
#include <math.h>

#include "lib/stats/judge.h"
#include "tests/bench/world.h"
#include "tests/t.h"

#define RUNS 8

/* A metric whose head is base times 1 + change, with a noise that repeats. */
struct input {
	const char *name;
	bool is_exact;
	double noise;
	double change;
	const char *unit;
};

struct bench {
	struct judge_metric metrics[4];
	double base[4][RUNS], head[4][RUNS];
	struct judge_run runs[RUNS];
	struct judge_verdict verdicts[4];
	size_t nr;
};

/* Four blocks of two runs a side; the same noise on both sides, so that the change is exact. */
static void judge_bench(struct bench *bench, const struct input *inputs, size_t nr, int look)
{
	static const double pattern[RUNS] = { 1, -1, -1, 1, 0.5, -0.5, 1.5, -1.5 };
	struct judge_options options = JUDGE_OPTIONS_INIT;

	*bench = (struct bench){ .nr = nr };
	options.look = look;
	for (size_t i = 0; i < nr; i++) {
		const struct input *input = &inputs[i];

		for (uint32_t run = 0; run < RUNS; run++) {
			double value = 100 * (1 + input->noise * pattern[run]);

			bench->base[i][run] = value;
			bench->head[i][run] = value * (1 + input->change);
			bench->runs[run] = (struct judge_run){ .block = run / 2 };
		}
		bench->metrics[i] =
			(struct judge_metric){ .name = input->name,
					       .unit = input->unit,
					       .is_headline = true,
					       .is_exact = input->is_exact,
					       .base = { bench->base[i], bench->runs, RUNS },
					       .head = { bench->head[i], bench->runs, RUNS } };
	}
	judge(bench->metrics, nr, &options, bench->verdicts);
}

#define CHECK_KIND(bench, i, expected) \
	CHECK_TEXT(judge_word((bench).verdicts[i].kind), judge_word(expected))

static void both_are_named(void)
{
	static const struct input inputs[] = { { "compress_time", false, 0.06, 0.10, "s" },
					       { "compress_instructions", true, 0, 0.10, NULL },
					       { "decompress_time", false, 0.06, 0.01, "s" },
					       { "decompress_instructions", true, 0, 0, NULL } };
	struct bench bench;

	judge_bench(&bench, inputs, 4, 0);
	CHECK(bench.verdicts[0].q > 0.01); /* time alone could not say it */
	CHECK_KIND(bench, 0, JUDGE_REGRESSION);
	CHECK_KIND(bench, 1, JUDGE_REGRESSION);
	CHECK_KIND(bench, 2, JUDGE_CANNOT_RESOLVE);
	CHECK_KIND(bench, 3, JUDGE_NO_CHANGE);
}

static void work_alone_is_not_confirmed(void)
{
	static const struct input inputs[] = { { "compress_time", false, 0.01, 0, "s" },
					       { "compress_instructions", true, 0, 0.10, NULL },
					       { "decompress_time", false, 0.01, 0.1, "s" },
					       { "decompress_instructions", true, 0, 0.1, NULL } };
	struct bench bench;

	judge_bench(&bench, inputs, 4, 0);
	CHECK_KIND(bench, 1, JUDGE_NOT_CONFIRMED_IN_TIME);
	CHECK(bench.verdicts[0].kind != JUDGE_REGRESSION);
	/* the other part's time does not confirm it */
	CHECK_KIND(bench, 2, JUDGE_REGRESSION);
	CHECK_KIND(bench, 3, JUDGE_REGRESSION);
}

static void opposite_time_does_not_confirm(void)
{
	static const struct input inputs[] = { { "run_time", false, 0.01, -0.10, "s" },
					       { "run_instructions", true, 0, 0.10, NULL } };
	struct bench bench;

	judge_bench(&bench, inputs, 2, 0);
	CHECK_KIND(bench, 0, JUDGE_IMPROVEMENT);
	CHECK_KIND(bench, 1, JUDGE_NOT_CONFIRMED_IN_TIME);
}

static void time_alone_is_layout(void)
{
	static const struct input inputs[] = { { "run_time", false, 0.01, 0.10, "s" },
					       { "run_instructions", true, 0, 0.002, NULL } };
	static const struct input moved[] = { { "run_time", false, 0.01, 0.10, "s" },
					      { "run_instructions", true, 0, 0.004, NULL } };
	struct bench bench;

	judge_bench(&bench, inputs, 2, 0);
	CHECK_KIND(bench, 0, JUDGE_LAYOUT_SENSITIVE);
	judge_bench(&bench, moved, 2, 0);
	CHECK_KIND(bench, 0, JUDGE_REGRESSION);
}

static void without_names_all_pair(void)
{
	static const struct input inputs[] = { { "elapsed", false, 0.06, 0.10, "s" },
					       { "latency", false, 0.06, 0, "s" },
					       { "instructions", true, 0, 0.10, NULL } };
	struct bench bench;

	judge_bench(&bench, inputs, 3, 0);
	CHECK_KIND(bench, 2, JUDGE_REGRESSION);
	CHECK_KIND(bench, 0, JUDGE_REGRESSION);
	CHECK_KIND(bench, 1, JUDGE_CANNOT_RESOLVE);
}

static void amounts_are_no_witness(void)
{
	static const struct input inputs[] = { { "run_rss", false, 0.01, 0.10, "KiB" },
					       { "run_time", false, 0.01, 0, "s" },
					       { "run_instructions", true, 0, 0, NULL } };
	struct bench bench;

	judge_bench(&bench, inputs, 3, 0);
	CHECK_KIND(bench, 0, JUDGE_REGRESSION);
}

static void exact_alone_decides_without_time(void)
{
	static const struct input inputs[] = { { "image_size", true, 0, 0.011, "B" },
					       { "image_symbols", true, 0, 0.004, NULL },
					       { "image_strings", true, 0, 0.007, NULL } };
	struct bench bench;

	judge_bench(&bench, inputs, 3, 0);
	CHECK_KIND(bench, 0, JUDGE_REGRESSION);
	CHECK_KIND(bench, 1, JUDGE_NO_CHANGE);
	CHECK_KIND(bench, 2, JUDGE_CANNOT_RESOLVE);
	CHECK(isnan(bench.verdicts[0].p) && isnan(bench.verdicts[0].q));
}

static void noisy_exact_is_doubted(void)
{
	static const struct input inputs[] = { { "spins", true, 0.05, 0.02, NULL } };
	struct bench bench;

	judge_bench(&bench, inputs, 1, 0);
	CHECK_KIND(bench, 0, JUDGE_CANNOT_RESOLVE);
}

/* looks */

static enum judge_next next_of(const struct input *inputs, size_t nr, int look)
{
	struct bench bench;
	const char *why = NULL;
	enum judge_next next;

	judge_bench(&bench, inputs, nr, look);
	next = judge_next(bench.verdicts, nr, look, &why);
	CHECK(why && why[0]);
	return next;
}

static void looks_go_on(void)
{
	static const struct input calm[] = { { "run_time", false, 0.03, 0.001, "s" },
					     { "run_instructions", true, 0, 0.0005, NULL } };
	static const struct input named[] = { { "run_time", false, 0.01, 0.1, "s" },
					      { "run_instructions", true, 0, 0.1, NULL } };
	static const struct input waiting[] = { { "run_time", false, 0.01, 0, "s" },
						{ "run_instructions", true, 0, 0.1, NULL } };
	static const struct input layout[] = { { "run_time", false, 0.01, 0.1, "s" },
					       { "run_instructions", true, 0, 0, NULL } };
	static const struct input unclear[] = { { "time", false, 0.02, 0.01, "s" } };
	static const struct input same[] = { { "time", false, 0.02, 0.001, "s" } };

	CHECK_INT(next_of(calm, 2, 1), JUDGE_STOP);
	CHECK_INT(next_of(named, 2, 1), JUDGE_STOP);
	CHECK_INT(next_of(waiting, 2, 1), JUDGE_MORE);
	CHECK_INT(next_of(waiting, 2, 2), JUDGE_MORE);
	CHECK_INT(next_of(waiting, 2, 3), JUDGE_MORE);
	CHECK_INT(next_of(waiting, 2, 4), JUDGE_MORE);
	CHECK_INT(next_of(waiting, 2, 5), JUDGE_STOP);
	CHECK_INT(next_of(layout, 2, 1), JUDGE_MORE);
	CHECK_INT(next_of(layout, 2, 3), JUDGE_STOP);
	CHECK_INT(next_of(unclear, 1, 3), JUDGE_STOP);
	CHECK_INT(next_of(unclear, 1, 1), JUDGE_MORE);
	CHECK_INT(next_of(same, 1, 1), JUDGE_HOPELESS);
	CHECK_INT(judge_look_blocks(1), 2);
	CHECK_INT(judge_look_blocks(2), 4);
	CHECK_INT(judge_look_blocks(3), 6);
	CHECK_INT(judge_look_blocks(4), 9);
	CHECK_INT(judge_look_blocks(5), 12);
}

static void looks_are_stricter(void)
{
	/* q is about 0.005: enough for one look at a number fixed before, not for the first of
	 * three */
	static const struct input inputs[] = { { "time", false, 0.02, 0.051, "s" } };
	struct bench bench;

	judge_bench(&bench, inputs, 1, 0);
	CHECK_NEAR(bench.verdicts[0].q, 0.009, 0.001);
	CHECK_KIND(bench, 0, JUDGE_REGRESSION);
	judge_bench(&bench, inputs, 1, 1);
	CHECK_KIND(bench, 0, JUDGE_CANNOT_RESOLVE);
	judge_bench(&bench, inputs, 1, 3);
	CHECK_KIND(bench, 0, JUDGE_REGRESSION);
}

/* worlds: seeds are fixed, and the margins are four standard errors wide */

#define TRIALS 1500

struct count {
	int nr_named, nr_right, nr_first;
};

static struct count play(struct world world)
{
	struct count count = { 0 };

	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		struct outcome outcome;

		world.seed = 77000 + trial;
		outcome = world_judge(&world);
		count.nr_named += outcome.is_named;
		count.nr_right += outcome.is_right;
		count.nr_first += outcome.look == 1;
	}
	return count;
}

/* 1 % of 1500 is 15; four standard errors are 15.4 */
#define ONE_PER_CENT 30

static void names_nothing_of_nothing(void)
{
	CHECK(play((struct world){ .nr_parts = 2, .cv = 0.03 }).nr_named <= ONE_PER_CENT);
	CHECK(play((struct world){ .nr_parts = 10, .cv = 0.01 }).nr_named <= ONE_PER_CENT);
}

static void jumps_name_nothing(void)
{
	for (int percent = 1; percent < 6; percent += 2) {
		struct world world = { .nr_parts = 2, .cv = 0.01 * percent, .jump = 0.15 };

		CHECK(play(world).nr_named <= ONE_PER_CENT);
	}
	CHECK(play((struct world){ .nr_parts = 2, .cv = 0.02, .memory = 0.9 }).nr_named <=
	      ONE_PER_CENT);
}

static void exact_metrics_keep_it_quiet(void)
{
	struct count count =
		play((struct world){ .nr_parts = 2, .cv = 0.05, .jump = 0.15, .has_exact = true });

	CHECK_INT(count.nr_named, 0);
	CHECK(count.nr_first > TRIALS * 85 / 100); /* and stop at the first look */
}

static void ten_per_cent_is_found(void)
{
	struct world world = { .nr_parts = 2, .has_exact = true, .change = -0.1, .more_work = 0.1 };

	world.cv = 0.03;
	CHECK(play(world).nr_right >= TRIALS * 99 / 100);
	world.cv = 0.05;
	CHECK(play(world).nr_right >= TRIALS * 98 / 100);
	world.jump = 0.15;
	CHECK(play(world).nr_right >= TRIALS * 95 / 100);
	world.has_exact = false;
	world.cv = 0.03;
	CHECK(play(world).nr_right >= TRIALS * 93 / 100);
}

static void work_without_time_is_rarely_named(void)
{
	/* 5 % of 1500 is 75; four standard errors are 34 */
	CHECK(play((struct world){ .nr_parts = 2, .cv = 0.03, .more_work = 0.1, .has_exact = true })
		      .nr_named <= 109);
}

static const struct t_case cases[] = {
	{ "more work and more time is a regression, noise elsewhere is not", both_are_named },
	{ "more work without more time is not confirmed", work_alone_is_not_confirmed },
	{ "time in the other direction does not confirm", opposite_time_does_not_confirm },
	{ "more time for the same work is the layout", time_alone_is_layout },
	{ "without common names all times witness all work", without_names_all_pair },
	{ "memory is no witness of time", amounts_are_no_witness },
	{ "a size decides alone where no time is measured", exact_alone_decides_without_time },
	{ "an exact metric that is noisy is doubted", noisy_exact_is_doubted },
	{ "looks go on only where that can tell more", looks_go_on },
	{ "an early look asks for more than a late one", looks_are_stricter },
	{ "one A/A comparison in a hundred names something, at most", names_nothing_of_nothing },
	{ "a machine that jumps names nothing either", jumps_name_nothing },
	{ "where exact metrics stand still nothing is named, early", exact_metrics_keep_it_quiet },
	{ "10 per cent is found at noises of 3 and 5 per cent", ten_per_cent_is_found },
	{ "work that changes without time is rarely named", work_without_time_is_rarely_named },
};

T_MAIN(cases)
