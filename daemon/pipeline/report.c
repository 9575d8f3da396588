/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report - a finding becomes a mail, and the mail a file in the outbox.
 *
 *	finding new ──> reported, mail drafted ──> written (the file is there)
 *	                                       ──> suppressed (nobody can be told)
 *
 * The Message-ID follows from what is told, so a killed tick cannot tell it twice.
 */
#include "pipeline.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/comparison.h"
#include "daemon/crash.h"
#include "daemon/mail/compose.h"
#include "lib/base/hash.h"
#include "lib/base/str.h"
#include "lib/report/mail.h"
#include "lib/report/view.h"

#define SHORT_DIGITS 10

/* the facts of a mail ------------------------------------------------------------------------ */

/* What the body says besides the comparison; names as in lib/report/mail.h. */
struct facts {
	struct tick *tick;
	const struct rows *finding;
	struct json *json;
};

static void put_text(struct json *json, const char *name, const struct rows *rows, int row)
{
	json_put_text(json, name, rows_text(rows, row, name));
}

static bool add_stack(struct facts *facts, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	const char *guilty = rows_text(facts->finding, 0, "oid");
	struct json *stack = json_new_array();

	json_put(facts->json, "stack", stack);
	if (!db_query(facts->tick->db, Q_REPORT_STACK,
		      ARGS(arg_int(rows_int(facts->finding, 0, "stack_id")),
			   arg_int(rows_int(facts->finding, 0, "cell_id"))),
		      &rows, err)) {
		return false;
	}
	for (int i = 0; i < rows_nr(rows); i++) {
		struct json *commit = json_new_object();
		const char *build = rows_text(rows, i, "build");

		put_text(commit, "oid", rows, i);
		put_text(commit, "subject", rows, i);
		json_put_bool(commit, "is_base", rows_int(rows, i, "position") == 0);
		json_put_bool(commit, "is_guilty", strcmp(rows_text(rows, i, "oid"), guilty) == 0);
		json_put_bool(commit, "is_unbuilt", build && strcmp(build, "failed") == 0);
		json_append(stack, commit);
	}
	return true;
}

static bool add_machine(struct facts *facts, struct err *err)
{
	scoped(rows_free) struct rows *rows = NULL;
	struct json *machine = json_new_object();
	struct json *fingerprint = NULL;

	json_put(facts->json, "machine", machine);
	if (!db_query(facts->tick->db, Q_REPORT_MACHINE,
		      ARGS(arg_int(rows_int(facts->finding, 0, "cell_id")),
			   arg_int(rows_int(facts->finding, 0, "comparison_id"))),
		      &rows, err)) {
		return false;
	}
	if (rows_nr(rows) == 0) {
		return true;
	}
	put_text(machine, "name", rows, 0);
	if (!json_parse("fingerprint", rows_text(rows, 0, "fingerprint"),
			strlen(rows_text(rows, 0, "fingerprint")), &fingerprint, err)) {
		return false;
	}
	json_put(machine, "fingerprint", fingerprint);
	return true;
}

static void add_links(struct facts *facts)
{
	struct tick *tick = facts->tick;
	const struct rows *finding = facts->finding;
	const char *url = tick->settings->url;
	struct json *links = json_new_object();

	json_put(facts->json, "links", links);
	if (!url) {
		return;
	}
	json_put_text(links, "series",
		      arena_printf(tick->arena, "%s/series/%" PRId64, url,
				   rows_int(finding, 0, "stack_id")));
	json_put_text(links, "compare",
		      arena_printf(tick->arena, "%s/comparison/%" PRId64, url,
				   rows_int(finding, 0, "comparison_id")));
	json_put_text(links, "commit",
		      arena_printf(tick->arena, "%s/commit/%s", url, rows_text(finding, 0, "oid")));
}

static bool gather(struct facts *facts, struct err *err)
{
	static const char *const texts[] = { "tree",	 "url",	    "ref",	   "base",
					     "oid",	 "subject", "author_name", "author_email",
					     "base_oid", "tip_oid", "benchmark",   "role",
					     "kind" };

	for (size_t i = 0; i < countof(texts); i++) {
		put_text(facts->json, texts[i], facts->finding, 0);
	}
	json_put_int(facts->json, "nr_between", rows_int(facts->finding, 0, "nr_between"));
	json_put_int(facts->json, "nr_commits", rows_int(facts->finding, 0, "nr_commits"));
	json_put_int(facts->json, "position", rows_int(facts->finding, 0, "position"));
	add_links(facts);
	return add_stack(facts, err) && add_machine(facts, err);
}
