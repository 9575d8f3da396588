/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "lib/base/home.h"
#include "lib/vcs/vcs.h"
#include "outcome.h"
#include "picture.h"
#include "progress.h"
#include "replay.h"

#define EXIT_STOPPED   130
#define RUNS_FOR_MEANS 4 /* of the culprit and of what is before it, for the table at the end */
#define RUNS_FOR_RANKS 6 /* fewer can be ordered by chance too easily */
#define MOST_LOST      5 /* runs in a row that the machine spoilt */

/* One use of the verb. */
struct search {
	struct question question;
	struct range *range;
	struct journal *journal;
	struct bench *bench;
	struct evidence *evidence; /* of the runs so far */
	struct progress progress;
	char *folder;
	int folder_fd; /* locked */
	int stop_fd;
	size_t nr_lost;
	bool is_stopped;
};

static void close_fd(int fd)
{
	if (fd >= 0) {
		close(fd);
	}
}

static void search_release(struct search *search)
{
	evidence_free(search->evidence);
	bench_close(search->bench);
	journal_close(search->journal);
	range_close(search->range);
	question_release(&search->question);
	free(search->folder);
	close_fd(search->folder_fd);
	close_fd(search->stop_fd);
}
DEFINE_SCOPED_EMBEDDED(search_release, struct search)

/* --- what is there before the first run --- */

static bool open_stop_fd(struct search *search, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	search->stop_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return search->stop_fd >= 0 || err_set_errno(err, ERR_BROKEN, errno, "wait for signals");
}

static bool make_folders(char *path, struct err *err)
{
	for (char *slash = path + 1; (slash = strchrnul(slash, '/')); slash++) {
		char end = *slash;

		*slash = '\0';
		if (mkdir(path, 0755) != 0 && errno != EEXIST) {
			return err_set_errno(err, ERR_BROKEN, errno, "make '%s'", path);
		}
		*slash = end;
		if (end == '\0') {
			return true;
		}
	}
	return true;
}

static bool choose_folder(struct search *search, struct err *err)
{
	scoped(free) char *cache = home_cache();
	scoped(free) char *relative = search->question.state ? mem_strdup(search->question.state)
							     : mem_printf("%s/bisect", cache);

	if (!make_folders(relative, err)) {
		return false;
	}
	search->folder = realpath(relative, NULL);
	return search->folder || err_set_errno(err, ERR_BROKEN, errno, "find '%s'", relative);
}

/* One search at a time: two would disturb each other's runs. */
static bool lock_folder(struct search *search, struct err *err)
{
	search->folder_fd = open(search->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (search->folder_fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "open '%s'", search->folder);
	}
	return flock(search->folder_fd, LOCK_EX | LOCK_NB) == 0 ||
	       err_set(err, ERR_CONFLICT,
		       "'%s': another 'bisect run' is at work there; wait for it, or choose "
		       "another --state",
		       search->folder);
}

static bool open_journal(struct search *search, struct err *err)
{
	const struct question *question = &search->question;
	scoped(json_free) struct json *recipe = spec_recipe(question->spec);
	scoped(free) char *path = mem_printf("%s/%.16s.jsonl", search->folder, question->key);

	if (question->is_fresh && unlink(path) != 0 && errno != ENOENT) {
		return err_set_errno(err, ERR_BROKEN, errno, "remove '%s'", path);
	}
	return journal_open(path, recipe, &search->journal, err);
}

/* What the command line says. */
static bool understand(struct search *search, const struct call *call, struct err *err)
{
	struct question *question = &search->question;

	return question_settle(question, call->argc - 1, call->argv + 1, err) && vcs_init(err) &&
	       range_open(question->good, question->bad, &search->range, err);
}

static bool open_all(struct search *search, struct err *err)
{
	struct question *question = &search->question;

	return open_stop_fd(search, err) && choose_folder(search, err) &&
	       lock_folder(search, err) && open_journal(search, err) &&
	       question_write_job(question, search->folder, err) &&
	       bench_open(question, search->range->repository, search->folder, search->stop_fd,
			  &search->bench, err);
}

/* --- a step --- */

static void think(struct search *search)
{
	evidence_free(search->evidence);
	search->evidence = evidence_new(&search->question, search->range, search->journal,
					bench_boot(search->bench));
}

static size_t runs_left(const struct search *search)
{
	size_t budget = (size_t)search->question.budget;
	size_t nr = search->evidence->nr_runs + search->evidence->nr_failed;

	return budget > nr ? budget - nr : 0;
}

static size_t runs_to_compare(const struct question *question)
{
	const struct metric *metric = question_metric(question);

	return !metric || strcmp(metric->estimator, "mean") == 0 ||
			       strcmp(metric->estimator, "hmean") == 0
		       ? RUNS_FOR_MEANS
		       : RUNS_FOR_RANKS;
}

/* A culprit and what is before it are measured until they can be compared; that may call the
 * culprit into question again. */
static size_t choose_to_compare(const struct search *search, size_t *commits)
{
	const struct evidence *evidence = search->evidence;
	size_t sides[2];
	size_t nr = 0;

	if (search->question.is_pass_fail || evidence->answer.state != BISECT_CULPRIT ||
	    runs_left(search) == 0 ||
	    !outcome_sides(search->range, evidence, &sides[0], &sides[1])) {
		return 0;
	}
	if (evidence->at[sides[1]].nr < evidence->at[sides[0]].nr) {
		sides[0] = sides[1];
		sides[1] = 0;
	}
	if (evidence->at[sides[0]].nr < runs_to_compare(&search->question)) {
		commits[nr++] = sides[0];
	}
	return nr;
}

/* The commits to run now, one a place; none: it is over. */
static size_t choose(const struct search *search, size_t *commits)
{
	const struct evidence *evidence = search->evidence;
	size_t nr = (size_t)search->question.jobs;
	size_t left = runs_left(search);

	if (evidence->answer.state != BISECT_OPEN) {
		return choose_to_compare(search, commits);
	}
	nr = left > 0 && left < nr ? left : nr;
	for (size_t i = 0; i < nr; i++) {
		struct bisect_next next;

		bisect_next(evidence->bisect, i, &next);
		commits[i] = next.commit;
	}
	return nr;
}

static bool fail_end(const struct search *search, const char *option, size_t commit,
		     struct err *err)
{
	return err_set(err, ERR_CONFLICT, "--%s '%.10s' cannot be measured: %s; see '%s'", option,
		       search->range->at[commit].id.text, search->evidence->at[commit].why,
		       bench_output(search->bench));
}

/* Without both ends there is no question. */
static bool check_ends(const struct search *search, struct err *err)
{
	const struct range *range = search->range;

	if (search->evidence->at[0].why) {
		return fail_end(search, "good", 0, err);
	}
	return !search->evidence->at[range->tip].why || fail_end(search, "bad", range->tip, err);
}

static bool check_sign(struct search *search, enum sign sign, const struct json *run,
		       struct err *err)
{
	if (sign == SIGN_STOP) {
		return err_set(err, ERR_CONFLICT,
			       "the command asked to stop: it exited with %" PRId64,
			       json_int(json_get(run, "exit_code"), 0));
	}
	search->nr_lost = sign == SIGN_NONE ? search->nr_lost + 1 : 0;
	if (search->nr_lost >= MOST_LOST) {
		scoped(arena_free) struct arena *arena = arena_new();

		return err_set(err, ERR_BROKEN, "the last %d runs were spoilt: %s", MOST_LOST,
			       evidence_failure(run, arena));
	}
	return true;
}

static void say_run(struct search *search, size_t commit, const struct json *run, enum sign sign,
		    double value)
{
	const struct range_commit *at = &search->range->at[commit];
	scoped(arena_free) struct arena *arena = arena_new();

	if (search->progress.is_drawn) {
		return;
	}
	if (sign != SIGN_VALUE) {
		progress_say(&search->progress, "%.10s %s: %s", at->id.text, at->subject,
			     evidence_failure(run, arena));
	} else if (search->question.is_pass_fail) {
		progress_say(&search->progress, "%.10s %s: %s", at->id.text, at->subject,
			     value > 0 ? "failed" : "passed");
	} else {
		progress_say(&search->progress, "%.10s %s: %g", at->id.text, at->subject, value);
	}
}

static bool keep(struct search *search, size_t place, size_t commit, struct bench_run *run,
		 struct err *err)
{
	double value = 0;
	enum sign sign = evidence_sign(&search->question, run->run, &value);

	say_run(search, commit, run->run, sign, value);
	if (!check_sign(search, sign, run->run, err)) {
		run->run = json_free(run->run);
		return false;
	}
	return journal_append(search->journal, run->id->text, place, run->took_s, move(&run->run),
			      err);
}

static bool measure(struct search *search, const size_t *commits, size_t nr, struct err *err)
{
	struct bench_run runs[BISECT_MOST_MACHINES] = { 0 };
	bool done;

	for (size_t i = 0; i < nr; i++) {
		runs[i].id = &search->range->at[commits[i]].id;
	}
	progress_say(&search->progress, "measuring %.10s%s", runs[0].id->text,
		     nr > 1 ? " and others" : "");
	done = bench_measure(search->bench, runs, nr, &search->is_stopped, err);
	for (size_t i = 0; i < nr; i++) {
		if (runs[i].run && done) {
			done = keep(search, i, commits[i], &runs[i], err);
		} else {
			runs[i].run = json_free(runs[i].run);
		}
	}
	return done;
}

static bool search_on(struct search *search, struct err *err)
{
	for (;;) {
		size_t commits[BISECT_MOST_MACHINES];
		size_t nr;

		think(search);
		progress_show(&search->progress, search->range, search->evidence);
		if (!check_ends(search, err)) {
			return false;
		}
		nr = choose(search, commits);
		if (nr == 0) {
			return true;
		}
		if (!measure(search, commits, nr, err)) {
			return false;
		}
		if (search->is_stopped) {
			return true;
		}
	}
}

/* --- together --- */

static bool write_log(const struct outcome *outcome, struct err *err)
{
	scoped(str_release) struct str log = STR_INIT;

	if (!outcome->question->log) {
		return true;
	}
	replay_append(outcome, &log);
	return log.length == 0 ||
	       str_write_file(outcome->question->log, log.at, log.length, 0644, err);
}

static int end(struct search *search, const struct call *call, struct err *err)
{
	const struct outcome outcome = { &search->question, search->range, search->journal,
					 search->evidence, search->folder };
	enum bisect_state state = search->evidence->answer.state;

	progress_end(&search->progress);
	if (search->is_stopped) {
		fprintf(stderr, "patchmeter %s: stopped after %zu runs; the same command goes on\n",
			call->verb->name, search->evidence->nr_runs);
		return EXIT_STOPPED;
	}
	if (!outcome_print(&outcome, err) || !write_log(&outcome, err)) {
		return call_fail_file(call, err);
	}
	return state == BISECT_CULPRIT || state == BISECT_SET ? EXIT_DONE : EXIT_NOTHING;
}

static int run(struct search *search, const struct call *call)
{
	struct err err = ERR_INIT;

	if (!understand(search, call, &err)) {
		return err.kind == ERR_INPUT || err.kind == ERR_ABSENT
			       ? call_usage(call, "%s", err.message)
			       : call_fail(call, &err);
	}
	if (!open_all(search, &err)) {
		return call_fail(call, &err);
	}
	progress_init(&search->progress);
	if (search->journal->entries.nr > 0) {
		progress_say(&search->progress,
			     "%zu earlier runs of this question count; --fresh forgets them",
			     search->journal->entries.nr);
	}
	if (!search_on(search, &err)) {
		progress_end(&search->progress);
		return call_fail(call, &err);
	}
	return end(search, call, &err);
}

int verb_bisect_run(struct call *call)
{
	scoped(search_release) struct search search = {
		.folder_fd = -1,
		.stop_fd = -1,
	};
	struct option_row rows[QUESTION_MOST_OPTIONS];
	size_t nr_rows = question_options(&search.question, rows);
	int exit_code;

	if (!call_options(call, rows, nr_rows, &exit_code)) {
		return exit_code;
	}
	return run(&search, call);
}
