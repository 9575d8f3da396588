/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/spec/spec.h"

#include "lib/base/str.h"
#include "tests/t.h"

/* Four lines, so that what a case adds starts in line 5. */
#define JOB                \
	"name: probe\n"    \
	"summary: a job\n" \
	"run: 'true'\n"    \
	"metrics: [{name: m, unit: s, better: lower, headline: true, lines: m}]\n"

#define JOB_BUT_METRICS    \
	"name: probe\n"    \
	"summary: a job\n" \
	"run: 'true'\n"

struct fault {
	const char *text;
	const char *message;
};

static void check_faults(const struct fault *faults, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		scoped(spec_free) struct spec *spec = NULL;
		struct err err = ERR_INIT;
		bool is_done =
			spec_parse("job", faults[i].text, strlen(faults[i].text), &spec, &err);

		CHECK(!is_done);
		CHECK_TEXT(err.message, faults[i].message);
	}
}

/* clang-format off */
static void names_the_place_of_a_fault_in_yaml(void)
{
	static const struct fault faults[] = {
		{ "",
		  "job:1:1: no document, or a directive; expected one document without "
		  "directives" },
		{ "- a\n", "job:1:1: a list; expected a map of keys and values" },
		{ "hello\n", "job:1:1: 'hello'; expected a map of keys and values" },
		{ JOB "params:\n\tgroups: 5\n", "job:6:1: indented with a tab; expected blanks" },
		{ JOB "build: |\n\tmake\n", "job:6:1: indented with a tab; expected blanks" },
		{ JOB "name: again\n",
		  "job:5:1: 'name' stands twice, first in line 1; expected it once" },
		{ JOB "params: &p\n  g: 1\n",
		  "job:5:9: anchor '&p'; expected a value without one" },
		{ JOB "params:\n  g: *p\n", "job:6:6: alias '*p'; expected the value itself" },
		{ JOB "params:\n  g: !!int 1\n",
		  "job:6:6: tag 'tag:yaml.org,2002:int'; expected a value without one" },
		{ JOB "params: {g: [[[[[[[[[[[[1\n",
		  "job:5:19: nested more than 8 levels deep; expected less" },
		{ JOB "params: {g: [1, 2}\n",
		  "job:5:18: did not find expected ',' or ']' while parsing a flow sequence; "
		  "expected YAML" },
		{ JOB "---\nname: x\n",
		  "job:5:1: a second document; expected one document without directives" },
		{ "%YAML 1.1\n---\n" JOB,
		  "job:1:1: no document, or a directive; expected one document without "
		  "directives" },
		{ JOB "params:\n  g: \"\xff\"\n",
		  "job:6:7: invalid leading UTF-8 octet; expected UTF-8 text without control "
		  "characters" },
		{ JOB "params:\n  g: \"a\\e[31m\"\n",
		  "job:6:6: control character 0x1b; expected plain text" },
		{ JOB "params:\n  g: a\n    b\n",
		  "job:6:6: a text over several lines; expected '|' or quotes" },
		{ JOB "? [a]\n: b\n", "job:5:3: a list; expected a name and ':'" },
	};

	check_faults(faults, countof(faults));
}

static void names_the_place_of_a_wrong_key(void)
{
	static const struct fault faults[] = {
		{ JOB "repaet: 3\n", "job:5:1: unknown key 'repaet'; did you mean 'repeat'?" },
		{ JOB "zzz: 3\n",
		  "job:5:1: unknown key 'zzz'; expected one of name, summary, needs, params, "
		  "sweep, build, setup, run, teardown, timeout, repeat, warmup, metrics, "
		  "include" },
		{ JOB "timeout_s: 3\n",
		  "job:5:1: unknown key 'timeout_s'; did you mean 'timeout'?" },
		{ JOB "needs: {command: [x]}\n",
		  "job:5:9: unknown key 'command'; did you mean 'commands'?" },
		{ "name: probe\n", "job:1:1: no key 'summary'; expected one" },
		{ JOB "repeat: [1]\n",
		  "job:5:9: 'repeat' is a list; expected a whole number from 1 to 1000" },
		{ JOB "repeat: 0\n",
		  "job:5:9: 'repeat' is '0'; expected a whole number from 1 to 1000" },
		{ JOB "repeat: '3'\n",
		  "job:5:9: 'repeat' is '3'; expected a whole number from 1 to 1000" },
		{ JOB "repeat: 1e1\n",
		  "job:5:9: 'repeat' is '1e1'; expected a whole number from 1 to 1000" },
		{ JOB "repeat: 18446744073709551617\n",
		  "job:5:9: 'repeat' is '18446744073709551617'; expected a whole number from 1 "
		  "to 1000" },
		{ JOB "timeout: 60\n",
		  "job:5:10: 'timeout' is '60'; expected a time such as 30s, 10m or 2h, at "
		  "most 7d" },
		{ JOB "timeout: 8d\n",
		  "job:5:10: 'timeout' is '8d'; expected a time such as 30s, 10m or 2h, at "
		  "most 7d" },
		{ JOB "needs: [a]\n",
		  "job:5:8: 'needs' is a list; expected a map of keys and values" },
		{ JOB "needs: {packages: []}\n",
		  "job:5:19: 'packages' is an empty list; expected a list of texts with at "
		  "least one" },
		{ JOB "needs: {packages: rt-tests}\n",
		  "job:5:19: 'packages' is 'rt-tests'; expected a list of texts with at least "
		  "one" },
		{ JOB "build: ' '\n",
		  "job:5:8: 'build' is ' '; expected the text of a shell script" },
		{ JOB "build:\n",
		  "job:5:7: 'build' is nothing; expected the text of a shell script" },
		{ "name: ../x\nsummary: s\nrun: x\nmetrics: []\n",
		  "job:1:7: 'name' is '../x'; expected at most 64 letters, digits and ._- with "
		  "a letter or digit first" },
		{ JOB "include: job.yaml\n",
		  "job:5:10: 'include' in a text without a folder; expected the keys themselves" },
	};

	check_faults(faults, countof(faults));
}

static void names_the_place_of_a_wrong_parameter(void)
{
	static const struct fault faults[] = {
		{ JOB "params:\n  nr_threads: -5%\n",
		  "job:6:15: parameter 'nr_threads' is '-5%'; expected a percentage such as "
		  "50% or 12.5%, above 0% and at most 10000%" },
		{ JOB "params:\n  nr_threads: abc%\n",
		  "job:6:15: parameter 'nr_threads' is 'abc%'; expected a percentage such as "
		  "50% or 12.5%, above 0% and at most 10000%" },
		{ JOB "params:\n  nr_threads: [8, 1e3]\n",
		  "job:6:19: parameter 'nr_threads' is '1e3'; expected a number in decimal "
		  "digits such as 1000 or 0.5, or quotes around a text" },
		{ JOB "params:\n  g: []\n",
		  "job:6:6: 'g' is an empty list; expected a value, or a list of values with "
		  "at least one" },
		{ JOB "params:\n  g: [1, [2]]\n", "job:6:10: a list; expected a text or a number" },
		{ JOB "params:\n  g:\n",
		  "job:6:5: parameter 'g' is ''; expected a value, or '' for an empty one" },
		{ JOB "params:\n  g: [1, 2, 1]\n",
		  "job:6:13: parameter 'g' has '1' twice; expected it once" },
		{ JOB "params: {a-b: 1}\n",
		  "job:5:10: parameter 'a-b'; expected at most 64 letters, digits and _ with a "
		  "letter first" },
		{ JOB "params: {g: [1, 2], sweep: g}\n",
		  "job:5:21: parameter 'sweep'; expected 'sweep' beside 'params', not in it" },
		{ JOB "params: {g: 1}\nsweep: g\n",
		  "job:6:8: 'sweep' is 'g'; expected the name of a parameter with a list of "
		  "values" },
		{ JOB "params: {g: [1, 50%]}\nsweep: g\n",
		  "job:6:8: a sweep through '50%'; expected points of at most 32 letters, "
		  "digits and ._-" },
		{ JOB "build: make -j$PARAM_jobs\nparams: {jobs: 50%}\n",
		  "job:6:16: 'build' uses the percentage 'jobs'; expected a parameter that is "
		  "the same on all machines" },
	};

	check_faults(faults, countof(faults));
}

static void names_the_place_of_a_wrong_metric(void)
{
	static const struct fault faults[] = {
		{ JOB_BUT_METRICS "metrics: 7\n",
		  "job:4:10: 'metrics' is '7'; expected a list of metrics, or [] for none" },
		{ JOB_BUT_METRICS "metrics:\n  - {name: m, unit: s, better: lower, lines: m}\n",
		  "job:5:3: no headline metric; expected 'headline: true' in one at least" },
		{ JOB_BUT_METRICS "metrics:\n  - {name: m, unit: s, better: smaller, lines: m}\n",
		  "job:5:32: 'better' is 'smaller'; expected lower or higher" },
		{ JOB_BUT_METRICS "metrics:\n  - {name: m, unit: s, better: lower}\n",
		  "job:5:5: metric 'm' has 0 of regex, pointer and lines; expected one" },
		{ JOB_BUT_METRICS
		  "metrics:\n  - {name: m, unit: s, better: lower, lines: m, pointer: /m}\n",
		  "job:5:5: metric 'm' has 2 of regex, pointer and lines; expected one" },
		{ JOB_BUT_METRICS
		  "metrics:\n  - {name: m, unit: s, better: lower, regex: '(?<value>[0-9'}\n",
		  "job:5:46: 'regex': missing terminating ] for character class at offset 13; "
		  "expected a regular expression" },
		{ JOB_BUT_METRICS
		  "metrics:\n  - {name: m, unit: s, better: lower, regex: '([0-9])'}\n",
		  "job:5:46: 'regex': a pattern without the group 'value'; expected one "
		  "(?<value>...)" },
		{ JOB_BUT_METRICS "metrics:\n  - {name: m, unit: s, better: lower, pointer: a/b}\n",
		  "job:5:48: 'pointer' is 'a/b'; expected a JSON pointer such as "
		  "/jobs/0/read/iops" },
		{ JOB_BUT_METRICS
		  "metrics:\n  - {name: time.user, unit: s, better: lower, lines: m}\n",
		  "job:5:12: 'name' is 'time.user'; expected a name that is not measured in "
		  "every run anyway" },
		{ JOB_BUT_METRICS
		  "metrics:\n  - {name: m, unit: s, better: lower, lines: m, floor: 5}\n",
		  "job:5:56: 'floor' is '5'; expected a percentage such as 0.25%, above 0% and "
		  "below 100%" },
		{ JOB_BUT_METRICS
		  "metrics:\n  - {name: m, unit: s, better: lower, lines: m, estimator: max}\n",
		  "job:5:60: 'estimator' is 'max'; expected mean, hmean, median or a "
		  "percentile such as p99" },
		{ JOB_BUT_METRICS "params: {g: [1, 2]}\nsweep: g\nmetrics:\n"
		  "  - {name: m, unit: s, better: lower, regex: 'x(?<value>1)'}\n",
		  "job:7:5: metric 'm': a sweep without the group 'point'; expected one "
		  "(?<point>...)" },
		{ JOB_BUT_METRICS "params: {g: [1, 2]}\nsweep: g\nmetrics:\n"
		  "  - {name: m, unit: s, better: lower, pointer: /m}\n",
		  "job:7:5: metric 'm': 'pointer' in a sweep; expected regex or lines" },
	};

	check_faults(faults, countof(faults));
}
/* clang-format on */

static void may_only_pass_or_fail(void)
{
	static const char text[] = JOB_BUT_METRICS "metrics: []\n";
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	CHECK(spec_parse("job", text, strlen(text), &spec, &err));
	CHECK(spec && spec->nr_metrics == 0);
}

static void refuses_a_giant(void)
{
	scoped(str_release) struct str text = STR_INIT;
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	str_append(&text, JOB);
	while (text.length <= 256 * 1024) {
		str_append(&text, "# filling\n");
	}
	CHECK_FAILS(spec_parse("job", text.at, text.length, &spec, &err), &err, ERR_TOO_BIG,
		    "job:1:1: ");
}

static void reads_every_key(void)
{
	static const char text[] =
		"name: all\n"
		"summary: every key once\n"
		"needs: {commands: [a, b], packages: [p], url: 'https://example.org/'}\n"
		"params: {groups: [1, 2], mode: fast}\n"
		"build: make\n"
		"setup: mkdir d\n"
		"run: |\n"
		"  ./x\n"
		"  ./y\n"
		"teardown: rmdir d\n"
		"timeout: 2h\n"
		"repeat: 3\n"
		"warmup: 1\n"
		"metrics:\n"
		"  - name: speed\n"
		"    unit: ops/s\n"
		"    better: higher\n"
		"    headline: true\n"
		"    estimator: p99\n"
		"    floor: 0.25%\n"
		"    noise: quiet\n"
		"    exact: true\n"
		"    from: stderr\n"
		"    regex: '(?<value>\\d+)'\n";
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(spec_parse("job", text, strlen(text), &spec, &err), &err)) {
		return;
	}
	CHECK_TEXT(spec->name, "all");
	CHECK_TEXT(spec->commands.at[1], "b");
	CHECK_TEXT(spec->packages.at[0], "p");
	CHECK_TEXT(spec->url, "https://example.org/");
	CHECK_TEXT(spec_param(spec, "groups")->values[1], "2");
	CHECK_INT((int64_t)spec_param(spec, "mode")->nr, 1);
	CHECK_TEXT(spec->run, "./x\n./y\n");
	CHECK_TEXT(spec->teardown, "rmdir d");
	CHECK_INT(spec->timeout_s, 7200);
	CHECK_INT(spec->repeat, 3);
	CHECK_INT(spec->warmup, 1);
	CHECK_TEXT(spec->metrics[0].better, "higher");
	CHECK_TEXT(spec->metrics[0].estimator, "p99");
	CHECK_NEAR(spec->metrics[0].floor_pct, 0.25, 0);
	CHECK(spec->metrics[0].is_exact && spec->metrics[0].is_headline);
	CHECK_TEXT(spec->metrics[0].from, "stderr");
	CHECK_TEXT(spec->metrics[0].regex, "(?<value>\\d+)");
}

static void a_recipe_comes_back(void)
{
	static const char text[] =
		JOB "needs: {commands: [a]}\nbuild: make\ntimeout: 5m\nrepeat: 2\n"
		    "params: {g: [1, 2]}\nsweep: g\n";
	scoped(spec_free) struct spec *spec = NULL;
	scoped(spec_free) struct spec *back = NULL;
	scoped(json_free) struct json *recipe = NULL;
	scoped(json_free) struct json *again = NULL;
	scoped(free) char *first = NULL;
	scoped(free) char *second = NULL;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(spec_parse("job", text, strlen(text), &spec, &err), &err)) {
		return;
	}
	recipe = spec_recipe(spec);
	first = json_write(recipe, FORM_CANONICAL);
	CHECK_TEXT(
		first,
		"{\"build\":\"make\",\"metrics\":["
		"{\"better\":\"lower\",\"estimator\":\"mean\",\"from\":\"stdout\",\"headline\":true,"
		"\"lines\":\"m\",\"name\":\"m\",\"points\":2,\"unit\":\"s\"},"
		"{\"better\":\"lower\",\"estimator\":\"mean\",\"from\":\"stdout\","
		"\"lines\":\"m\",\"name\":\"m.1\",\"point\":\"1\",\"unit\":\"s\"},"
		"{\"better\":\"lower\",\"estimator\":\"mean\",\"from\":\"stdout\","
		"\"lines\":\"m\",\"name\":\"m.2\",\"point\":\"2\",\"unit\":\"s\"}],"
		"\"needs\":{\"commands\":[\"a\"]},\"repeat\":2,\"run\":\"true\",\"timeout_s\":300,"
		"\"warmup\":0}");
	if (!CHECK_DONE(spec_from_recipe(recipe, &back, &err), &err)) {
		return;
	}
	again = spec_recipe(back);
	second = json_write(again, FORM_CANONICAL);
	CHECK_TEXT(second, first);
	CHECK_TEXT(back->metrics[2].point, "2");
	CHECK_INT(back->metrics[0].nr_points, 2);
}

static void a_recipe_is_not_trusted(void)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		"{\"run\":\"x\",\"timeout_s\":5}",
		"{\"run\":\"x\",\"timeout_s\":5,\"metrics\":null}",
		"{\"run\":7.5,\"timeout_s\":-5,\"metrics\":[]}",
		"{\"run\":\"x\",\"timeout_s\":5,\"metrics\":[{\"name\":\"m\",\"unit\":\"s\",\"better\":"
		"\"lower\",\"headline\":true,\"regex\":\"(\"}]}",
	};

	for (size_t i = 0; i < countof(texts); i++) {
		scoped(json_free) struct json *recipe = NULL;
		scoped(spec_free) struct spec *spec = NULL;
		struct err err = ERR_INIT;

		CHECK_DONE(json_parse("recipe", texts[i], strlen(texts[i]), &recipe, &err), &err);
		CHECK_FAILS(spec_from_recipe(recipe, &spec, &err), &err, ERR_INPUT, "recipe: ");
	}
}

static void sets_a_parameter(void)
{
	static const char text[] = JOB "params: {groups: [1, 2], mode: fast}\n";
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(spec_parse("job", text, strlen(text), &spec, &err), &err)) {
		return;
	}
	CHECK_DONE(spec_set_param(spec, "groups=7=7", &err), &err);
	CHECK_INT((int64_t)spec_param(spec, "groups")->nr, 1);
	CHECK_TEXT(spec_param(spec, "groups")->values[0], "7=7");
	CHECK_FAILS(spec_set_param(spec, "loops=1", &err), &err, ERR_INPUT, "'loops=1'");
	CHECK_FAILS(spec_set_param(spec, "groups", &err), &err, ERR_INPUT, "NAME=VALUE");
	CHECK_FAILS(spec_set_param(spec, "groups=-5%", &err), &err, ERR_INPUT, "a percentage");
}

/* includes */

static void write_job(const char *folder, const char *name, const char *text)
{
	scoped(free) char *path = mem_printf("%s/%s", folder, name);
	struct err err = ERR_INIT;

	CHECK_DONE(str_write_file(path, text, strlen(text), 0600, &err), &err);
}

static bool read_job(const char *folder, const char *name, struct spec **ret_spec, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/%s", folder, name);

	return spec_read(path, ret_spec, err);
}

static void includes_are_defaults(void)
{
	scoped(free) char *folder = t_folder();
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	write_job(folder, "job.yaml",
		  JOB "params: {a: [1, 2], b: x, c: y}\nneeds: {commands: [p], packages: [q]}\n"
		      "repeat: 5\ntimeout: 1m\n");
	write_job(folder, "more.yaml",
		  "include: job.yaml\nname: more\nparams: {d: z, b: [u, v]}\n"
		  "needs: {commands: [r]}\nrepeat: 2\n");
	if (!CHECK_DONE(read_job(folder, "more.yaml", &spec, &err), &err)) {
		return;
	}
	CHECK_TEXT(spec->name, "more");
	CHECK_TEXT(spec->summary, "a job");
	CHECK_INT(spec->repeat, 2);
	CHECK_INT(spec->timeout_s, 60);
	CHECK_TEXT(spec->commands.at[0], "r");
	CHECK_TEXT(spec->packages.at[0], "q");
	CHECK_INT((int64_t)spec->nr_params, 4);
	CHECK_TEXT(spec->params[0].name, "a");
	CHECK_TEXT(spec->params[1].name, "b");
	CHECK_TEXT(spec->params[1].values[0], "u");
	CHECK_TEXT(spec->params[3].name, "d");
}

static void faults_of_an_included_file_are_told_there(void)
{
	scoped(free) char *folder = t_folder();
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	write_job(folder, "job.yaml", JOB "repeat: none\n");
	write_job(folder, "more.yaml", "include: job.yaml\n");
	CHECK_FAILS(read_job(folder, "more.yaml", &spec, &err), &err, ERR_INPUT,
		    "/job.yaml:5:9: 'repeat' is 'none'");
}

static void refuses_cycles_and_ways_out(void)
{
	scoped(free) char *folder = t_folder();
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	write_job(folder, "a.yaml", "name: a\ninclude: b.yaml\n");
	write_job(folder, "b.yaml", "include: a.yaml\n");
	write_job(folder, "self.yaml", "include: self.yaml\n");
	write_job(folder, "up.yaml", "include: ../job.yaml\n");
	write_job(folder, "root.yaml", "include: /etc/passwd\n");
	write_job(folder, "gone.yaml", "include: nothing.yaml\n");
	write_job(folder, "list.yaml", "include: [a.yaml]\n");
	CHECK_FAILS(read_job(folder, "a.yaml", &spec, &err), &err, ERR_INPUT,
		    "/b.yaml:1:10: 'a.yaml' includes itself; expected no cycle");
	CHECK_FAILS(read_job(folder, "self.yaml", &spec, &err), &err, ERR_INPUT,
		    ":1:10: 'self.yaml'");
	CHECK_FAILS(read_job(folder, "up.yaml", &spec, &err), &err, ERR_INPUT,
		    ":1:10: 'include' is '../job.yaml'; expected the name of a file");
	CHECK_FAILS(read_job(folder, "root.yaml", &spec, &err), &err, ERR_INPUT, ":1:10: ");
	CHECK_FAILS(read_job(folder, "gone.yaml", &spec, &err), &err, ERR_INPUT,
		    "/gone.yaml:1:10: open ");
	CHECK_FAILS(read_job(folder, "list.yaml", &spec, &err), &err, ERR_INPUT, ":1:10: ");
	CHECK_FAILS(read_job(folder, "nothing.yaml", &spec, &err), &err, ERR_ABSENT,
		    "nothing.yaml");
}

static void a_chain_of_includes_has_an_end(void)
{
	scoped(free) char *folder = t_folder();
	scoped(spec_free) struct spec *spec = NULL;
	struct err err = ERR_INIT;

	for (int i = 0; i < 12; i++) {
		scoped(free) char *name = mem_printf("%d.yaml", i);
		scoped(free) char *text = mem_printf("include: %d.yaml\n", i + 1);

		write_job(folder, name, text);
	}
	CHECK_FAILS(read_job(folder, "0.yaml", &spec, &err), &err, ERR_INPUT,
		    "/7.yaml:1:10: more than 8 files");
}

static const struct t_case cases[] = {
	{ "a fault in the YAML is told with file, line and column",
	  names_the_place_of_a_fault_in_yaml },
	{ "a wrong key is told with its place and what was expected",
	  names_the_place_of_a_wrong_key },
	{ "a wrong parameter is told with its place and what was expected",
	  names_the_place_of_a_wrong_parameter },
	{ "a wrong metric is told with its place and what was expected",
	  names_the_place_of_a_wrong_metric },
	{ "a job without a metric, which passes or fails, is valid", may_only_pass_or_fail },
	{ "a file above 256 KiB is refused", refuses_a_giant },
	{ "every key reaches its place in the spec", reads_every_key },
	{ "a recipe read back gives the same recipe", a_recipe_comes_back },
	{ "a recipe from the network is checked like a file", a_recipe_is_not_trusted },
	{ "a parameter can be set from outside, within the same rules", sets_a_parameter },
	{ "an included file gives defaults, params and needs name by name", includes_are_defaults },
	{ "a fault in an included file is told with that file's name",
	  faults_of_an_included_file_are_told_there },
	{ "include leads to no cycle and out of no folder", refuses_cycles_and_ways_out },
	{ "a chain of includes has an end", a_chain_of_includes_has_an_end },
};
T_MAIN(cases)
