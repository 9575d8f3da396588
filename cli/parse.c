/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter parse - the metrics of a raw output, as the daemon reads them.
 */
#include "jobs.h"
#include "lib/spec/metrics.h"
#include "verb.h"

struct options {
	const char *jobs;
	const char *stderr_path;
	int64_t status;
};

/* The first operand may be either stream; with --stderr both are there. */
static bool read_output(const char *path, const struct options *options, struct output *output,
			struct err *err)
{
	output->is_any_stream = true;
	output->exit_code = options->status > 0 ? (int)options->status : 0;
	output->signal = options->status < 0 ? (int)-options->status : 0;
	return output_read(output, STREAM_STDOUT, path, err) &&
	       (!options->stderr_path ||
		output_read(output, STREAM_STDERR, options->stderr_path, err));
}

static int print(const struct spec *spec, const struct output *output)
{
	struct reading *readings;
	const char *reason = metrics_read(spec->arena, spec, output, &readings);
	scoped(json_free) struct json *document =
		metrics_document(readings, spec->nr_metrics, reason);
	scoped(free) char *text = NULL;

	json_put_int(document, "schema", 1);
	json_put_text(document, "benchmark", spec->name);
	text = json_write(document, FORM_PRETTY);
	puts(text);
	return reason ? EXIT_JOB_FAILED : EXIT_DONE;
}

int verb_parse(struct call *call)
{
	struct options options = { 0 };
	const struct option_row rows[] = {
		{ "stderr", 0, "FILE", "the standard error of the run", OPTION_TEXT,
		  &options.stderr_path },
		{ "status", 0, "N", "its exit status, or minus the signal that ended it (0)",
		  OPTION_INT, &options.status },
		{ "jobs", 0, "FOLDER", "where the job files are", OPTION_TEXT, &options.jobs },
	};
	scoped(output_release) struct output output = OUTPUT_INIT;
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;
	int exit_code;

	if (!call_options(call, rows, countof(rows), &exit_code)) {
		return exit_code;
	}
	if (call->argc != 3) {
		return call_usage(call, "expected a benchmark and a file");
	}
	if (options.status < -64 || options.status > 255) {
		return call_usage(call, "--status: expected -64 to 255");
	}
	if (!jobs_read(options.jobs, call->argv[1], &spec, &err)) {
		return call_fail(call, &err);
	}
	if (!read_output(call->argv[2], &options, &output, &err)) {
		return call_fail_file(call, &err);
	}
	return print(spec, &output);
}
