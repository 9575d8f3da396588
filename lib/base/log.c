/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "clock.h"

static enum log_level threshold = LOG_INFO;

void log_set_level(enum log_level level)
{
	threshold = level;
}

void log_line(enum log_level level, const char *format, ...)
{
	static const char *const names[] = { "debug", "info", "warn", "error" };
	int saved_errno = errno;
	char line[2048];
	char at[WALL_TEXT_BYTES];
	va_list args;
	int head;
	int body;

	if (level < threshold) {
		return;
	}
	wall_format(wall_now(), at);
	head = snprintf(line, sizeof(line), "%s level=%s ", at, names[level]);
	va_start(args, format);
	body = vsnprintf(line + head, sizeof(line) - (size_t)head - 1, format, args);
	va_end(args);
	if (body < 0) {
		return;
	}
	body += head;
	if (body > (int)sizeof(line) - 2) {
		body = (int)sizeof(line) - 2;
	}
	for (int i = head; i < body; i++) {
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f) {
			line[i] = '?';
		}
	}
	line[body] = '\n';
	if (write(STDERR_FILENO, line, (size_t)body + 1) < 0) {
		/* Nowhere left to complain, ignoring. */
	}
	errno = saved_errno;
}
