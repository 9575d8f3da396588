/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pattern.h"
#include "value.h"

static const char *const stream_names[STREAMS] = {
	[STREAM_STDOUT] = "stdout", [STREAM_STDERR] = "stderr", [STREAM_FILE] = "file"
};

void output_release(struct output *output)
{
	for (size_t i = 0; i < STREAMS; i++) {
		str_release(&output->text[i]);
	}
}

/* A half line at the start of a cut output could look like a whole one. */
static void drop_half_line(struct str *text)
{
	size_t end = 0;

	while (end < text->length && text->at[end] != '\n' && text->at[end] != '\r') {
		end++;
	}
	memmove(text->at, text->at + end, text->length - end);
	str_truncate(text, text->length - end);
}

void output_take(struct output *output, enum stream stream, const char *bytes, size_t length)
{
	struct str *text = &output->text[stream];
	size_t skipped = length > OUTPUT_LIMIT_BYTES ? length - OUTPUT_LIMIT_BYTES : 0;

	str_truncate(text, 0);
	str_append_bytes(text, bytes + skipped, length - skipped);
	output->is_cut[stream] = skipped > 0;
	if (skipped > 0) {
		drop_half_line(text);
	}
}

static bool read_tail(int fd, struct str *text, bool *ret_is_cut, struct err *err)
{
	char chunk[65536];
	struct stat stat;
	ssize_t got;

	if (fstat(fd, &stat) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "look at it");
	}
	*ret_is_cut = stat.st_size > (off_t)OUTPUT_LIMIT_BYTES;
	if (*ret_is_cut && lseek(fd, -(off_t)OUTPUT_LIMIT_BYTES, SEEK_END) < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "seek its end");
	}
	/* It may be a pipe, or still grow: the limit holds all the same. */
	while ((got = read(fd, chunk, sizeof(chunk))) > 0) {
		if (text->length + (size_t)got > OUTPUT_LIMIT_BYTES) {
			return err_set(err, ERR_TOO_BIG, "it grows beyond %zu bytes",
				       OUTPUT_LIMIT_BYTES);
		}
		str_append_bytes(text, chunk, (size_t)got);
	}
	return got == 0 || err_set_errno(err, ERR_BROKEN, errno, "read it");
}

bool output_read(struct output *output, enum stream stream, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_done;

	if (fd < 0) {
		return err_set_errno(err, errno == ENOENT ? ERR_ABSENT : ERR_BROKEN, errno,
				     "open '%s'", path);
	}
	str_truncate(&output->text[stream], 0);
	is_done = read_tail(fd, &output->text[stream], &output->is_cut[stream], err);
	close(fd);
	if (!is_done) {
		return err_wrap(err, "output '%s'", path);
	}
	if (output->is_cut[stream]) {
		drop_half_line(&output->text[stream]);
	}
	return true;
}

/* One pass over the metrics of a run; JSON outputs are parsed at most once. */
struct pass {
	struct arena *arena;
	const struct output *output;
	struct json *documents[STREAMS];
	const char *faults[STREAMS]; /* why there is no document */
	int64_t steps;
};

static struct slice slice_of(const struct str *text)
{
	return (struct slice){ text->at, text->length };
}

static bool set_missing(struct reading *reading, const char *reason, const char *detail)
{
	reading->missing = reason;
	reading->detail = detail;
	return false;
}

static bool set_end(struct reading *reading, enum value_end end, const char *detail)
{
	switch (end) {
	case VALUE_FOUND:
		reading->missing = NULL;
		reading->detail = NULL;
		return true;
	case VALUE_NOT_FINITE:
		return set_missing(reading, "not-finite", "the number is not finite");
	case VALUE_NONE:
		return set_missing(reading, "no-metric", detail);
	}
	bug("value end %d", end);
}

static bool read_regex(struct pass *pass, enum stream stream, struct reading *reading)
{
	const struct metric *metric = reading->metric;
	scoped(pattern_free) struct pattern *pattern = NULL;
	struct slice found = { 0 };
	enum pattern_end end;

	if (!pattern_new(metric->regex, &pattern, NULL)) {
		bug("metric '%s' has a pattern that was not checked", metric->name);
	}
	end = pattern_last(pattern, slice_of(&pass->output->text[stream]), metric->point,
			   &pass->steps, &found);
	if (end == PATTERN_TOO_DEAR) {
		return set_missing(reading, "no-metric", "the search took too many steps");
	}
	if (end == PATTERN_NONE) {
		return set_missing(reading, "no-metric", "the pattern does not match");
	}
	return set_end(reading, value_of_text(found, &reading->value),
		       "what the pattern found is not a number");
}

static bool read_pointer(struct pass *pass, enum stream stream, struct reading *reading)
{
	const struct str *text = &pass->output->text[stream];
	struct err err = ERR_INIT;

	if (pass->output->is_cut[stream]) {
		return set_missing(reading, "output-too-large", "a JSON output above 16 MiB");
	}
	if (!pass->documents[stream] && !pass->faults[stream] &&
	    !json_parse(stream_names[stream], text->at, text->length, &pass->documents[stream],
			&err)) {
		pass->faults[stream] = arena_strdup(pass->arena, err.message);
	}
	if (pass->faults[stream]) {
		return set_missing(reading, "no-metric", pass->faults[stream]);
	}
	return set_end(reading,
		       value_of_pointer(pass->documents[stream], reading->metric->pointer,
					&reading->value),
		       "the pointer leads to no number");
}

static bool read_line(struct pass *pass, enum stream stream, struct reading *reading)
{
	const struct metric *metric = reading->metric;

	return set_end(reading,
		       value_of_line(slice_of(&pass->output->text[stream]), metric->lines,
				     metric->point, &reading->value),
		       "no line with this name and a number");
}

static bool read_from(struct pass *pass, enum stream stream, struct reading *reading)
{
	const struct metric *metric = reading->metric;

	return metric->regex     ? read_regex(pass, stream, reading)
	       : metric->pointer ? read_pointer(pass, stream, reading)
				 : read_line(pass, stream, reading);
}

static void read_metric(struct pass *pass, struct reading *reading)
{
	enum stream own = STREAM_STDOUT;

	while (own < STREAM_FILE && strcmp(stream_names[own], reading->metric->from) != 0) {
		own++;
	}
	if (read_from(pass, own, reading) || !pass->output->is_any_stream) {
		return;
	}
	for (enum stream other = STREAM_STDOUT; other < STREAMS; other++) {
		struct reading again = { .metric = reading->metric };

		if (other != own && read_from(pass, other, &again)) {
			*reading = again;
			return;
		}
	}
}

/* The mean of the points that follow it; without all of them there is none. */
static void read_mean(struct reading *mean)
{
	double sum = 0;

	for (int64_t i = 1; i <= mean->metric->nr_points; i++) {
		if (mean[i].missing) {
			set_missing(mean, mean[i].missing, mean[i].detail);
			return;
		}
		if (!(mean[i].value > 0)) {
			set_missing(mean, "no-metric", "a point that is not above zero");
			return;
		}
		sum += log(mean[i].value);
	}
	mean->value = exp(sum / (double)mean->metric->nr_points);
}

static const char *end_reason(const struct output *output)
{
	return output->is_timed_out     ? "timeout"
	       : output->signal != 0    ? "signal"
	       : output->exit_code != 0 ? "exit-status"
					: NULL;
}

const char *metrics_read(struct arena *arena, const struct spec *spec, const struct output *output,
			 struct reading **ret_readings)
{
	struct pass pass = { .arena = arena, .output = output, .steps = PATTERN_STEPS };
	struct reading *readings = arena_array(arena, spec->nr_metrics, sizeof(*readings));
	const char *reason = end_reason(output);
	bool is_failed = reason != NULL;

	/* backwards, so that points are there before their mean */
	for (size_t i = spec->nr_metrics; i-- > 0;) {
		readings[i].metric = &spec->metrics[i];
		if (is_failed) {
			set_missing(&readings[i], reason, "the run failed");
		} else if (spec->metrics[i].nr_points > 0) {
			read_mean(&readings[i]);
		} else {
			read_metric(&pass, &readings[i]);
		}
	}
	for (size_t i = 0; !reason && i < spec->nr_metrics; i++) {
		reason = spec->metrics[i].is_headline ? readings[i].missing : NULL;
	}
	for (size_t i = 0; i < STREAMS; i++) {
		json_free(pass.documents[i]);
	}
	*ret_readings = readings;
	return reason;
}

/* usage */

/* clang-format off */
static const struct {
	const char *usage;
	struct metric metric;
	double least; /* what is less was not measured */
} times[] = {
	{ "elapsed_s", { .name = "time.elapsed", .unit = "s" }, 0 },
	{ "user_s", { .name = "time.user", .unit = "s" }, 0 },
	{ "system_s", { .name = "time.system", .unit = "s" }, 0 },
	{ "minor_faults", { .name = "time.minor_faults", .unit = "count" }, 0 },
	{ "major_faults", { .name = "time.major_faults", .unit = "count" }, 0 },
	{ "voluntary_switches", { .name = "time.voluntary_switches", .unit = "count" }, 0 },
	{ "involuntary_switches", { .name = "time.involuntary_switches", .unit = "count" }, 0 },
	{ "maxrss_kib", { .name = "time.maxrss", .unit = "KiB" }, 1 },
};
/* clang-format on */

const char *time_metric_unit(const char *name)
{
	for (size_t i = 0; i < countof(times); i++) {
		if (strcmp(times[i].metric.name, name) == 0) {
			return times[i].metric.unit;
		}
	}
	return NULL;
}

bool is_time_metric(const char *name)
{
	return time_metric_unit(name);
}

size_t metrics_of_usage(struct arena *arena, const struct json *usage,
			struct reading **ret_readings)
{
	struct reading *readings = arena_array(arena, countof(times), sizeof(*readings));

	for (size_t i = 0; i < countof(times); i++) {
		struct metric *metric = arena_alloc(arena, sizeof(*metric));
		const struct json *value = json_get(usage, times[i].usage);

		*metric = times[i].metric;
		metric->better = "lower";
		metric->estimator = "mean";
		readings[i].metric = metric;
		readings[i].value = json_number(value, 0);
		if (json_kind(value) != KIND_NUMBER || readings[i].value < times[i].least) {
			set_missing(&readings[i], "no-metric", "the runner did not measure it");
		}
	}
	*ret_readings = readings;
	return countof(times);
}

struct json *metrics_document(const struct reading *readings, size_t nr_readings,
			      const char *reason)
{
	struct json *document = json_new_object();
	struct json *metrics = json_new_array();
	struct json *missing = json_new_array();

	for (size_t i = 0; i < nr_readings; i++) {
		const struct reading *reading = &readings[i];
		struct json *row;

		if (reason && !reading->missing) {
			continue; /* what a failed run printed is no number */
		}
		row = json_new_object();
		json_put_text(row, "name", reading->metric->name);
		if (reading->missing) {
			json_put_text(row, "reason", reading->missing);
			json_put_text(row, "detail", reading->detail);
			json_append(missing, row);
			continue;
		}
		json_put_number(row, "value", reading->value);
		json_put_text(row, "unit", reading->metric->unit);
		json_put_text(row, "better", reading->metric->better);
		json_put_bool(row, "headline", reading->metric->is_headline);
		json_append(metrics, row);
	}
	json_put_text(document, "outcome", reason ? "failed" : "ok");
	json_put_text(document, "reason", reason);
	json_put(document, "metrics", metrics);
	json_put(document, "missing", missing);
	return document;
}
