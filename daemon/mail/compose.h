/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compose.h - a mail as bytes: headers encoded, nothing hostile left in them (only GMime user).
 *
 * Subject, names and body may come from a commit and hold anything.  Header values can hold no line
 * end, addresses pass is_mail_address(), lines are at most 998 bytes, and each mail says that a
 * robot wrote it, so that no other robot answers.
 */
#ifndef MAIL_COMPOSE_H
#define MAIL_COMPOSE_H

#include "lib/base/str.h"

struct recipient {
	const char *name; /* NULL: none */
	const char *address;
};

struct letter {
	const char *from; /* "Name <address>" */
	const struct recipient *to;
	size_t nr_to;
	const char *subject;
	const char *message_id;  /* without the angle brackets */
	const char *reply_to_id; /* of the mail answered; NULL: none */
	int64_t date_s;          /* since 1970 */
	const char *body;        /* UTF-8, lines end in '\n' */
	bool is_dry_run;
};

/* Whether it is `local@domain` with dots, letters, digits and the plain signs only, at most 254
 * bytes: stricter than RFC 5321, whose quoted forms have been used to smuggle commands. */
bool is_mail_address(const char *text);

/* Once in main(), before threads. */
void compose_init(void);

/* Appends the mail with lines that end in '\n'.  ERR_INPUT: no recipient, or an unfit address. */
MUST_CHECK bool compose(const struct letter *letter, struct str *ret_bytes, struct err *err);

#endif
