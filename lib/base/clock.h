/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - three kinds of time that cannot be mixed.
 *
 * struct mono for deadlines and durations (never jumps, no meaning outside this boot),
 * struct wall for what is written down, struct span for the distance between two of a kind.
 * Times of two hosts are never compared: leases use the database's clock alone.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base.h"

struct mono {
	int64_t ns;
};

struct wall {
	int64_t ns; /* since 1970-01-01T00:00:00Z */
};

struct span {
	int64_t ns;
};

#define SPAN_MS(n) ((struct span){ INT64_C(1000000) * (n) })
#define SPAN_S(n)  ((struct span){ INT64_C(1000000000) * (n) })

/* The time of this host, now. */
struct mono mono_now(void);
struct wall wall_now(void);

/* Deadlines: `from` and a span; the span from one time to another, negative where `to` is earlier;
 * whether a deadline has come. */
struct mono mono_after(struct mono from, struct span span);
struct span mono_between(struct mono from, struct mono to);
bool mono_is_past(struct mono deadline);

/* What is left until the deadline, never below zero, rounded up to milliseconds. */
int mono_left_ms(struct mono deadline);

/* A span for people and statistics. */
double span_seconds(struct span span);

/* Blocks for the whole span, also across signals. */
void span_sleep(struct span span);

/* "2026-11-30T22:29:54Z"; `text` holds at least WALL_TEXT_BYTES. */
#define WALL_TEXT_BYTES 32
void wall_format(struct wall wall, char text[WALL_TEXT_BYTES]);

#endif
