/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/spec/metrics.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "tests/t.h"

#define JOB(metrics) "name: probe\nsummary: s\nrun: 'true'\nmetrics:\n" metrics
#define TIME                                                        \
	"  - {name: time, unit: s, better: lower, headline: true, " \
	"regex: '^Time: (?<value>.+)$'}\n"
#define RATE "  - {name: rate, unit: ops/s, better: higher, from: stderr, lines: rate}\n"
#define IOPS \
	"  - {name: iops, unit: ops/s, better: higher, headline: true, pointer: /jobs/0/iops}\n"

struct fixture {
	struct spec *spec;
	struct output output;
	struct reading *readings;
};

static void fixture_init(struct fixture *fixture, const char *job)
{
	struct err err = ERR_INIT;

	*fixture = (struct fixture){ .output = OUTPUT_INIT };
	CHECK_DONE(spec_parse("job", job, strlen(job), &fixture->spec, &err), &err);
}

static void fixture_release(struct fixture *fixture)
{
	output_release(&fixture->output);
	spec_free(fixture->spec);
}
DEFINE_SCOPED_EMBEDDED(fixture_release, struct fixture)

static void put(struct fixture *fixture, enum stream stream, const char *text)
{
	output_take(&fixture->output, stream, text, strlen(text));
}

static const char *read_all(struct fixture *fixture)
{
	return metrics_read(fixture->spec->arena, fixture->spec, &fixture->output,
			    &fixture->readings);
}

static void reads_each_stream(void)
{
	scoped(fixture_release) struct fixture fixture;

	fixture_init(&fixture, JOB(TIME RATE));
	put(&fixture, STREAM_STDOUT, "Time: 1.5\nTime: 4.393\nrate: 1\n");
	put(&fixture, STREAM_STDERR, "Time: 9\nrate: 1,000\n");
	CHECK_TEXT(read_all(&fixture), NULL);
	CHECK_TEXT(fixture.readings[0].missing, NULL);
	CHECK_NEAR(fixture.readings[0].value, 4.393, 0);
	CHECK_NEAR(fixture.readings[1].value, 1000, 0);
	CHECK_TEXT(fixture.readings[1].metric->name, "rate");
}

static void a_failed_run_has_no_metrics(void)
{
	static const struct {
		int exit_code;
		int signal;
		bool is_timed_out;
		const char *reason;
	} rows[] = { { 1, 0, false, "exit-status" },
		     { 0, 11, false, "signal" },
		     { 0, 9, true, "timeout" },
		     { 124, 0, true, "timeout" } };

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(fixture_release) struct fixture fixture;

		fixture_init(&fixture, JOB(TIME RATE));
		put(&fixture, STREAM_STDOUT, "Time: 4.393\n");
		put(&fixture, STREAM_STDERR, "rate: 1\n");
		fixture.output.exit_code = rows[i].exit_code;
		fixture.output.signal = rows[i].signal;
		fixture.output.is_timed_out = rows[i].is_timed_out;
		CHECK_TEXT(read_all(&fixture), rows[i].reason);
		CHECK_TEXT(fixture.readings[0].missing, rows[i].reason);
		CHECK_TEXT(fixture.readings[1].missing, rows[i].reason);
	}
}

static void a_missing_metric_has_a_reason(void)
{
	static const struct {
		const char *text;
		const char *reason;
	} rows[] = { { "", "no-metric" },
		     { "Time: \n", "no-metric" },
		     { "Time: <not supported>\n", "no-metric" },
		     { "Time: 0x10\n", "no-metric" },
		     { "Time: 4.3\nTime: nan\n", "not-finite" },
		     { "Time: -inf\n", "not-finite" },
		     { "Time: -0.0\n", "not-finite" },
		     { "Time: 1e999\n", "not-finite" } };

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(fixture_release) struct fixture fixture;

		fixture_init(&fixture, JOB(TIME));
		put(&fixture, STREAM_STDOUT, rows[i].text);
		CHECK_TEXT(read_all(&fixture), rows[i].reason);
		CHECK_TEXT(fixture.readings[0].missing, rows[i].reason);
		CHECK(fixture.readings[0].detail != NULL);
	}
}

static void only_headline_metrics_decide(void)
{
	scoped(fixture_release) struct fixture fixture;

	fixture_init(&fixture, JOB(TIME RATE));
	put(&fixture, STREAM_STDOUT, "Time: 1\n");
	CHECK_TEXT(read_all(&fixture), NULL);
	CHECK_TEXT(fixture.readings[1].missing, "no-metric");
}

static void json_outputs_are_whole_or_nothing(void)
{
	static const struct {
		const char *text;
		const char *reason;
	} rows[] = { { "{\"jobs\":[{\"iops\":2718.585762}]}", NULL },
		     { "{\"jobs\":[{\"iops\":2718}]}\n", NULL },
		     { "{\"jobs\":[{\"iops\":\"2718\"}]}", "no-metric" },
		     { "{\"jobs\":[{\"iops\":null}]}", "no-metric" },
		     { "{\"jobs\":[]}", "no-metric" },
		     { "{\"jobs\":[{\"iops\":2718}]} trailing", "no-metric" },
		     { "{\"jobs\":[{\"iops\":2718}", "no-metric" },
		     { "{\"jobs\":[{\"iops\":NaN}]}", "no-metric" },
		     { "{\"jobs\":[{\"iops\":1,\"iops\":2}]}", "no-metric" },
		     { "{\"jobs\":[{\"iops\":-0.0}]}", "not-finite" },
		     { "", "no-metric" } };

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(fixture_release) struct fixture fixture;

		fixture_init(&fixture, JOB(IOPS));
		put(&fixture, STREAM_STDOUT, rows[i].text);
		CHECK_TEXT(read_all(&fixture), rows[i].reason);
	}
}

static void a_sweep_reads_each_point(void)
{
	scoped(fixture_release) struct fixture fixture;

	fixture_init(
		&fixture,
		JOB("  - {name: t, unit: s, better: lower, headline: true, "
		    "regex: '^groups (?<point>\\d+)\\ntime (?<value>\\S+)$'}\n"
		    "  - {name: r, unit: s, better: lower, lines: rate}\n") "params: {g: [1, 10]}\n"
									    "sweep: g\n");
	put(&fixture, STREAM_STDOUT,
	    "groups 1\ntime 5\ngroups 10\ntime 7\nrate.1: 3\nrate.10: 4\n");
	CHECK_TEXT(read_all(&fixture), NULL);
	CHECK_TEXT(fixture.readings[2].metric->name, "t.10");
	CHECK_NEAR(fixture.readings[0].value, sqrt(5.0 * 7), 1e-12);
	CHECK_NEAR(fixture.readings[1].value, 5, 0);
	CHECK_NEAR(fixture.readings[2].value, 7, 0);
	CHECK_NEAR(fixture.readings[5].value, 4, 0);
	CHECK(fixture.readings[0].metric->is_headline && !fixture.readings[1].metric->is_headline);
	put(&fixture, STREAM_STDOUT, "groups 1\ntime 5\nrate.1: 3\nrate.10: 4\n");
	CHECK_TEXT(read_all(&fixture), "no-metric");
	CHECK_TEXT(fixture.readings[0].missing, "no-metric");
	CHECK_TEXT(fixture.readings[1].missing, NULL);
	put(&fixture, STREAM_STDOUT, "groups 1\ntime 0\ngroups 10\ntime 7\n");
	CHECK_TEXT(read_all(&fixture), "no-metric");
	CHECK_TEXT(fixture.readings[0].detail, "a point that is not above zero");
}

static void mixed_streams_are_searched_in_turn(void)
{
	scoped(fixture_release) struct fixture fixture;

	fixture_init(&fixture, JOB(TIME RATE));
	put(&fixture, STREAM_STDOUT, "Time: 1\nrate: 5\n");
	fixture.output.is_any_stream = true;
	CHECK_TEXT(read_all(&fixture), NULL);
	CHECK_NEAR(fixture.readings[1].value, 5, 0);
	put(&fixture, STREAM_STDERR, "rate: 6\n");
	CHECK_TEXT(read_all(&fixture), NULL);
	CHECK_NEAR(fixture.readings[1].value, 6, 0);
}

/* files */

static void write_at(int fd, off_t offset, const char *text)
{
	CHECK_INT(pwrite(fd, text, strlen(text), offset), (int64_t)strlen(text));
}

/* 100 MB with holes: NULs, as a log may hold. */
static char *big_file(const char *folder)
{
	char *path = mem_printf("%s/output", folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	off_t size = 100 * 1000 * 1000;

	CHECK(fd >= 0);
	write_at(fd, 0, "Time: 1\n");
	/* the limit falls between "Time: " and the digits */
	write_at(fd, size - OUTPUT_LIMIT_BYTES - 7, "\nTime: 2\n");
	write_at(fd, size - 30, "\xff\xfe 9%\rTime: 3\r\n");
	write_at(fd, size - 1, "\n");
	close(fd);
	return path;
}

static void of_a_giant_the_end_is_read(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = big_file(folder);
	scoped(fixture_release) struct fixture fixture;
	struct err err = ERR_INIT;

	fixture_init(&fixture, JOB(TIME));
	CHECK_DONE(output_read(&fixture.output, STREAM_STDOUT, path, &err), &err);
	CHECK(fixture.output.is_cut[STREAM_STDOUT]);
	CHECK(fixture.output.text[STREAM_STDOUT].length <= OUTPUT_LIMIT_BYTES);
	CHECK(fixture.output.text[STREAM_STDOUT].length > OUTPUT_LIMIT_BYTES - 20);
	/* no half line at its start */
	CHECK_INT(fixture.output.text[STREAM_STDOUT].at[0], '\n');
	CHECK_TEXT(read_all(&fixture), NULL);
	CHECK_NEAR(fixture.readings[0].value, 3, 0);
}

static void a_giant_is_no_json(void)
{
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = big_file(folder);
	scoped(fixture_release) struct fixture fixture;
	struct err err = ERR_INIT;

	fixture_init(&fixture, JOB(IOPS));
	CHECK_DONE(output_read(&fixture.output, STREAM_STDOUT, path, &err), &err);
	CHECK_TEXT(read_all(&fixture), "output-too-large");
}

static void tells_which_file_is_not_there(void)
{
	struct output output = OUTPUT_INIT;
	struct err err = ERR_INIT;

	CHECK_FAILS(output_read(&output, STREAM_STDOUT, "/nonexistent/x", &err), &err, ERR_ABSENT,
		    "'/nonexistent/x'");
	CHECK_FAILS(output_read(&output, STREAM_STDOUT, "/", &err), &err, ERR_BROKEN, "'/'");
}

/* usage */

static void usage_becomes_metrics(void)
{
	static const char text[] =
		"{\"elapsed_s\":1.5,\"user_s\":0.25,\"system_s\":0.5,\"minor_faults\":100,"
		"\"major_faults\":0,\"voluntary_switches\":7,\"maxrss_kib\":0}";
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *usage = NULL;
	struct reading *readings;
	struct err err = ERR_INIT;

	CHECK_DONE(json_parse("usage", text, strlen(text), &usage, &err), &err);
	CHECK_INT((int64_t)metrics_of_usage(arena, usage, &readings), 8);
	CHECK_TEXT(readings[0].metric->name, "time.elapsed");
	CHECK_TEXT(readings[0].metric->unit, "s");
	CHECK_TEXT(readings[0].metric->better, "lower");
	CHECK(!readings[0].metric->is_headline);
	CHECK_NEAR(readings[0].value, 1.5, 0);
	CHECK_TEXT(readings[4].missing, NULL); /* no fault is a number */
	CHECK_TEXT(readings[6].metric->name, "time.involuntary_switches");
	CHECK_TEXT(readings[6].missing, "no-metric");
	CHECK_TEXT(readings[7].missing, "no-metric"); /* no process is that small */
	CHECK(is_time_metric("time.maxrss") && !is_time_metric("time"));
}

static void documents_tell_both(void)
{
	scoped(fixture_release) struct fixture fixture;
	scoped(json_free) struct json *document = NULL;
	scoped(free) char *text = NULL;

	fixture_init(&fixture, JOB(TIME RATE));
	put(&fixture, STREAM_STDOUT, "Time: 0.5\n");
	CHECK_TEXT(read_all(&fixture), NULL);
	document = metrics_document(fixture.readings, 2, NULL);
	text = json_write(document, FORM_COMPACT);
	CHECK_TEXT(text, "{\"outcome\":\"ok\",\"reason\":null,\"metrics\":[{\"name\":\"time\","
			 "\"value\":0.5,\"unit\":\"s\",\"better\":\"lower\",\"headline\":true}],"
			 "\"missing\":[{\"name\":\"rate\",\"reason\":\"no-metric\","
			 "\"detail\":\"no line with this name and a number\"}]}");
}

static const struct t_case cases[] = {
	{ "a metric is read from its own stream, the last one", reads_each_stream },
	{ "a run that failed has no metrics, whatever it printed", a_failed_run_has_no_metrics },
	{ "a metric that is missing or not finite has a reason and no number",
	  a_missing_metric_has_a_reason },
	{ "a run fails with a headline metric, not with another", only_headline_metrics_decide },
	{ "a JSON output counts only whole, with a number at the place",
	  json_outputs_are_whole_or_nothing },
	{ "a sweep gives a metric for each point, and fails with any", a_sweep_reads_each_point },
	{ "mixed streams are searched in turn, the own one first",
	  mixed_streams_are_searched_in_turn },
	{ "of an output of 100 MB the last whole lines of 16 MiB are read",
	  of_a_giant_the_end_is_read },
	{ "a JSON output above 16 MiB is too large, not half read", a_giant_is_no_json },
	{ "an output that cannot be read is named", tells_which_file_is_not_there },
	{ "the usage of a run becomes metrics that never decide", usage_becomes_metrics },
	{ "the document holds the numbers and the reasons", documents_tell_both },
};
T_MAIN(cases)
