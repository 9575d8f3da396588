/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab.h"

#include <math.h>

#include "lib/base/mem.h"
#include "random.h"

#define FAMILY      10 /* metrics that share a part of their noise */
#define CORRELATION 0.6
#define DAYS        10
#define DAY_RUNS    3
#define DRIFT       0.381 /* of ln(variance) from its mean; today against ten days: 0.4 */
#define JUMP_WITHIN 24
#define REBUILD_DF  20

/* What is true of a metric, and stays so while the job runs. */
struct truth {
	double cv;
	double build[2];
	double boot[2]; /* where a side has one boot */
};

struct session {
	const struct lab *lab;
	struct rng rng;
	struct truth *truths;
	struct lab_job *job;
	int run; /* so far */
	int jump_first, jump_last;
	size_t place; /* in the real residuals */
};

/* One normal number for each metric, or the next real residuals. */
static double noise_of(struct session *session, double *family, size_t metric)
{
	const struct lab *lab = session->lab;
	double noise;

	if (lab->nr_real > 0) {
		return lab->real[(session->place + metric * 7919) % lab->nr_real];
	}
	if (metric % FAMILY == 0) {
		*family = rng_normal(&session->rng);
	}
	noise = sqrt(CORRELATION) * *family + sqrt(1 - CORRELATION) * rng_normal(&session->rng);
	if (lab->outliers > 0 && rng_share(&session->rng) < lab->outliers) {
		noise += 5;
	}
	return noise;
}

/* The variance of the runs of one day around their mean, times its degrees of freedom. */
static double squares_of_day(struct session *session, const struct truth *truth)
{
	double sd = truth->cv * exp(DRIFT / 2 * rng_normal(&session->rng));
	double mean = 0;
	double squares = 0;
	double values[DAY_RUNS];

	for (int i = 0; i < DAY_RUNS; i++) {
		double off = session->lab->outliers > 0 &&
			     rng_share(&session->rng) < session->lab->outliers;

		values[i] = sd * (rng_normal(&session->rng) + 5 * off);
		mean += values[i] / DAY_RUNS;
	}
	for (int i = 0; i < DAY_RUNS; i++) {
		squares += (values[i] - mean) * (values[i] - mean);
	}
	return squares;
}

static void add_history(struct session *session, struct judge_metric *metric,
			const struct truth *truth)
{
	double squares = 0;

	for (int day = 0; day < DAYS; day++) {
		squares += squares_of_day(session, truth);
	}
	metric->prior_weight = 12;
	metric->prior_df = DAYS * (DAY_RUNS - 1);
	metric->prior_variance = squares / metric->prior_df;
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
	*metric = (struct judge_metric){ .name = "rate",
					 .is_higher_better = true,
					 .is_headline = i < lab->nr_headlines };
	if (lab->has_history) {
		add_history(session, metric, truth);
	}
	if (lab->is_build_known) {
		add_builds(session, metric, truth);
	}
	for (int side = 0; side < 2; side++) {
		truth->build[side] = lab->build_sd * rng_normal(rng);
		truth->boot[side] = lab->boot_sd * rng_normal(rng);
	}
	truth->cv *= exp(DRIFT / 2 * rng_normal(rng));
}

static void measure(struct session *session, bool is_head, uint32_t block)
{
	const struct lab *lab = session->lab;
	struct lab_job *job = session->job;
	double jump = session->run >= session->jump_first && session->run <= session->jump_last
			      ? lab->jump
			      : 0;
	double family = 0;

	session->run++;
	session->place++;
	for (size_t i = 0; i < job->nr_metrics; i++) {
		struct judge_metric *metric = &job->metrics[i];
		const struct truth *truth = &session->truths[i];
		size_t *nr = is_head ? &metric->nr_head : &metric->nr_base;
		double boot = lab->is_boot_shared ? truth->boot[is_head]
						  : lab->boot_sd * rng_normal(&session->rng);
		double noise = noise_of(session, &family, i) + boot + truth->build[is_head];
		double effect = is_head && i == 0 ? lab->effect : 0;
		struct judge_sample *samples = job->samples + (2 * i + is_head) * 2 * LAB_BLOCKS;

		samples[(*nr)++] = (struct judge_sample){
			.value = 100 * (1 + jump) * (1 + effect) * exp(truth->cv * noise),
			.block = block,
			.boot = lab->is_boot_shared ? 1 + is_head : (uint32_t)session->run,
			.build = 1 + is_head,
			.machine = 1,
			.order = (uint32_t)session->run
		};
		metric->base = job->samples + 4 * i * LAB_BLOCKS;
		metric->head = metric->base + 2 * LAB_BLOCKS;
	}
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

static void count(struct lab_job *job)
{
	for (size_t i = 0; i < job->nr_metrics; i++) {
		bool is_named = job->verdicts[i].kind == JUDGE_REGRESSION ||
				job->verdicts[i].kind == JUDGE_IMPROVEMENT;

		job->nr_rows += is_named;
		job->nr_named += is_named && job->metrics[i].is_headline;
	}
}

struct lab_job *lab_run(const struct lab *lab)
{
	struct judge_options options = JUDGE_OPTIONS_INIT;
	struct session session = { .lab = lab, .job = mem_alloc(sizeof(*session.job)) };
	struct lab_job *job = session.job;
	const char *why;

	job->nr_metrics = lab->nr_metrics;
	job->metrics = mem_array(lab->nr_metrics, sizeof(*job->metrics));
	job->verdicts = mem_array(lab->nr_metrics, sizeof(*job->verdicts));
	job->samples = mem_array(4 * LAB_BLOCKS * lab->nr_metrics, sizeof(*job->samples));
	session.truths = mem_array(lab->nr_metrics, sizeof(*session.truths));
	rng_init(&session.rng, lab->seed);
	session.place = lab->nr_real ? (size_t)(rng_share(&session.rng) * (double)lab->nr_real) : 0;
	session.jump_first = (int)(JUMP_WITHIN * rng_share(&session.rng));
	session.jump_last = session.jump_first + (int)(12 * rng_share(&session.rng));
	for (size_t i = 0; i < lab->nr_metrics; i++) {
		draw_truth(&session, i);
	}
	do {
		options.look++;
		look(&session, &options);
	} while (judge_next(job->verdicts, job->nr_metrics, options.look, &why) == JUDGE_MORE);
	count(job);
	job->look = options.look;
	job->nr_boots = (size_t)session.run / 2;
	free(session.truths);
	return job;
}

struct lab_job *lab_free(struct lab_job *job)
{
	if (job) {
		free(job->metrics);
		free(job->verdicts);
		free(job->samples);
		free(job);
	}
	return NULL;
}
