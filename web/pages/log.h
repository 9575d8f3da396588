/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - the end of a log, fit for a page.
 *
 * A log is whatever a hostile program printed: colours and cursor moves for a terminal, titles for
 * its window, half characters, NULs.  On a page it is text in lines; the raw bytes can be had
 * besides.
 */
#ifndef WEB_PAGES_LOG_H
#define WEB_PAGES_LOG_H

#include "lib/base/str.h"

/* So much of the end is shown. */
#define LOG_SHOWN_BYTES (64U << 10)

/* The last LOG_SHOWN_BYTES of a file, from the first whole line on.  *ret_is_cut: there is more
 * before.  Blocks.  ERR_BROKEN. */
MUST_CHECK bool log_read_end(int fd, int64_t size_bytes, struct str *str, bool *ret_is_cut,
			     struct err *err);

#endif
