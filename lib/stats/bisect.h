/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect.h - which commit did it, and what to run next, when every run is noisy.
 *
 * A posterior over "commit c did it" for every c, and "nothing changed", is kept up after each run;
 * the next run is the one that tells most for its cost.  No step is ever decided for good, so a
 * wrong turn is taken back when the runs speak against it.  docs/bisecting.md explains it to
 * people, docs/statistics.md gives the formulas; the levels on both sides, their noise, the share
 * of boots in it and jumps of the machine are unknown and integrated over.  Deterministic: the same
 * runs in the same order give the same answer.
 *
 *	struct bisect_options options = bisect_defaults(16);	// base is 0, tip is 16
 *	struct bisect *bisect = bisect_new(&options);
 *	bisect_add(bisect, &(struct bisect_run){ .commit = 0, .boot = 1, .value = log(101.5) });
 *	...						// every run that exists
 *	while (bisect_answer(bisect, &answer), answer.state == BISECT_OPEN) {
 *		bisect_next(bisect, 0, &next);
 *		... run next.commit; bisect_add(), or bisect_skip() where it does not build
 *	}
 *	bisect_free(bisect);
 */
#ifndef STATS_BISECT_H
#define STATS_BISECT_H

#include "lib/base/base.h"

#define BISECT_MOST_COMMITS  100000
#define BISECT_MOST_MACHINES 16

enum bisect_values {
	BISECT_LEVELS,    /* the mean moves: times, rates, counts */
	BISECT_PASS_FAIL, /* 0 passed, 1 failed: the share of failures moves */
};

struct bisect_options {
	size_t nr_commits; /* the tip; commit 0 is the base; 1 to BISECT_MOST_COMMITS */
	enum bisect_values values;

	/* nr_commits + 1 weights >= 0, of any sum, [0] is not looked at; NULL: all alike.  0 for a
	 * commit that builds to the same bytes as its parent, near 0 for one that touches nothing
	 * which is built. */
	const double *weights;
	/* Does the tree of `commit` hold `culprit`?  NULL: commits follow one another, so
	 * culprit <= commit.  Parents come before children in any case.  Called with different
	 * arguments below bisect_new(), _add() and _next(). */
	bool (*holds)(const void *graph, size_t commit, size_t culprit);
	/* Off the first parents of the tip: asked for only once the culprit came in with its merge.
	 * NULL: none is. */
	bool (*is_side)(const void *graph, size_t commit);
	const void *graph;

	double sd;         /* of a run, on the scale of the values; > 0 for BISECT_LEVELS */
	double sd_df;      /* of what is known of sd; 0: a guess */
	double boot_share; /* variance between boots over variance of a run; < 0: unknown */
	double p_none;     /* that nothing changed, before the first run; [0, 1) */
	double stop;       /* of the answers so many shall be right; (0.5, 1) */
	double jumps;      /* expected jumps of a machine's level a run; 0: it never moves */

	/* Least step that counts, in sd, half of what is looked for; > 0.  For shares of failures
	 * the sd is 1/2, on the scale of the arc asin(sqrt(share)). */
	double smallest;

	/* What it costs, in runs, to build a commit, and to boot one that is built. */
	double build_cost, boot_cost;
	size_t budget; /* runs, with those that were given */

	/* Looks for every step, not for the most probable one alone: up to 16 commits get two boots
	 * each even where tip equals base, and each step is named or excluded.  Of levels in a
	 * line of commits; with `holds` or pass/fail one step is looked for all the same. */
	bool every_step;
};

/* One metric on one machine, nothing known but a guess of its noise. */
struct bisect_options bisect_defaults(size_t nr_commits);

struct bisect;

/* Copies what `options` points to, but for graph, which must outlive it. */
struct bisect *bisect_new(const struct bisect_options *options);
struct bisect *bisect_free(struct bisect *bisect);
DEFINE_SCOPED(bisect_free, struct bisect *)

/* A run.  Runs of one machine are added in the order of time. */
struct bisect_run {
	size_t commit;  /* 0 to nr_commits */
	size_t machine; /* below BISECT_MOST_MACHINES; each has a level of its own */
	uint64_t boot;  /* equal for two runs in a row: they share a boot of that machine */
	double value;   /* finite; the logarithm where all values are positive */
};
void bisect_add(struct bisect *bisect, const struct bisect_run *run);

/* A commit that cannot be built or booted: never asked for again. */
void bisect_skip(struct bisect *bisect, size_t commit);

enum bisect_state {
	BISECT_OPEN,    /* run bisect_next() */
	BISECT_CULPRIT, /* `last` */
	BISECT_SET,     /* one of `nr_set` commits: what lies between them does not build */
	BISECT_NONE,    /* nothing changed by `smallest` or more */
	BISECT_SPENT,   /* the budget has ended; the smallest set of 95 % */
};

struct bisect_answer {
	enum bisect_state state;
	double p;             /* of what is said: of the culprit, the set, or none */
	double p_none;        /* that nothing changed */
	size_t last;          /* most probable commit; of a set, the last */
	size_t nr_set;        /* 1 for a culprit; 0 for none */
	double p_worse;       /* that the value rose; given a change */
	bool has_modes;       /* boots fall into two modes: levels are shares of slow boots */
	double before, after; /* fitted levels on machine 0 */
	double step_sd;       /* deviation of after - before */
	double sd;            /* of a run, fitted */
	double expected;      /* runs still to come, about; 0 once not open */

	size_t nr_found;      /* culprits and sets, bisect_found() */
	size_t nr_unmeasured; /* with every_step: commits that have not had two boots */
};

/* After each run; at most milliseconds. */
void bisect_answer(struct bisect *bisect, struct bisect_answer *ret_answer);

/* The posterior of each commit: `ret_p` holds nr_commits + 1 numbers of sum 1, [0] is "none". */
void bisect_posterior(struct bisect *bisect, double *ret_p);

/* The commits of the set of `answer`, ascending; ret_commits holds answer.nr_set numbers. */
void bisect_set(struct bisect *bisect, const struct bisect_answer *answer, size_t *ret_commits);

/* One of the steps that were found, in the order of commits; index < answer.nr_found. */
struct bisect_found {
	size_t commit; /* of a set, its last */
	size_t nr_set; /* 1: the commit alone; else those that end with it, not told apart */
	double p;      /* at least options.stop */
	double before, after;
};
void bisect_found(struct bisect *bisect, size_t index, struct bisect_found *ret_found);

struct bisect_next {
	size_t commit;
	bool is_fresh; /* on a fresh boot even if that commit is running */
};

/* What this machine should run now.  Calls for several machines, one after the other, give
 * different commits: each call takes those before it, since the last bisect_add(), as under way. */
void bisect_next(struct bisect *bisect, size_t machine, struct bisect_next *ret_next);

#endif
