/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

static int64_t read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

struct mono mono_now(void)
{
	return (struct mono){ read_clock(CLOCK_MONOTONIC) };
}

struct wall wall_now(void)
{
	return (struct wall){ read_clock(CLOCK_REALTIME) };
}

struct mono mono_after(struct mono from, struct span span)
{
	return (struct mono){ from.ns + span.ns };
}

struct span mono_between(struct mono from, struct mono to)
{
	return (struct span){ to.ns - from.ns };
}

bool mono_is_past(struct mono deadline)
{
	return mono_now().ns >= deadline.ns;
}

int mono_left_ms(struct mono deadline)
{
	int64_t left_ms = (deadline.ns - mono_now().ns + 999999) / 1000000;

	return left_ms < 0 ? 0 : left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

double span_seconds(struct span span)
{
	return (double)span.ns / (double)NS_PER_S;
}

void span_sleep(struct span span)
{
	struct timespec left = { .tv_sec = (time_t)(span.ns / NS_PER_S),
				 .tv_nsec = (long)(span.ns % NS_PER_S) };

	if (span.ns <= 0) {
		return;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
	}
}

void wall_format(struct wall wall, char text[WALL_TEXT_BYTES])
{
	time_t seconds = (time_t)(wall.ns / NS_PER_S);
	struct tm parts;

	gmtime_r(&seconds, &parts);
	strftime(text, WALL_TEXT_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts);
}
