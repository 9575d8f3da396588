/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/json.h"
#include "results_build.h"

#define LIMIT_BYTES       ((size_t)2 << 30)
#define LIMIT_ABOUT_BYTES ((size_t)1 << 20)
#define LIMIT_ENV         200
#define LEVELS_ENV        8
#define ENV_PASSING       "passing" /* differs from minute to minute: the load */

/* --- the forms --- */

static bool is_braced(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && strchr(" \t\r\n", text[at]) && text[at]) {
		at++;
	}
	return at < length && (text[at] == '{' || text[at] == '[');
}

/* The first that says it is it reads the file. */
static const struct form {
	bool (*is)(const char *text, size_t length);
	bool (*read)(const struct input *input, struct err *err);
} forms[] = {
	{ is_results_view, results_refuse_view },
	{ is_results_hyperfine, results_read_hyperfine },
	{ is_results_matrix, results_read_matrix },
	{ is_braced, results_read_runs },
	{ is_results_go, results_read_go },
	{ is_results_csv, results_read_csv },
};

static bool read_text(const struct input *input, struct err *err)
{
	if (input->length == 0) {
		return err_set(err, ERR_INPUT, "%s: is empty", input->file);
	}
	for (size_t i = 0; i < countof(forms); i++) {
		if (forms[i].is(input->text, input->length)) {
			return forms[i].read(input, err);
		}
	}
	return err_set(err, ERR_INPUT,
		       "%s:1:1: expected JSON, the output of 'go test -bench', or CSV whose first "
		       "line names the columns",
		       input->file);
}

/* --- files --- */

/* A file's bytes: mapped, so that a large one takes no memory of ours; a pipe's are read. */
struct content {
	const char *at;
	size_t length;
	void *map;
	struct str text;
};

static void content_release(struct content *content)
{
	if (content->map) {
		munmap(content->map, content->length);
	}
	str_release(&content->text);
}
DEFINE_SCOPED_EMBEDDED(content_release, struct content)

static bool content_map(struct content *content, const char *path, size_t size, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = MAP_FAILED;

	if (fd >= 0) {
		map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		close(fd);
	}
	if (map == MAP_FAILED) {
		return err_set_errno(err, ERR_BROKEN, errno, "read '%s'", path);
	}
	content->map = map;
	content->at = map;
	content->length = size;
	return true;
}

static bool content_open(struct content *content, const char *path, struct err *err)
{
	struct stat stat_;

	if (stat(path, &stat_) != 0) {
		return err_set_errno(err, errno == ENOENT ? ERR_ABSENT : ERR_BROKEN, errno,
				     "read '%s'", path);
	}
	if (S_ISREG(stat_.st_mode) && (uint64_t)stat_.st_size > LIMIT_BYTES) {
		return err_set(err, ERR_TOO_BIG, "%s: larger than %zu MiB", path,
			       LIMIT_BYTES >> 20);
	}
	if (S_ISREG(stat_.st_mode) && stat_.st_size > 0) {
		return content_map(content, path, (size_t)stat_.st_size, err);
	}
	if (!str_read_file(&content->text, path, LIMIT_BYTES, err)) {
		return false;
	}
	content->at = content->text.at;
	content->length = content->text.length;
	return true;
}

/* --- result.json --- */

static char *scalar_text(const struct json *value)
{
	return json_text(value) ? mem_strdup(json_text(value)) : json_write(value, FORM_CANONICAL);
}

/* What the file says of a folder. */
struct about {
	const char *benchmark;
	VEC(struct results_param) params;
	const char *machine;
};

static void about_release(struct about *about)
{
	vec_release(&about->params);
}
DEFINE_SCOPED_EMBEDDED(about_release, struct about)

static struct results_param param_of(struct results *results, const char *name,
				     const struct json *value)
{
	scoped(free) char *text = scalar_text(value);

	return (struct results_param){ .name = arena_strdup(results->arena, name),
				       .value = arena_strdup(results->arena, text) };
}

/* Every leaf of the environment that lasts, by its path. */
static void read_env(struct results *results, const struct json *env, const char *prefix, int level)
{
	for (void *it = json_first(env); it; it = json_next(env, it)) {
		const struct json *value = json_member_value(it);
		scoped(free) char *name = mem_printf("%s%s", prefix, json_member_name(it));

		if (strcmp(name, ENV_PASSING) == 0) {
			continue;
		}
		if (json_kind(value) == KIND_OBJECT && level < LEVELS_ENV) {
			scoped(free) char *inner = mem_printf("%s.", name);

			read_env(results, value, inner, level + 1);
		} else if (results->env.nr < LIMIT_ENV) {
			*vec_push(&results->env) = param_of(results, name, value);
		}
	}
}

static const char *read_word(struct results *results, const struct json *document, const char *name)
{
	const char *text = json_text(json_get(document, name));

	return text && *text ? arena_strdup(results->arena, text) : NULL;
}

static bool read_about(struct results *results, const char *file, struct about *about,
		       struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	const struct json *params;
	struct err local = ERR_INIT;

	if (!json_read_file(file, LIMIT_ABOUT_BYTES, &document, &local)) {
		return local.kind == ERR_ABSENT || err_set(err, local.kind, "%s", local.message);
	}
	if (json_int(json_get(document, "schema"), 0) != 1) {
		return err_set(err, ERR_INPUT, "%s: 'schema': expected 1", file);
	}
	about->benchmark = read_word(results, document, "benchmark");
	about->machine = read_word(results, document, "machine");
	results->commit =
		results->commit ? results->commit : read_word(results, document, "commit");
	results->machine = results->machine ? results->machine : about->machine;
	params = json_get(document, "params");
	for (void *it = json_first(params); it; it = json_next(params, it)) {
		*vec_push(&about->params) =
			param_of(results, json_member_name(it), json_member_value(it));
	}
	if (results->env.nr == 0) {
		read_env(results, json_get(document, "env"), "", 0);
	}
	return true;
}

/* --- folders --- */

/* Runs that do not say where they ran, ran on the folder's machine. */
static void place_runs(struct results_part *part, const char *name, struct names *ids)
{
	scoped(free) char *key = NULL;
	uint32_t machine;

	if (!name) {
		return;
	}
	key = mem_printf("machine '%s'", name);
	machine = names_number(ids, key);
	for (size_t i = 0; i < part->metrics.nr; i++) {
		results_place(&part->metrics.at[i], machine);
	}
}

/* One result folder; either file may be absent. */
static bool read_folder(struct input input, const char *path, struct err *err)
{
	scoped(free) char *about_file = mem_printf("%s/result.json", path);
	scoped(free) char *file = mem_printf("%s/runs.jsonl", path);
	scoped(about_release) struct about about = { 0 };
	scoped(content_release) struct content content = { .text = STR_INIT };
	struct results_part *part;
	struct err local = ERR_INIT;

	if (!read_about(input.results, about_file, &about, err)) {
		return false;
	}
	part = results_part(&input, about.benchmark, about.params.at, about.params.nr);
	part->is_job = about.benchmark;
	if (!content_open(&content, file, &local)) {
		return local.kind == ERR_ABSENT || err_set(err, local.kind, "%s", local.message);
	}
	input.file = file;
	input.text = content.at;
	input.length = content.length;
	if (!results_read_part(&input, part, err)) {
		return false;
	}
	place_runs(part, about.machine, input.options->ids);
	return true;
}

static bool is_result_folder(const char *path)
{
	static const char *const files[] = { "result.json", "runs.jsonl" };

	for (size_t i = 0; i < countof(files); i++) {
		scoped(free) char *file = mem_printf("%s/%s", path, files[i]);

		if (access(file, F_OK) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_folder(const char *path)
{
	struct stat stat_;

	return stat(path, &stat_) == 0 && S_ISDIR(stat_.st_mode);
}

/* A job with several variants leaves a result folder for each in one. */
static bool read_variant(const struct input *input, const char *name, struct err *err)
{
	scoped(free) char *path = mem_printf("%s/%s", input->results->path, name);

	if (*name == '.' || !is_folder(path)) {
		return true;
	}
	if (!is_result_folder(path)) {
		results_note(input->results, "%s holds no result.json and no runs.jsonl", path);
		return true;
	}
	return read_folder(*input, path, err);
}

static bool read_variants(const struct input *input, struct err *err)
{
	struct dirent **entries;
	int nr = scandir(input->results->path, &entries, NULL, alphasort);
	bool is_read = nr >= 0;

	if (nr < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "read '%s'", input->results->path);
	}
	for (int i = 0; i < nr; i++) {
		is_read = is_read && read_variant(input, entries[i]->d_name, err);
		free(entries[i]);
	}
	free(entries);
	return is_read;
}

/* --- together --- */

static void note_left_out(struct results *results)
{
	size_t nr_warmups = 0;

	for (size_t i = 0; i < results->parts.nr; i++) {
		const struct results_part *part = results->parts.at[i];

		nr_warmups += part->nr_warmups;
		for (size_t j = 0; j < part->metrics.nr; j++) {
			const struct results_metric *metric = &part->metrics.at[j];

			if (metric->fold > 1) {
				results_note(results,
					     "%s: '%s' has %zu samples: each %" PRIu32
					     " neighbours are "
					     "averaged to one",
					     results->path, metric->name, metric->nr_samples,
					     metric->fold);
			}
		}
	}
	if (nr_warmups > 0) {
		results_note(results, "%s: %zu warm-up %s left out", results->path, nr_warmups,
			     nr_warmups == 1 ? "run" : "runs");
	}
}

static bool read_path(struct input *input, struct err *err)
{
	const char *path = input->results->path;
	scoped(content_release) struct content content = { .text = STR_INIT };

	if (is_folder(path)) {
		return is_result_folder(path) ? read_folder(*input, path, err)
					      : read_variants(input, err);
	}
	if (!content_open(&content, path, err)) {
		return false;
	}
	input->text = content.at;
	input->length = content.length;
	return read_text(input, err);
}

/* `text` NULL: what is at the path. */
static bool read_side(const char *path, const struct str *text,
		      const struct results_options *options, struct results **ret_results,
		      struct err *err)
{
	scoped(results_free) struct results *results = mem_alloc(sizeof(*results));
	scoped(names_free) struct names *parts = names_new();
	struct input input = {
		.results = results, .file = path, .options = options, .parts = parts
	};

	results->arena = arena_new();
	results->path = arena_strdup(results->arena, path);
	if (text) {
		input.text = text->at;
		input.length = text->length;
	}
	if (!(text ? read_text(&input, err) : read_path(&input, err))) {
		return false;
	}
	if (results->parts.nr == 0) {
		results_part(&input, NULL, NULL, 0);
	}
	note_left_out(results);
	if (results->nr_notes > results->notes.nr) {
		*vec_push(&results->notes) =
			arena_printf(results->arena, "%s: %zu more such notes", path,
				     results->nr_notes - results->notes.nr);
	}
	*ret_results = move(&results);
	return true;
}

bool results_parse(const char *what, const struct str *text, const struct results_options *options,
		   struct results **ret_results, struct err *err)
{
	return read_side(what, text, options, ret_results, err);
}

bool results_read(const char *path, const struct results_options *options,
		  struct results **ret_results, struct err *err)
{
	return read_side(path, NULL, options, ret_results, err);
}

bool is_results_document(const char *path)
{
	scoped(content_release) struct content content = { .text = STR_INIT };
	struct stat stat_;

	if (stat(path, &stat_) == 0 && !S_ISREG(stat_.st_mode)) {
		return !S_ISDIR(stat_.st_mode);
	}
	return content_open(&content, path, NULL) && is_results_view(content.at, content.length);
}

static void forget_metrics(struct results_part *part)
{
	for (size_t i = 0; i < part->metrics.nr; i++) {
		vec_release(&part->metrics.at[i].values);
		vec_release(&part->metrics.at[i].runs);
	}
	vec_release(&part->metrics);
}

void results_forget_metrics(struct results *results)
{
	for (size_t i = 0; i < results->parts.nr; i++) {
		forget_metrics(results->parts.at[i]);
	}
}

static void part_release(struct results_part *part)
{
	forget_metrics(part);
	vec_release(&part->params);
	vec_release(&part->failures);
	names_free(part->metric_names);
}

struct results *results_free(struct results *results)
{
	if (results) {
		for (size_t i = 0; i < results->parts.nr; i++) {
			part_release(results->parts.at[i]);
		}
		vec_release(&results->parts);
		vec_release(&results->env);
		vec_release(&results->notes);
		arena_free(results->arena);
		free(results);
	}
	return NULL;
}
