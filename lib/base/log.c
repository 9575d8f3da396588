/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "clock.h"
#include "str.h"

/* A pipe takes up to PIPE_BUF bytes, at least 4096 on Linux, in one piece. */
#define LINE_LIMIT_BYTES 4000

static enum log_level threshold = LOG_INFO;

void log_set_level(enum log_level level)
{
	threshold = level;
}

void log_line(enum log_level level, const char *format, ...)
{
	static const char *const names[] = { "debug", "info", "warn", "error" };
	int saved_errno = errno;
	scoped(str_release) struct str line = STR_INIT;
	char body[LINE_LIMIT_BYTES + 64]; /* longer than what is kept: the cut is the cleaner's */
	char at[WALL_TEXT_BYTES];
	va_list args;

	if (level < threshold) {
		return;
	}
	va_start(args, format);
	if (vsnprintf(body, sizeof(body), format, args) < 0) {
		body[0] = '\0';
	}
	va_end(args);
	wall_format(wall_now(), at);
	str_printf(&line, "%s level=%s ", at, names[level]);
	str_append_clean(&line, body, strlen(body), false, LINE_LIMIT_BYTES);
	str_append_char(&line, '\n');
	if (write(STDERR_FILENO, line.at, line.length) < 0) {
		/* Nowhere left to complain, ignoring. */
	}
	errno = saved_errno;
}
