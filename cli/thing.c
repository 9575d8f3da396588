/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "thing.h"

#include "lib/base/str.h"
#include "lib/report/ladder.h"
#include "thing_bisect.h"

#define THE(title, path, fields)                 \
	{                                        \
		title, path, PART_FIELDS(fields) \
	}

/* clang-format off */

/* what several things show */

static const struct field run_columns[] = {
	{ "run", "run" }, { "kind", "kind" }, { "state", "state" }, { "benchmark", "benchmark" },
	{ "commit", "commit" }, { "machine", "machine" }, { "created", "created" },
	{ "started", "started" }, { "finished", "finished" }, { "reason", "reason" },
};
static const struct field mail_columns[] = {
	{ "mail", "id" }, { "state", "state" }, { "mode", "mode" }, { "series", "series" },
	{ "created", "created" }, { "subject", "subject" }, { "reason", "reason" },
};
static const struct field machine_columns[] = {
	{ "machine", "name" }, { "group", "group" }, { "state", "state" }, { "run", "run" },
	{ "phase", "phase" }, { "seen", "seen" }, { "processor", "processor" }, { "kernel", "kernel" },
};

/* status */

static const struct field warning_columns[] = { { "warning", "text" } };
static const struct field running_columns[] = {
	{ "run", "run" }, { "kind", "kind" }, { "benchmark", "benchmark" }, { "commit", "commit" },
	{ "machine", "machine" }, { "phase", "phase" }, { "for", "elapsed_s" },
	{ "usually", "expected_s" }, { "subject", "subject" },
};
static const struct field queue_fields[] = {
	{ "runs", "nr" }, { "oldest", "oldest.run" }, { "since", "oldest.since" },
	{ "because", "oldest.reason" },
};
static const struct field verdict_columns[] = {
	{ "verdict", "sight" }, { "metric", "metric" }, { "group", "group" }, { "commit", "commit" },
	{ "at", "at" }, { "subject", "subject" },
};
static const struct field day_fields[] = {
	{ "commits", "commits" }, { "series", "stacks" }, { "runs", "runs" }, { "lost", "lost" },
	{ "mails", "mails" },
};
static const struct field calibration_columns[] = {
	{ "commit against itself", "what" }, { "would send a mail", "jobs.text" },
	{ "metrics named", "metrics.text" },
};
static const struct part status_parts[] = {
	THE(NULL, "warnings", warning_columns),
	THE("running", "running", running_columns),
	THE("waiting", "queue", queue_fields),
	THE("latest verdicts", "verdicts", verdict_columns),
	THE("machines", "machines", machine_columns),
	THE("last 24 hours", "day", day_fields),
	THE("false alarms", "calibration", calibration_columns),
};

/* a stack of commits */

static const struct field series_fields[] = {
	{ "series", "id" }, { "tree", "tree" }, { "branch", "ref" }, { "version", "version" },
	{ "state", "state" }, { "reason", "reason" }, { "base", "base.commit" },
	{ "", "base.subject" }, { "tip", "tip.commit" }, { "", "tip.subject" },
	{ "author", "tip.author" }, { "created", "created" }, { "finished", "finished" },
	{ "estimate", "estimate_s" }, { "risk %", "level_percent" },
	{ "inner commits", "inner" },
};
static const struct field grid_columns[] = {
	{ "commit", "commit" }, { "benchmark", "benchmark" }, { "group", "group" },
	{ "parameters", "params" }, { "subject", "subject" }, { "verdict", "sight" },
	{ "metric", "metric" }, { "because", "why" },
};
static const struct field finding_columns[] = {
	{ "verdict", "sight" }, { "of", "about" }, { "benchmark", "benchmark" },
	{ "commit", "commit" }, { "state", "state" }, { "mail", "mail" },
	{ "subject", "subject" }, { "because", "reason" },
};
static const struct field event_columns[] = {
	{ "at", "at" }, { "event", "kind" }, { "detail", "detail" },
};
static const struct part series_parts[] = {
	THE(NULL, "", series_fields),
	THE(NULL, "grid", grid_columns),
	THE("findings", "findings", finding_columns),
	THE("mails", "mails", mail_columns),
	THE("events", "events", event_columns),
};

static const struct field cumulative_fields[] = {
	{ "series", "id" }, { "tree", "tree" }, { "branch", "ref" }, { "version", "version" },
	{ "state", "state" },
};
static const struct field ladder_columns[] = {
	{ "metric", "metric" }, { "commit", "name" }, { "value", "text" }, { "n", "n" },
	{ "against base", "against_base.sight" }, { "", "against_base.interval" },
	{ "against parent", "against_parent.sight" }, { "", "against_parent.interval" },
	{ "", "against_parent.parent" },
	{ "group", "group" }, { "parameters", "params" }, { "subject", "subject" },
	{ "because", "reason" },
};
static const struct part cumulative_parts[] = {
	THE(NULL, "", cumulative_fields),
	THE(NULL, "lines", ladder_columns),
};

static const struct field versions_fields[] = {
	{ "series", "id" }, { "tree", "tree" }, { "branch", "ref" }, { "version", "name" },
	{ "against", "old.name" }, { "state", "state" },
};
static const struct field version_columns[] = {
	{ "metric and patch", "metric" }, { "before", "before.text" }, { "now", "now.text" },
	{ "", "unit" }, { "change", "change.sight" }, { "", "change.interval" },
	{ "group", "group" }, { "parameters", "params" }, { "because", "change.reason" },
};
static const struct part versions_parts[] = {
	THE(NULL, "", versions_fields),
	THE(NULL, "lines", version_columns),
};

/* a commit */

static const struct field commit_fields[] = {
	{ "commit", "commit" }, { "author", "author" }, { "date", "author_time" },
};
static const struct field stack_columns[] = {
	{ "series", "id" }, { "tree", "tree" }, { "branch", "ref" }, { "version", "version" },
	{ "position", "position" }, { "of", "nr_commits" }, { "state", "state" },
};
static const struct field build_columns[] = {
	{ "run", "run" }, { "layout", "layout" }, { "state", "state" }, { "artefact", "artefact" },
	{ "toolchain", "toolchain" }, { "took", "wall_s" }, { "reason", "reason" },
};
static const struct field comparison_columns[] = {
	{ "with", "other" }, { "to", "purpose" }, { "benchmark", "benchmark" }, { "group", "group" },
	{ "parameters", "params" }, { "verdict", "sight" }, { "metric", "metric" },
	{ "because", "why" },
};
static const struct part commit_parts[] = {
	THE(NULL, "", commit_fields),
	{ NULL, "message", NULL, 0 },
	THE("series", "stacks", stack_columns),
	THE("builds", "builds", build_columns),
	THE("comparisons", "comparisons", comparison_columns),
	THE("runs", "runs", run_columns),
};

/* a run */

static const struct field run_fields[] = {
	{ "run", "run" }, { "kind", "kind" }, { "state", "state" }, { "phase", "phase" },
	{ "reason", "reason" }, { "benchmark", "benchmark" }, { "parameters", "params" },
	{ "group", "group" }, { "commit", "commit" }, { "", "subject" }, { "machine", "machine" },
	{ "epoch", "epoch" }, { "boot", "boot_id" }, { "block", "block" },
	{ "position", "position" }, { "attempt", "attempt" },
};
static const struct field step_columns[] = { { "step", "name" }, { "at", "at" } };
static const struct field failure_fields[] = {
	{ "reason", "reason" }, { "detail", "detail" }, { "at", "at" },
};
static const struct field metric_columns[] = {
	{ "metric", "metric" }, { "value", "value" }, { "unit", "unit" },
};
static const struct field sibling_columns[] = {
	{ "run", "run" }, { "position", "position" }, { "commit", "commit" }, { "state", "state" },
};
static const struct field file_columns[] = {
	{ "file", "name" }, { "size", "size_bytes" }, { "sha256", "hash" },
};
static const struct part run_parts[] = {
	THE(NULL, "", run_fields),
	THE(NULL, "steps", step_columns),
	THE("failure", "failure", failure_fields),
	{ NULL, "failure.excerpt", NULL, 0 },
	THE("metrics", "metrics", metric_columns),
	THE("runs of its block", "siblings", sibling_columns),
	THE("files", "files", file_columns),
};

/* a machine */

static const struct field machine_fields[] = {
	{ "machine", "name" }, { "group", "group" }, { "state", "state" }, { "run", "lease.run" },
	{ "phase", "lease.phase" }, { "joined", "joined" }, { "seen", "seen" }, { "boot", "boot_id" },
};
static const struct field environment_columns[] = { { "environment", "name" }, { "", "after" } };
static const struct field epoch_columns[] = { { "epoch", "id" }, { "since", "since" } };
static const struct part machine_parts[] = {
	THE(NULL, "", machine_fields),
	THE(NULL, "environment", environment_columns),
	THE(NULL, "epochs", epoch_columns),
	THE("runs", "runs", run_columns),
};

/* a mail */

static const struct field mail_fields[] = {
	{ "mail", "id" }, { "state", "state" }, { "mode", "mode" }, { "reason", "reason" },
	{ "series", "series" }, { "commit", "commit" }, { "verdict", "verdict" },
	{ "created", "created" }, { "written", "written" }, { "message id", "message_id" },
	{ "subject", "subject" },
};
static const struct field recipient_columns[] = {
	{ "to", "address" }, { "name", "name" }, { "why", "why" },
};
static const struct part mail_parts[] = {
	THE(NULL, "", mail_fields),
	THE(NULL, "recipients", recipient_columns),
	{ NULL, "body", NULL, 0 },
};

/* lists */

static const struct field series_columns[] = {
	{ "series", "id" }, { "tree", "tree" }, { "branch", "ref" }, { "version", "version" },
	{ "commits", "nr_commits" }, { "state", "state" }, { "worse", "nr_regressions" },
	{ "better", "nr_improvements" }, { "subject", "subject" }, { "reason", "reason" },
};
static const struct field repository_columns[] = {
	{ "number", "id" }, { "tree", "name" }, { "state", "state" }, { "series", "nr_stacks" },
	{ "base", "base" }, { "branches", "branches" }, { "jobs", "jobs" }, { "group", "group" },
	{ "mail", "mail" }, { "last look", "last_poll" }, { "address", "address" },
	{ "reason", "reason" },
};
static const struct part series_list[] = { THE(NULL, "series", series_columns) };
static const struct part machine_list[] = { THE(NULL, "machines", machine_columns) };
static const struct part run_list[] = { THE(NULL, "runs", run_columns) };
static const struct part mail_list[] = { THE(NULL, "mails", mail_columns) };
static const struct part repository_list[] = { THE(NULL, "repositories", repository_columns) };

/* clang-format on */

/* preparing */

/* "▲ worse +7.4%": what the page shows of a verdict in several places. */
static void add_sight(struct json *object)
{
	static const char *const names[] = { "mark", "word", "text" };
	scoped(str_release) struct str sight = STR_INIT;

	for (size_t i = 0; i < countof(names); i++) {
		const char *text = json_text(json_get(object, names[i]));

		if (text && *text) {
			str_printf(&sight, "%s%s", sight.length ? " " : "", text);
		}
	}
	if (json_get(object, "mark")) {
		json_put_text(object, "sight", sight.at);
	}
}

/* Nesting is bounded by json_parse(). */
static void add_sights(struct json *document)
{
	if (json_kind(document) == KIND_OBJECT) {
		add_sight(document);
		for (void *it = json_first(document); it; it = json_next(document, it)) {
			add_sights(json_member_value(it));
		}
	}
	for (size_t i = 0; json_kind(document) == KIND_ARRAY && i < json_size(document); i++) {
		add_sights(json_at(document, i));
	}
}

/* A line of the grid: a cell, and what its row and its column are. */
static struct json *grid_line(const struct json *cell, const struct json *column,
			      const char *commit, const char *subject)
{
	struct json *line = json_kind(cell) == KIND_OBJECT ? json_clone(cell) : json_new_object();
	const char *const names[] = { "benchmark", "group", "params" };

	for (size_t i = 0; i < countof(names); i++) {
		const struct json *value = json_get(column, names[i]);

		json_put(line, names[i], value ? json_clone(value) : json_new_null());
	}
	json_put_text(line, "commit", commit);
	json_put_text(line, "subject", subject);
	return line;
}

/* The grid of a stack as lines, which fit a terminal however many columns it has; the commit stands
 * in the first line of each. */
static void add_grid(struct json *document)
{
	const struct json *rows = json_get(document, "rows");
	const struct json *columns = json_get(document, "columns");
	const struct json *ends = json_get(document, "ends");
	struct json *grid = json_new_array();

	add_sights(document);
	for (size_t i = 0; i < json_size(rows); i++) {
		const struct json *row = json_at(rows, i);
		const struct json *cells = json_get(row, "cells");

		for (size_t j = 0; j < json_size(cells); j++) {
			json_append(grid, grid_line(json_at(cells, j), json_at(columns, j),
						    j ? "" : json_text(json_get(row, "commit")),
						    j ? "" : json_text(json_get(row, "subject"))));
		}
	}
	for (size_t i = 0; i < json_size(ends); i++) {
		json_append(grid, grid_line(json_at(ends, i), json_at(columns, i),
					    i ? "" : "base..tip", ""));
	}
	json_put(document, "grid", grid);
}

static void copy_members(struct json *to, const struct json *from, const char *const *names,
			 size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct json *value = json_get(from, names[i]);

		json_put(to, names[i], value ? json_clone(value) : json_new_null());
	}
}

/* The lines of one metric; its name stands in the first of them. */
static void add_ladder(struct json *lines, const struct json *ladder, const struct json *cell)
{
	static const char *const names[] = { "group", "params" };
	const struct json *from = json_get(ladder, "lines");

	for (size_t i = 0; i < json_size(from); i++) {
		struct json *line = json_clone(json_at(from, i));

		json_put_text(line, "metric", i ? "" : json_text(json_get(ladder, "metric")));
		copy_members(line, i ? NULL : cell, names, countof(names));
		json_append(lines, line);
	}
}

/* The rows of a view of two versions. */
static void add_version_lines(struct json *lines, const struct json *rows, const struct json *cell)
{
	static const char *const of_row[] = { "metric", "unit" };
	static const char *const of_cell[] = { "group", "params" };

	for (size_t i = 0; i < json_size(rows); i++) {
		const struct json *row = json_at(rows, i);
		struct json *line = json_new_object();

		copy_members(line, row, of_row, countof(of_row));
		copy_members(line, i ? NULL : cell, of_cell, countof(of_cell));
		json_put(line, "before", json_clone(json_at(json_get(row, "cells"), 0)));
		json_put(line, "now", json_clone(json_at(json_get(row, "cells"), 1)));
		json_put(line, "change", json_clone(json_at(json_get(row, "changes"), 0)));
		json_append(lines, line);
	}
}

/* Views that are none are left out, here and below. */
static void add_versions(struct json *document)
{
	struct json *cells = json_get(document, "cells");
	struct json *lines = json_new_array();

	for (size_t i = 0; i < json_size(cells); i++) {
		const struct json *from = json_get(json_at(cells, i), "view");
		scoped(view_free) struct view *view = NULL;
		struct err err = ERR_INIT;

		if (view_read(from, &view, &err) && view->nr_columns == 2) {
			scoped(json_free) struct json *json = view_json(view);
			const struct json *groups = json_get(json, "groups");

			view_decorate(view, json);
			for (size_t j = 0; j < json_size(groups); j++) {
				add_version_lines(lines, json_get(json_at(groups, j), "rows"),
						  json_at(cells, i));
			}
		}
	}
	json_put(document, "lines", lines);
	add_sights(document);
}

static void add_ladders(struct json *document)
{
	struct json *cells = json_get(document, "cells");
	struct json *lines = json_new_array();

	for (size_t i = 0; i < json_size(cells); i++) {
		struct json *cell = json_at(cells, i);
		scoped(view_free) struct view *view = NULL;
		struct err err = ERR_INIT;

		if (view_read(json_get(cell, "view"), &view, &err) && is_ladder(view)) {
			scoped(json_free) struct json *ladders = ladder_of(view, false);

			for (size_t j = 0; j < json_size(ladders); j++) {
				add_ladder(lines, json_at(ladders, j), cell);
			}
		}
	}
	json_put(document, "lines", lines);
	add_sights(document);
}

static void mark_warnings(struct json *document)
{
	struct json *warnings = json_get(document, "warnings");

	for (size_t i = 0; i < json_size(warnings); i++) {
		struct json *warning = json_at(warnings, i);

		if (json_kind(warning) == KIND_OBJECT) {
			json_put_bool(warning, "is_warning", true);
		}
	}
	add_sights(document);
}

/* the tables */

/* clang-format off */
const struct thing things[] = {
	{ "series", "/api/v1/series/", "N", true, series_parts, countof(series_parts), add_grid },
	{ "bisection", "/api/v1/bisections/", "N", true, bisection_parts,
	  countof(bisection_parts), bisection_prepare },
	{ "commit", "/api/v1/commits/", "SHA", false, commit_parts, countof(commit_parts),
	  add_sights },
	{ "run", "/api/v1/runs/", "N", true, run_parts, countof(run_parts), NULL },
	{ "machine", "/api/v1/machines/", "NAME", false, machine_parts, countof(machine_parts),
	  NULL },
	{ "mail", "/api/v1/mails/", "N", true, mail_parts, countof(mail_parts), NULL },
};
const size_t nr_things = countof(things);

const struct thing lists[] = {
	{ "series", "/api/v1/series", NULL, false, series_list, countof(series_list), NULL },
	{ "bisections", "/api/v1/bisections", NULL, false, bisection_list, countof(bisection_list),
	  NULL },
	{ "machines", "/api/v1/machines", NULL, false, machine_list, countof(machine_list), NULL },
	{ "runs", "/api/v1/runs", NULL, false, run_list, countof(run_list), NULL },
	{ "mails", "/api/v1/mails", NULL, false, mail_list, countof(mail_list), NULL },
	{ "repositories", "/api/v1/repositories", NULL, false, repository_list,
	  countof(repository_list), NULL },
};
const size_t nr_lists = countof(lists);

const struct thing thing_cumulative = {
	"series", "/cumulative", NULL, false, cumulative_parts, countof(cumulative_parts),
	add_ladders,
};

const struct thing thing_versions = {
	"series", "/versions", NULL, false, versions_parts, countof(versions_parts), add_versions,
};

const struct thing thing_status = {
	"status", "/api/v1/status", NULL, false, status_parts, countof(status_parts), mark_warnings,
};
/* clang-format on */

const struct thing *thing_find(const struct thing *table, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(table[i].name, name) == 0) {
			return &table[i];
		}
	}
	return NULL;
}

void thing_print(const struct thing *thing, struct json *document, const struct screen *screen)
{
	if (thing->prepare) {
		thing->prepare(document);
	}
	layout_print(thing->parts, thing->nr_parts, document, screen);
}
