/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/stats/noise.h"
#include "random.h"

#define HEADLINES   10
#define FAMILY      10 /* metrics that share a part of their noise */
#define CORRELATION 0.6
#define DAYS        10
#define DAY_RUNS    3
#define DRIFT       0.381 /* of ln(variance) from its mean; today against ten days: 0.4 */
#define LEAST       0.005 /* smallest effect worth a mail, or half a deviation */
#define JUMP_WITHIN 24
#define REBUILD_DF  20

/* What is true of a metric, and stays so while the job runs. */
struct truth {
	double cv;
	double build[2];
	double boot[2]; /* where a side has one boot */
	const struct lab_series *series;
	size_t place; /* in the series */
};

struct session {
	const struct lab *lab;
	struct rng rng;
	struct truth *truths;
	struct lab_job *job;
	int run;        /* so far */
	uint32_t build; /* of base; head's is the next */
	int jump_first, jump_last;
};

static double next_of_series(struct truth *truth)
{
	return truth->series->values[truth->place++ % truth->series->nr];
}

/* The noise of a run; `family` is what ten metrics share. */
static double noise_of_run(struct session *session, struct truth *truth, double family)
{
	const struct lab *lab = session->lab;
	double noise;

	if (truth->series) {
		return next_of_series(truth);
	}
	noise = sqrt(CORRELATION) * family + sqrt(1 - CORRELATION) * rng_normal(&session->rng);
	if (lab->outliers > 0 && rng_share(&session->rng) < lab->outliers) {
		noise += 5;
	}
	return noise;
}

/* The runs of one day around their mean. */
static struct noise noise_of_day(struct session *session, struct truth *truth)
{
	double sd = truth->cv * (truth->series ? 1 : exp(DRIFT / 2 * rng_normal(&session->rng)));
	struct noise noise = { .df = DAY_RUNS - 1 };
	double mean = 0;
	double values[DAY_RUNS];

	for (int i = 0; i < DAY_RUNS; i++) {
		values[i] = sd * noise_of_run(session, truth, rng_normal(&session->rng));
		mean += values[i] / DAY_RUNS;
	}
	for (int i = 0; i < DAY_RUNS; i++) {
		noise.squares += (values[i] - mean) * (values[i] - mean);
	}
	return noise;
}

static void add_history(struct session *session, struct judge_metric *metric, struct truth *truth)
{
	struct noise days[DAYS];
	struct noise_prior prior;

	for (int day = 0; day < DAYS; day++) {
		days[day] = noise_of_day(session, truth);
	}
	prior = noise_prior_of(days, DAYS);
	metric->prior_variance = prior.variance;
	metric->prior_df = prior.df;
	metric->prior_weight = prior.weight;
}

static void add_builds(struct session *session, struct judge_metric *metric,
		       const struct truth *truth)
{
	double sd = session->lab->build_sd * truth->cv;
	double squares = 0;

	for (int i = 0; i < REBUILD_DF; i++) {
		double off = sd * rng_normal(&session->rng);

		squares += off * off;
	}
	metric->build_df = REBUILD_DF;
	metric->build_variance = squares / REBUILD_DF;
}

static void draw_truth(struct session *session, size_t i)
{
	const struct lab *lab = session->lab;
	struct truth *truth = &session->truths[i];
	struct judge_metric *metric = &session->job->metrics[i];
	struct rng *rng = &session->rng;

	truth->cv = lab->cv;
	if (!(lab->cv > 0)) {
		truth->cv = fmin(fmax(exp(log(0.015) + 0.8 * rng_normal(rng)), 0.001), 0.12);
	}
	if (lab->nr_series > 0) {
		truth->series = &lab->series[rng_draw(rng) % lab->nr_series];
		truth->place = rng_draw(rng) % truth->series->nr;
	}
	*metric = (struct judge_metric){ .name = "rate",
					 .is_higher_better = true,

					 .is_headline = i < HEADLINES };
	if (!lab->is_new) {
		add_history(session, metric, truth);
	}
	if (!lab->is_build_unknown) {
		add_builds(session, metric, truth);
	}
	for (int side = 0; side < 2; side++) {
		truth->build[side] = lab->build_sd * rng_normal(rng);
		truth->boot[side] = lab->boot_sd * rng_normal(rng);
	}
	if (i == 0) {
		session->job->effect = lab->times_least > 0
					       ? lab->times_least * fmax(LEAST, truth->cv / 2)
					       : lab->effect;
	}
	truth->cv *= truth->series ? 1 : exp(DRIFT / 2 * rng_normal(rng));
}

static void measure_metric(struct session *session, size_t i, bool is_head, double level,
			   double family)
{
	const struct lab *lab = session->lab;
	struct lab_job *job = session->job;
	struct truth *truth = &session->truths[i];
	double noise = noise_of_run(session, truth, family) + truth->build[is_head];
	double *base = job->values + 4 * i * LAB_BLOCKS;
	double *head = base + 2 * LAB_BLOCKS;

	noise += lab->is_boot_shared ? truth->boot[is_head]
				     : lab->boot_sd * rng_normal(&session->rng);
	level *= (1 + (is_head && i == 0 ? job->effect : 0)) * exp(truth->cv * noise);
	(is_head ? head : base)[job->nr_runs[is_head]] = level;
	job->metrics[i].base =
		(struct judge_samples){ base, job->runs[0], job->nr_runs[0] + !is_head };
	job->metrics[i].head =
		(struct judge_samples){ head, job->runs[1], job->nr_runs[1] + is_head };
}

static void measure(struct session *session, bool is_head, uint32_t block)
{
	const struct lab *lab = session->lab;
	int run = session->run++;
	bool is_up = run >= session->jump_first && run <= session->jump_last;
	double level = 100 * (1 + (is_up ? lab->jump : 0));
	struct lab_job *job = session->job;
	double family = 0;

	for (size_t i = 0; i < job->nr_metrics; i++) {
		family = i % FAMILY == 0 ? rng_normal(&session->rng) : family;
		measure_metric(session, i, is_head, level, family);
	}
	job->runs[is_head][job->nr_runs[is_head]++] = (struct judge_run){
		.block = block,
		.boot = lab->is_boot_shared ? 1U + is_head : (uint32_t)run + 1,
		.build = session->build + is_head,
		.machine = 1,
		.order = (uint32_t)run,
	};
}

static void measure_blocks(struct session *session, size_t nr_blocks)
{
	size_t nr_done = (size_t)session->run / LAB_BLOCK_RUNS;

	for (size_t block = nr_done; block < nr_blocks; block++) {
		bool is_head[LAB_BLOCK_RUNS];

		rng_order(&session->rng, is_head);
		for (int i = 0; i < LAB_BLOCK_RUNS; i++) {
			measure(session, is_head[i], (uint32_t)block + 1);
		}
	}
}

/* One look: blocks that cannot be are run again, as often as there are blocks at most. */
static void look(struct session *session, const struct judge_options *options)
{
	struct lab_job *job = session->job;
	size_t nr_blocks = judge_look_blocks(options->look);
	size_t nr_repeats = 0;

	do {
		measure_blocks(session, nr_blocks + nr_repeats);
		judge(job->metrics, job->nr_metrics, options, job->verdicts);
	} while (judge_repeats(job->verdicts, job->nr_metrics) > nr_repeats++ &&
		 nr_repeats <= nr_blocks);
}

/* Draws what fresh builds do to each metric. */
static void rebuild(struct session *session)
{
	for (size_t i = 0; i < session->job->nr_metrics; i++) {
		for (int side = 0; side < 2; side++) {
			session->truths[i].build[side] =
				session->lab->build_sd * rng_normal(&session->rng);
		}
	}
	session->build += 2;
}

static void forget_runs(struct session *session)
{
	session->job->nr_runs[0] = session->job->nr_runs[1] = 0;
	session->run = 0;
	session->jump_first = (int)(JUMP_WITHIN * rng_share(&session->rng));
	session->jump_last = session->jump_first + (int)(12 * rng_share(&session->rng));
}

/* Half of the blocks on one fresh pair of builds, half on another. */
static void confirm(struct session *session, const struct judge_options *options, size_t nr_blocks)
{
	struct lab_job *job = session->job;
	const struct judge_verdict *first = job->verdicts;
	bool is_any = false;

	forget_runs(session);
	rebuild(session);
	measure_blocks(session, (nr_blocks + 1) / 2);
	rebuild(session);
	measure_blocks(session, nr_blocks);
	judge(job->metrics, job->nr_metrics, options, job->verdicts);
	for (size_t i = 0; i < job->nr_metrics; i++) {
		is_any |= job->metrics[i].is_headline && is_judge_change(job->verdicts[i].kind);
	}
	job->nr_confirmations++;
	job->nr_mails += is_any;
	if (is_judge_change(first->kind) && first->effect * job->effect > 0) {
		job->nr_right++;
		job->nr_covered += first->interval_95.low <= job->effect &&
				   first->interval_95.high >= job->effect;
	}
}

static void confirm_all(struct session *session, int look)
{
	struct lab_job *job = session->job;
	struct judge_verdict *verdicts = job->verdicts;
	struct judge_options options = JUDGE_OPTIONS_INIT;
	scoped(free) enum judge_kind *found = mem_array(job->nr_metrics, sizeof(*found));
	size_t nr_blocks = judge_confirm_blocks(verdicts, job->nr_metrics, look);

	for (size_t i = 0; i < job->nr_metrics; i++) {
		found[i] = verdicts[i].kind;
	}
	options.found = found;
	job->verdicts = mem_array(job->nr_metrics, sizeof(*job->verdicts));
	for (size_t i = 0; i < session->lab->nr_confirmations; i++) {
		confirm(session, &options, nr_blocks);
	}
	free(job->verdicts);
	job->verdicts = verdicts;
}

static void count(struct lab_job *job)
{
	for (size_t i = 0; i < job->nr_metrics; i++) {
		bool is_named = is_judge_change(job->verdicts[i].kind);

		job->nr_rows += is_named;
		job->nr_named += is_named && job->metrics[i].is_headline;
	}
}

struct lab_job *lab_run(const struct lab *lab)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct session session = { .lab = lab, .job = mem_alloc(sizeof(*session.job)), .build = 1 };
	struct lab_job *job = session.job;
	const char *why;

	job->nr_metrics = lab->nr_metrics ? lab->nr_metrics : HEADLINES;
	job->metrics = mem_array(job->nr_metrics, sizeof(*job->metrics));
	job->verdicts = mem_array(job->nr_metrics, sizeof(*job->verdicts));
	job->values = mem_array(4 * LAB_BLOCKS * job->nr_metrics, sizeof(*job->values));
	session.truths = mem_array(job->nr_metrics, sizeof(*session.truths));
	rng_init(&session.rng, lab->seed);
	session.jump_first = (int)(JUMP_WITHIN * rng_share(&session.rng));
	session.jump_last = session.jump_first + (int)(12 * rng_share(&session.rng));
	for (size_t i = 0; i < job->nr_metrics; i++) {
		draw_truth(&session, i);
	}
	do {
		options.look++;
		look(&session, &options);
	} while (judge_next(job->verdicts, job->nr_metrics, options.look, &why) == JUDGE_MORE);
	count(job);
	job->look = options.look;
	job->nr_boots = (size_t)session.run / 2;
	if (job->nr_named > 0) {
		confirm_all(&session, options.look);
	}
	free(session.truths);
	return job;
}

struct lab_job *lab_free(struct lab_job *job)
{
	if (job) {
		free(job->metrics);
		free(job->verdicts);
		free(job->values);
		free(job);
	}
	return NULL;
}
