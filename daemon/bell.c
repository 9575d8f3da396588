/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bell.h"

#include "lib/base/base.h"

const char *bell_name(enum bell bell)
{
	static const char *const names[] = {
		[BELL_WATCH] = "watch",       [BELL_SERIES] = "series", [BELL_PLAN] = "plan",
		[BELL_DISPATCH] = "dispatch", [BELL_INGEST] = "ingest", [BELL_COMPARE] = "compare",
		[BELL_DECIDE] = "decide",     [BELL_REPORT] = "report", [BELL_LEASE] = "lease",
		[BELL_CONFIRM] = "confirm",   [BELL_BISECT] = "bisect",
	};

	return names[bell];
}
