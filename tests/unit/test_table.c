/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"

#include <math.h>

#include "lib/text/csv.h"
#include "lib/text/table.h"
#include "lib/text/width.h"

static void counts_cells(void)
{
	CHECK_INT(width_of(""), 0);
	CHECK_INT(width_of("abc"), 3);
	CHECK_INT(width_of("\xc2\xb1 2%"), 4);              /* plus-minus */
	CHECK_INT(width_of("e\xcc\x81t\xc3\xa9"), 3);       /* e + combining acute, t, e acute */
	CHECK_INT(width_of("\xe6\xbc\xa2\xe5\xad\x97"), 4); /* two Han characters */
	CHECK_INT(width_of("\xf0\x9f\x98\x80"), 2);         /* a face */
	CHECK_INT(width_of("a\xff"
			   "b"),
		  3);
}

static void pads(void)
{
	scoped(str_release) struct str out = STR_INIT;

	width_pad(&out, "\xc3\xa9", 3, WIDTH_LEFT);
	width_pad(&out, "\xe6\xbc\xa2", 3, WIDTH_RIGHT);
	width_pad(&out, "long", 2, WIDTH_RIGHT);
	CHECK_TEXT(out.at, "\xc3\xa9   \xe6\xbc\xa2long");
}

static void wraps(void)
{
	scoped(str_release) struct str out = STR_INIT;

	width_wrap(&out, "one two  three\nfour https://example.org/a/long/address six", 12, "> ");
	CHECK_TEXT(out.at, "> one two\n> three\n> four\n> https://example.org/a/long/address\n"
			   "> six\n");
	str_truncate(&out, 0);
	width_wrap(&out, "a\n\nb\n", 72, "");
	CHECK_TEXT(out.at, "a\n\nb\n");
	str_truncate(&out, 0);
	width_wrap(&out, "", 72, "");
	CHECK_TEXT(out.at, "");
}

static const struct table_column columns[] = {
	{ "metric", TABLE_LEFT },
	{ "runs", TABLE_RIGHT },
	{ "change", TABLE_DECIMAL },
};

static struct table *sample_table(void)
{
	struct table *table = table_new(columns, countof(columns));

	table_add(table, (const char *[]){ "caf\xc3\xa9.ops", "5", "-4.1 %" });
	table_add(table, (const char *[]){ "a|b_c", "12", "+127 %" });
	table_add(table, (const char *[]){ "x, \"y\"", NULL, "n/a" });
	return table;
}

static void aligns(void)
{
	scoped(table_free) struct table *table = sample_table();
	scoped(str_release) struct str out = STR_INIT;

	CHECK_INT(table_nr_rows(table), 3);
	table_write(table, TABLE_TEXT, &out);
	CHECK_TEXT(out.at, "metric    runs    change\n"
			   "caf\xc3\xa9.ops     5    -4.1 %\n"
			   "a|b_c       12  +127 %\n"
			   "x, \"y\"           n/a\n");
}

static void widens_for_titles(void)
{
	static const struct table_column narrow[] = { { "duration", TABLE_DECIMAL },
						      { "n", TABLE_LEFT } };
	scoped(table_free) struct table *table = table_new(narrow, countof(narrow));
	scoped(str_release) struct str out = STR_INIT;

	table_add(table, (const char *[]){ "1.5", "a" });
	table_add(table, (const char *[]){ "10", "b" });
	table_write(table, TABLE_TEXT, &out);
	CHECK_TEXT(out.at, "duration  n\n"
			   "     1.5  a\n"
			   "    10    b\n");
}

static void writes_markdown(void)
{
	scoped(table_free) struct table *table = sample_table();
	scoped(str_release) struct str out = STR_INIT;

	table_write(table, TABLE_MARKDOWN, &out);
	CHECK_TEXT(out.at, "| metric | runs | change |\n"
			   "| :-- | --: | --: |\n"
			   "| caf\xc3\xa9.ops | 5 | -4.1 % |\n"
			   "| a\\|b_c | 12 | +127 % |\n"
			   "| x, \"y\" |  | n/a |\n");
}

static void escapes_markdown(void)
{
	scoped(table_free) struct table *table = table_new(columns, 1);
	scoped(str_release) struct str out = STR_INIT;

	table_add(table, (const char *[]){ "_a_ *b* `c` <d> [e](f)" });
	table_write(table, TABLE_MARKDOWN, &out);
	CHECK_TEXT(out.at, "| metric |\n| :-- |\n"
			   "| \\_a\\_ \\*b\\* \\`c\\` \\<d\\> \\[e\\](f) |\n");
}

static void writes_csv(void)
{
	scoped(table_free) struct table *table = sample_table();
	scoped(str_release) struct str out = STR_INIT;

	table_write(table, TABLE_CSV, &out);
	CHECK_TEXT(out.at, "metric,runs,change\n"
			   "caf\xc3\xa9.ops,5,-4.1 %\n"
			   "a|b_c,12,+127 %\n"
			   "\"x, \"\"y\"\"\",,n/a\n");
}

static void writes_csv_numbers(void)
{
	scoped(str_release) struct str out = STR_INIT;
	struct csv csv = { .out = &out };

	csv_text(&csv, NULL);
	csv_number(&csv, 0.1);
	csv_number(&csv, NAN);
	csv_number(&csv, INFINITY);
	csv_number(&csv, -7);
	csv_text(&csv, " a");
	csv_text(&csv, "b\nc");
	csv_end(&csv);
	csv_number(&csv, 1);
	csv_end(&csv);
	CHECK_TEXT(out.at, ",0.1,,,-7,\" a\",\"b\nc\"\n1\n");
}

static void cleans_cells(void)
{
	scoped(table_free) struct table *table = table_new(columns, 1);
	scoped(str_release) struct str out = STR_INIT;
	scoped(str_release) struct str huge = STR_INIT;

	for (int i = 0; i < 3000; i++) {
		str_append_char(&huge, 'x');
	}
	table_add(table, (const char *[]){ "a\x1b[31m\nb" });
	table_add(table, (const char *[]){ huge.at });
	table_write(table, TABLE_CSV, &out);
	CHECK(strncmp(out.at,
		      "metric\na\xef\xbf\xbd[31m\xef\xbf\xbd"
		      "b\nxxx",
		      22) == 0);
	CHECK_INT(strlen(strstr(out.at, "xxx")), TABLE_MAX_CELL_BYTES + 1);
}

static const struct t_case cases[] = {
	{ "a text's width is the cells it takes, not its bytes", counts_cells },
	{ "padding counts cells and never cuts", pads },
	{ "wrapping keeps words whole and lines short", wraps },
	{ "columns line up left, right and at the point", aligns },
	{ "a column is as wide as its title", widens_for_titles },
	{ "markdown holds the same cells", writes_markdown },
	{ "markdown shows a name as it is, whatever is in it", escapes_markdown },
	{ "csv quotes what must be quoted and nothing else", writes_csv },
	{ "a number that is not finite is an empty cell", writes_csv_numbers },
	{ "hostile cells are cleaned and cut", cleans_cells },
};

T_MAIN(cases)
