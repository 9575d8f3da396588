/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "script.h"

void measure_start(struct measurement *measurement, const char *folder)
{
	*measurement = (struct measurement){ .folder = folder };
}

const char *measure_file(struct arena *arena, const char *name, int64_t i, int64_t nr)
{
	return nr == 1 ? name : arena_printf(arena, "%s.%" PRId64, name, i + 1);
}

/* A step whose two streams go to one log. */
static struct script logged(const struct job *job, struct arena *arena,
			    const struct measurement *measurement, const char *name,
			    const char *text, const char *log)
{
	return (struct script){
		.name = name,
		.text = text,
		.cwd = measurement->folder,
		.stdout_path = arena_printf(arena, "%s/%s", job->folder, log),
		.deadline = SPAN_S(job->spec->timeout_s),
		.out = measurement->folder,
	};
}

/* --- setup --- */

static bool has_command(const char *name)
{
	static const char *const folders[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
					       "/usr/bin",        "/sbin",          "/bin" };

	for (size_t i = 0; i < countof(folders); i++) {
		scoped(free) char *path = mem_printf("%s/%s", folders[i], name);

		if (access(path, X_OK) == 0) {
			return true;
		}
	}
	return false;
}

static bool has_needs(const struct spec *spec, struct arena *arena, struct failure *failure)
{
	for (size_t i = 0; i < spec->commands.nr; i++) {
		const char *name = spec->commands.at[i];
		scoped(str_release) struct str detail = STR_INIT;

		if (has_command(name)) {
			continue;
		}
		str_printf(&detail, "needs the command '%s', which this machine lacks", name);
		for (size_t p = 0; p < spec->packages.nr; p++) {
			str_printf(&detail, "%s %s", p ? "," : "; install", spec->packages.at[p]);
		}
		if (spec->url) {
			str_printf(&detail, "; see %s", spec->url);
		}
		*failure =
			(struct failure){ "setup-failed", arena_strdup(arena, detail.at), -1, 0 };
		return false;
	}
	return true;
}

bool measure_setup(const struct place *place, const struct job *job, struct arena *arena,
		   const struct measurement *measurement, struct failure *ret_failure,
		   struct err *err)
{
	const struct script script =
		logged(job, arena, measurement, "setup", job->spec->setup, "setup.log");
	struct proc_result result;

	*ret_failure = (struct failure){ 0 };
	if (!has_needs(job->spec, arena, ret_failure) || !script.text) {
		return true;
	}
	if (!script_run(&script, place, job, arena, &result, ret_failure, err)) {
		return false;
	}
	if (ret_failure->reason && strcmp(ret_failure->reason, "cancelled") != 0) {
		ret_failure->reason = "setup-failed";
	}
	return true;
}

/* --- the iterations --- */

static void add_usage(struct measurement *measurement, const struct proc_result *result)
{
	struct proto_usage *sum = &measurement->usage;
	const struct proc_usage *usage = &result->usage;

	sum->elapsed_s += span_seconds(result->elapsed);
	sum->user_s += usage->user_s;
	sum->system_s += usage->system_s;
	sum->minor_faults += usage->minor_faults;
	sum->major_faults += usage->major_faults;
	sum->voluntary_switches += usage->voluntary_switches;
	sum->involuntary_switches += usage->involuntary_switches;
	if (usage->maxrss_kib > sum->maxrss_kib) {
		sum->maxrss_kib = usage->maxrss_kib;
	}
	measurement->nr_leftovers += result->nr_leftovers;
	measurement->is_timed_out = result->end == PROC_TIMED_OUT;
}

static bool copy_out(int from, const char *to_path, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;
	char bytes[65536];
	ssize_t got;

	while ((got = read(from, bytes, sizeof(bytes))) > 0) {
		str_append_bytes(&text, bytes, (size_t)got);
	}
	if (got < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "read what the job wrote");
	}
	return write_loose(to_path, text.at, text.length, err);
}

/* What the job wrote, if it is what it should be: no link to a file that only we may read, no pipe
 * that we would wait on for ever. */
static bool collect(const char *from_path, const char *to_path, struct err *err)
{
	int from = open(from_path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat stat;
	bool done = true;

	if (from < 0) {
		return true; /* whoever misses it says so */
	}
	if (fstat(from, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_nlink == 1 &&
	    (uint64_t)stat.st_size <= PROC_OUTPUT_LIMIT_BYTES) {
		done = copy_out(from, to_path, err);
	}
	close(from);
	return done;
}

static bool run_iteration(const struct place *place, const struct job *job, int64_t i,
			  struct arena *arena, struct measurement *measurement,
			  struct failure *failure, struct err *err)
{
	int64_t nr = job->spec->repeat;
	const char *result_path = place_path(place, arena, "work/tmp/result");
	const struct script script = {
		.name = "run",
		.is_measured = true,
		.text = job->spec->run,
		.cwd = measurement->folder,
		.stdout_path = arena_printf(arena, "%s/%s", job->folder,
					    measure_file(arena, "stdout", i, nr)),
		.stderr_path = arena_printf(arena, "%s/%s", job->folder,
					    measure_file(arena, "stderr", i, nr)),
		.deadline = SPAN_S(job->spec->timeout_s),
		.out = measurement->folder,
	};
	struct proc_result result;

	if (unlink(result_path) != 0 && errno != ENOENT && !tree_remove(result_path, err)) {
		return false;
	}
	if (!script_run(&script, place, job, arena, &result, failure, err)) {
		return false;
	}
	add_usage(measurement, &result);
	/* What outlives the run may have taken any part of its time, and of the next one's. */
	if (!failure->reason && result.nr_leftovers > 0) {
		failure->reason = "left-processes";
		failure->detail =
			arena_printf(arena, "run left %d process%s behind, killed now",
				     result.nr_leftovers, result.nr_leftovers == 1 ? "" : "es");
	}
	if (failure->reason && nr > 1) {
		failure->detail = arena_printf(arena, "iteration %" PRId64 " of %" PRId64 ": %s",
					       i + 1, nr, failure->detail);
	}
	return collect(
		result_path,
		arena_printf(arena, "%s/%s", job->folder, measure_file(arena, "output", i, nr)),
		err);
}

static bool warm_up(const struct place *place, const struct job *job, struct arena *arena,
		    const struct measurement *measurement, struct failure *failure, struct err *err)
{
	const struct script script =
		logged(job, arena, measurement, "warm-up", job->spec->run, "warmup.log");

	for (int64_t i = 0; i < job->spec->warmup && !failure->reason; i++) {
		struct proc_result result;

		if (!script_run(&script, place, job, arena, &result, failure, err)) {
			return false;
		}
	}
	return true;
}

static bool write_exit(const struct job *job, struct arena *arena,
		       const struct measurement *measurement, const struct failure *failure,
		       struct err *err)
{
	scoped(json_free) struct json *json = json_new_object();
	scoped(free) char *text = NULL;

	json_put_int(json, "exit_code", failure->exit_code);
	json_put_int(json, "signal", failure->signal);
	json_put_bool(json, "timed_out", measurement->is_timed_out);
	json_put_int(json, "leftovers", measurement->nr_leftovers);
	text = json_write(json, FORM_COMPACT);
	return write_loose(arena_printf(arena, "%s/exit", job->folder), text, strlen(text), err);
}

bool measure_run(const struct place *place, const struct job *job, struct arena *arena,
		 struct measurement *measurement, struct failure *ret_failure, struct err *err)
{
	*ret_failure = (struct failure){ 0 };
	if (!warm_up(place, job, arena, measurement, ret_failure, err)) {
		return false;
	}
	for (int64_t i = 0; i < job->spec->repeat && !ret_failure->reason; i++) {
		if (!run_iteration(place, job, i, arena, measurement, ret_failure, err)) {
			return false;
		}
	}
	return write_exit(job, arena, measurement, ret_failure, err);
}

bool measure_teardown(const struct place *place, const struct job *job, struct arena *arena,
		      const struct measurement *measurement, struct failure *ret_failure,
		      struct err *err)
{
	const struct script script =
		logged(job, arena, measurement, "teardown", job->spec->teardown, "teardown.log");
	struct job unstoppable = *job;
	struct proc_result result;

	*ret_failure = (struct failure){ 0 };
	unstoppable.stop_fd = 0; /* it tidies up after one that was stopped */
	return !script.text ||
	       script_run(&script, place, &unstoppable, arena, &result, ret_failure, err);
}
