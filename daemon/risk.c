/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "risk.h"

#include "lib/stats/wealth.h"

struct test {
	int64_t number; /* in its repository, from 1 */
	double level;
};

static bool find_test(struct db *db, struct arena *arena, int64_t stack, struct test *ret_test,
		      struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const double *numbers;
	size_t *discoveries;
	size_t nr;

	if (!db_query(db, Q_RISK_PAST, ARGS(arg_int(stack)), &rows, err)) {
		return false;
	}
	numbers = rows_numbers(rows, 0, "discoveries", arena, &nr);
	discoveries = arena_array(arena, nr, sizeof(*discoveries));
	for (size_t i = 0; i < nr; i++) {
		discoveries[i] = (size_t)numbers[i];
	}
	ret_test->number = rows_int(rows, 0, "nr") + 1;
	ret_test->level = wealth_next(discoveries, nr, (size_t)ret_test->number - 1);
	return true;
}

/* The findings behind the first `nr_kept`, as far as they were confirmed. */
static bool withhold(struct db *db, struct arena *arena, const struct rows *family, size_t nr_kept,
		     double level, struct err *err)
{
	for (int i = (int)nr_kept; i < rows_nr(family); i++) {
		const char *reason = arena_printf(
			arena, "p %.2g of %d confirmed: above the %.2g that its series may risk",
			rows_number(family, i, "p"), rows_nr(family), level);

		if (!db_exec(db, Q_FINDING_WITHHOLD,
			     ARGS(arg_int(rows_int(family, i, "id")), arg_text(reason)), NULL,
			     err)) {
			return false;
		}
	}
	return true;
}

bool risk_spend(struct db *db, int64_t stack, struct err *err)
{
	scoped(arena_free) struct arena *arena = arena_new();
	scoped(rows_free) struct rows *family = NULL;
	struct test test;
	size_t nr_confirmed = 0;
	size_t nr_kept;
	size_t nr;
	double *p;

	if (!db_query(db, Q_RISK_FAMILY, ARGS(arg_int(stack)), &family, err)) {
		return false;
	}
	nr = (size_t)rows_nr(family);
	if (nr == 0) {
		return true;
	}
	if (!find_test(db, arena, stack, &test, err)) {
		return false;
	}
	p = arena_array(arena, nr, sizeof(*p));
	for (size_t i = 0; i < nr; i++) {
		p[i] = rows_number(family, (int)i, "p");
		nr_confirmed += rows_bool(family, (int)i, "is_confirmed");
	}
	nr_kept = wealth_holm(p, nr_confirmed, nr, test.level);
	return withhold(db, arena, family, nr_kept, test.level, err) &&
	       db_exec(db, Q_RISK_SPENT,
		       ARGS(arg_int(stack), arg_int(test.number), arg_number(test.level),
			    arg_bool(nr_kept > 0)),
		       NULL, err);
}
