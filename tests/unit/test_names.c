/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/names.h"

#include "lib/base/mem.h"
#include "tests/t.h"

static void numbers_in_order(void)
{
	scoped(names_free) struct names *names = names_new();

	CHECK_INT(names_find(names, "a"), 0);
	CHECK_INT(names_number(names, "a"), 1);
	CHECK_INT(names_number(names, ""), 2);
	CHECK_INT(names_number(names, "a"), 1);
	CHECK_INT(names_find(names, ""), 2);
	CHECK_INT(names_find(names, "b"), 0);
	CHECK_INT(names_nr(names), 2);
}

static void many_keep_theirs(void)
{
	scoped(names_free) struct names *names = names_new();

	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			scoped(free) char *text = mem_printf("boot-%u", i);

			if (names_number(names, text) != i + 1) {
				CHECK_INT(names_number(names, text), i + 1);
			}
		}
	}
	CHECK_INT(names_nr(names), 5000);
}

static const struct t_case cases[] = {
	{ "a text keeps its number", numbers_in_order },
	{ "thousands of texts keep theirs", many_keep_theirs },
};

T_MAIN(cases)
