/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "offline.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include "build.h"
#include "fingerprint.h"
#include "lib/base/home.h"
#include "lib/base/option.h"
#include "lib/base/str.h"
#include "lib/spec/matrix.h"
#include "lib/vcs/vcs.h"
#include "samples.h"
#include "steps.h"

#define EXIT_USAGE      2
#define EXIT_JOB_FAILED 7
#define EXIT_CANCELLED  130
#define SCHEMA          1

struct options {
	const char *output, *source, *repository, *commit, *state, *user;
	struct option_list params;
	int64_t repeat, settle_s;
	bool is_json, is_help;
};

struct offline {
	const struct options *options;
	const struct place *place;
	const struct spec *spec;
	const char *output;  /* where result folders go */
	const char *commit;  /* 40 digits; NULL: a folder, or no source */
	struct hash source;  /* equal: the same sources */
	uint32_t invocation; /* so that runs of two invocations never look like one */
	int stop_fd;
	bool has_failed, is_cancelled;
};

/* --- what to do --- */

static const char *usage_text = "usage: patchmeter-worker run [options] JOB.yaml\n\n"
				"Builds and measures on this machine, without a daemon.\n\n";

static bool parse_options(int *argc, char **argv, struct options *options, struct err *err)
{
	const struct option_row rows[] = {
		{ "output", 'o', "DIR", "the result folder (result)", OPTION_TEXT,
		  &options->output },
		{ "source", 0, "DIR", "build this folder", OPTION_TEXT, &options->source },
		{ "repo", 0, "PATH", "build a commit of this git repository", OPTION_TEXT,
		  &options->repository },
		{ "commit", 0, "REV", "a full commit id, branch or tag", OPTION_TEXT,
		  &options->commit },
		{ "param", 'p', "NAME=VALUE", "one value for a parameter; may be repeated",
		  OPTION_LIST, &options->params },
		{ "repeat", 'n', "N", "runs of each variant (1)", OPTION_INT, &options->repeat },
		{ "json", 0, NULL, "print a JSON line a variant with all its runs", OPTION_FLAG,
		  &options->is_json },
		{ "settle", 0, "SECONDS", "wait so long at most for a quiet machine (0)",
		  OPTION_INT, &options->settle_s },
		{ "state", 0, "DIR", "where builds are kept (~/.cache/patchmeter)", OPTION_TEXT,
		  &options->state },
		{ "user", 0, "NAME", "run the job as this user", OPTION_TEXT, &options->user },
		{ "help", 'h', NULL, "print this", OPTION_FLAG, &options->is_help },
	};
	scoped(str_release) struct str help = STR_INIT;

	if (!option_parse(rows, countof(rows), false, argc, argv, err)) {
		return false;
	}
	if (options->is_help) {
		option_describe(rows, countof(rows), &help);
		printf("%s%s", usage_text, help.at);
		return true;
	}
	if (*argc != 2) {
		return err_set(err, ERR_INPUT, "expected one job file");
	}
	if ((options->repository != NULL) != (options->commit != NULL)) {
		return err_set(err, ERR_INPUT, "--repo and --commit go together");
	}
	if (options->repository && options->source) {
		return err_set(err, ERR_INPUT, "--source and --repo exclude each other");
	}
	if (options->repeat < 1 || options->repeat > 10000) {
		return err_set(err, ERR_INPUT, "--repeat: expected 1 to 10000");
	}
	return true;
}

static bool read_spec(const char *path, const struct options *options, struct spec **ret_spec,
		      struct err *err)
{
	scoped(spec_free) struct spec *spec = NULL;

	if (!spec_read_with(path, options->params.at, options->params.nr, &spec, err)) {
		return false;
	}
	if (matrix_size(spec) > MATRIX_LIMIT) {
		return err_set(err, ERR_TOO_BIG, "'%s': more than %d variants; choose with -p",
			       path, MATRIX_LIMIT);
	}
	*ret_spec = move(&spec);
	return true;
}

static bool identify_commit(struct offline *offline, struct arena *arena, struct err *err)
{
	scoped(vcs_close) struct vcs *vcs = NULL;
	struct vcs_id id;

	if (!vcs_open(offline->options->repository, &vcs, err) ||
	    !vcs_resolve(vcs, offline->options->commit, &id, err)) {
		return false;
	}
	offline->commit = arena_strdup(arena, id.text);
	offline->source = hash_of(id.text, strlen(id.text));
	return true;
}

static bool identify_source(struct offline *offline, struct arena *arena, struct err *err)
{
	scoped(tree_free) struct tree *tree = NULL;

	if (offline->options->repository) {
		return identify_commit(offline, arena, err);
	}
	if (!offline->options->source) {
		offline->source = hash_of("", 0);
		return true;
	}
	return tree_read(offline->options->source, ".git", &tree, err) &&
	       tree_hash(tree, &offline->source, err);
}

/* --- one run --- */

static struct job job_of(const struct offline *offline, const struct json *identity,
			 const char *folder, int64_t number, struct arena *arena)
{
	char *build_key = arena_alloc(arena, HASH_TEXT_BYTES);
	char source[HASH_TEXT_BYTES];
	char build[HASH_TEXT_BYTES];
	struct hash hash;
	char *text;

	matrix_build(offline->spec, identity, build);
	hash_format(&offline->source, source);
	text = arena_printf(arena, "%s %s", source, build);
	hash = hash_of(text, strlen(text));
	hash_format(&hash, build_key);
	return (struct job){
		.benchmark = offline->spec->name,
		.spec = offline->spec,
		.params = json_get(identity, "params"),
		.source = { offline->options->source, offline->options->repository },
		.commit = offline->commit,
		.build_key = build_key,
		.boot_id = arena_printf(arena, "%s/%08" PRIx32 "/%" PRId64,
					fingerprint_boot_id(arena), offline->invocation, number),
		.folder = arena_printf(arena, "%s/raw/%" PRId64, folder, number),
		.settle_s = (int)offline->options->settle_s,
		.build_limit_s = BUILD_LIMIT_S,
		.stop_fd = offline->stop_fd,
	};
}

static struct json *run_line(const struct work *work, int64_t number, struct json *samples)
{
	struct json *line = json_new_object();
	static const char *const copied[] = { "outcome", "reason", "detail", "metrics",
					      "iterations" };

	json_put_int(line, "run", number);
	json_put_text(line, "boot", work->job.boot_id);
	json_put_text(line, "build", work->build.artefact);
	json_put(line, "block", json_new_null());
	json_put_int(line, "order", number - 1);
	json_put_bool(line, "warmup", false);
	for (size_t i = 0; i < countof(copied); i++) {
		struct json *value = json_get(samples, copied[i]);

		if (value) {
			json_put(line, copied[i], json_clone(value));
		}
	}
	if (work->failure.exit_code > 0) {
		json_put_int(line, "exit_code", work->failure.exit_code);
	}
	return line;
}

static void show_progress(const struct offline *offline, int64_t number, const struct json *line)
{
	const struct json *metrics = json_get(line, "metrics");

	fprintf(stderr, "run %" PRId64 "/%" PRId64 ":", number, offline->options->repeat);
	if (json_text(json_get(line, "reason"))) {
		const char *detail = json_text(json_get(line, "detail"));

		fprintf(stderr, " %s%s%s", json_text(json_get(line, "reason")), detail ? ": " : "",
			detail ? detail : "");
	}
	for (size_t m = 0; m < offline->spec->nr_metrics; m++) {
		const struct metric *metric = &offline->spec->metrics[m];
		const struct json *value = json_get(metrics, metric->name);

		if (metric->is_headline && value) {
			fprintf(stderr, " %s %g %s", metric->name, json_number(value, 0),
				metric->unit);
		}
	}
	fputc('\n', stderr);
}

static bool append_line(const char *folder, const struct json *line, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/runs.jsonl", folder);
	scoped(free) char *text = json_write(line, FORM_COMPACT);
	FILE *file = fopen(path, "ae");

	if (!file || fprintf(file, "%s\n", text) < 0 || fclose(file) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "write '%s'", path);
	}
	return true;
}

static bool run_once(struct offline *offline, const struct json *identity, const char *folder,
		     int64_t number, struct json *runs, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *samples = NULL;
	struct json *line;
	struct work work;

	work_init(&work, arena, offline->place);
	work.job = job_of(offline, identity, folder, number, arena);
	if (!make_folders(work.job.folder, err)) {
		return false;
	}
	steps_measure(&work);
	if (!samples_read(work.job.folder, offline->spec, &work.failure, &work.measurement.usage,
			  &samples, err)) {
		return false;
	}
	line = run_line(&work, number, samples);
	offline->has_failed = offline->has_failed || json_text(json_get(line, "reason"));
	offline->is_cancelled =
		work.failure.reason && strcmp(work.failure.reason, "cancelled") == 0;
	show_progress(offline, number, line);
	json_append(runs, line);
	return append_line(folder, line, err);
}

/* --- one variant --- */

static struct json *result_of(const struct offline *offline, const struct json *identity)
{
	struct json *result = json_new_object();
	struct json *env = fingerprint_read();
	char cell[HASH_TEXT_BYTES];
	char machine[256] = "";

	matrix_cell(identity, cell);
	gethostname(machine, sizeof(machine) - 1);
	json_put(env, "packages", fingerprint_packages(offline->spec));
	json_put_int(result, "schema", SCHEMA);
	json_put_text(result, "benchmark", offline->spec->name);
	json_put_text(result, "job", cell);
	json_put(result, "params", json_clone(json_get(identity, "params")));
	json_put_text(result, "commit", offline->commit);
	json_put_text(result, "machine", machine);
	json_put(result, "env", env);
	return result;
}

/* "groups=4,mode=process": the parameters that tell the variants apart. */
static char *variant_name(const struct offline *offline, const struct json *identity,
			  struct arena *arena)
{
	const struct json *params = json_get(identity, "params");
	scoped(str_release) struct str name = STR_INIT;

	for (size_t i = 0; i < offline->spec->nr_params; i++) {
		const struct param *param = &offline->spec->params[i];
		const char *value = json_text(json_get(params, param->name));

		if (param->nr > 1 && value) {
			str_printf(&name, "%s%s=%s", name.length ? "," : "", param->name, value);
		}
	}
	for (char *at = name.at; *at; at++) {
		*at = *at == '/' ? '_' : *at;
	}
	return arena_strdup(arena, name.at);
}

static bool run_variant(struct offline *offline, size_t index, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	const struct setting setting = { 0 };
	scoped(json_free) struct json *identity = matrix_identity(offline->spec, index, &setting);
	scoped(json_free) struct json *result = result_of(offline, identity);
	struct json *runs = json_new_array();
	scoped(free) char *text = json_write(result, FORM_PRETTY);
	const char *folder = offline->output;
	bool done;

	if (matrix_size(offline->spec) > 1) {
		const char *name = variant_name(offline, identity, arena);

		fprintf(stderr, "variant %s\n", name);
		folder = arena_printf(arena, "%s/%s", offline->output, name);
	}
	done = make_folders(folder, err) &&
	       str_write_file(arena_printf(arena, "%s/result.json", folder), text, strlen(text),
			      0644, err);
	for (int64_t n = 1; done && n <= offline->options->repeat && !offline->is_cancelled; n++) {
		done = run_once(offline, identity, folder, n, runs, err);
	}
	json_put(result, "runs", runs);
	if (done && offline->options->is_json) {
		scoped(free) char *line = json_write(result, FORM_COMPACT);

		puts(line);
	}
	return done;
}

/* --- together --- */

static bool is_empty_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int nr = 0;

	while (folder && (entry = readdir(folder))) {
		nr++;
	}
	if (folder) {
		closedir(folder);
	}
	return nr <= 2; /* "." and "..", or it is not there */
}

/* Results that nobody asked to keep stay in the state folder till the next run. */
static bool choose_output(struct offline *offline, struct arena *arena, struct err *err)
{
	if (!offline->options->output && offline->options->is_json) {
		offline->output = place_path(offline->place, arena, "result");
		return tree_remove(offline->output, err);
	}
	offline->output = offline->options->output ? offline->options->output : "result";
	return is_empty_folder(offline->output) ||
	       err_set(err, ERR_CONFLICT,
		       "result folder '%s': there is something in it; choose "
		       "another with --output",
		       offline->output);
}

static bool run_all(const char *job_path, const struct options *options, int stop_fd,
		    struct offline *offline, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(place_close) struct place *place = NULL;
	scoped(spec_free) struct spec *spec = NULL;
	scoped(free) char *cache = home_cache();

	if (!read_spec(job_path, options, &spec, err) ||
	    !place_open(options->state ? options->state : cache, options->user, &place, err)) {
		return false;
	}
	*offline = (struct offline){
		.options = options, .place = place, .spec = spec, .stop_fd = stop_fd
	};
	random_bytes(&offline->invocation, sizeof(offline->invocation));
	if (!choose_output(offline, arena, err) || !identify_source(offline, arena, err)) {
		return false;
	}
	for (size_t i = 0; i < matrix_size(spec) && !offline->is_cancelled; i++) {
		if (!run_variant(offline, i, err)) {
			return false;
		}
	}
	return true;
}

int offline_main(int argc, char **argv, int stop_fd)
{
	struct options options = { .repeat = 1 };
	struct offline offline = { 0 };
	struct err err = ERR_INIT;
	int exit_code = 0;

	if (!parse_options(&argc, argv, &options, &err)) {
		fprintf(stderr, "patchmeter-worker run: %s\n%s", err.message,
			"'patchmeter-worker run --help' lists the options\n");
		exit_code = EXIT_USAGE;
	} else if (options.is_help) {
		exit_code = 0;
	} else if (!run_all(argv[1], &options, stop_fd, &offline, &err)) {
		fprintf(stderr, "patchmeter-worker run: %s\n", err.message);
		exit_code = err_face(err.kind)->exit_code;
	} else if (offline.is_cancelled) {
		exit_code = EXIT_CANCELLED;
	} else if (offline.has_failed) {
		exit_code = EXIT_JOB_FAILED;
	}
	option_list_release(&options.params);
	return exit_code;
}
