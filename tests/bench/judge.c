/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promises of docs/statistics.md, counted: `tests/bench/judge [SHARE [SERIES.csv]]`.  Each line
 * is a goal, the figure over fixed seeds, and the 95 % interval of that figure.  SHARE (1: all) of
 * the trials; SERIES.csv is real noise, see series.h.
 */
#include <math.h>

#include "lab.h"
#include "lib/base/str.h"
#include "lib/stats/judge.h"
#include "series.h"
#include "world.h"

/* What is counted of the jobs of a line. */
enum figure {
	NAMED,     /* share in which a headline metric is named */
	ROWS,      /* named metrics of any sort, in 1000 jobs */
	FOUND,     /* share in which the changed metric is named, in its direction */
	BOOTS,     /* a side, mean */
	COVERED,   /* share in which the interval holds the truth, whenever the looks ended */
	NO_CHANGE, /* share in which "no change" is said of the changed metric */
	/* the whole way, with the confirmation */
	MAILS,        /* mails a job */
	SERIES,       /* mails a series of 7 patches and the tip on 6 jobs */
	MAIL_COVERED, /* share of the mails whose interval holds the truth */
};

#define SERIES_JOBS 48

struct line {
	const char *id, *what;
	enum figure figure;
	bool is_at_least; /* what the goal is: a lower or an upper bound */
	double goal;
	int nr_trials;
	struct lab lab;
};

static const struct line lines[] = {
	{ "C1", "A/A, 10 headlines", NAMED, false, 1, 20000, { 0 } },
	{ "C1", "A/A, 10 headlines, CV 5 %", NAMED, false, 1, 20000, { .cv = 0.05 } },
	{ "C1", "A/A, 5 headlines", NAMED, false, 1, 20000, { .nr_metrics = 5 } },
	{ "C1", "A/A, 2 headlines", NAMED, false, 1, 20000, { .nr_metrics = 2 } },
	{ "C1", "A/A, 1 headline", NAMED, false, 1, 20000, { .nr_metrics = 1 } },
	{ "C1", "A/A, no history", NAMED, false, 1, 20000, { .is_new = true } },
	{ "C2", "false rows in 1000 A/A of 5,000", ROWS, false, 100, 300, { .nr_metrics = 5000 } },
	{ "C3", "4 % at CV 1 %", FOUND, true, 99, 10000, { .cv = 0.01, .effect = 0.04 } },
	{ "C3", "10 % at CV 3 %", FOUND, true, 97, 10000, { .effect = 0.10, .cv = 0.03 } },
	{ "C3", "2 % at CV 1 %", FOUND, true, 60, 10000, { .cv = 0.01, .effect = 0.02 } },
	{ "C3", "boots for 4 % at CV 1 %", BOOTS, false, 9, 10000, { .cv = 0.01, .effect = 0.04 } },
	{ "C3",
	  "boots for 10 % at CV 3 %",
	  BOOTS,
	  false,
	  9,
	  10000,
	  { .effect = 0.10, .cv = 0.03 } },
	{ "C3", "boots for 2 % at CV 1 %", BOOTS, false, 9, 10000, { .cv = 0.01, .effect = 0.02 } },
	{ "C4",
	  "A/A, 10 % of runs at +5 sd",
	  NAMED,
	  false,
	  1,
	  20000,
	  { .cv = 0.01, .outliers = 0.1 } },
	{ "C5",
	  "rows of 5,000, a boot a side",
	  ROWS,
	  false,
	  1000,
	  100,
	  { .nr_metrics = 5000, .boot_sd = 0.5, .is_boot_shared = true } },
	{ "C6", "A/A on real noise", NAMED, false, 2, 20000, { .cv = 0.01 } },
	{ "C7",
	  "A/A, a jump of 15 %, CV 1 %",
	  NAMED,
	  false,
	  1,
	  10000,
	  { .cv = 0.01, .jump = 0.15 } },
	{ "C7",
	  "A/A, a jump of 15 %, CV 2 %",
	  NAMED,
	  false,
	  1,
	  10000,
	  { .jump = 0.15, .cv = 0.02 } },
	{ "C7",
	  "A/A, a jump of 15 %, CV 3 %",
	  NAMED,
	  false,
	  1,
	  10000,
	  { .jump = 0.15, .cv = 0.03 } },
	{ "C7",
	  "A/A, a jump of 15 %, CV 5 %",
	  NAMED,
	  false,
	  1,
	  10000,
	  { .jump = 0.15, .cv = 0.05 } },
	{ "C7",
	  "4 % at CV 1 %, a jump",
	  FOUND,
	  true,
	  66,
	  10000,
	  { .cv = 0.01, .effect = 0.04, .jump = 0.15 } },
	{ "C7",
	  "10 % at CV 3 %, a jump",
	  FOUND,
	  true,
	  65,
	  10000,
	  { .effect = 0.10, .cv = 0.03, .jump = 0.15 } },
	{ "C7",
	  "2 % at CV 1 %, a jump",
	  FOUND,
	  true,
	  42,
	  10000,
	  { .cv = 0.01, .effect = 0.02, .jump = 0.15 } },
	{ "C7",
	  "20 % at CV 5 %, a jump",
	  FOUND,
	  true,
	  66,
	  10000,
	  { .effect = 0.20, .cv = 0.05, .jump = 0.15 } },
	{ "C10", "intervals hold 0", COVERED, true, 94, 20000, { 0 } },
	{ "C10",
	  "intervals hold 2 % at CV 1 %",
	  COVERED,
	  true,
	  94,
	  20000,
	  { .cv = 0.01, .effect = 0.02 } },
	{ "C10",
	  "intervals hold 10 % at CV 3 %",
	  COVERED,
	  true,
	  94,
	  20000,
	  { .effect = 0.10, .cv = 0.03 } },
	{ "C8",
	  "mails, builds 0.5 sd, known",
	  MAILS,
	  false,
	  1,
	  20000,
	  { .build_sd = 0.5, .nr_confirmations = 20 } },
	{ "C8",
	  "mails, builds 0.5 sd, unknown",
	  MAILS,
	  false,
	  1,
	  20000,
	  { .build_sd = 0.5, .is_build_unknown = true, .nr_confirmations = 20 } },
	{ "C8",
	  "the same at CV 3 %",
	  MAILS,
	  false,
	  1,
	  20000,
	  { .cv = 0.03, .build_sd = 0.5, .is_build_unknown = true, .nr_confirmations = 20 } },
	{ "C9",
	  "A/A series of 7 with any mail",
	  SERIES,
	  false,
	  1,
	  20000,
	  { .nr_confirmations = 200 } },
	{ "C9",
	  "the same, builds 0.5 sd",
	  SERIES,
	  false,
	  1,
	  20000,
	  { .build_sd = 0.5, .nr_confirmations = 200 } },
	{ "C10",
	  "mails hold 2 % at CV 1 %",
	  MAIL_COVERED,
	  true,
	  94,
	  10000,
	  { .cv = 0.01, .effect = 0.02, .nr_confirmations = 1 } },
	{ "C10",
	  "mails hold 10 % at CV 3 %",
	  MAIL_COVERED,
	  true,
	  94,
	  10000,
	  { .cv = 0.03, .effect = 0.1, .nr_confirmations = 1 } },
	{ "C10",
	  "mails hold twice the smallest",
	  MAIL_COVERED,
	  true,
	  94,
	  20000,
	  { .times_least = 2, .nr_confirmations = 20 } },
	{ "C10",
	  "the same, builds 0.5 sd",
	  MAIL_COVERED,
	  true,
	  94,
	  20000,
	  { .times_least = 2, .build_sd = 0.5, .nr_confirmations = 20 } },
	{ "C11",
	  "0.5 % called no change, CV 0.2 %",
	  NO_CHANGE,
	  false,
	  5,
	  10000,
	  { .effect = 0.005, .cv = 0.002 } },
	{ "C11",
	  "0.5 % called no change, CV 0.5 %",
	  NO_CHANGE,
	  false,
	  5,
	  10000,
	  { .effect = 0.005, .cv = 0.005 } },
	{ "C11",
	  "1.5 % called no change, CV 3 %",
	  NO_CHANGE,
	  false,
	  5,
	  10000,
	  { .effect = 0.015, .cv = 0.03 } },
	{ "C11",
	  "17.5 % called no change, CV 35 %",
	  NO_CHANGE,
	  false,
	  5,
	  10000,
	  { .effect = 0.175, .cv = 0.35 } },
};

/* Sums over the jobs of a line. */
struct sums {
	double nr, sum, squares;
};

static double mails_of(const struct lab_job *job)
{
	return job->nr_confirmations ? (double)job->nr_mails / (double)job->nr_confirmations : 0;
}

static double value_of(const struct lab_job *job, const struct line *line)
{
	const struct judge_verdict *first = job->verdicts;
	double truth = job->effect;

	switch (line->figure) {
	case NAMED:
		return job->nr_named > 0;
	case ROWS:
		return (double)job->nr_rows;
	case FOUND:
		return first->kind == (truth < 0 ? JUDGE_REGRESSION : JUDGE_IMPROVEMENT);
	case BOOTS:
		return (double)job->nr_boots;
	case COVERED:
		return first->interval_95.low <= truth && first->interval_95.high >= truth;
	case NO_CHANGE:
		return first->kind == JUDGE_NO_CHANGE;
	case MAILS:
		return mails_of(job);
	case SERIES:
		return SERIES_JOBS * mails_of(job);
	case MAIL_COVERED:
		return (double)job->nr_covered;
	}
	return NAN;
}

/* Wilson's interval for a share, in per cent; for anything else that of the mean. */
static void print_figure(const struct line *line, const struct sums *sums)
{
	bool is_share = line->figure != ROWS && line->figure != BOOTS;
	double scale = is_share ? 100 : line->figure == ROWS ? 1000 : 1;
	double mean = sums->sum / sums->nr;
	double variance = fmax(sums->squares / sums->nr - mean * mean, 0);
	double centre = mean;
	double half = 1.96 * sqrt(variance / sums->nr);
	bool is_reached =
		line->is_at_least ? scale * mean >= line->goal : scale * mean <= line->goal;

	if (is_share) {
		double share = 1.96 * 1.96 / sums->nr;

		centre = (mean + share / 2) / (1 + share);
		half = 1.96 / (1 + share) * sqrt((mean * (1 - mean) + share / 4) / sums->nr);
	}
	printf("%-4s %-34s %2s %6g %s %9.2f  [%.2f, %.2f]%s\n", line->id, line->what,
	       line->is_at_least ? ">=" : "<=", line->goal, is_share ? "%" : " ", scale * mean,
	       scale * (centre - half), scale * (centre + half), is_reached ? "" : "  MISSED");
	fflush(stdout);
}

static void play(const struct line *line, double share, const struct series *series)
{
	struct lab lab = line->lab;
	struct sums sums = { 0 };
	double nr = fmax(1, line->nr_trials * share);

	if (strcmp(line->id, "C6") == 0) {
		if (series->nr == 0) {
			printf("%-4s %-34s skipped: no table of real series\n", line->id,
			       line->what);
			return;
		}
		lab.series = series->at;
		lab.nr_series = series->nr;
	}
	for (lab.seed = 1; (double)lab.seed <= nr; lab.seed++) {
		struct lab_job *job = lab_run(&lab);
		double value = value_of(job, line);

		sums.nr += line->figure == MAIL_COVERED ? (double)job->nr_right : 1;
		sums.sum += value;
		sums.squares += value * value;
		lab_free(job);
	}
	print_figure(line, &sums);
}

/* Where 1 % of all jobs hold a real change of twice the smallest effect. */
static double mails_a_job(double times_least, double nr_trials)
{
	struct lab lab = { .times_least = times_least, .nr_confirmations = 200 };
	double nr_mails = 0;

	for (lab.seed = 1; (double)lab.seed <= nr_trials; lab.seed++) {
		struct lab_job *job = lab_run(&lab);

		nr_mails += job->nr_confirmations == 0 ? 0
			    : times_least > 0
				    ? (double)job->nr_right / (double)job->nr_confirmations
				    : mails_of(job);
		lab_free(job);
	}
	return nr_mails / nr_trials;
}

static void play_tree(double share)
{
	double nr_false = 0.99 * mails_a_job(0, fmax(1, 100000 * share));
	double nr_true = 0.01 * mails_a_job(2, fmax(1, 20000 * share));
	double figure = 100 * nr_false / (nr_false + nr_true);

	printf("%-4s %-34s <= %6g %% %9.2f  %.2g false, %.2g true a job%s\n", "",
	       "false among the mails sent", 2.0, figure, nr_false, nr_true,
	       figure <= 2 ? "" : "  MISSED");
	fflush(stdout);
}

/* Work and time together: decision 0007's worlds. */

struct scenario {
	const char *name;
	struct world world;
};

static const struct scenario scenarios[] = {
	{ "nothing changed", { .nr_parts = 2, .has_exact = true } },
	{ "nothing changed, a jump of 15 %", { .nr_parts = 2, .has_exact = true, .jump = 0.15 } },
	{ "work +10 %, time the same", { .nr_parts = 2, .has_exact = true, .more_work = 0.1 } },
	{ "time -10 %, work the same", { .nr_parts = 2, .has_exact = true, .change = -0.1 } },
	{ "both 10 % worse",
	  { .nr_parts = 2, .has_exact = true, .change = -0.1, .more_work = 0.1 } },
	{ "both 10 % worse, a jump of 15 %",
	  { .nr_parts = 2, .has_exact = true, .change = -0.1, .more_work = 0.1, .jump = 0.15 } },
	{ "both 5 % worse",
	  { .nr_parts = 2, .has_exact = true, .change = -0.05, .more_work = 0.05 } },
};

static void play_world(const struct scenario *scenario, double cv, double nr_trials)
{
	double nr_named = 0;
	double nr_right = 0;
	double nr_boots = 0;

	for (double trial = 0; trial < nr_trials; trial++) {
		struct world world = scenario->world;
		struct outcome outcome;

		world.seed = (uint64_t)trial + 1;
		world.cv = cv;
		outcome = world_judge(&world);
		nr_named += outcome.is_named;
		nr_right += outcome.is_right;
		nr_boots += 2 * (double)judge_look_blocks(outcome.look);
	}
	printf("%-39s %3.0f %% %8.2f %% %8.2f %% %6.1f\n", scenario->name, 100 * cv,
	       100 * nr_named / nr_trials, 100 * nr_right / nr_trials, nr_boots / nr_trials);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const double cvs[] = { 0.01, 0.03, 0.05 };
	struct err err = ERR_INIT;
	struct series series = { 0 };
	double share = 1;

	if (argc > 1 && !str_to_double(argv[1], &share, &err)) {
		fprintf(stderr, "judge: %s\n", err.message);
		return 2;
	}
	if (argc > 2 && !series_read(argv[2], &series)) {
		fprintf(stderr, "judge: no file '%s'\n", argv[2]);
	}
	printf("%-39s %11s %9s  %s\n", "promise", "goal", "figure", "95 % interval");
	for (size_t i = 0; i < countof(lines); i++) {
		play(&lines[i], share, &series);
	}
	play_tree(share);
	printf("\n%-39s %5s %10s %10s %6s\n", "work and time", "cv", "named", "right", "boots");
	for (size_t i = 0; i < countof(scenarios); i++) {
		for (size_t j = 0; j < countof(cvs); j++) {
			play_world(&scenarios[i], cvs[j], fmax(1, 10000 * share));
		}
	}
	series_release(&series);
	return 0;
}
