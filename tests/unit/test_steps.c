/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/steps.h"

#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "tests/t.h"
#include "workers/samples.h"
#include "workers/script.h"

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define METRICS                                                                          \
	"metrics:\n"                                                                     \
	"  - {name: speed, unit: ops/s, better: higher, headline: true, lines: speed}\n" \
	"  - {name: extra, unit: s, better: lower, lines: extra}\n"

/* A job that runs what the test says, and what came of it. */
struct trial {
	struct arena *arena;
	struct place *place;
	struct spec *spec;
	struct json *params;
	struct json *samples;
	char *folder;
	struct work work;
};

static void trial_release(struct trial *trial)
{
	json_free(trial->samples);
	json_free(trial->params);
	spec_free(trial->spec);
	place_close(trial->place);
	arena_free(trial->arena);
	free(trial->folder);
}
DEFINE_SCOPED_EMBEDDED(trial_release, struct trial)

static struct trial try_job(const char *user, const char *steps)
{
	scoped(free) char *text = mem_printf("name: x\nsummary: y\n%s" METRICS, steps);
	scoped(free) char *state = t_folder();
	struct trial trial = { .arena = arena_new(), .folder = t_folder() };
	struct err err = ERR_INIT;

	CHECK(chmod(state, 0755) == 0); /* another user must get through */
	trial.params = json_new_object();
	json_put_text(trial.params, "share", "50%");
	json_put_text(trial.params, "number", "12.5");
	CHECK_DONE(spec_parse("job", text, strlen(text), &trial.spec, &err), &err);
	CHECK_DONE(place_open(state, user, &trial.place, &err), &err);
	work_init(&trial.work, trial.arena, trial.place);
	trial.work.job = (struct job){
		.benchmark = "x",
		.spec = trial.spec,
		.params = trial.params,
		.build_key = KEY,
		.folder = trial.folder,
	};
	steps_measure(&trial.work);
	CHECK_DONE(samples_read(trial.folder, trial.spec, &trial.work.failure,
				&trial.work.measurement.usage, &trial.samples, &err),
		   &err);
	return trial;
}

static void put(const char *path)
{
	struct err err = ERR_INIT;

	CHECK_DONE(str_write_file(path, "", 0, 0644, &err), &err);
}

static const char *text_of(const struct trial *trial, const char *name)
{
	scoped(str_release) struct str text = STR_INIT;
	struct err err = ERR_INIT;

	CHECK_DONE(str_read_file(&text, arena_printf(trial->arena, "%s/%s", trial->folder, name),
				 PROTO_FILE_LIMIT_BYTES, &err),
		   &err);
	return arena_strdup(trial->arena, text.at);
}

static bool has_file(const struct trial *trial, const char *name)
{
	return access(arena_printf(trial->arena, "%s/%s", trial->folder, name), F_OK) == 0;
}

static double metric(const struct trial *trial, const char *name)
{
	return json_number(json_get(json_get(trial->samples, "metrics"), name), -1);
}

static void check_failure(const char *steps, const char *reason, const char *detail)
{
	scoped(trial_release) struct trial trial = try_job(NULL, steps);

	CHECK_TEXT(json_text(json_get(trial.samples, "outcome")), "failed");
	CHECK_TEXT(json_text(json_get(trial.samples, "reason")), reason);
	CHECK_TEXT(json_text(json_get(trial.samples, "detail")), detail);
	CHECK(json_size(json_get(trial.samples, "metrics")) == 0);
}

static void measures(void)
{
	scoped(trial_release) struct trial trial =
		try_job(NULL, "run: 'echo speed: 12.5; sleep 0.2'\n");

	CHECK_TEXT(trial.work.failure.reason, NULL);
	CHECK_TEXT(json_text(json_get(trial.samples, "outcome")), "ok");
	CHECK_NEAR(metric(&trial, "speed"), 12.5, 0);
	CHECK(metric(&trial, "time.elapsed") >= 0.2 && metric(&trial, "time.elapsed") < 20);
	CHECK(json_get(json_get(trial.samples, "metrics"), "extra") == NULL); /* missing is not 0 */
	CHECK_TEXT(text_of(&trial, "stdout"), "speed: 12.5\n");
	CHECK_TEXT(text_of(&trial, "exit"),
		   "{\"exit_code\":0,\"signal\":0,\"timed_out\":false,\"leftovers\":0}");
}

/* C50: a looped run keeps all results, not the last. */
static void keeps_every_iteration(void)
{
	scoped(trial_release) struct trial trial =
		try_job(NULL, "setup: echo 10 >next\n"
			      "run: |\n  n=$(cat next); echo \"speed: $n\"; echo $((n + 1)) >next\n"
			      "repeat: 5\n");
	const struct json *row = json_get(json_get(trial.samples, "iterations"), "speed");

	CHECK_INT((int64_t)json_size(row), 5);
	for (size_t i = 0; i < 5; i++) {
		CHECK_NEAR(json_number(json_at(row, i), -1), (double)(10 + i), 0);
	}
	CHECK_NEAR(metric(&trial, "speed"), 12, 0);
	CHECK_TEXT(text_of(&trial, "stdout.3"), "speed: 12\n");
	CHECK(!has_file(&trial, "stdout"));
}

static void warms_up_without_counting(void)
{
	scoped(trial_release) struct trial trial =
		try_job(NULL, "run: |\n  echo x >>count; echo \"speed: $(wc -l <count)\"\n"
			      "repeat: 2\nwarmup: 3\n");

	CHECK_TEXT(text_of(&trial, "stdout.1"), "speed: 4\n");
	CHECK_NEAR(metric(&trial, "speed"), 4.5, 0);
}

static void gives_a_fixed_environment(void)
{
	scoped(trial_release) struct trial trial =
		try_job(NULL, "params: {share: '50%', number: 12.5}\nrun: env; echo speed 1\n");
	const char *env = text_of(&trial, "stdout");
	int64_t share = (nr_cpus() + 1) / 2;

	CHECK(strstr(env, "LC_ALL=C\n"));
	CHECK(strstr(env, arena_printf(trial.arena, "PARAM_share=%" PRId64 "\n", share)));
	CHECK(strstr(env, "PARAM_number=12.5\n"));
	CHECK(strstr(env, arena_printf(trial.arena, "PATCHMETER_CPUS=%" PRId64 "\n", nr_cpus())));
	CHECK(strstr(env, arena_printf(trial.arena, "PATCHMETER_OUT=%s/work/source\n",
				       trial.place->root)));
	CHECK(!strstr(env, "USER=") && !strstr(env, "SHELL=") && !strstr(env, "LD_"));
}

static void keeps_the_result_file(void)
{
	scoped(trial_release) struct trial trial = try_job(
		NULL, "run: 'echo \"speed: 3\" >\"$PATCHMETER_RESULT\"; echo \"speed: 4\"'\n");

	CHECK_TEXT(text_of(&trial, "output"), "speed: 3\n");
	CHECK_NEAR(metric(&trial, "speed"), 4, 0);
}

/* S8: neither a file that only we can read, nor one that would block us. */
static void collects_only_plain_files(void)
{
	static const char *const tricks[] = {
		"run: 'ln -s /etc/shadow \"$PATCHMETER_RESULT\"; echo speed: 1'\n",
		"run: 'mkfifo \"$PATCHMETER_RESULT\"; echo speed: 1'\n",
		"run: 'mkdir \"$PATCHMETER_RESULT\"; echo speed: 1'\n",
		"run: 'echo x >other; ln other \"$PATCHMETER_RESULT\"; echo speed: 1'\n",
	};

	for (size_t i = 0; i < countof(tricks); i++) {
		scoped(trial_release) struct trial trial = try_job(NULL, tricks[i]);

		CHECK_TEXT(trial.work.failure.reason, NULL);
		CHECK(!has_file(&trial, "output"));
	}
}

static void names_every_failure(void)
{
	check_failure("run: 'echo speed: 1; exit 3'\n", "exit-status", "run exited with 3");
	check_failure("run: 'echo speed: 1; kill -SEGV $$'\n", "signal",
		      "run was killed by signal 11 (Segmentation fault)");
	check_failure("run: 'echo speed: 1; sleep 600'\ntimeout: 1s\n", "timeout",
		      "run did not end within 1 s");
	check_failure("run: 'echo speed: 1; head -c 104857600 /dev/zero'\n", "output-too-large",
		      "run printed more than 67108864 bytes");
	check_failure("run: 'true'\n", "no-metric", "speed: no line with this name and a number");
	check_failure("run: 'echo speed: nan'\n", "not-finite", "speed: the number is not finite");
	check_failure("run: 'exec >&-; echo speed: 1 >&2'\n", "no-metric",
		      "speed: no line with this name and a number");
	check_failure("setup: 'exit 4'\nrun: 'echo speed: 1'\n", "setup-failed",
		      "setup exited with 4");
	check_failure("build: 'exit 5'\nrun: 'echo speed: 1'\n", "build-failed",
		      "build exited with 5");
	check_failure("teardown: 'exit 6'\nrun: 'echo speed: 1'\n", "exit-status",
		      "teardown exited with 6");
	check_failure("run: 'echo speed: 1; [ -e again ] && exit 1; echo >again'\nrepeat: 3\n",
		      "exit-status", "iteration 2 of 3: run exited with 1");
	check_failure("needs: {commands: [sh, no-such-tool], packages: [some-package]}\n"
		      "run: 'echo speed: 1'\n",
		      "setup-failed",
		      "needs the command 'no-such-tool', which this machine lacks; install "
		      "some-package");
}

static void bears_odd_jobs(void)
{
	/* ignores SIGTERM: ends by SIGKILL after the grace */
	scoped(trial_release) struct trial deaf =
		try_job(NULL, "run: 'trap \"\" TERM; sleep 1; sleep 600'\ntimeout: 1s\n");

	CHECK_TEXT(deaf.work.failure.reason, "timeout");
	/* forks a daemon: it is killed and counted, and the run does not count */
	scoped(trial_release) struct trial daemon =
		try_job(NULL, "run: 'setsid sleep 600 & echo speed: 1'\n");

	CHECK_TEXT(daemon.work.failure.reason, "left-processes");
	CHECK_TEXT(daemon.work.failure.detail, "run left 1 process behind, killed now");
	CHECK_TEXT(text_of(&daemon, "exit"),
		   "{\"exit_code\":0,\"signal\":0,\"timed_out\":false,\"leftovers\":1}");
	/* fills stderr: does not block */
	scoped(trial_release) struct trial loud =
		try_job(NULL, "run: 'head -c 10000000 /dev/zero >&2; echo speed: 1'\n");

	CHECK_NEAR(metric(&loud, "speed"), 1, 0);
}

static void tears_down_after_failure(void)
{
	scoped(trial_release) struct trial trial =
		try_job(NULL, "run: 'exit 1'\nteardown: echo torn down\n");

	CHECK_TEXT(trial.work.failure.reason, "exit-status");
	CHECK_TEXT(text_of(&trial, "teardown.log"), "torn down\n");
}

static void drops_the_user(void)
{
	if (geteuid() != 0) {
		T_SKIP("only root can run jobs as another user");
	}
	scoped(trial_release) struct trial trial =
		try_job("nobody", "build: id -u >built-by\n"
				  "setup: touch here \"$TMPDIR\"/there\n"
				  "run: |\n"
				  "  ! touch \"$PATCHMETER_OUT\"/../../planted 2>/dev/null\n"
				  "  ! touch \"$PATCHMETER_OUT\"/../../cache/planted 2>/dev/null\n"
				  "  echo \"speed: $(cat built-by)$(id -u)\"\n");

	CHECK_TEXT(trial.work.failure.detail, NULL);
	CHECK_NEAR(metric(&trial, "speed"), 6553465534.0, 0);
}

static void stops_on_request(void)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	scoped(trial_release) struct trial trial = try_job(
		NULL, "run: 'echo \"speed: 1\"; [ ! -e \"$HOME/../../hang\" ] || sleep 600'\n");

	CHECK_TEXT(trial.work.failure.reason, NULL);
	put(place_path(trial.place, trial.arena, "hang"));
	trial.work.failure = (struct failure){ 0 };
	trial.work.job.stop_fd = ends[0];
	close(ends[1]); /* readable */
	steps_measure(&trial.work);
	close(ends[0]);
	CHECK_TEXT(trial.work.failure.reason, "cancelled");
}

static const struct t_case cases[] = {
	{ "a run gives its metrics, and what is missing is not zero", measures },
	{ "five iterations are five samples in their order, and one number",
	  keeps_every_iteration },
	{ "warm-up runs do not count", warms_up_without_counting },
	{ "the environment is fixed, and a percentage is a number of processors",
	  gives_a_fixed_environment },
	{ "the result file is kept beside the streams", keeps_the_result_file },
	{ "only a plain file of the job's own is collected", collects_only_plain_files },
	{ "each way to fail has its word and a sentence, and no metrics", names_every_failure },
	{ "jobs that are deaf, loud or leave daemons are borne", bears_odd_jobs },
	{ "teardown follows a failure", tears_down_after_failure },
	{ "a job of another user cannot write beside its folders", drops_the_user },
	{ "a job ends when asked to", stops_on_request },
};
T_MAIN(cases)
