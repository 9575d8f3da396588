/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/program.h"
#include "lib/base/str.h"
#include "lib/proc/proc.h"

#define EXIT_OK         0
#define EXIT_JOB_FAILED 7
#define OUTPUT_BYTES    ((size_t)16 << 20)
#define COMPLAINT_BYTES ((size_t)1 << 20)
#define BOOT_PATH       "/proc/sys/kernel/random/boot_id"

/* Where one run at a time is made. */
struct place {
	char *state, *output, *complaints;
	struct proc *proc;
};

struct bench {
	const struct question *question;
	const char *repository;
	int stop_fd;
	char *worker;
	struct str boot;
	char *output;
	struct place *places;
	size_t nr_places;
};

static char *find_worker(void)
{
	static const char *const paths[] = { "patchmeter-worker", "../workers/patchmeter-worker" };

	for (size_t i = 0; i < countof(paths); i++) {
		scoped(free) char *path = program_path(paths[i]);

		if (access(path, X_OK) == 0) {
			return move(&path);
		}
	}
	return mem_strdup("patchmeter-worker"); /* as the shell finds it */
}

static bool make_folder(const char *path, struct err *err)
{
	return mkdir(path, 0755) == 0 || errno == EEXIST ||
	       err_set_errno(err, ERR_BROKEN, errno, "make '%s'", path);
}

bool bench_open(const struct question *question, const char *repository, const char *folder,
		int stop_fd, struct bench **ret_bench, struct err *err)
{
	scoped(bench_close) struct bench *bench = mem_alloc(sizeof(*bench));

	bench->question = question;
	bench->repository = repository;
	bench->stop_fd = stop_fd;
	bench->worker = find_worker();
	bench->nr_places = (size_t)question->jobs;
	bench->places = mem_array(bench->nr_places, sizeof(*bench->places));
	str_init(&bench->boot);
	if (!str_read_file(&bench->boot, BOOT_PATH, 100, err)) {
		return false;
	}
	str_truncate(&bench->boot, strcspn(bench->boot.at, "\n"));
	for (size_t i = 0; i < bench->nr_places; i++) {
		struct place *place = &bench->places[i];

		place->state = mem_printf("%s/place-%zu", folder, i + 1);
		place->output = mem_printf("%s/run.json", place->state);
		place->complaints = mem_printf("%s/run.log", place->state);
		if (!make_folder(place->state, err)) {
			return false;
		}
	}
	bench->output = mem_printf("%s/result/raw/1", bench->places[0].state);
	*ret_bench = move(&bench);
	return true;
}

struct bench *bench_close(struct bench *bench)
{
	if (bench) {
		for (size_t i = 0; i < bench->nr_places; i++) {
			proc_free(bench->places[i].proc);
			free(bench->places[i].state);
			free(bench->places[i].output);
			free(bench->places[i].complaints);
		}
		free(bench->places);
		free(bench->worker);
		free(bench->output);
		str_release(&bench->boot);
		free(bench);
	}
	return NULL;
}

const char *bench_boot(const struct bench *bench)
{
	return bench->boot.at;
}

const char *bench_output(const struct bench *bench)
{
	return bench->output;
}

/* --- a run --- */

static bool start(struct bench *bench, struct place *place, const struct bench_run *run,
		  struct err *err)
{
	const struct question *question = bench->question;
	VEC(const char *) words = { 0 };
	scoped(free) char *settle_s = mem_printf("%" PRId64, question->settle_s);
	const char *const first[] = { bench->worker, "run",      "--json",          "--state",
				      place->state,  "--repo",   bench->repository, "--commit",
				      run->id->text, "--settle", settle_s };
	struct proc_spec spec = { .env = (const char *const *)environ,
				  .stdout_path = place->output,
				  .stderr_path = place->complaints };
	bool done;

	for (size_t i = 0; i < countof(first); i++) {
		*vec_push(&words) = first[i];
	}
	for (size_t i = 0; i < question->params.nr; i++) {
		*vec_push(&words) = "-p";
		*vec_push(&words) = question->params.at[i];
	}
	*vec_push(&words) = question->job_path.at;
	*vec_push(&words) = NULL;
	spec.argv = words.at;
	done = proc_start(&spec, &place->proc, err);
	vec_release(&words);
	return done;
}

/* Until all have ended; a stop ends them. */
static void await(struct bench *bench, size_t nr, bool *ret_is_stopped)
{
	scoped(free) struct pollfd *fds = mem_array(nr + 1, sizeof(*fds));

	for (;;) {
		nfds_t nr_fds = 0;

		for (size_t i = 0; i < nr; i++) {
			if (!is_proc_over(bench->places[i].proc)) {
				fds[nr_fds++] =
					(struct pollfd){ .fd = proc_fd(bench->places[i].proc),
							 .events = POLLIN };
			}
		}
		if (nr_fds == 0) {
			return;
		}
		fds[nr_fds] = (struct pollfd){ .fd = bench->stop_fd, .events = POLLIN };
		poll(fds, nr_fds + !*ret_is_stopped, -1);
		if (!*ret_is_stopped && fds[nr_fds].revents) {
			*ret_is_stopped = true;
			for (size_t i = 0; i < nr; i++) {
				proc_stop(bench->places[i].proc);
			}
		}
	}
}

/* The last line of what the worker said; it ends with what stopped it. */
static bool fail_worker(const struct place *place, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;
	struct err ignored = ERR_INIT;
	char *line;

	if (!str_read_file(&text, place->complaints, COMPLAINT_BYTES, &ignored)) {
		return err_set(err, ERR_REMOTE, "patchmeter-worker failed, and '%s' is gone",
			       place->complaints);
	}
	while (text.length > 0 && text.at[text.length - 1] == '\n') {
		str_truncate(&text, text.length - 1);
	}
	line = strrchr(text.at, '\n');
	return err_set(err, ERR_REMOTE, "%s",
		       text.length == 0 ? "patchmeter-worker failed without a word"
		       : line           ? line + 1
					: text.at);
}

static bool read_run(const struct place *place, struct bench_run *run, struct err *err)
{
	scoped(json_free) struct json *json = NULL;
	const struct json *line;

	if (!json_read_file(place->output, OUTPUT_BYTES, &json, err)) {
		return false;
	}
	line = json_at(json_get(json, "runs"), 0);
	run->run = line ? json_clone(line) : NULL;
	return line || err_set(err, ERR_REMOTE, "patchmeter-worker told of no run");
}

static bool collect(struct place *place, struct bench_run *run, bool is_stopped, struct err *err)
{
	struct proc_result result;
	bool done = proc_wait(place->proc, &result, err);

	place->proc = proc_free(place->proc);
	if (!done || is_stopped) {
		return done;
	}
	run->took_s = span_seconds(result.elapsed);
	if (result.end != PROC_EXITED ||
	    (result.exit_code != EXIT_OK && result.exit_code != EXIT_JOB_FAILED)) {
		return fail_worker(place, err);
	}
	return read_run(place, run, err);
}

bool bench_measure(struct bench *bench, struct bench_run *runs, size_t nr, bool *ret_is_stopped,
		   struct err *err)
{
	size_t nr_started = 0;
	bool done = true;

	*ret_is_stopped = false;
	while (done && nr_started < nr) {
		done = start(bench, &bench->places[nr_started], &runs[nr_started], err);
		nr_started += done;
	}
	await(bench, nr_started, ret_is_stopped);
	for (size_t i = 0; i < nr_started; i++) {
		struct err ignored = ERR_INIT;

		done = collect(&bench->places[i], &runs[i], *ret_is_stopped,
			       done ? err : &ignored) &&
		       done;
	}
	for (size_t i = 0; !done && i < nr; i++) {
		runs[i].run = json_free(runs[i].run);
	}
	if (!done && err->kind == ERR_ABSENT) {
		err->kind = ERR_BROKEN; /* the worker is; what was asked for is there */
	}
	return done;
}
