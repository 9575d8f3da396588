/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/report/results.h"

#include <math.h>
#include <sys/stat.h>

#include "lib/base/str.h"
#include "tests/t.h"

static void put(const char *folder, const char *name, const char *text)
{
	scoped(free) char *path = mem_printf("%s/%s", folder, name);
	struct err err = ERR_INIT;

	CHECK_DONE(str_write_file(path, text, strlen(text), 0644, &err), &err);
}

/* Reads a file of this text; the folder, made at first, is the case's. */
static bool read_text(const char *text, struct names *ids, struct results **ret_results,
		      struct err *err)
{
	static char *folder;
	static int nr;
	struct results_options options = { .ids = ids };
	scoped(free) char *path = NULL;

	folder = folder ? folder : t_folder();
	path = mem_printf("%s/%d-file", folder, nr++);

	CHECK_DONE(str_write_file(path, text, strlen(text), 0644, err), err);
	return results_read(path, &options, ret_results, err);
}

static void reads_a_matrix(void)
{
	scoped(names_free) struct names *ids = names_new();
	scoped(results_free) struct results *results = NULL;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(read_text("{\"b.ops\": [1, null, 2.5],\n \"a\": []}", ids, &results, &err),
			&err)) {
		return;
	}
	CHECK_INT(results->parts.at[0]->metrics.nr, 2);
	CHECK_TEXT(results->parts.at[0]->metrics.at[0].name, "b.ops");
	CHECK_INT(results->parts.at[0]->metrics.at[0].values.nr, 3);
	CHECK(isnan(results->parts.at[0]->metrics.at[0].values.at[1]));
	CHECK_NEAR(results->parts.at[0]->metrics.at[0].values.at[2], 2.5, 0);
	CHECK_INT(results->parts.at[0]->metrics.at[0].runs.nr, 0);
	CHECK_INT(results->parts.at[0]->metrics.at[1].values.nr, 0);
	CHECK_TEXT(results->parts.at[0]->benchmark, NULL);
}

static void reads_runs(void)
{
	static const char text[] =
		"{\"run\":1,\"boot\":\"x\",\"block\":3,\"order\":0,\"outcome\":\"ok\",\"extra\":[{}],"
		"\"metrics\":{\"ops\":5,\"lat\":null}}\n"
		"\n"
		"{\"run\":2,\"boot\":\"y\",\"block\":3,\"warmup\":true,\"metrics\":{\"ops\":900}}\n"
		"{\"run\":3,\"boot\":\"x\",\"block\":4,\"metrics\":{\"lat\":7,\"ops\":6}}\r\n"
		"{\"run\":4,\"outcome\":\"failed\",\"reason\":\"timeout\",\"metrics\":{\"ops\":1}}\n"
		"{\"run\":5,\"outcome\":\"failed\",\"reason\":\"timeout\"}\n"
		"{\"run\":6,\"outcome\":\"lost\"}";
	scoped(names_free) struct names *ids = names_new();
	scoped(results_free) struct results *results = NULL;
	struct err err = ERR_INIT;
	const struct results_metric *ops;

	if (!CHECK_DONE(read_text(text, ids, &results, &err), &err)) {
		return;
	}
	ops = &results->parts.at[0]->metrics.at[0];
	CHECK_INT(results->parts.at[0]->nr_runs, 2);
	CHECK_INT(results->parts.at[0]->nr_failed, 3);
	CHECK_INT(results->parts.at[0]->metrics.nr, 2);
	CHECK_TEXT(ops->name, "ops");
	CHECK_INT(ops->values.nr, 2);
	CHECK_NEAR(ops->values.at[1], 6, 0);
	CHECK_INT(ops->runs.at[1].block, 4);
	CHECK(ops->runs.at[0].boot != 0 && ops->runs.at[0].boot == ops->runs.at[1].boot);
	CHECK_INT(results->parts.at[0]->failures.nr, 2);
	CHECK_TEXT(results->parts.at[0]->failures.at[0].reason, "timeout");
	CHECK_INT(results->parts.at[0]->failures.at[0].nr, 2);
	CHECK_TEXT(results->parts.at[0]->failures.at[1].reason, "lost");
}

static uint32_t boot_of(const char *text, struct names *ids)
{
	scoped(results_free) struct results *results = NULL;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(read_text(text, ids, &results, &err), &err)) {
		return 0;
	}
	return results->parts.at[0]->metrics.at[0].runs.at[0].boot;
}

static void texts_are_the_same_everywhere(void)
{
	scoped(names_free) struct names *ids = names_new();
	uint32_t text = boot_of("{\"boot\":\"7\",\"metrics\":{\"a\":1}}", ids);
	uint32_t number = boot_of("{\"boot\":7,\"metrics\":{\"a\":1}}", ids);

	CHECK_INT(boot_of("{\"boot\":\"7\",\"metrics\":{\"a\":1}}", ids), text);
	CHECK(number != text);
	CHECK(boot_of("{\"boot\":7,\"metrics\":{\"a\":1}}", ids) != number);
	CHECK_INT(boot_of("{\"boot\":null,\"metrics\":{\"a\":1}}", ids), 0);
}

static void reads_a_folder(void)
{
	scoped(free) char *folder = t_folder();
	scoped(names_free) struct names *ids = names_new();
	struct results_options options = { .ids = ids };
	scoped(results_free) struct results *results = NULL;
	scoped(results_free) struct results *empty = NULL;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(results_read(folder, &options, &empty, &err), &err)) {
		return;
	}
	CHECK_INT(empty->parts.at[0]->metrics.nr, 0);
	put(folder, "result.json",
	    "{\"schema\":1,\"benchmark\":\"b\",\"commit\":\"c\",\"machine\":\"m\","
	    "\"params\":{\"z\":1,\"a\":\"x\",\"t\":true}}");
	put(folder, "runs.jsonl",
	    "{\"metrics\":{\"a\":1}}\n{\"machine\":\"n\",\"metrics\":{\"a\":1}}\n");
	if (!CHECK_DONE(results_read(folder, &options, &results, &err), &err)) {
		return;
	}
	CHECK_TEXT(results->parts.at[0]->benchmark, "b");
	CHECK_TEXT(results->commit, "c");
	CHECK_TEXT(results->machine, "m");
	CHECK_INT(results->parts.at[0]->params.nr, 3);
	CHECK_TEXT(results->parts.at[0]->params.at[0].value, "x");
	CHECK_TEXT(results->parts.at[0]->params.at[1].value, "true");
	CHECK_TEXT(results->parts.at[0]->params.at[2].value, "1");
	CHECK(results->parts.at[0]->metrics.at[0].runs.at[0].machine !=
	      results->parts.at[0]->metrics.at[0].runs.at[1].machine);
	CHECK(results->parts.at[0]->metrics.at[0].runs.at[0].machine != 0);
}

static void faults_have_places(void)
{
	static const struct {
		const char *text;
		const char *fault;
	} rows[] = {
		{ "", "is empty" },
		{ "{\"a\":[1,NaN]}", "file: byte 8: NaN" },
		{ "{\"a\":[1,1e999]}", "file: byte 8: a number too large" },
		{ "{\"a\":[1],\"a\":[2]}", "file: byte 9: this name stands in the object twice" },
		{ "{\"a\":[\"1\"]}", "file: byte 6: expected a number, or null for missing" },
		{ "{\"a\":[1],\"b\":2}", "file: byte 13: expected an array" },
		{ "{\"run\":1}\n{\"run\":1}\n", "file: byte 17: run 1 of " },
		{ "{\"run\":1}\n{\"metrics\":{\"a\":Infinity}}\n", "file: byte 26: NaN" },
		{ "{\"run\":1}\n{\"metrics\":{\"a\":1", "file: byte 27: expected ',' or '}'" },
		{ "{\"block\":1.5}", "file: byte 9: expected a whole number" },
		{ "{\"block\":-1}", "file: byte 9: expected a whole number" },
		{ "{\"boot\":true}", "file: byte 8: expected a text or a number" },
		{ "{\"warmup\":1}", "file: byte 10: expected true or false" },
		{ "{\"run\":1,\"metrics\":[1]}", "file: byte 19: expected an object of metrics" },
		{ "[1,2]", "file: byte 0: expected an object" },
		{ "{\"run\":1} {\"run\":2}", "file: byte 10: something stands behind" },
	};

	for (size_t i = 0; i < countof(rows); i++) {
		scoped(names_free) struct names *ids = names_new();
		scoped(results_free) struct results *results = NULL;
		struct err err = ERR_INIT;

		CHECK_FAILS(read_text(rows[i].text, ids, &results, &err), &err, ERR_INPUT,
			    rows[i].fault);
	}
}

static void absent_is_told(void)
{
	scoped(names_free) struct names *ids = names_new();
	struct results_options options = { .ids = ids };
	scoped(results_free) struct results *results = NULL;
	scoped(free) char *folder = t_folder();
	scoped(free) char *path = mem_printf("%s/none", folder);
	struct err err = ERR_INIT;

	CHECK_FAILS(results_read(path, &options, &results, &err), &err, ERR_ABSENT, "none");
	put(folder, "result.json", "{\"schema\":2}");
	CHECK_FAILS(results_read(folder, &options, &results, &err), &err, ERR_INPUT, "'schema'");
}

static const struct t_case cases[] = {
	{ "a matrix is samples that know nothing of each other", reads_a_matrix },
	{ "lines of runs keep block and boot, drop warm-ups and count failures", reads_runs },
	{ "a text means the same boot in all files, a number only in its own",
	  texts_are_the_same_everywhere },
	{ "a folder tells what ran where; an empty one is no failure", reads_a_folder },
	{ "each fault is named with its byte", faults_have_places },
	{ "an absent path is told", absent_is_told },
};

T_MAIN(cases)
