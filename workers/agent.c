/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fingerprint.h"
#include "lib/base/log.h"
#include "lib/base/str.h"
#include "report.h"
#include "steps.h"

#define WAIT_S     20
#define PATIENCE_S 30

struct agent {
	const struct agent_settings *settings;
	const struct place *place;
	struct client *client;
	struct beat *beat;
	char epoch[HASH_TEXT_BYTES]; /* that the daemon was told of; "": none */
	char machine[PROTO_NAME_BYTES];
	bool is_join_due;
};

static bool is_stopping(const struct agent *agent)
{
	struct pollfd fd = { .fd = agent->settings->stop_fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* Logs what may pass, and gives it a second; false for what will not. */
static bool bear(const struct agent *agent, const struct err *err, const char *what)
{
	struct pollfd fd = { .fd = agent->settings->stop_fd, .events = POLLIN };

	if (!err_face(err->kind)->is_retryable) {
		return false;
	}
	log_line(LOG_WARN, "do=%s kind=%s msg='%s'", what, err_face(err->kind)->name, err->message);
	poll(&fd, 1, 1000);
	return true;
}

/* --- join --- */

/* Tells the daemon what this machine is, unless it knows. */
static bool join(struct agent *agent, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *fingerprint = fingerprint_read();
	scoped(json_free) struct json *answer = NULL;
	const struct proto_join record = { PROTO_VERSION, agent->settings->name,
					   agent->settings->group, fingerprint,
					   agent->place->instance };
	const struct client_call call = { .id = PROTO_CALL_JOIN,
					  .request = &record,
					  .patience = SPAN_S(PATIENCE_S) };
	struct hash hash = proto_epoch_hash(fingerprint);
	struct proto_joined joined;
	char epoch[HASH_TEXT_BYTES];

	hash_format(&hash, epoch);
	if (strcmp(epoch, agent->epoch) == 0) {
		agent->is_join_due = false;
		return true;
	}
	if (!client_call(agent->client, &call, arena, &joined, &answer, err)) {
		return false;
	}
	if (!answer) {
		return err_set(err, ERR_REMOTE, "join: no answer");
	}
	memcpy(agent->epoch, epoch, sizeof(epoch));
	agent->is_join_due = false;
	snprintf(agent->machine, sizeof(agent->machine), "%s", joined.machine);
	log_line(LOG_INFO, "do=join machine='%s' epoch=%" PRId64, joined.machine, joined.epoch);
	return true;
}

/* --- one lease --- */

static struct job job_of(const struct agent *agent, const struct proto_lease *lease,
			 const struct spec *spec, struct arena *arena)
{
	return (struct job){
		.benchmark = lease->benchmark,
		.spec = spec,
		.params = json_get(lease->variant, "params"),
		.compiler = json_text(json_get(lease->variant, "compiler")),
		.commit = lease->commit,
		.build_key = lease->build_key,
		.layout = lease->layout,
		.boot_id =
			arena_printf(arena, "%s/%" PRId64, fingerprint_boot_id(arena), lease->run),
		.is_build_only = strcmp(lease->kind, "build") == 0,
		.folder = place_path(agent->place, arena, "runs/%" PRId64, lease->lease),
		.settle_s = agent->settings->settle_s,
		.build_limit_s = agent->settings->build_limit_s,
		.stop_fd = beat_fd(agent->beat),
	};
}

/* The last word before the report: what the daemon wants counts more than how a script ended. */
static void judge(struct work *work)
{
	if (beat_verdict(work->beat) == BEAT_CANCEL) {
		work->failure.reason = "cancelled";
		work->failure.detail = "the daemon cancelled it";
	}
}

static bool write_report(const struct work *work, struct err *err)
{
	const struct proto_build build = {
		.key = work->job.build_key,
		.artefact = work->build.artefact,
		.toolchain = work->build.toolchain,
		.is_cached = work->build.is_cached,
		.wall_s = work->build.wall_s,
	};
	const struct proto_finish finish = {
		.secret = work->lease->secret,
		.outcome = work->failure.reason ? "failed" : "ok",
		.reason = work->failure.reason,
		.detail = work->failure.detail,
		.exit_code = work->failure.exit_code,
		.signal = work->failure.signal,
		.boot_id = work->job.boot_id,
		.build = work->build.toolchain ? &build : NULL,
		.usage = work->measurement.usage.elapsed_s > 0 ? &work->measurement.usage : NULL,
	};

	return report_write(work->job.folder, &finish, err);
}

/* The lease is over, whichever way.  First its file: a life that ends in between must not find a
 * lease with half of its report. */
static bool forget(const struct agent *agent, const struct work *work, struct err *err)
{
	const char *path = place_path(agent->place, work->arena, "lease.json");

	beat_rest(agent->beat);
	if (unlink(path) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "remove '%s'", path);
	}
	return tree_remove(work->job.folder, err);
}

/* A report in place of one that the daemon or this disk does not let through. */
static bool give_back(struct work *work, const char *reason, const char *detail, struct err *err)
{
	work->failure = (struct failure){ reason, arena_strdup(work->arena, detail), -1, 0 };
	return tree_remove(work->job.folder, err) && make_folders(work->job.folder, err) &&
	       write_report(work, err);
}

/* Until the daemon has the run, or says that it does not want it.  False: we are to stop, and the
 * next life delivers it. */
static bool deliver(const struct agent *agent, struct work *work)
{
	bool is_given_back = false;
	struct err err = ERR_INIT;

	for (;;) {
		client_stop_on(agent->client, beat_fd(agent->beat));
		if (steps_deliver(work, &err)) {
			log_line(LOG_INFO, "do=finish run=%" PRId64, work->lease->run);
			return true;
		}
		if (beat_verdict(agent->beat) != BEAT_LOST && bear(agent, &err, "deliver")) {
			if (is_stopping(agent) || beat_verdict(agent->beat) == BEAT_DEAD) {
				return false;
			}
			continue;
		}
		log_line(LOG_WARN, "do=drop run=%" PRId64 " kind=%s msg='%s'", work->lease->run,
			 err_face(err.kind)->name, err.message);
		if (err.kind == ERR_CONFLICT || is_given_back ||
		    beat_verdict(agent->beat) == BEAT_LOST ||
		    !give_back(work, err.kind == ERR_TOO_BIG ? "output-too-large" : "lost",
			       err.message, &err)) {
			return true;
		}
		is_given_back = true;
	}
}

static bool deliver_and_forget(const struct agent *agent, struct work *work, struct err *err)
{
	return !deliver(agent, work) || forget(agent, work, err);
}

static bool measure(const struct agent *agent, struct work *work, struct err *err)
{
	const struct proto_lease *lease = work->lease;

	if (!tree_remove(work->job.folder, err) || !make_folders(work->job.folder, err)) {
		return false;
	}
	log_line(LOG_INFO, "do=%s run=%" PRId64 " benchmark='%s' commit=%.12s", lease->kind,
		 lease->run, lease->benchmark, lease->commit);
	client_stop_on(agent->client, beat_fd(agent->beat));
	steps_measure(work);
	judge(work);
	return write_report(work, err);
}

/* A run that an earlier life began: its report, or the admission that there is none. */
static bool take_up(struct work *work, struct err *err)
{
	if (is_report(work->job.folder)) {
		return true;
	}
	return give_back(work, "lost", "the worker was interrupted", err);
}

static bool handle(const struct agent *agent, const struct proto_lease *lease, bool is_old,
		   struct arena *arena, struct err *err)
{
	scoped(spec_free) struct spec *spec = NULL;
	bool is_readable = spec_from_recipe(lease->recipe, &spec, err);
	struct work work;

	work_init(&work, arena, agent->place);
	work.lease = lease;
	work.client = agent->client;
	work.beat = agent->beat;
	work.job = job_of(agent, lease, spec, arena);
	beat_hold(agent->beat, lease, "prepare");
	if (!is_readable) {
		work.failure = (struct failure){ "setup-failed", arena_strdup(arena, err->message),
						 -1, 0 };
		if (!make_folders(work.job.folder, err) || !write_report(&work, err)) {
			return false;
		}
	} else if (!(is_old ? take_up(&work, err) : measure(agent, &work, err))) {
		return false;
	}
	return deliver_and_forget(agent, &work, err);
}

/* --- leases --- */

static bool remove_old_runs(const struct agent *agent, struct arena *arena, struct err *err)
{
	const char *path = place_path(agent->place, arena, "runs");

	return tree_remove(path, err) && make_folders(path, err);
}

/* What an earlier life had, if any. */
static bool handle_old(const struct agent *agent, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *json = NULL;
	const char *path = place_path(agent->place, arena, "lease.json");
	struct proto_lease lease;

	if (!json_read_file(path, PROTO_JSON_LIMIT_BYTES, &json, err)) {
		return err->kind == ERR_ABSENT && remove_old_runs(agent, arena, err);
	}
	if (!proto_decode(&proto_lease_message, json, arena, &lease, err)) {
		log_line(LOG_WARN, "do=drop msg='%s'", err->message); /* of another version of us */
		return unlink(path) == 0;
	}
	return handle(agent, &lease, true, arena, err);
}

static bool save_lease(const struct agent *agent, const struct json *json, struct arena *arena,
		       struct err *err)
{
	scoped(free) char *text = json_write(json, FORM_COMPACT);

	return str_write_file(place_path(agent->place, arena, "lease.json"), text, strlen(text),
			      0600, err);
}

/* Asks for one lease and does it; *ret_is_done false: there was none. */
static bool handle_next(struct agent *agent, bool *ret_is_done, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *json = NULL;
	const struct proto_ask record = { agent->machine, fingerprint_boot_id(arena), WAIT_S,
					  agent->place->instance };
	const struct client_call call = { .id = PROTO_CALL_LEASE,
					  .request = &record,
					  .patience = SPAN_S(PATIENCE_S) };
	struct proto_lease lease;

	*ret_is_done = false;
	client_stop_on(agent->client, agent->settings->stop_fd);
	if (!client_call(agent->client, &call, arena, &lease, &json, err)) {
		return is_stopping(agent) || bear(agent, err, "lease");
	}
	if (!json) {
		return true;
	}
	*ret_is_done = true;
	agent->is_join_due = true; /* what it ran may have changed this machine */
	return save_lease(agent, json, arena, err) && handle(agent, &lease, false, arena, err);
}

static bool join_in_time(struct agent *agent, struct err *err)
{
	client_stop_on(agent->client, agent->settings->stop_fd);
	while (agent->is_join_due && !join(agent, err)) {
		if (is_stopping(agent)) {
			return true;
		}
		if (!bear(agent, err, "join")) {
			return false;
		}
	}
	return true;
}

bool agent_run(const struct agent_settings *settings, const struct place *place,
	       struct client *client, struct beat *beat, struct err *err)
{
	struct agent agent = {
		.settings = settings,
		.place = place,
		.client = client,
		.beat = beat,
		.is_join_due = true,
	};
	bool is_done = false;

	if (!handle_old(&agent, err)) {
		return false;
	}
	while (!is_stopping(&agent) && !(is_done && settings->is_once)) {
		if (beat_verdict(beat) == BEAT_DEAD) {
			return err_set(err, ERR_BROKEN, "the heartbeat has died");
		}
		if (!join_in_time(&agent, err) || is_stopping(&agent)) {
			return is_stopping(&agent);
		}
		if (!handle_next(&agent, &is_done, err)) {
			return false;
		}
	}
	return true;
}
