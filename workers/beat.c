/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "beat.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGAIN_S   2
#define ATTEMPT_S 10

/* Agent to heart.  One record a message (SOCK_SEQPACKET), so there is nothing to parse. */
struct order {
	int64_t lease; /* 0: rest */
	int64_t beat_s;
	char secret[128];
	char phase[32];
};

/* Heart to agent. */
struct news {
	int64_t lease;
	enum beat_verdict verdict;
};

struct beat {
	int fd;
	pid_t pid;
	struct order order;
	enum beat_verdict verdict;
};

/* --- the heart --- */

struct heart {
	int fd;
	struct client *client;
	struct order order;
	struct mono next;
};

static void tell(const struct heart *heart, enum beat_verdict verdict)
{
	const struct news news = { heart->order.lease, verdict };

	/* Full: the agent has not read the last news, which were no better. */
	(void)!send(heart->fd, &news, sizeof(news), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void beat_once(struct heart *heart)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(json_free) struct json *answer = NULL;
	const struct proto_beat record = { .secret = heart->order.secret,
					   .phase = heart->order.phase };
	const struct client_call call = { .id = PROTO_CALL_BEAT,
					  .number = heart->order.lease,
					  .request = &record,
					  .attempt = SPAN_S(ATTEMPT_S) };
	struct proto_beaten beaten;
	struct err err = ERR_INIT;
	bool done = client_call(heart->client, &call, arena, &beaten, &answer, &err);

	heart->next = mono_after(mono_now(), SPAN_S(heart->order.beat_s));
	if (done) {
		if (answer && strcmp(beaten.action, "cancel") == 0) {
			tell(heart, BEAT_CANCEL);
		}
	} else if (err_face(err.kind)->is_retryable) {
		heart->next = mono_after(mono_now(), SPAN_S(AGAIN_S));
	} else {
		tell(heart, BEAT_LOST);
		heart->order.lease = 0;
	}
}

/* False: the agent is gone. */
static bool take_order(struct heart *heart)
{
	struct order order;
	int64_t before = heart->order.lease;
	ssize_t got = recv(heart->fd, &order, sizeof(order), 0);

	if (got < 0 && errno == EINTR) {
		return true;
	}
	if (got != sizeof(order)) {
		return false;
	}
	heart->order = order;
	if (order.lease != before) {
		heart->next = mono_after(mono_now(), SPAN_S(order.beat_s));
	}
	return true;
}

/* As far as we are allowed: without, a job that hogs every processor may cost its own lease. */
static void rise(void)
{
	const struct sched_param highest = { sched_get_priority_max(SCHED_FIFO) };
	struct rlimit limit;

	if (sched_setscheduler(0, SCHED_FIFO, &highest) != 0) {
		setpriority(PRIO_PROCESS, 0, -20);
	}
	/* Where locked memory is limited, MCL_FUTURE would make later allocations fail. */
	if (geteuid() == 0 ||
	    (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY)) {
		mlockall(MCL_CURRENT | MCL_FUTURE);
	}
}

static _Noreturn void heart_main(int fd, struct client *client)
{
	struct heart heart = { .fd = fd, .client = client };
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	prctl(PR_SET_NAME, "heart", 0, 0, 0);
	/* On a polite stop the agent finishes its run, and needs us till then. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	rise();
	for (;;) {
		int left_ms = heart.order.lease ? mono_left_ms(heart.next) : -1;

		if (poll(&wait, 1, left_ms) > 0 && !take_order(&heart)) {
			_exit(0);
		}
		if (heart.order.lease && mono_is_past(heart.next)) {
			beat_once(&heart);
		}
	}
}

/* --- the agent's side --- */

bool beat_start(const struct client_settings *settings, struct beat **ret_beat, struct err *err)
{
	const struct client_settings own = { settings->base_url, settings->token, 0 };
	scoped(client_free) struct client *client = NULL;
	int ends[2];
	pid_t pid;

	if (!client_new(&own, &client, err)) {
		return false;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
		return err_set_errno(err, ERR_BROKEN, errno, "open a socket");
	}
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		heart_main(ends[1], client);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return err_set_errno(err, ERR_BROKEN, errno, "start the heartbeat");
	}
	*ret_beat = mem_alloc(sizeof(**ret_beat));
	**ret_beat = (struct beat){ .fd = ends[0], .pid = pid };
	return true;
}

struct beat *beat_free(struct beat *beat)
{
	if (!beat) {
		return NULL;
	}
	close(beat->fd);
	/* It may be in the middle of a beat, which nobody needs any more. */
	kill(beat->pid, SIGKILL);
	waitpid(beat->pid, NULL, 0);
	explicit_bzero(&beat->order, sizeof(beat->order));
	free(beat);
	return NULL;
}

static void give_order(struct beat *beat)
{
	if (send(beat->fd, &beat->order, sizeof(beat->order), MSG_NOSIGNAL) < 0) {
		beat->verdict = BEAT_DEAD;
	}
}

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

void beat_hold(struct beat *beat, const struct proto_lease *lease, const char *phase)
{
	(void)beat_verdict(beat);
	if (beat->verdict != BEAT_DEAD) {
		beat->verdict = BEAT_FINE;
	}
	beat->order = (struct order){ .lease = lease->lease, .beat_s = lease->beat_s };
	copy_text(beat->order.secret, sizeof(beat->order.secret), lease->secret);
	copy_text(beat->order.phase, sizeof(beat->order.phase), phase);
	give_order(beat);
}

void beat_phase(struct beat *beat, const char *phase)
{
	copy_text(beat->order.phase, sizeof(beat->order.phase), phase);
	give_order(beat);
}

void beat_rest(struct beat *beat)
{
	beat->order = (struct order){ 0 };
	give_order(beat);
}

int beat_fd(const struct beat *beat)
{
	return beat->fd;
}

enum beat_verdict beat_verdict(struct beat *beat)
{
	struct news news;
	ssize_t got;

	while ((got = recv(beat->fd, &news, sizeof(news), MSG_DONTWAIT)) == sizeof(news)) {
		if (news.lease == beat->order.lease && beat->verdict < news.verdict) {
			beat->verdict = news.verdict;
		}
	}
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		beat->verdict = BEAT_DEAD;
	}
	return beat->verdict;
}
