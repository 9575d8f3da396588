/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "steps.h"

#include <math.h>

#include "build.h"
#include "fetch.h"
#include "fingerprint.h"
#include "lib/base/str.h"
#include "report.h"
#include "settle.h"

enum when {
	TO_BUILD = 1, /* also where nothing is to be measured */
	TO_MEASURE = 2,
	ALWAYS = 4, /* after a failure, too */
	TO_DELIVER = 8
};

struct step {
	const char *name; /* the phase that beats tell */
	int deadline_s;   /* 0: the job's own */
	unsigned when;
	const char *reason; /* of the failure that an error becomes */
	bool (*run)(struct work *work, struct span deadline, struct err *err);
};

static bool step_fetch(struct work *work, struct span deadline, struct err *err)
{
	if (!work->lease) {
		return true; /* the sources are on this machine */
	}
	return fetch_commit(work->place, work->client, work->lease->repository, work->job.commit,
			    deadline, work->arena, &work->job.source.repository, err);
}

/* The fresh copy that runs start in is made here, before the machine settles. */
static bool step_build(struct work *work, struct span deadline UNUSED, struct err *err)
{
	const char *folder;

	if (!build_make(work->place, &work->job, work->arena, &work->build, &work->failure, err)) {
		return false;
	}
	if (work->failure.reason || work->job.is_build_only) {
		return true;
	}
	if (!build_stage(work->place, &work->build, work->arena, &folder, err)) {
		return false;
	}
	measure_start(&work->measurement, folder);
	return true;
}

static bool write_environment(const struct work *work, struct err *err)
{
	scoped(json_free) struct json *json = fingerprint_read_files("");
	const char *path = arena_printf(work->arena, "%s/environment.json", work->job.folder);
	scoped(free) char *text = NULL;

	json_put(json, "packages", fingerprint_packages(work->job.spec));
	json_put_text(json, "toolchain", work->build.toolchain);
	json_put_number(json, "busy_before", work->busy);
	text = json_write(json, FORM_PRETTY);
	return write_loose(path, text, strlen(text), err);
}

static bool step_settle(struct work *work, struct span deadline, struct err *err)
{
	if (deadline.ns > SPAN_S(work->job.settle_s).ns) {
		deadline = SPAN_S(work->job.settle_s);
	}
	return (deadline.ns == 0 || settle(deadline, &work->busy, err)) &&
	       write_environment(work, err);
}

static bool step_setup(struct work *work, struct span deadline UNUSED, struct err *err)
{
	work->is_set_up = true;
	return measure_setup(work->place, &work->job, work->arena, &work->measurement,
			     &work->failure, err);
}

static const char *environment_hash(struct arena *arena)
{
	scoped(json_free) struct json *json = fingerprint_read_files("");
	struct hash hash = proto_epoch_hash(json);
	char *hex = arena_alloc(arena, HASH_TEXT_BYTES);

	hash_format(&hash, hex);
	return hex;
}

static bool step_run(struct work *work, struct span deadline UNUSED, struct err *err)
{
	const char *before = environment_hash(work->arena);

	if (!measure_run(work->place, &work->job, work->arena, &work->measurement, &work->failure,
			 err)) {
		return false;
	}
	if (!work->failure.reason && strcmp(before, environment_hash(work->arena)) != 0) {
		work->failure = (struct failure){
			"machine-changed",
			"governor, limits or other settings of the machine changed "
			"while it ran",
			-1, 0
		};
	}
	return true;
}

static bool step_teardown(struct work *work, struct span deadline UNUSED, struct err *err)
{
	struct failure failure = { 0 };

	if (work->is_set_up && !measure_teardown(work->place, &work->job, work->arena,
						 &work->measurement, &failure, err)) {
		return false;
	}
	if (!work->failure.reason) {
		work->failure = failure;
	}
	return place_clear_work(work->place, err);
}

static bool step_upload(struct work *work, struct span deadline, struct err *err)
{
	return report_upload(work->client, work->lease, work->job.folder, deadline, err);
}

static bool step_finish(struct work *work, struct span deadline, struct err *err)
{
	return report_finish(work->client, work->lease, work->job.folder, deadline, err);
}

static const struct step steps[] = {
	{ "fetch", 1800, TO_BUILD | TO_MEASURE, "fetch-failed", step_fetch },
	{ "build", 0, TO_BUILD | TO_MEASURE, "lost", step_build },
	{ "settle", 60, TO_MEASURE, "lost", step_settle },
	{ "setup", 0, TO_MEASURE, "lost", step_setup },
	{ "run", 0, TO_MEASURE, "lost", step_run },
	{ "teardown", 0, TO_MEASURE | ALWAYS, "lost", step_teardown },
	{ "upload", 30, TO_DELIVER, NULL, step_upload },
	{ "finish", 30, TO_DELIVER, NULL, step_finish },
};

static void enter(const struct work *work, const struct step *step)
{
	if (work->beat) {
		beat_phase(work->beat, step->name);
	}
}

static void take_error(struct work *work, const struct step *step, const struct err *err)
{
	work->failure =
		(struct failure){ step->reason, arena_strdup(work->arena, err->message), -1, 0 };
}

void work_init(struct work *work, struct arena *arena, const struct place *place)
{
	*work = (struct work){ .arena = arena, .place = place, .busy = NAN };
}

void steps_measure(struct work *work)
{
	unsigned wanted = work->job.is_build_only ? TO_BUILD : TO_MEASURE;

	for (size_t i = 0; i < countof(steps); i++) {
		const struct step *step = &steps[i];
		struct err err = ERR_INIT;

		if (!(step->when & wanted) || (work->failure.reason && !(step->when & ALWAYS))) {
			continue;
		}
		enter(work, step);
		if (!step->run(work, SPAN_S(step->deadline_s), &err)) {
			take_error(work, step, &err);
		} else if (!work->failure.reason && work->beat &&
			   beat_verdict(work->beat) != BEAT_FINE) {
			work->failure =
				(struct failure){ "cancelled", "the daemon cancelled it", -1, 0 };
		}
	}
}

bool steps_deliver(struct work *work, struct err *err)
{
	for (size_t i = 0; i < countof(steps); i++) {
		if (!(steps[i].when & TO_DELIVER)) {
			continue;
		}
		enter(work, &steps[i]);
		if (!steps[i].run(work, SPAN_S(steps[i].deadline_s), err)) {
			return err_wrap(err, "%s", steps[i].name);
		}
	}
	return true;
}
