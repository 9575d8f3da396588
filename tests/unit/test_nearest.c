/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"
#include "lib/base/str.h"

struct row {
	int other;
	const char *name;
};

static const struct row rows[] = { { 1, "params" }, { 2, "packages" }, { 3, "repeat" } };

static const char *nearest(const char *text)
{
	return str_nearest(text, &rows[0].name, countof(rows), sizeof(rows[0]));
}

static void finds_slips(void)
{
	CHECK_TEXT(nearest("param"), "params");
	CHECK_TEXT(nearest("parmas"), "params");
	CHECK_TEXT(nearest("repaet"), "repeat");
	CHECK_TEXT(nearest("package"), "packages");
	CHECK_TEXT(nearest("params"), "params");
}

static void guesses_no_wild_ones(void)
{
	char long_text[200];

	CHECK_TEXT(nearest(""), NULL);
	CHECK_TEXT(nearest("x"), NULL);
	CHECK_TEXT(nearest("teardown"), NULL);
	memset(long_text, 'p', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	CHECK_TEXT(nearest(long_text), NULL);
}

static const struct t_case cases[] = {
	{ "a slip of the keyboard finds the name that was meant", finds_slips },
	{ "a text that is near no name finds none", guesses_no_wild_ones },
};
T_MAIN(cases)
