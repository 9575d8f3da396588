/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <uv.h>

#include "daemon/embedded.h"
#include "daemon/pipeline/pipeline.h"
#include "lib/base/log.h"
#include "web/server.h"

/* A tick that always finds more must let others have the thread. */
#define TICKS_IN_A_ROW 64
#define PAUSE_MIN_MS   250
#define PAUSE_MAX_MS   60000

struct runner {
	uv_work_t work;
	struct loop *loop;
	const struct stage *stage;
	bool is_running;
	bool is_rung;    /* while it was running */
	bool is_more;    /* set by the tick: run again without a bell */
	struct mono due; /* looks by itself then */
	int pause_ms;    /* after a failure; 0: none */
	struct err err;  /* of the last tick */
	struct err logged;
};

struct loop {
	const struct loop_parts *parts;
	uv_loop_t uv;
	uv_signal_t signals[3];
	uv_poll_t bells;
	uv_timer_t clock;
	atomic_bool is_stopping;
	int stop_fd;  /* readable then */
	bool is_deaf; /* the listening connection is gone */
	struct err fatal;
	struct runner *runners;
	size_t nr_runners;
};

/* ticks -------------------------------------------------------------------------------------- */

static void run_ticks(struct runner *runner, struct db *db)
{
	const struct loop *loop = runner->loop;

	runner->is_more = true;
	for (int i = 0; runner->is_more && i < TICKS_IN_A_ROW && !loop->is_stopping; i++) {
		scoped(arena_free) struct arena *arena = arena_new();
		struct tick tick = { .db = db,
				     .arena = arena,
				     .settings = loop->parts->settings,
				     .stop_fd = loop->stop_fd };

		runner->is_more = false;
		if (!runner->stage->tick(&tick, &runner->is_more, &runner->err)) {
			break;
		}
	}
	db_rollback(db);
}

static void run_stage(uv_work_t *work)
{
	struct runner *runner = container_of(work, struct runner, work);
	struct pool *pool = runner->loop->parts->pool;
	struct db *db = NULL;
	bool is_ours = false;

	runner->is_more = false;
	err_clear(&runner->err);
	if (!pool_borrow(pool, &db, &runner->err)) {
		return;
	}
	if (stage_enter(runner->stage, db, &is_ours, &runner->err) && is_ours) {
		run_ticks(runner, db);
		stage_leave(runner->stage, db);
	}
	pool_return(pool, db);
}

static void ring(struct runner *runner);

/* A database on its way down and up says something else at every try. */
static bool is_news(const struct runner *runner)
{
	return runner->err.kind != runner->logged.kind ||
	       (runner->err.kind != ERR_BUSY &&
		strcmp(runner->err.message, runner->logged.message) != 0);
}

static void note_outcome(struct runner *runner)
{
	struct span wait = runner->stage->period;

	if (runner->err.kind == ERR_NONE) {
		if (runner->logged.kind != ERR_NONE) {
			log_line(LOG_INFO, "stage=%s msg='works again'", runner->stage->name);
		}
		err_clear(&runner->logged);
		runner->pause_ms = 0;
	} else {
		if (is_news(runner)) {
			log_line(LOG_WARN, "stage=%s kind=%s msg='%s'", runner->stage->name,
				 err_face(runner->err.kind)->name, runner->err.message);
			runner->logged = runner->err;
		}
		runner->pause_ms = runner->pause_ms ? 2 * runner->pause_ms : PAUSE_MIN_MS;
		if (runner->pause_ms > PAUSE_MAX_MS) {
			runner->pause_ms = PAUSE_MAX_MS;
		}
		wait = SPAN_MS(runner->pause_ms);
	}
	runner->due = mono_after(mono_now(), wait);
}

static void close_if_idle(struct loop *loop);

static void after_ticks(uv_work_t *work, int status UNUSED)
{
	struct runner *runner = container_of(work, struct runner, work);

	runner->is_running = false;
	if (runner->loop->is_stopping) {
		close_if_idle(runner->loop);
		return;
	}
	note_outcome(runner);
	if ((runner->is_rung || runner->is_more) && runner->err.kind == ERR_NONE) {
		runner->is_rung = false;
		ring(runner);
	}
}

static void ring(struct runner *runner)
{
	if (runner->loop->is_stopping) {
		return;
	}
	if (runner->is_running) {
		runner->is_rung = true;
		return;
	}
	if (runner->pause_ms && !mono_is_past(runner->due)) {
		return;
	}
	runner->is_running = true;
	uv_queue_work(&runner->loop->uv, &runner->work, run_stage, after_ticks);
}

/* events ------------------------------------------------------------------------------------- */

static void ring_bells(struct loop *loop, unsigned topics)
{
	for (size_t i = 0; i < loop->nr_runners; i++) {
		if (topics & BELL_BIT(loop->runners[i].stage->bell)) {
			ring(&loop->runners[i]);
		}
	}
	if ((topics & BELL_BIT(BELL_LEASE)) && loop->parts->server) {
		server_wake(loop->parts->server, BELL_LEASE);
	}
}

static void on_bells(uv_poll_t *bells, int status UNUSED, int events UNUSED)
{
	struct loop *loop = container_of(bells, struct loop, bells);
	unsigned topics = 0;
	struct err err = ERR_INIT;

	if (db_notified(loop->parts->listener, &topics, &err)) {
		ring_bells(loop, topics);
		return;
	}
	log_line(LOG_WARN, "msg='%s; looking by the clock until it is back'", err.message);
	uv_poll_stop(bells);
	loop->is_deaf = true;
}

static void listen_to_bells(struct loop *loop)
{
	uv_poll_init(&loop->uv, &loop->bells, db_socket(loop->parts->listener));
	loop->bells.data = loop;
	uv_poll_start(&loop->bells, UV_READABLE, on_bells);
}

/* The socket of a healed connection is another one, so its handle is made anew. */
static void on_bells_closed(uv_handle_t *handle)
{
	struct loop *loop = handle->data;

	if (loop->is_stopping) {
		return;
	}
	listen_to_bells(loop);
	loop->is_deaf = false;
	log_line(LOG_INFO, "msg='listening to the database again'");
	ring_bells(loop, ~0U);
}

static void heal_listener(struct loop *loop)
{
	struct err err = ERR_INIT;

	if (!uv_is_closing((uv_handle_t *)&loop->bells) && db_heal(loop->parts->listener, &err)) {
		uv_close((uv_handle_t *)&loop->bells, on_bells_closed);
	}
}

static void stop(struct loop *loop)
{
	loop->is_stopping = true;
	eventfd_write(loop->stop_fd, 1);
	close_if_idle(loop);
}

static void on_clock(uv_timer_t *clock)
{
	struct loop *loop = container_of(clock, struct loop, clock);

	if (loop->parts->embedded && !is_embedded_alive(loop->parts->embedded)) {
		err_set(&loop->fatal, ERR_BROKEN, "the embedded database died");
		stop(loop);
		return;
	}
	if (loop->is_deaf) {
		heal_listener(loop);
	}
	for (size_t i = 0; i < loop->nr_runners; i++) {
		if (mono_is_past(loop->runners[i].due)) {
			ring(&loop->runners[i]);
		}
	}
}

static void on_signal(uv_signal_t *signal, int number)
{
	struct loop *loop = signal->data;

	if (number == SIGHUP) {
		ring_bells(loop, ~0U);
	} else {
		log_line(LOG_INFO, "msg='stopping'");
		stop(loop);
	}
}

/* life --------------------------------------------------------------------------------------- */

static void close_handle(uv_handle_t *handle, void *unused UNUSED)
{
	if (!uv_is_closing(handle)) {
		uv_close(handle, NULL);
	}
}

static void close_if_idle(struct loop *loop)
{
	if (!loop->is_stopping) {
		return;
	}
	for (size_t i = 0; i < loop->nr_runners; i++) {
		if (loop->runners[i].is_running) {
			return;
		}
	}
	uv_walk(&loop->uv, close_handle, NULL);
}

static void add_runners(struct loop *loop)
{
	for (size_t i = 0; i < nr_stages; i++) {
		struct runner *runner;

		if (!loop->parts->is_enabled(stages[i].name, loop->parts->roles)) {
			continue;
		}
		runner = &loop->runners[loop->nr_runners++];
		runner->loop = loop;
		runner->stage = &stages[i];
	}
}

bool loop_run(const struct loop_parts *parts, struct err *err)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP };
	scoped(free) struct runner *runners = mem_array(nr_stages, sizeof(*runners));
	struct loop loop = { .parts = parts,
			     .runners = runners,
			     .stop_fd = eventfd(0, EFD_CLOEXEC) };

	if (loop.stop_fd < 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "make a descriptor to stop by");
	}
	add_runners(&loop);
	uv_loop_init(&loop.uv);
	for (size_t i = 0; i < countof(numbers); i++) {
		uv_signal_init(&loop.uv, &loop.signals[i]);
		loop.signals[i].data = &loop;
		uv_signal_start(&loop.signals[i], on_signal, numbers[i]);
	}
	listen_to_bells(&loop);
	uv_timer_init(&loop.uv, &loop.clock);
	uv_timer_start(&loop.clock, on_clock, 0, 500);
	uv_run(&loop.uv, UV_RUN_DEFAULT);
	uv_loop_close(&loop.uv);
	close(loop.stop_fd);
	if (loop.fatal.kind != ERR_NONE) {
		return err_set(err, loop.fatal.kind, "%s", loop.fatal.message);
	}
	return true;
}
