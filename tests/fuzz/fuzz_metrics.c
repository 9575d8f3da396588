/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any output gives, for each metric, a finite number or a reason.  The first byte chooses how the
 * output is read; the rest is the output.
 */
#include <math.h>

#include "lib/spec/metrics.h"

#define JOB(row)                           \
	"name: fuzz\nsummary: s\nrun: x\n" \
	"metrics: [{name: m, unit: s, better: lower, headline: true, " row "}]\n"
#define SWEEP "params: {g: [1, 2, 10]}\nsweep: g\n"

static const char *const jobs[] = {
	JOB("regex: '^Time: (?<value>\\S+)$'"),
	JOB("regex: '(a+)+(?<value>\\d*)'"),
	JOB("regex: '(?<value>.*)'"),
	JOB("regex: '^with (?<point>\\d+) groups.*\\R.*\\RTime: (?<value>\\S+)$'") SWEEP,
	JOB("pointer: /a/0/b~1c"),
	JOB("pointer: /m"),
	JOB("lines: m"),
	JOB("lines: m") SWEEP,
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_reading(const struct reading *reading)
{
	if (reading->missing ? !reading->detail
			     : !isfinite(reading->value) ||
				       (signbit(reading->value) && !(reading->value < 0))) {
		bug("'%s': %f without a reason", reading->metric->name, reading->value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	const char *job = jobs[length > 0 ? bytes[0] % countof(jobs) : 0];
	scoped(output_release) struct output output = OUTPUT_INIT;
	scoped(spec_free) struct spec *spec = NULL;
	scoped(json_free) struct json *document = NULL;
	struct reading *readings;
	const char *reason;
	struct err err = ERR_INIT;

	if (!spec_parse("job", job, strlen(job), &spec, &err)) {
		bug("%s", err.message);
	}
	if (length > 0) {
		output_take(&output, STREAM_STDOUT, (const char *)bytes + 1, length - 1);
	}
	reason = metrics_read(spec->arena, spec, &output, &readings);
	for (size_t i = 0; i < spec->nr_metrics; i++) {
		check_reading(&readings[i]);
	}
	document = metrics_document(readings, spec->nr_metrics, reason);
	free(json_write(document, FORM_CANONICAL));
	return 0;
}
