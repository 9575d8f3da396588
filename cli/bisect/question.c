/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "question.h"

#include "cli/jobs.h"
#include "lib/spec/matrix.h"
#include "lib/spec/metrics.h"
#include "lib/stats/bisect.h"

#define JOB_NAME    "bisect"
#define METRIC_NAME "value"
#define TIME_NAME   "time.elapsed"

void question_release(struct question *question)
{
	option_list_release(&question->params);
	str_release(&question->job);
	str_release(&question->job_path);
	spec_free(question->spec);
}

/* --- the job --- */

/* One word alone is a line for the shell; several are the words of a command. */
static char *shell_line(int nr_words, char *const *words)
{
	struct str line = STR_INIT;

	if (nr_words == 1) {
		return mem_strdup(words[0]);
	}
	for (int i = 0; i < nr_words; i++) {
		str_append(&line, i > 0 ? " " : "");
		str_append_quoted(&line, words[i]);
	}
	return str_detach(&line);
}

/* (...), (?<name>...), (?P<name>...) or (?'name'...) */
static bool is_group(const char *at)
{
	if (at[1] != '?') {
		return at[1] != '*';
	}
	return at[2] == '\'' || (at[2] == 'P' && at[3] == '<') ||
	       (at[2] == '<' && at[3] != '=' && at[3] != '!');
}

/* The last character of a class, which may begin with a ']' and hold [:alpha:]. */
static const char *skip_class(const char *at)
{
	at += at[1] == '^';
	at += at[1] == ']';
	for (at++; *at && *at != ']'; at++) {
		const char *end = at[0] == '[' && at[1] == ':' ? strstr(at, ":]") : NULL;

		at = end ? end + 1 : at + (*at == '\\' && at[1]);
	}
	return *at ? at : at - 1;
}

/* Where the first group begins that keeps what it matches; NULL: there is none. */
static const char *first_group(const char *regex)
{
	for (const char *at = regex; *at; at++) {
		if (*at == '\\' && at[1]) {
			at++;
		} else if (*at == '[') {
			at = skip_class(at);
		} else if (*at == '(' && is_group(at)) {
			return at;
		}
	}
	return NULL;
}

/* Job files name the group of the number "value"; here it is the first one, or all. */
static char *named_regex(const char *regex)
{
	const char *group = first_group(regex);
	const char *rest = group ? group + 1 : NULL;

	if (strstr(regex, "(?<value>") || strstr(regex, "(?P<value>") ||
	    strstr(regex, "(?'value'")) {
		return mem_strdup(regex);
	}
	if (rest && *rest == '?') {
		rest = strpbrk(rest + 2, ">'");
		rest = rest ? rest + 1 : "";
	}
	return rest ? mem_printf("%.*s(?<value>%s", (int)(group - regex), regex, rest)
		    : mem_printf("(?<value>%s)", regex);
}

static struct json *metric_of(const struct question *question)
{
	struct json *metric = json_new_object();

	json_put_text(metric, "name", question->metric ? question->metric : METRIC_NAME);
	json_put_text(metric, "unit", question->unit ? question->unit : "units");
	json_put_text(metric, "better", question->better ? question->better : "lower");
	json_put_bool(metric, "headline", true);
	if (question->regex) {
		scoped(free) char *regex = named_regex(question->regex);

		json_put_text(metric, "regex", regex);
	} else {
		json_put_text(metric, "pointer", question->pointer);
	}
	return metric;
}

/* JSON is YAML, if it stands on several lines. */
static void write_job(struct question *question, int nr_words, char *const *words)
{
	scoped(json_free) struct json *job = json_new_object();
	struct json *metrics = json_new_array();
	scoped(free) char *line = shell_line(nr_words, words);
	scoped(free) char *timeout = mem_printf("%" PRId64 "s", question->timeout_s);
	scoped(free) char *text = NULL;

	json_put_word(job, "name", JOB_NAME);
	json_put_word(job, "summary", "what patchmeter bisect run was asked to run");
	if (question->build) {
		json_put_text(job, "build", question->build);
	}
	json_put_text(job, "run", line);
	json_put_text(job, "timeout", timeout);
	if (question->regex || question->pointer) {
		json_append(metrics, metric_of(question));
	}
	json_put(job, "metrics", metrics);
	text = json_write(job, FORM_PRETTY);
	str_append(&question->job, text);
}

static bool make_job(struct question *question, int nr_words, char *const *words, struct err *err)
{
	if (nr_words == 0) {
		return err_set(err, ERR_INPUT,
			       "expected '--' and the command to run, or --benchmark");
	}
	write_job(question, nr_words, words);
	if (!spec_parse("bisect run", question->job.at, question->job.length, &question->spec,
			err)) {
		return false;
	}
	if (!question->metric && !question->is_pass_fail) {
		question->metric = question->is_timed ? TIME_NAME : METRIC_NAME;
	}
	return true;
}

static const char *first_headline(const struct spec *spec)
{
	for (size_t i = 0; i < spec->nr_metrics; i++) {
		if (spec->metrics[i].is_headline) {
			return spec->metrics[i].name;
		}
	}
	return TIME_NAME;
}

static bool has_metric(const struct spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->nr_metrics; i++) {
		if (strcmp(spec->metrics[i].name, name) == 0) {
			return true;
		}
	}
	return is_time_metric(name);
}

static bool find_job(struct question *question, int nr_words, struct err *err)
{
	if (nr_words > 0 || question->build) {
		return err_set(err, ERR_INPUT,
			       "--benchmark brings its own command and build; leave out %s",
			       nr_words > 0 ? "the command" : "--build");
	}
	if (!jobs_path(question->jobs_folder, question->benchmark, &question->job_path, err) ||
	    !spec_read_with(question->job_path.at, question->params.at, question->params.nr,
			    &question->spec, err)) {
		return false;
	}
	if (matrix_size(question->spec) != 1) {
		return err_set(err, ERR_INPUT, "'%s' has %zu variants; choose one with -p",
			       question->benchmark, matrix_size(question->spec));
	}
	if (!question->metric && !question->is_pass_fail) {
		question->metric = first_headline(question->spec);
	}
	return true;
}

static bool check_metric(const struct question *question, struct err *err)
{
	if (!question->metric || has_metric(question->spec, question->metric)) {
		return true;
	}
	return err_set(err, ERR_INPUT, "--metric: '%s' is none of '%s' and none of the runner's",
		       question->metric, question->spec->name);
}

/* --- the options --- */

size_t question_options(struct question *question, struct option_row rows[QUESTION_MOST_OPTIONS])
{
	const struct option_row all[] = {
		{ "good", 0, "REV", "a commit before the change", OPTION_TEXT, &question->good },
		{ "bad", 0, "REV", "a commit with it, a descendant", OPTION_TEXT, &question->bad },
		{ "build", 0, "CMD", "builds a commit, in the folder of its files", OPTION_TEXT,
		  &question->build },
		{ "regex", 0, "RE",
		  "the metric is what the first group matches in the command's output", OPTION_TEXT,
		  &question->regex },
		{ "pointer", 0, "POINTER", "the metric is this value of the JSON it prints",
		  OPTION_TEXT, &question->pointer },
		{ "time", 0, NULL, "the metric is the time that the command takes", OPTION_FLAG,
		  &question->is_timed },
		{ "pass-fail", 0, NULL, "what counts is how often it fails", OPTION_FLAG,
		  &question->is_pass_fail },
		{ "benchmark", 0, "NAME", "run this benchmark instead of a command", OPTION_TEXT,
		  &question->benchmark },
		{ "param", 'p', "NAME=VALUE", "one value for a parameter of the benchmark",
		  OPTION_LIST, &question->params },
		{ "jobs-folder", 0, "FOLDER", "where the benchmarks are", OPTION_TEXT,
		  &question->jobs_folder },
		{ "metric", 0, "NAME", "which metric of the benchmark; a name for that of --regex",
		  OPTION_TEXT, &question->metric },
		{ "unit", 0, "UNIT", "of the metric, for the table", OPTION_TEXT, &question->unit },
		{ "better", 0, "WORD", "lower or higher (lower)", OPTION_TEXT, &question->better },
		{ "noise", 0, "PERCENT", "of a run, if it is known", OPTION_TEXT,
		  &question->noise },
		{ "smallest", 0, "PERCENT", "the smallest change that counts", OPTION_TEXT,
		  &question->smallest },
		{ "every-step", 0, NULL, "look for every change, not for one", OPTION_FLAG,
		  &question->wants_all_steps },
		{ "budget", 0, "RUNS", "at most so many (200)", OPTION_INT, &question->budget },
		{ "jobs", 'j', "N", "measure so many commits at once (1)", OPTION_INT,
		  &question->jobs },
		{ "timeout", 0, "SECONDS", "of a run (600)", OPTION_INT, &question->timeout_s },
		{ "settle", 0, "SECONDS",
		  "wait so long at most for a quiet machine before a run (0)", OPTION_INT,
		  &question->settle_s },
		{ "state", 0, "FOLDER", "keeps runs and builds (~/.cache/patchmeter/bisect)",
		  OPTION_TEXT, &question->state },
		{ "fresh", 0, NULL, "forget the runs that there are", OPTION_FLAG,
		  &question->is_fresh },
		{ "log", 0, "FILE", "write what `git bisect replay` takes", OPTION_TEXT,
		  &question->log },
		{ "json", 0, NULL, "print the result as JSON", OPTION_FLAG, &question->is_json },
	};

	*question = (struct question){
		.budget = 200, .jobs = 1, .timeout_s = 600, .job = STR_INIT, .job_path = STR_INIT
	};
	memcpy(rows, all, sizeof(all));
	return countof(all);
}

static bool read_percent(const char *option, const char *text, double *ret_ratio, struct err *err)
{
	double percent = 0;

	if (!text) {
		return true;
	}
	if (!str_to_double(text, &percent, err) || !(percent > 0 && percent <= 1000)) {
		return err_set(err, ERR_INPUT, "--%s: '%s'; expected a percentage above 0", option,
			       text);
	}
	*ret_ratio = percent / 100;
	return true;
}

static bool check_counts(const struct question *question, struct err *err)
{
	const struct {
		const char *name;
		int64_t value, least, most;
	} rows[] = {
		{ "budget", question->budget, 4, 100000 },
		{ "jobs", question->jobs, 1, BISECT_MOST_MACHINES },
		{ "timeout", question->timeout_s, 1, 86400 },
		{ "settle", question->settle_s, 0, 3600 },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		if (rows[i].value < rows[i].least || rows[i].value > rows[i].most) {
			return err_set(err, ERR_INPUT, "--%s: expected %" PRId64 " to %" PRId64,
				       rows[i].name, rows[i].least, rows[i].most);
		}
	}
	return true;
}

static bool check_options(const struct question *question, struct err *err)
{
	int nr_readings = (question->benchmark != NULL) + (question->regex != NULL) +
			  (question->pointer != NULL) + question->is_timed;

	if (!question->good || !question->bad) {
		return err_set(err, ERR_INPUT, "expected --good REV and --bad REV");
	}
	if (nr_readings + question->is_pass_fail == 0 || nr_readings > 1 ||
	    (question->is_pass_fail && nr_readings > (question->benchmark != NULL))) {
		return err_set(err, ERR_INPUT,
			       "expected one of --benchmark, --regex, --pointer, --time and "
			       "--pass-fail: what to read of a run");
	}
	if (!question->benchmark && (question->params.nr > 0 || question->jobs_folder)) {
		return err_set(err, ERR_INPUT, "-p and --jobs-folder go with --benchmark");
	}
	if (!question->regex && !question->pointer && (question->unit || question->better)) {
		return err_set(err, ERR_INPUT, "--unit and --better go with --regex or --pointer");
	}
	if (question->better && strcmp(question->better, "lower") != 0 &&
	    strcmp(question->better, "higher") != 0) {
		return err_set(err, ERR_INPUT, "--better: expected lower or higher");
	}
	return check_counts(question, err);
}

static void take_key(struct question *question)
{
	const struct setting setting = { 0 };
	scoped(json_free) struct json *json = json_new_object();
	scoped(free) char *text = NULL;
	struct hash hash;

	json_put(json, "identity", matrix_identity(question->spec, 0, &setting));
	json_put(json, "recipe", spec_recipe(question->spec));
	text = json_write(json, FORM_CANONICAL);
	hash = hash_of(text, strlen(text));
	hash_format(&hash, question->key);
}

bool question_settle(struct question *question, int nr_words, char *const *words, struct err *err)
{
	if (!check_options(question, err) ||
	    !read_percent("noise", question->noise, &question->noise_ratio, err) ||
	    !read_percent("smallest", question->smallest, &question->smallest_ratio, err)) {
		return false;
	}
	if (question->benchmark ? !find_job(question, nr_words, err)
				: !make_job(question, nr_words, words, err)) {
		return false;
	}
	if (!check_metric(question, err)) {
		return false;
	}
	take_key(question);
	return true;
}

const struct metric *question_metric(const struct question *question)
{
	for (size_t i = 0; question->metric && i < question->spec->nr_metrics; i++) {
		const struct metric *metric = &question->spec->metrics[i];

		if (strcmp(metric->name, question->metric) == 0) {
			return metric;
		}
	}
	return NULL;
}

bool question_write_job(struct question *question, const char *folder, struct err *err)
{
	if (question->job.length == 0) {
		return true;
	}
	str_printf(&question->job_path, "%s/%.16s.yaml", folder, question->key);
	return str_write_file(question->job_path.at, question->job.at, question->job.length, 0644,
			      err);
}
