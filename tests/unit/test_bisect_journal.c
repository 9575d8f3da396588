/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"

#include <unistd.h>

#include "cli/bisect/journal.h"
#include "lib/base/str.h"

#define ID "0123456789012345678901234567890123456789"

struct fixture {
	char *path;
	struct json *recipe;
	struct err err;
};

static struct fixture fixture_of(char *folder)
{
	struct fixture fixture = { .path = mem_printf("%s/j", folder),
				   .recipe = json_new_object(),
				   .err = ERR_INIT };

	json_put_text(fixture.recipe, "run", "./bench");
	free(folder);
	return fixture;
}

static void fixture_release(struct fixture *fixture)
{
	free(fixture->path);
	json_free(fixture->recipe);
}
DEFINE_SCOPED_EMBEDDED(fixture_release, struct fixture)

static struct journal *reopen(struct fixture *fixture)
{
	struct journal *journal = NULL;

	CHECK_DONE(journal_open(fixture->path, fixture->recipe, &journal, &fixture->err),
		   &fixture->err);
	return journal;
}

static void append(struct fixture *fixture, struct journal *journal, int64_t number)
{
	struct json *run = json_new_object();

	json_put_int(run, "run", number);
	CHECK_DONE(journal_append(journal, ID, 1, 0.5, run, &fixture->err), &fixture->err);
}

static void keeps_runs(void)
{
	scoped(fixture_release) struct fixture fixture = fixture_of(t_folder());
	scoped(journal_close) struct journal *journal = reopen(&fixture);

	CHECK_INT((int64_t)journal->entries.nr, 0);
	append(&fixture, journal, 1);
	append(&fixture, journal, 2);
	journal = journal_close(journal);
	journal = reopen(&fixture);
	CHECK_INT((int64_t)journal->entries.nr, 2);
	CHECK_TEXT(journal->entries.at[1].commit, ID);
	CHECK_INT(journal->entries.at[1].place, 1);
	CHECK_NEAR(journal->entries.at[1].took_s, 0.5, 1e-12);
	CHECK_INT(json_int(json_get(journal->entries.at[1].run, "run"), 0), 2);
}

/* A power cut at any byte. */
static void survives_each_cut(void)
{
	scoped(fixture_release) struct fixture fixture = fixture_of(t_folder());
	scoped(journal_close) struct journal *journal = reopen(&fixture);
	scoped(str_release) struct str whole = STR_INIT;
	size_t nr_before = 0;

	append(&fixture, journal, 1);
	append(&fixture, journal, 2);
	journal = journal_close(journal);
	CHECK_DONE(str_read_file(&whole, fixture.path, 10000, &fixture.err), &fixture.err);
	for (size_t length = 0; length <= whole.length; length++) {
		CHECK_DONE(str_write_file(fixture.path, whole.at, length, 0644, &fixture.err),
			   &fixture.err);
		journal = reopen(&fixture);
		CHECK(journal->entries.nr >= nr_before);
		nr_before = journal->entries.nr;
		append(&fixture, journal, 3);
		journal = journal_close(journal);
		journal = reopen(&fixture);
		CHECK_INT((int64_t)journal->entries.nr, (int64_t)nr_before + 1);
		journal = journal_close(journal);
	}
	CHECK_INT((int64_t)nr_before, 2);
}

static void says_where_it_is_damaged(void)
{
	scoped(fixture_release) struct fixture fixture = fixture_of(t_folder());
	static const struct {
		const char *text, *where;
	} rows[] = {
		{ "{\"schema\": 2}\n", ":1: 'schema': expected 1" },
		{ "\n", ":1" },
		{ "{\"schema\": 1}\n{}\n", ":2: no run" },
		{ "{\"schema\": 1}\n{\"commit\": \"" ID "\"}\n", ":2: no run" },
		{ "{\"schema\": 1}\n{\"commit\": \"" ID "\", \"run\": 1}\n", ":2: no run" },
		{ "{\"schema\": 1}\n{\"commit\": \"" ID "\", \"run\": {}}\nx\n{}", ":3" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(free) char *where = mem_printf("%s%s", fixture.path, rows[i].where);
		scoped(str_release) struct str after = STR_INIT;
		struct journal *journal = NULL;
		struct err err = ERR_INIT;

		CHECK_DONE(str_write_file(fixture.path, rows[i].text, strlen(rows[i].text), 0644,
					  &err),
			   &err);
		CHECK_FAILS(journal_open(fixture.path, fixture.recipe, &journal, &err), &err,
			    ERR_INPUT, where);
		CHECK(journal == NULL);
		CHECK_DONE(str_read_file(&after, fixture.path, 10000, &fixture.err), &fixture.err);
		CHECK_TEXT(after.at, rows[i].text);
	}
}

static const struct t_case cases[] = {
	{ "runs are there again, in their order", keeps_runs },
	{ "cut at any byte it is read, and goes on", survives_each_cut },
	{ "damaged it is an error with file and line, and left alone", says_where_it_is_damaged },
};
T_MAIN(cases)
