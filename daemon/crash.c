/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "lib/base/str.h"

/* Where each of them commits, and the file renames that are commit points of their own. */
static const struct {
	const char *place;
	bool is_file;
} places[] = {
	{ "migrate", false }, { "settings", false },  { "watch", false },   { "series", false },
	{ "plan", false },    { "dispatch", false },  { "ingest", false },  { "compare", false },
	{ "decide", false },  { "report", false },    { "join", false },    { "lease", false },
	{ "beat", false },    { "file", false },      { "finish", false },  { "store", true },
	{ "outbox", true },   { "calibrate", false }, { "confirm", false }, { "bisect", false },
};

static const char *const moments[2][2] = {
	{ "before-commit", "after-commit" },
	{ "before-rename", "after-rename" },
};

void crash_list(struct str *str)
{
	for (size_t i = 0; i < countof(places); i++) {
		for (size_t m = 0; m < 2; m++) {
			str_printf(str, "%s.%s\n", places[i].place, moments[places[i].is_file][m]);
		}
	}
}

static bool is_known(const char *place)
{
	for (size_t i = 0; i < countof(places); i++) {
		if (strcmp(places[i].place, place) == 0) {
			return true;
		}
	}
	return false;
}

void crash_point(const char *place, const char *moment)
{
	static atomic_long passed;
	const char *wish = getenv("PATCHMETER_CRASH");
	size_t length = strlen(place);

	if (!is_known(place)) {
		bug("crash point '%s' is not in the table", place);
	}
	if (!wish || strncmp(wish, place, length) != 0 || wish[length] != '.') {
		return;
	}
	wish += length + 1;
	length = strlen(moment);
	if (strncmp(wish, moment, length) != 0 || wish[length] != ':') {
		return;
	}
	if (atomic_fetch_add(&passed, 1) + 1 == strtol(wish + length + 1, NULL, 10)) {
		kill(getpid(), SIGKILL);
	}
}
