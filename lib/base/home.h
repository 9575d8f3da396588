/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * home.h - where programs keep what they can make again, for a person without a daemon.
 */
#ifndef BASE_HOME_H
#define BASE_HOME_H

#include "base.h"

/* $XDG_CACHE_HOME/patchmeter, else ~/.cache/patchmeter; free() it.  It may not exist yet. */
char *home_cache(void);

#endif
