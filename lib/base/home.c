/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "home.h"

#include "mem.h"

char *home_cache(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (cache && *cache == '/') {
		return mem_printf("%s/patchmeter", cache);
	}
	return mem_printf("%s/.cache/patchmeter", home ? home : "/tmp");
}
