/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "routes.h"

#include "handlers.h"

/* clang-format off */
const struct route routes[] = {
	/* for people */
	{ "GET", "/", SCOPE_PUBLIC, BODY_NONE, "", "status", NULL, get_status,
	  "What runs, what waits and why, the latest verdicts, the machines, the last day." },
	{ "GET", "/series", SCOPE_PUBLIC, BODY_NONE, "tree state before",
	  "series_list", NULL, get_series_list,
	  "The stacks, newest first; of one repository (its number), in one state." },
	{ "GET", "/series/*", SCOPE_PUBLIC, BODY_NONE, "", "series", NULL, get_series,
	  "A stack: a row a commit, a column a benchmark and machine group, a verdict or "
	  "its reason in each cell." },
	{ "GET", "/series/*/cumulative", SCOPE_PUBLIC, BODY_NONE, "cell show", "cumulative", NULL,
	  get_cumulative,
	  "A stack in one table: base, patch 1, ..., tip, each against the base and its parent; "
	  "show=all: also what did not change." },
	{ "GET", "/series/*/versions", SCOPE_PUBLIC, BODY_NONE, "against", "versions", NULL,
	  get_versions,
	  "What each patch does beside what it did in the version before, or in stack `against`." },
	{ "GET", "/commit/*", SCOPE_PUBLIC, BODY_NONE, "", "commit", NULL, get_commit,
	  "A commit by its full name; 8 digits or more are redirected to it." },
	{ "GET", "/compare", SCOPE_PUBLIC, BODY_NONE, "base head cell show format",
	  "compare", NULL, get_compare,
	  "Two commits side by side; format: html, json, or the table as lkp, text, md or "
	  "csv; show=all: also what did not change." },
	{ "GET", "/bisect", SCOPE_PUBLIC, BODY_NONE, "state before", "bisect_list", NULL,
	  get_bisections,
	  "The bisections, newest first; in one state." },
	{ "GET", "/bisect/*", SCOPE_PUBLIC, BODY_NONE, "", "bisect", NULL, get_bisection,
	  "A bisection: the values of each commit, the posterior, its cost and its history." },
	{ "GET", "/runs", SCOPE_PUBLIC, BODY_NONE, "state before", "run_list", NULL, get_runs,
	  "The runs, newest first; in one state." },
	{ "GET", "/run/*", SCOPE_PUBLIC, BODY_NONE, "file", "run", NULL, get_run,
	  "A run, with the end of its log or of the given file." },
	{ "GET", "/run/*/reproduce.sh", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_reproduce,
	  "A script that does the run again." },
	{ "GET", "/run/*/file/**", SCOPE_PUBLIC, BODY_NONE, "tail", NULL, NULL, get_run_file,
	  "A file of a run, raw; a Range, or the last `tail` bytes." },
	{ "GET", "/machines", SCOPE_PUBLIC, BODY_NONE, "", "machines", NULL, get_machines,
	  "The machines." },
	{ "GET", "/machine/*", SCOPE_PUBLIC, BODY_NONE, "", "machine", NULL, get_machine,
	  "A machine: what it does, and the epochs of its environment." },
	{ "GET", "/mail", SCOPE_PUBLIC, BODY_NONE, "before", "mails", NULL, get_mails,
	  "The mails, newest first, with those that were held back." },
	{ "GET", "/mail/*", SCOPE_PUBLIC, BODY_NONE, "format", "mail", NULL, get_mail,
	  "A mail exactly as it is; format=eml: its bytes." },
	{ "GET", "/calibration", SCOPE_PUBLIC, BODY_NONE, "", "calibration", NULL, get_calibration,
	  "How often a commit differs from itself: the rates of false alarms." },
	{ "GET", "/repositories", SCOPE_PUBLIC, BODY_NONE, "",
	  "repositories", NULL, get_repositories,
	  "What is watched, and how it went." },

	/* the same documents for programs */
	{ "GET", "/api/v1/status", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_status,
	  "As /." },
	{ "GET", "/api/v1/series", SCOPE_PUBLIC, BODY_NONE, "tree state before",
	  NULL, NULL, get_series_list,
	  "As /series." },
	{ "GET", "/api/v1/series/*", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_series,
	  "As /series/ID." },
	{ "GET", "/api/v1/series/*/cumulative", SCOPE_PUBLIC, BODY_NONE, "cell show", NULL, NULL,
	  get_cumulative,
	  "As /series/ID/cumulative, a view of each cell." },
	{ "GET", "/api/v1/series/*/versions", SCOPE_PUBLIC, BODY_NONE, "against", NULL, NULL,
	  get_versions,
	  "As /series/ID/versions, a view of each cell." },
	{ "GET", "/api/v1/commits/*", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_commit,
	  "As /commit/SHA." },
	{ "GET", "/api/v1/compare", SCOPE_PUBLIC, BODY_NONE, "base head cell show",
	  NULL, NULL, get_compare,
	  "As /compare." },
	{ "GET", "/api/v1/bisections", SCOPE_PUBLIC, BODY_NONE, "state before", NULL, NULL,
	  get_bisections,
	  "As /bisect." },
	{ "GET", "/api/v1/bisections/*", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_bisection,
	  "As /bisect/ID." },
	{ "GET", "/api/v1/runs", SCOPE_PUBLIC, BODY_NONE, "state before", NULL, NULL, get_runs,
	  "As /runs." },
	{ "GET", "/api/v1/runs/*", SCOPE_PUBLIC, BODY_NONE, "file", NULL, NULL, get_run,
	  "As /run/ID." },
	{ "GET", "/api/v1/machines", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_machines,
	  "As /machines." },
	{ "GET", "/api/v1/machines/*", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_machine,
	  "As /machine/NAME." },
	{ "GET", "/api/v1/mails", SCOPE_PUBLIC, BODY_NONE, "before", NULL, NULL, get_mails,
	  "As /mail." },
	{ "GET", "/api/v1/mails/*", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_mail,
	  "As /mail/ID." },
	{ "GET", "/api/v1/calibration", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_calibration,
	  "As /calibration." },
	{ "GET", "/api/v1/repositories", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_repositories,
	  "As /repositories." },

	/* for whoever watches the daemon */
	{ "GET", "/healthz", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_alive,
	  "200 \"ok\" while the process serves." },
	{ "GET", "/readyz", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_ready,
	  "200 where database and disk do their work, else 503 with what does not." },
	{ "GET", "/version", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_version,
	  "Version of the program, of its schema and of the worker's protocol." },
	{ "GET", "/static/style.css", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_static,
	  "The style of all pages." },
	{ "GET", "/static/icon.svg", SCOPE_PUBLIC, BODY_NONE, "", NULL, NULL, get_static,
	  "The icon in the browser's tab." },

	/* for operators */
	{ "POST", "/api/v1/bisections/*/stop", SCOPE_ADMIN, BODY_JSON, "", NULL, NULL,
	  post_bisection,
	  "It is not looked for any more." },
	{ "POST", "/api/v1/bisections/*/invalidate", SCOPE_ADMIN, BODY_JSON, "", NULL, NULL,
	  post_bisection,
	  "What it said does not count." },
	{ "POST", "/api/v1/bisections/*/skip", SCOPE_ADMIN, BODY_JSON, "", NULL, NULL,
	  post_bisection,
	  "A `commit` between its ends is not asked for again." },
	{ "POST", "/api/v1/bisections/*/culprit", SCOPE_ADMIN, BODY_JSON, "", NULL, NULL,
	  post_bisection,
	  "It is this `commit`, an operator says." },
	{ "POST", "/api/v1/bisections/*/narrow", SCOPE_ADMIN, BODY_JSON, "", NULL, NULL,
	  post_bisection,
	  "It goes on with so many more `runs`, between commits `from` and `to`." },

	/* for workers: lib/proto and docs/protocol.md */
	{ "POST", "/api/v1/worker/join", SCOPE_WORKER, BODY_JSON, "", NULL, NULL, post_join,
	  "A machine says who it is." },
	{ "POST", "/api/v1/worker/lease", SCOPE_WORKER, BODY_JSON, "", NULL, NULL, post_lease,
	  "Work for a machine; held for up to 25 s while there is none, then 204." },
	{ "POST", "/api/v1/lease/*/beat", SCOPE_WORKER, BODY_JSON, "", NULL, NULL, post_beat,
	  "Keeps a lease alive." },
	{ "POST", "/api/v1/lease/*/finish", SCOPE_WORKER, BODY_JSON, "", NULL, NULL, post_finish,
	  "Ends a lease with the outcome of its run." },
	{ "PUT", "/api/v1/lease/*/file/**", SCOPE_WORKER, BODY_FILE, "", NULL, admit_file, put_file,
	  "Stores a file of the run; resumable." },
	{ "HEAD", "/api/v1/lease/*/file/**", SCOPE_WORKER, BODY_NONE, "", NULL, NULL, head_file,
	  "How much of a file has arrived." },
	{ "GET", "/api/v1/repos/*/pack", SCOPE_WORKER, BODY_NONE, "want have", NULL, NULL, get_pack,
	  "A planned commit as a git pack, less what the `have`s hold." },
};
/* clang-format on */

const size_t nr_routes = countof(routes);

/* The next part of a path or pattern; moves *at behind it.  False: there is none. */
static bool next_part(const char **at, const char **ret_part, size_t *ret_length)
{
	if (**at != '/') {
		return false;
	}
	*ret_part = *at + 1;
	*ret_length = strcspn(*ret_part, "/");
	*at = *ret_part + *ret_length;
	return true;
}

/* Takes a variable part, decoded. */
static bool take_part(struct request *request, const char *part, size_t length, size_t *nr_parts,
		      struct err *err)
{
	const char *encoded = arena_strndup(request->arena, part, length);

	assert(*nr_parts < MAX_PARTS);
	return request_decode(request->arena, encoded, &request->parts[(*nr_parts)++], err);
}

/* *ret_matches; false only where an escape in a variable part is broken. */
static bool match(struct request *request, const char *pattern, const char *path, bool *ret_matches,
		  struct err *err)
{
	const char *want;
	const char *part;
	size_t want_length;
	size_t length;
	size_t nr_parts = 0;

	*ret_matches = false;
	while (next_part(&pattern, &want, &want_length)) {
		if (!next_part(&path, &part, &length)) {
			return true;
		}
		if (strcmp(want, "**") == 0) { /* the rest, whatever its slashes */
			*ret_matches = *part != '\0';
			return take_part(request, part, strlen(part), &nr_parts, err);
		}
		if (want_length == 1 && *want == '*') {
			if (length == 0) {
				return true;
			}
			if (!take_part(request, part, length, &nr_parts, err)) {
				return false;
			}
		} else if (length != want_length || memcmp(part, want, length) != 0) {
			return true;
		}
	}
	*ret_matches = *path == '\0';
	return true;
}

static bool is_method(const struct route *route, const char *method)
{
	return strcmp(route->method, method) == 0 ||
	       (strcmp(method, "HEAD") == 0 && strcmp(route->method, "GET") == 0);
}

bool route_find(struct request *request, const char *path, const char **ret_allowed,
		struct err *err)
{
	scoped(str_release) struct str allowed = STR_INIT;

	for (size_t i = 0; i < nr_routes; i++) {
		bool matches;

		if (!match(request, routes[i].pattern, path, &matches, err)) {
			return false;
		}
		if (matches && is_method(&routes[i], request->method)) {
			request->route = &routes[i];
			return true;
		}
		if (matches) {
			str_printf(&allowed, "%s%s", allowed.length ? ", " : "", routes[i].method);
		}
	}
	if (allowed.length) {
		*ret_allowed = arena_strdup(request->arena, allowed.at);
		return err_set(err, ERR_DENIED, "'%.20s' cannot be done here, only %s",
			       request->method, allowed.at);
	}
	return err_set(err, ERR_ABSENT, "there is no page '%.200s'", request->path);
}

bool is_route_listing(const struct route *route, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = route->query; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == length && memcmp(at, name, length) == 0) {
			return true;
		}
		at += word;
	}
	return false;
}

bool is_route_parameter(const struct route *route, const char *name)
{
	return (route->template && strcmp(name, "format") == 0) || is_route_listing(route, name);
}
