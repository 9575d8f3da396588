/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evidence.h - what the runs of a journal say about the commits of a range.
 *
 * Made anew from all runs after each one, so that a bisection that was stopped goes on exactly as
 * if it had not been.  A kernel's boot is a machine of its own to the engine: runs of last week
 * count, and what an update did to the level of all commits is not taken for a commit.  So is each
 * of the places that measure at once.
 *
 *	scoped(evidence_free) struct evidence *evidence = evidence_new(&question, range, journal,
 *								       bench_boot(bench));
 *	while (evidence->answer.state == BISECT_OPEN) ...
 */
#ifndef CLI_BISECT_EVIDENCE_H
#define CLI_BISECT_EVIDENCE_H

#include "journal.h"
#include "lib/stats/bisect.h"
#include "question.h"
#include "range.h"

/* What a run says. */
enum sign {
	SIGN_VALUE,  /* a number; of pass/fail 0 or 1 */
	SIGN_SKIP,   /* nothing, and this commit never will: it does not build, or says so (125) */
	SIGN_FAILED, /* nothing; a second one and the commit is skipped */
	SIGN_NONE,   /* it was cut off, or the machine is at fault: not the commit's doing */
	SIGN_STOP    /* of pass/fail: the command asks to end it all */
};

enum sign evidence_sign(const struct question *question, const struct json *run, double *ret_value);

/* "build-failed: build exited with 2", in the arena. */
const char *evidence_failure(const struct json *run, struct arena *arena);

struct evidence_commit {
	size_t nr; /* runs with a value */
	double mean, sd;
	size_t nr_failed;
	const char *why;   /* it was skipped; NULL: it was not */
	const char *build; /* hash of what was built; NULL: unknown */
};

struct evidence {
	struct arena *arena;
	struct bisect *bisect;
	struct bisect_answer answer;
	double *posterior;          /* by commit; of 0: that nothing changed */
	struct evidence_commit *at; /* by commit of the range */
	size_t nr_runs;             /* with a value */
	size_t nr_failed;           /* without one, by the commit's doing; they cost as much */
	size_t nr_measured;         /* commits that have one */
	double sought;              /* the smallest step that is, on the engine's scale */
	bool is_log;                /* values went in as logarithms */
	bool is_pass_fail;          /* values are 0 and 1, a mean is the share of failures */
};

/* Machine i of bisect_next() is place i in the kernel `boot`. */
struct evidence *evidence_new(const struct question *question, const struct range *range,
			      const struct journal *journal, const char *boot);
struct evidence *evidence_free(struct evidence *evidence);
DEFINE_SCOPED(evidence_free, struct evidence *)

/* A value of the engine's scale as people know it. */
double evidence_value(const struct evidence *evidence, double value);

#endif
