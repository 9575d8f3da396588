/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of LKP's mails: one of a public mail (seeds/ of the shared material), and one written
 * by hand from the rules.
 */
#include "tests/t.h"

#include <math.h>

#include "lib/base/json.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/report/format.h"
#include "lib/report/view_builder.h"

/* Text without the blanks at the ends of its lines; free() it. */
static char *trimmed(const char *text)
{
	scoped(str_release) struct str out = STR_INIT;

	for (; *text; text++) {
		if (*text == '\n') {
			while (out.length > 0 && out.at[out.length - 1] == ' ') {
				str_truncate(&out, out.length - 1);
			}
		}
		str_append_char(&out, *text);
	}
	return str_detach(&out);
}

static char *written(const struct view *view, const struct format_options *options)
{
	scoped(str_release) struct str out = STR_INIT;

	format_get("lkp")->write(view, options, &out);
	return str_detach(&out);
}

/* the mail */

static const struct view_column numa_columns[] = {
	{ "af46f3c9ca2d16485912f8b9c896ef48bbfe1388", NULL,
	  "sched/numa: Allow recently accessed VMAs to be scanned" },
	{ "68cfe9439a1baa642e05883fa64986d1b5a0c7aa", NULL,
	  "sched/numa: Allow scanning of shared VMA" },
};

static const struct view_axis numa_axes[] = {
	{ "testcase", "autonuma-benchmark" },  { "test", "numa01_THREAD_ALLOC" },
	{ "tbox_group", "lkp-icl-2sp6" },      { "rootfs", "debian-11.1-x86_64-20220510.cgz" },
	{ "kconfig", "x86_64-rhel-8.3" },      { "iterations", "4x" },
	{ "cpufreq_governor", "performance" }, { "compiler", "gcc-12" },
};

static const struct {
	const char *metric;
	enum view_class class;
	double base[3];
	double head[3];
	const char *verdict;
} numa_rows[] = {
	{ "autonuma-benchmark.time.elapsed_time",
	  VIEW_SUPPORTING,
	  { 1843.1, 1913.4, 1983.7 },
	  { 1713.6, 1762.6, 1811.6 },
	  "improvement" },
	{ "autonuma-benchmark.numa01.seconds",
	  VIEW_HEADLINE,
	  { 318.3, 327.42, 336.54 },
	  { 311.9, 323.83, 335.76 },
	  "cannot-resolve" },
	{ "autonuma-benchmark.numa01_THREAD_ALLOC.seconds",
	  VIEW_HEADLINE,
	  { 124.45, 136.12, 147.79 },
	  { 99.08, 101.9, 104.72 },
	  "improvement" },
	{ "autonuma-benchmark.numa02.seconds",
	  VIEW_HEADLINE,
	  { 13.9, 14.05, 14.2 },
	  { 14.16, 14.26, 14.36 },
	  "no-change" },
};

static struct view *numa_view(void)
{
	struct view *view = view_new(numa_columns, countof(numa_columns));
	struct view_row rows[countof(numa_rows)];
	struct view_cell(*cells)[2] = arena_array(view->arena, countof(numa_rows), sizeof(*cells));
	struct view_change *changes =
		arena_array(view->arena, countof(numa_rows), sizeof(*changes));
	struct view_group group = { .axes = numa_axes,
				    .nr_axes = countof(numa_axes),
				    .rows = rows,
				    .nr_rows = countof(rows) };

	for (size_t i = 0; i < countof(numa_rows); i++) {
		cells[i][0] = view_cell_of(numa_rows[i].base, 3, NULL);
		cells[i][1] = view_cell_of(numa_rows[i].head, 3, NULL);
		changes[i] = view_change_bare(numa_rows[i].verdict, NULL);
		rows[i] = (struct view_row){ .metric = numa_rows[i].metric,
					     .unit = "s",
					     .class = numa_rows[i].class,
					     .cells = cells[i],
					     .changes = &changes[i] };
	}
	view_add_group(view, &group);
	view_sum_up(view);
	return view;
}

/* The quoted block between its line of '=' and its last row, as it was before the quoting: without
 * "> ", and without the blank that format=flowed puts before a line that begins with one. */
static char *quoted_block(const char *mail)
{
	scoped(str_release) struct str out = STR_INIT;
	const char *at = strstr(mail, "\n> ====");

	while (at && *at == '\n' && at[1] == '>') {
		const char *line = at + 2;
		size_t length;

		line += *line == ' ';
		line += *line == ' ';
		length = strcspn(line, "\n");
		str_append_bytes(&out, line, length);
		str_append_char(&out, '\n');
		at = line + length;
		if (strstr(out.at, "time.elapsed_time")) {
			return str_detach(&out);
		}
	}
	return NULL;
}

static void reproduces_the_mail(void)
{
	const char *name = "seeds/003_4980c18a28258763.txt";
	scoped(free) char *path = t_shared(name);
	scoped(str_release) struct str mail = STR_INIT;
	scoped(view_free) struct view *view = numa_view();
	scoped(free) char *table = written(view, &(struct format_options){ 0 });
	scoped(free) char *actual = trimmed(table);
	scoped(free) char *block = NULL;
	scoped(free) char *expected = NULL;
	struct err err = ERR_INIT;

	if (!path) {
		T_SKIP("no %s beside the checkout", name);
	}
	if (!CHECK_DONE(str_read_file(&mail, path, 1 << 20, &err), &err)) {
		return;
	}
	block = quoted_block(mail.at);
	if (!CHECK(block != NULL)) {
		return;
	}
	expected = trimmed(block);
	/* The block of the document ends in an empty line, the mail's quote in a row. */
	str_truncate(&mail, 0);
	str_printf(&mail, "%s\n", expected);
	CHECK_TEXT(actual, mail.at);
}

/* by hand */

static const struct view_column hand_columns[] = {
	{ "1f2e3d4c5b6a79880123456789abcdef01234567", NULL, "mm: something \x1b[1mearlier" },
	{ "5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f", NULL, NULL },
	{ NULL, "v6.3-rc2", NULL },
};

static const struct view_axis hand_axes[] = { { "testcase", "fio" }, { "nr_task", "100%" } };

/* Each row is a rule: what it shows stands in lkp_by_hand.txt. */
static const struct {
	const char *metric;
	const char *unit;
	double samples[3][2]; /* NAN: not there */
} hand_rows[] = {
	{ "fio.rounds_to_1000",
	  "x",
	  { { 999.995, 999.996 }, { 1999.6, 1999.6 }, { 999.99, 999.99 } } },
	{ "fio.spread_at_2", "x", { { 98, 102 }, { 97.9, 102.1 }, { 0, 200 } } },
	{ "fio.spread_over_1000", "x", { { -95, 105 }, { 5, 5 }, { 7, NAN } } },
	{ "fio.from_zero", "x", { { 0, 0 }, { 0, 0 }, { 5, 6 } } },
	{ "fio.missing", "x", { { 10, 10 }, { NAN, NAN }, { 11, 11 } } },
	{ "fio.new", "x", { { NAN, NAN }, { 1e8, 1e8 }, { 192600000, 192600000 } } },
	{ "fio.negative", "x", { { -100, -100 }, { -150, -150 }, { -45, -55 } } },
	{ "fio.tiny", "x", { { 0.0012, 0.0012 }, { 0.0024, 0.0024 }, { 1234.56, 1234.56 } } },
	{ "fio.points", "%", { { 24.47, 24.47 }, { 17.29, 17.29 }, { 24.43, 24.43 } } },
	{ "fio.stays", "x", { { 10000, 10000 }, { 9996, 9996 }, { 10004, 10004 } } },
};

static const struct {
	const char *metric;
	struct view_rate rates[3];
} hand_failures[] = {
	{ "dmesg.WARNING:at_mm/foo.c", { { 0, 10 }, { 5, 5 }, { 1, 4 } } },
	{ "dmesg.oops", { { 9, 9 }, { 0, 6 }, { 0, 0 } } },
};

static struct view_change *unjudged(struct view *view)
{
	struct view_change *changes = arena_array(view->arena, 2, sizeof(*changes));

	changes[0] = changes[1] = view_change_bare("not-judged", NULL);
	return changes;
}

static struct view *hand_view(void)
{
	struct view *view = view_new(hand_columns, countof(hand_columns));
	struct view_row rows[countof(hand_rows)];
	struct view_cell(*cells)[3] = arena_array(view->arena, countof(hand_rows), sizeof(*cells));
	struct view_row failures[countof(hand_failures)];
	struct view_group group = { hand_axes,     countof(hand_axes), rows,
				    countof(rows), failures,           countof(failures) };

	for (size_t i = 0; i < countof(hand_rows); i++) {
		for (size_t j = 0; j < 3; j++) {
			cells[i][j] = view_cell_of(hand_rows[i].samples[j], 2, "not printed");
		}
		rows[i] = (struct view_row){ .metric = hand_rows[i].metric,
					     .unit = hand_rows[i].unit,
					     .cells = cells[i],
					     .changes = unjudged(view) };
	}
	for (size_t i = 0; i < countof(hand_failures); i++) {
		failures[i] = (struct view_row){ .metric = hand_failures[i].metric,
						 .rates = hand_failures[i].rates,
						 .changes = unjudged(view) };
	}
	view_add_group(view, &group);
	view_sum_up(view);
	return view;
}

static void keeps_the_rules(void)
{
	scoped(view_free) struct view *view = hand_view();
	scoped(free) char *table = written(view, &(struct format_options){ .is_all = true });
	scoped(free) char *actual = trimmed(table);
	scoped(free) char *path = t_source("tests/golden/lkp_by_hand.txt");
	scoped(str_release) struct str expected = STR_INIT;
	struct err err = ERR_INIT;

	if (CHECK_DONE(str_read_file(&expected, path, 1 << 20, &err), &err)) {
		CHECK_TEXT(actual, expected.at);
	}
}

static const struct t_case cases[] = {
	{ "the table of a public mail comes out as it was sent", reproduces_the_mail },
	{ "a table keeps the rules and has none of the peer's defects", keeps_the_rules },
};

T_MAIN(cases)
