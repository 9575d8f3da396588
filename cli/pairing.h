/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairing.h - results of several commits side by side: judged, and as one document.
 *
 *	scoped(pairing_free) struct pairing *pairing = pairing_new(&sides, &jobs);
 *	if (pairing_reason(pairing)) ...            // nothing can be compared, and why
 *	scoped(view_free) struct view *view = pairing_view(pairing, false);
 *
 * The first side is the base, each other one is judged against it.  Benchmarks with equal names
 * and parameters belong together.  Where each side has one alone, a side that does not tell its
 * benchmark or parameters fits any; one that measured another benchmark, or with other parameters,
 * takes no part.
 */
#ifndef CLI_PAIRING_H
#define CLI_PAIRING_H

#include "jobs.h"
#include "known.h"
#include "lib/report/view_builder.h"
#include "sides.h"

/* The same benchmark with the same parameters on all sides that have it. */
struct pairing_part {
	const char *label; /* "sort/size=10": what tells it from the others; "": nothing has to */
	size_t table;
	const struct spec *spec;           /* NULL: no job file */
	const struct results_part **sides; /* NULL: this side does not have it */
};

/* A metric that some side has. */
struct pairing_row {
	const char *name;  /* without the benchmark's */
	const char *title; /* LABEL.NAME where there is a label */
	size_t part;
	size_t family; /* metrics of one family are judged together */
	size_t place;  /* of its verdicts */
	struct known known;
	const struct results_metric **sides; /* NULL: this side does not have it */
	struct view_cell *unjudged;          /* one a side, of those that no verdict took; NULL: all
					      * were taken */
};

struct pairing {
	struct arena *arena;
	const struct sides *sides;
	const char **reasons;           /* one a side: why it takes no part; NULL: it does */
	VEC(const char *) tables;       /* the values of --by; one, NULL, without it */
	VEC(struct results_param) axes; /* what holds for all parts */
	VEC(struct pairing_part) parts;
	VEC(struct pairing_row) rows;
	struct judge_verdict **verdicts; /* pairing_verdict() finds them */
	VEC(const char *) notes;         /* what is left out or differs, for people */
};

/* Judges; at least two sides.  What is passed in must live as long. */
struct pairing *pairing_new(const struct sides *sides, const struct jobs *jobs);
struct pairing *pairing_free(struct pairing *pairing);
DEFINE_SCOPED(pairing_free, struct pairing *)

/* What was found of a row: `head` is a side from 1. */
static inline const struct judge_verdict *pairing_verdict(const struct pairing *pairing,
							  size_t head, size_t row)
{
	return &pairing->verdicts[head - 1][pairing->rows.at[row].place];
}

/* Why no metric of any head can be compared with the base's; NULL: some can. */
const char *pairing_reason(const struct pairing *pairing);

/* What the judge took of a side of a row, by any comparison that took something; NULL: none did. */
const struct judge_side *pairing_side(const struct pairing *pairing, size_t row, size_t side);

/* The comparison document, which points into the pairing; without groups where nothing can be
 * compared.  Only what has samples asks the sides for them: they may have been forgotten. */
struct view *pairing_view(const struct pairing *pairing, bool has_samples);

/* For pairing.c: whether all sides have one part alone, and what differs between two of them. */
bool is_pairing_simple(const struct sides *sides);
const char *pairing_mismatch(struct arena *arena, const struct sides *sides, size_t head);
/* For pairing.c: finds the tables, axes, parts and rows. */
void pairing_find(struct pairing *pairing, const struct jobs *jobs);
/* For pairing.c: says what differs between the sides besides what is compared. */
void pairing_take_notes(struct pairing *pairing);

#endif
