/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "script.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/spec/param.h"

#define MEASURED_NICE (-15)

int64_t nr_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0) {
		return sysconf(
			_SC_NPROCESSORS_ONLN); /* more processors than the set has room for */
	}
	return CPU_COUNT(&set);
}

/* What a compiler is asked for, so that code falls elsewhere than in the usual build. */
static const char *const layout_flags[PROTO_LAYOUT_MAX + 1] = {
	[2] = "-falign-functions=64 -falign-loops=32",
};

static const char **environment(const struct script *script, const struct place *place,
				const struct job *job, struct arena *arena)
{
	const char *tmp = place_path(place, arena, "work/tmp");
	char **params = param_environment(arena, job->params,
					  script->is_build ? script->text : NULL, nr_cpus());
	const char *lines[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"LC_ALL=C",
		"TZ=UTC",
		arena_printf(arena, "HOME=%s", tmp),
		arena_printf(arena, "TMPDIR=%s", tmp),
		arena_printf(arena, "PATCHMETER_CPUS=%" PRId64, nr_cpus()),
		arena_printf(arena, "PATCHMETER_OUT=%s", script->out),
		arena_printf(arena, "PATCHMETER_RESULT=%s/result", tmp),
	};
	const char *build_lines[] = {
		arena_printf(arena, "PATCHMETER_SOURCE=%s",
			     place_path(place, arena, "work/source")),
		arena_printf(arena, "SOURCE_DATE_EPOCH=%" PRId64, TREE_SOURCE_TIME_S),
		arena_printf(arena, "CC=%s", job->compiler ? job->compiler : "cc"),
		arena_printf(arena, "PATCHMETER_LAYOUT=%" PRId64, job->layout),
		arena_printf(arena, "PATCHMETER_LAYOUT_CFLAGS=%s",
			     layout_flags[job->layout] ? layout_flags[job->layout] : ""),
	};
	size_t nr = 0;
	size_t nr_params = 0;
	const char **env;

	while (params[nr_params]) {
		nr_params++;
	}
	env = arena_array(arena, countof(lines) + countof(build_lines) + nr_params + 1,
			  sizeof(*env));
	for (size_t i = 0; i < countof(lines); i++) {
		env[nr++] = lines[i];
	}
	for (size_t i = 0; script->is_build && i < countof(build_lines); i++) {
		env[nr++] = build_lines[i];
	}
	for (size_t i = 0; i < nr_params; i++) {
		env[nr++] = params[i];
	}
	return env;
}

static struct failure failure_of(const struct script *script, const struct proc_result *result,
				 struct arena *arena)
{
	struct failure failure = { NULL, NULL, result->exit_code, result->signal };
	const char *name = script->name;
	double limit_s = span_seconds(script->deadline);

	switch (result->end) {
	case PROC_EXITED:
		if (result->exit_code != 0) {
			failure.reason = "exit-status";
			failure.detail =
				arena_printf(arena, "%s exited with %d", name, result->exit_code);
		}
		break;
	case PROC_SIGNALLED:
		failure.reason = "signal";
		failure.detail = arena_printf(arena, "%s was killed by signal %d (%s)", name,
					      result->signal, strsignal(result->signal));
		break;
	case PROC_TIMED_OUT:
		failure.reason = "timeout";
		failure.detail = arena_printf(arena, "%s did not end within %g s", name, limit_s);
		break;
	case PROC_FLOODED:
		failure.reason = "output-too-large";
		failure.detail = arena_printf(arena, "%s printed more than %" PRIu64 " bytes", name,
					      PROC_OUTPUT_LIMIT_BYTES);
		break;
	case PROC_STOPPED:
		failure.reason = "cancelled";
		failure.detail = arena_printf(arena, "%s was stopped", name);
		break;
	}
	return failure;
}

/* On a machine that others use, too, a fair share of the time is a random share.  Trying is the
 * only way to know: a limit, a capability or a container may forbid it. */
static bool may_go_first(void)
{
	int before = getpriority(PRIO_PROCESS, 0);

	return setpriority(PRIO_PROCESS, 0, MEASURED_NICE) == 0 &&
	       setpriority(PRIO_PROCESS, 0, before) == 0;
}

bool script_run(const struct script *script, const struct place *place, const struct job *job,
		struct arena *arena, struct proc_result *ret_result, struct failure *ret_failure,
		struct err *err)
{
	const char *const argv[] = { "/bin/sh", "-eu", "-c", script->text, NULL };
	struct proc_spec spec = {
		.argv = argv,
		.env = environment(script, place, job, arena),
		.cwd = script->cwd,
		.stdout_path = script->stdout_path,
		.stderr_path = script->stderr_path,
		.is_merged = !script->stderr_path,
		.deadline = script->deadline,
		.stop_fd = job->stop_fd,
		.nice = script->is_measured && may_go_first() ? MEASURED_NICE : 0,
		.is_user_set = place->owner.is_set,
		.uid = place->owner.uid,
		.gid = place->owner.gid,
	};

	if (!proc_run(&spec, ret_result, err)) {
		return err_wrap(err, "%s of '%s'", script->name, job->benchmark);
	}
	if (ret_result->nr_survivors > 0) {
		return err_set(err, ERR_BROKEN,
			       "%s of '%s': %d processes cannot be killed; restart the machine",
			       script->name, job->benchmark, ret_result->nr_survivors);
	}
	*ret_failure = failure_of(script, ret_result, arena);
	return true;
}
