/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"

#include <errno.h>

static void wraps_going_up(void)
{
	struct err err = ERR_INIT;

	CHECK(!err_set(&err, ERR_ABSENT, "open '%s'", "/x"));
	CHECK(!err_wrap(&err, "watch '%s'", "linux"));
	CHECK_TEXT(err.message, "watch 'linux': open '/x'");
	CHECK_INT(err.kind, ERR_ABSENT);
}

static void names_errno(void)
{
	struct err err = ERR_INIT;

	err_set_errno(&err, ERR_BROKEN, ENOSPC, "write '%s'", "a");
	CHECK_TEXT(err.message, "write 'a': No space left on device");
}

static void accepts_null(void)
{
	CHECK(!err_set(NULL, ERR_INPUT, "x"));
	CHECK(!err_wrap(NULL, "y"));
	CHECK(!err_set_errno(NULL, ERR_INPUT, ENOENT, "z"));
}

static void forgets(void)
{
	struct err err = ERR_INIT;

	err_set(&err, ERR_INPUT, "x");
	err_clear(&err);
	CHECK_INT(err.kind, ERR_NONE);
	CHECK_TEXT(err.message, "");
}

/* A message of nothing but two-byte characters, at every alignment to the cut. */
static void cuts_between_characters(void)
{
	for (size_t shift = 0; shift < 2; shift++) {
		struct err err = ERR_INIT;
		char text[4096] = "a";
		size_t at = shift;

		while (at + 2 < sizeof(text)) {
			memcpy(text + at, "\xc3\xa9", 2);
			at += 2;
		}
		text[at] = '\0';
		err_set(&err, ERR_INPUT, "%s", text);
		at = strlen(err.message);
		CHECK(at < sizeof(err.message));
		CHECK(memcmp(err.message + at - 5, "\xc3\xa9...", 5) == 0);
	}
}

static void keeps_both_ends(void)
{
	struct err err = ERR_INIT;
	char text[2048];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, ERR_INPUT, "why");
	err_wrap(&err, "%s", text);
	CHECK(strncmp(err.message, "xxxx", 4) == 0);
	CHECK(strstr(err.message, "...: why") != NULL);
}

static void has_a_face_for_each_kind(void)
{
	for (int kind = 0; kind < ERR_KINDS; kind++) {
		CHECK_INT(err_face(kind)->kind, kind);
	}
	CHECK_INT(err_face(ERR_NONE)->exit_code, 0);
	CHECK_INT(err_face(ERR_ABSENT)->exit_code, 3);
	CHECK_INT(err_face(ERR_INPUT)->exit_code, 9);
	CHECK_INT(err_face(ERR_CONFLICT)->http_status, 409);
	CHECK_INT(err_face(ERR_TOO_BIG)->http_status, 413);
}

static const struct t_case cases[] = {
	{ "an error gains a clause on each floor and keeps its kind", wraps_going_up },
	{ "an error of the system is named by its text", names_errno },
	{ "a caller that does not care may pass NULL", accepts_null },
	{ "a cleared error is as new", forgets },
	{ "a long message is cut between characters", cuts_between_characters },
	{ "a long clause does not hide the cause", keeps_both_ends },
	{ "each kind has its own face", has_a_face_for_each_kind },
};

T_MAIN(cases)
