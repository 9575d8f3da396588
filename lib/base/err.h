/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err.h - what a failed call tells its caller.
 *
 * A function that can fail is `MUST_CHECK bool f(in..., out..., struct err *err)`; true means
 * done and the outputs are set, false means failed, the outputs are untouched and *err says why.
 * A normal answer ("nothing to do") is never an error.  Each floor adds one clause going up:
 *
 *	if (!git_open(path, &repo, err))
 *		return err_wrap(err, "watch '%s'", name);   // "watch 'linux': open '/x': not found"
 *
 * Message grammar: lower case, no full stop, what failed first, names in single quotes.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base.h"

enum err_kind {
	ERR_NONE,
	ERR_INPUT,    /* the caller's data is wrong; saying it again will not help */
	ERR_ABSENT,   /* the thing asked for does not exist */
	ERR_DENIED,   /* not allowed */
	ERR_CONFLICT, /* the state has moved on: a lost lease, a stale compare-and-set */
	ERR_TOO_BIG,  /* over a stated limit */
	ERR_BUSY,     /* try again later */
	ERR_FULL,     /* no room on a disk: try again when there is */
	ERR_TIMEOUT,  /* a deadline passed */
	ERR_REMOTE,   /* another host or process failed */
	ERR_BROKEN,   /* this host is damaged or misconfigured: disk full, file unreadable */
	ERR_KINDS
};

struct err {
	enum err_kind kind;
	char message[1024]; /* UTF-8, NUL-terminated, cut with "..." where longer */
};

#define ERR_INIT  \
	{         \
		0 \
	}

/* One row a kind: how it looks outside this process. */
struct err_face {
	enum err_kind kind;
	const char *name;
	int http_status;
	int exit_code;
	bool is_retryable;
};

/* Never NULL. */
const struct err_face *err_face(enum err_kind kind);

/* Both return false, so that `return err_set(...)` reads well.  `err` may be NULL. */
bool err_set(struct err *err, enum err_kind kind, const char *format, ...) PRINTF_LIKE(3, 4);
bool err_wrap(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* As err_set, with ": " and the text of errno value `error_number` behind it. */
bool err_set_errno(struct err *err, enum err_kind kind, int error_number, const char *format, ...)
	PRINTF_LIKE(4, 5);

/* Makes it as new: for one that is used again after a failure was handled. */
void err_clear(struct err *err);

#endif
