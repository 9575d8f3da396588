/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairing.h - results of several commits side by side: judged, and as one document.
 *
 *	scoped(pairing_free) struct pairing *pairing = pairing_new(sides, nr_sides, spec);
 *	if (pairing_reason(pairing)) ...            // nothing can be compared, and why
 *	scoped(json_free) struct json *view = pairing_view(pairing);
 *
 * The first side is the base, each other one is judged against it.  A side that measured another
 * benchmark, or with other parameters, takes no part.
 */
#ifndef CLI_PAIRING_H
#define CLI_PAIRING_H

#include "known.h"
#include "lib/report/results.h"
#include "lib/report/view_builder.h"

/* A metric that some side has. */
struct pairing_row {
	const char *name;  /* without the benchmark's */
	const char *title; /* BENCHMARK.NAME where the benchmark is known */
	struct known known;
	const struct results_metric **sides; /* NULL: this side does not have it */
};

struct pairing {
	struct arena *arena;
	const struct results *const *sides;
	size_t nr_sides;
	const char **reasons; /* one a side: why it takes no part; NULL: it does */
	VEC(struct pairing_row) rows;
	struct judge_verdict **verdicts; /* of head i, from 1: verdicts[i - 1][row] */
};

/* Judges; at least two sides, which must live as long.  `spec` may be NULL. */
struct pairing *pairing_new(const struct results *const *sides, size_t nr_sides,
			    const struct spec *spec);
struct pairing *pairing_free(struct pairing *pairing);
DEFINE_SCOPED(pairing_free, struct pairing *)

/* Why no metric of any head can be compared with the base's; NULL: some can. */
const char *pairing_reason(const struct pairing *pairing);

/* The comparison document; without groups where nothing can be compared. */
struct json *pairing_view(const struct pairing *pairing);

#endif
