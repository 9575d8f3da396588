/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - from the raw output of a run to numbers, or to the reason why there are none.
 *
 * Missing is not zero: a metric has a value, or a word of the one vocabulary of failures
 * ("no-metric", "not-finite", "output-too-large") and a sentence for people.  A run that failed has
 * no metrics at all, whatever it printed.  A run without one of its headline metrics has failed.
 *
 * Which number counts: the last match of a regex, the last line of a name, the one place of a
 * pointer, so progress reports come before the result.  Iterations of a repeated run are outputs of
 * their own, each read by itself; their estimator makes one number of them later.
 *
 *	scoped(output_release) struct output output = OUTPUT_INIT;
 *	if (!output_read(&output, STREAM_STDOUT, path, err)) ...
 *	output.exit_code = exit_code;
 *	reason = metrics_read(arena, spec, &output, &readings);	// NULL: the run counts
 *	// readings[i] belongs to spec->metrics[i]
 *
 * Bounds: of an output above 16 MiB only its last 16 MiB are read, from the first whole line on; a
 * pointer needs the whole output and gives "output-too-large" there.
 */
#ifndef SPEC_METRICS_H
#define SPEC_METRICS_H

#include "lib/base/json.h"
#include "lib/base/str.h"
#include "spec.h"

#define OUTPUT_LIMIT_BYTES ((size_t)16 << 20)

enum stream { STREAM_STDOUT, STREAM_STDERR, STREAM_FILE, STREAMS };

/* What a run left behind. */
struct output {
	struct str text[STREAMS];
	bool is_cut[STREAMS];
	bool is_any_stream; /* the streams are mixed up: a metric may stand in any of them */
	int exit_code;
	int signal; /* 0: it was not killed */
	bool is_timed_out;
};

#define OUTPUT_INIT                                      \
	{                                                \
		.text = { STR_INIT, STR_INIT, STR_INIT } \
	}

void output_release(struct output *output);
DEFINE_SCOPED_EMBEDDED(output_release, struct output)

/* Reads one stream from a file, within the bounds.  Blocks.  ERR_ABSENT, ERR_BROKEN. */
MUST_CHECK bool output_read(struct output *output, enum stream stream, const char *path,
			    struct err *err);

/* The same from memory. */
void output_take(struct output *output, enum stream stream, const char *bytes, size_t length);

struct reading {
	const struct metric *metric;
	double value;
	const char *missing; /* NULL: there is a value; else the failure */
	const char *detail;  /* why, for people; NULL where there is a value */
};

/* One reading for each metric of the spec, in the arena.  Gives NULL where the run counts, else the
 * reason of its failure.  Bounded in time for any output. */
const char *metrics_read(struct arena *arena, const struct spec *spec, const struct output *output,
			 struct reading **ret_readings);

/* What the runner measures of every run itself, from the usage of a lease's finish message: the
 * metrics "time.elapsed" and so on, none of them headline.  Array in the arena. */
size_t metrics_of_usage(struct arena *arena, const struct json *usage,
			struct reading **ret_readings);
bool is_time_metric(const char *name);
/* The unit of such a metric; NULL: it is none. */
const char *time_metric_unit(const char *name);

/* {"outcome": "ok" | "failed", "reason", "metrics": [{name, value, unit, better, headline}],
 * "missing": [{name, reason, detail}]}.  A failed run has no metrics there. */
struct json *metrics_document(const struct reading *readings, size_t nr_readings,
			      const char *reason);

#endif
