/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>

/* clang-format off */
static const struct err_face faces[] = {
	{ ERR_NONE,     "none",     200, 0, false },
	{ ERR_INPUT,    "input",    400, 9, false },
	{ ERR_ABSENT,   "absent",   404, 3, false },
	{ ERR_DENIED,   "denied",   403, 5, false },
	{ ERR_CONFLICT, "conflict", 409, 6, false },
	{ ERR_TOO_BIG,  "too-big",  413, 9, false },
	{ ERR_BUSY,     "busy",     503, 4, true },
	{ ERR_FULL,     "full",     507, 4, true },
	{ ERR_TIMEOUT,  "timeout",  504, 4, true },
	{ ERR_REMOTE,   "remote",   502, 4, true },
	{ ERR_BROKEN,   "broken",   500, 9, false },
};
/* clang-format on */

_Static_assert(countof(faces) == ERR_KINDS, "a row for each kind");

const struct err_face *err_face(enum err_kind kind)
{
	assert(kind >= 0 && kind < ERR_KINDS && faces[kind].kind == kind);
	return &faces[kind];
}

/* A message cut in the middle of a character would poison every JSON document it enters. */
static void mark_cut(char *message, size_t size)
{
	size_t end = size - 4;

	while (end > 0 && ((unsigned char)message[end] & 0xc0) == 0x80) {
		end--;
	}
	memcpy(message + end, "...", 4);
}

static void format_into(char *message, size_t size, const char *format, va_list args)
	PRINTF_LIKE(3, 0);

static void format_into(char *message, size_t size, const char *format, va_list args)
{
	int length = vsnprintf(message, size, format, args);

	if (length < 0) {
		message[0] = '\0';
	} else if ((size_t)length >= size) {
		mark_cut(message, size);
	}
}

bool err_set(struct err *err, enum err_kind kind, const char *format, ...)
{
	va_list args;

	if (!err) {
		return false;
	}
	err->kind = kind;
	va_start(args, format);
	format_into(err->message, sizeof(err->message), format, args);
	va_end(args);
	return false;
}

bool err_wrap(struct err *err, const char *format, ...)
{
	char inner[sizeof(err->message)];
	size_t used;
	va_list args;

	if (!err) {
		return false;
	}
	memcpy(inner, err->message, sizeof(inner));
	va_start(args, format);
	format_into(err->message, sizeof(err->message) / 2, format, args);
	va_end(args);
	used = strlen(err->message);
	if ((size_t)snprintf(err->message + used, sizeof(err->message) - used, ": %s", inner) >=
	    sizeof(err->message) - used) {
		mark_cut(err->message, sizeof(err->message));
	}
	return false;
}

bool err_set_errno(struct err *err, enum err_kind kind, int error_number, const char *format, ...)
{
	char what[sizeof(err->message) / 2];
	va_list args;

	va_start(args, format);
	format_into(what, sizeof(what), format, args);
	va_end(args);
	return err_set(err, kind, "%s: %s", what, strerror(error_number));
}

void err_clear(struct err *err)
{
	err->kind = ERR_NONE;
	err->message[0] = '\0';
}

_Noreturn void bug_at(const char *file, int line, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "BUG at %s:%d: ", file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}
