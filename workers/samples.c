/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "samples.h"

#include <math.h>
#include <unistd.h>

#include "lib/spec/metrics.h"
#include "lib/stats/summary.h"
#include "measure.h"

struct samples {
	struct arena *arena;
	const struct spec *spec;
	size_t nr;      /* iterations */
	double *values; /* by metric, then iteration; NAN: missing */
	const char *reason, *detail;
};

static bool read_output(const char *folder, size_t i, struct samples *samples,
			struct output *output, struct err *err)
{
	static const struct {
		const char *name;
		enum stream stream;
	} streams[] = { { "stdout", STREAM_STDOUT },
			{ "stderr", STREAM_STDERR },
			{ "output", STREAM_FILE } };

	for (size_t s = 0; s < countof(streams); s++) {
		const char *path = arena_printf(samples->arena, "%s/%s", folder,
						measure_file(samples->arena, streams[s].name,
							     (int64_t)i, (int64_t)samples->nr));

		if (access(path, F_OK) == 0 && !output_read(output, streams[s].stream, path, err)) {
			return false;
		}
	}
	return true;
}

static bool read_iteration(const char *folder, size_t i, struct samples *samples, struct err *err)
{
	scoped(output_release) struct output output = OUTPUT_INIT;
	struct reading *readings;
	const char *reason;

	if (!read_output(folder, i, samples, &output, err)) {
		return false;
	}
	reason = metrics_read(samples->arena, samples->spec, &output, &readings);
	for (size_t m = 0; m < samples->spec->nr_metrics; m++) {
		const struct reading *reading = &readings[m];

		samples->values[m * samples->nr + i] =
			reading->missing ? (double)NAN : reading->value;
		if (reason && !samples->reason && reading->missing &&
		    reading->metric->is_headline) {
			samples->reason = reason;
			samples->detail = arena_printf(samples->arena, "%s: %s",
						       reading->metric->name, reading->detail);
		}
	}
	if (reason && !samples->reason) {
		samples->reason = reason;
	}
	return true;
}

static struct json *iterations_of(const struct samples *samples)
{
	struct json *iterations = json_new_object();

	for (size_t m = 0; m < samples->spec->nr_metrics; m++) {
		struct json *row = json_new_array();

		for (size_t i = 0; i < samples->nr; i++) {
			json_append(row, json_new_number(samples->values[m * samples->nr + i]));
		}
		json_put(iterations, samples->spec->metrics[m].name, row);
	}
	return iterations;
}

static void put_times(const struct samples *samples, const struct proto_usage *usage,
		      struct json *metrics)
{
	scoped(json_free) struct json *json = proto_encode(&proto_usage_message, usage);
	struct reading *readings;
	size_t nr = metrics_of_usage(samples->arena, json, &readings);

	for (size_t i = 0; i < nr; i++) {
		if (!readings[i].missing) {
			json_put_number(metrics, readings[i].metric->name, readings[i].value);
		}
	}
}

static struct json *metrics_of(struct samples *samples, const struct proto_usage *usage)
{
	struct json *metrics = json_new_object();

	for (size_t m = 0; m < samples->spec->nr_metrics; m++) {
		const struct metric *metric = &samples->spec->metrics[m];
		double value = summary_estimate(metric->estimator,
						samples->values + m * samples->nr, samples->nr);

		if (!isnan(value)) {
			json_put_number(metrics, metric->name, value);
		}
	}
	put_times(samples, usage, metrics);
	return metrics;
}

bool samples_read(const char *folder, const struct spec *spec, const struct failure *failure,
		  const struct proto_usage *usage, struct json **ret_samples, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *json = json_new_object();
	struct samples samples = { .arena = arena,
				   .spec = spec,
				   .nr = (size_t)spec->repeat,
				   .reason = failure->reason,
				   .detail = failure->detail };

	samples.values = arena_array(arena, spec->nr_metrics * samples.nr, sizeof(double));
	for (size_t i = 0; i < samples.nr && !failure->reason; i++) {
		if (!read_iteration(folder, i, &samples, err)) {
			return false;
		}
	}
	json_put_text(json, "outcome", samples.reason ? "failed" : "ok");
	json_put_text(json, "reason", samples.reason);
	if (samples.detail) {
		json_put_text(json, "detail", samples.detail);
	}
	if (!samples.reason && samples.nr > 1) {
		json_put(json, "iterations", iterations_of(&samples));
	}
	json_put(json, "metrics", samples.reason ? json_new_object() : metrics_of(&samples, usage));
	*ret_samples = move(&json);
	return true;
}
