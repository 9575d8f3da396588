/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - one event, one line, on stderr, in logfmt.
 *
 *	log_line(LOG_WARN, "stage=watch tree='%s' msg='%s'", name, err.message);
 *	// level=warn stage=watch tree='linux' msg='open ...'
 *
 * Only the function that handles an error logs it; libraries never log.  Call from any thread:
 * a line is one write.  What str_append_clean() replaces cannot forge a line or steer a terminal.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* Lines below this level are dropped; the default is LOG_INFO.  Set once, in main(). */
void log_set_level(enum log_level level);

/* Writes one line: "key=value key='text'".  Leaves errno alone; what cannot be written is
 * dropped. */
void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
