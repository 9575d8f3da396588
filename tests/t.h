/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * t.h - a test is a function with a promise for a name.
 *
 *	static void keeps_order(void)
 *	{
 *		CHECK_TEXT(list_at(list, 0), "first");
 *	}
 *
 *	static const struct t_case cases[] = {
 *		{ "a list keeps the order of its elements", keeps_order },
 *	};
 *	T_MAIN(cases)
 *
 * Each case runs in a child of its own, so a crash, a leak that LeakSanitizer finds, a changed
 * environment stay its own.  A case fails when a check fails, when it checks nothing, leaks a file
 * descriptor, or does not come to its end.  A failed check prints where and what, and goes on.
 * The program prints TAP; its arguments, if any, are parts of the promises to run.
 */
#ifndef TESTS_T_H
#define TESTS_T_H

#include "lib/base/err.h"

struct t_case {
	const char *promise;
	void (*run)(void);
};

#define T_MAIN(cases)                                             \
	int main(int argc, char **argv)                           \
	{                                                         \
		return t_main(cases, countof(cases), argc, argv); \
	}

/* checks: each gives whether it held, so that a case can stop where going on makes no sense */

#define CHECK(condition)            t_check(__FILE__, __LINE__, #condition, (condition))
#define CHECK_INT(actual, expected) t_check_int(__FILE__, __LINE__, #actual, actual, expected)
/* NULL equals NULL alone. */
#define CHECK_TEXT(actual, expected) t_check_text(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_NEAR(actual, expected, tolerance) \
	t_check_near(__FILE__, __LINE__, #actual, actual, expected, tolerance)
/* The call succeeds; where it does not, its message is shown. */
#define CHECK_DONE(call, err) t_check_done(__FILE__, __LINE__, #call, call, err)
/* The call fails with this kind and its message holds `part`. */
#define CHECK_FAILS(call, err, kind, part) \
	t_check_fails(__FILE__, __LINE__, #call, call, err, kind, part)

/* Ends the case, in whose own function it must stand, as skipped; the reason in printf's form. */
#define T_SKIP(...)                  \
	do {                         \
		t_skip(__VA_ARGS__); \
		return;              \
	} while (0)

/* places: all paths are the caller's to free() */

/* A file of the checkout. */
char *t_source(const char *path);
/* A file of the material shared beside the checkout (PATCHMETER_SHARED); NULL where it is not. */
char *t_shared(const char *path);
/* A new empty folder; it is removed when the case has ended. */
char *t_folder(void);

/* behind the macros */

int t_main(const struct t_case *cases, size_t nr_cases, int argc, char **argv);
void t_skip(const char *format, ...) PRINTF_LIKE(1, 2);
bool t_check(const char *file, int line, const char *text, bool holds);
bool t_check_int(const char *file, int line, const char *text, int64_t actual, int64_t expected);
bool t_check_text(const char *file, int line, const char *text, const char *actual,
		  const char *expected);
bool t_check_near(const char *file, int line, const char *text, double actual, double expected,
		  double tolerance);
bool t_check_done(const char *file, int line, const char *text, bool is_done,
		  const struct err *err);
bool t_check_fails(const char *file, int line, const char *text, bool is_done,
		   const struct err *err, enum err_kind kind, const char *part);

#endif
