/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "thing_bisect.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

/* clang-format off */

static const struct field fields[] = {
	{ "bisection", "id" }, { "state", "state" }, { "by", "changed_by" }, { "", "meaning" },
	{ "because", "reason" }, { "series", "series" }, { "tree", "tree" }, { "branch", "ref" },
	{ "version", "version" }, { "commits", "nr_between" }, { "metric", "metric" },
	{ "parameters", "params" }, { "group", "group" }, { "culprit", "culprit.commit" },
	{ "", "culprit.subject" }, { "author", "culprit.author" },
	{ "against", "culprit.against" }, { "posterior", "p_text" },
	{ "no change", "p_none_text" }, { "before", "before_text" }, { "after", "after_text" },
	{ "change", "change" }, { "taken back", "revert" }, { "", "revert_reason" },
	{ "runs", "nr_runs" }, { "on commits", "nr_commits" },
	{ "unmeasured", "nr_unmeasured" }, { "were there", "nr_given" },
	{ "budget", "budget" }, { "to come", "expected_text" }, { "own runs", "cost.nr_runs" },
	{ "own builds", "cost.nr_builds" }, { "failed", "cost.nr_failed" },
	{ "machine time", "cost.machine_s" }, { "finding", "finding.state" },
	{ "mail", "finding.mail" }, { "created", "created" }, { "changed", "changed" },
};
static const struct field row_columns[] = {
	{ "", "place" }, { "commit", "commit" }, { "posterior", "p_text" }, { "", "bar" },
	{ "mean", "mean_text" }, { "runs", "nr" }, { "state", "why" }, { "subject", "subject" },
};
static const struct field struck_columns[] = {
	{ "commit", "commit" }, { "said", "said" }, { "by", "by" }, { "at", "at" },
	{ "mail", "mail" }, { "subject", "subject" }, { "because", "reason" },
};
static const struct field event_columns[] = { { "at", "at" }, { "event", "detail" } };
static const struct field list_columns[] = {
	{ "bisection", "id" }, { "state", "state" }, { "metric", "metric" }, { "tree", "tree" },
	{ "branch", "ref" }, { "version", "version" }, { "commits", "nr_between" },
	{ "culprit", "commit" }, { "posterior", "p_text" }, { "runs", "nr_runs" },
	{ "to come", "expected_text" }, { "because", "reason" },
};

const struct part bisection_parts[] = {
	{ NULL, "", PART_FIELDS(fields) },
	{ "commits", "rows", PART_FIELDS(row_columns) },
	{ "struck out", "struck", PART_FIELDS(struck_columns) },
	{ "history", "events", PART_FIELDS(event_columns) },
};
const struct part bisection_list[] = { { NULL, "bisections", PART_FIELDS(list_columns) } };

/* clang-format on */

/* Ten steps are enough to compare, the number stands beside them. */
static void put_bar(struct json *row)
{
	static const char full[] = "##########";
	double p = json_number(json_get(row, "p"), 0);
	scoped(free) char *bar = mem_printf("%.*s", (int)(p > 1 ? 10 : 10 * p + 0.5), full);

	json_put_text(row, "bar", bar);
}

void bisection_prepare(struct json *document)
{
	struct json *rows = json_get(document, "rows");

	for (size_t i = 0; i < json_size(rows); i++) {
		struct json *row = json_at(rows, i);
		const char *range = json_text(json_get(row, "range"));
		int64_t position = json_int(json_get(row, "position"), 0);
		scoped(free) char *place = range           ? mem_strdup(range)
					   : position == 0 ? mem_strdup("base")
							   : mem_printf("%" PRId64, position);

		if (json_kind(row) != KIND_OBJECT) {
			continue;
		}
		json_put_text(row, "place", place);
		if (range) {
			json_put_text(row, "why", "not asked for");
		}
		put_bar(row);
	}
}
