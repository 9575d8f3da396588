/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settle.h"

#include <unistd.h>

#include "lib/base/str.h"

#define LOOK_MS 500

struct ticks {
	uint64_t idle, all;
};

/* "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ..." */
static bool read_ticks(struct ticks *ret_ticks, struct err *err)
{
	scoped(str_release) struct str text = STR_INIT;
	char *at;

	if (!str_read_file(&text, "/proc/stat", 1 << 20, err)) {
		return false;
	}
	at = text.at + strcspn(text.at, " ");
	*ret_ticks = (struct ticks){ 0 };
	for (int i = 0; i < 8; i++) {
		uint64_t ticks = strtoull(at, &at, 10);

		ret_ticks->all += ticks;
		ret_ticks->idle += i == 3 || i == 4 ? ticks : 0;
	}
	return true;
}

bool settle(struct span limit, double *ret_busy, struct err *err)
{
	struct mono until = mono_after(mono_now(), limit);
	struct ticks before;
	struct ticks after;

	sync();
	if (!read_ticks(&before, err)) {
		return false;
	}
	for (;;) {
		span_sleep(SPAN_MS(LOOK_MS));
		if (!read_ticks(&after, err)) {
			return false;
		}
		*ret_busy = after.all > before.all
				    ? 1 - (double)(after.idle - before.idle) /
						      (double)(after.all - before.all)
				    : 0;
		if (*ret_busy < SETTLE_QUIET || mono_is_past(until)) {
			return true;
		}
		before = after;
	}
}
