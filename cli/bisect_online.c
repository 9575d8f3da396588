/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patchmeter bisect ls, show, skip, stop, invalidate, culprit, narrow - the bisections of a daemon.
 */
#include <pwd.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "show.h"

#define RUNS 40

/* What an operator says; the API is in docs/api.md. */
static const struct order {
	const char *verb;
	const char *members[2]; /* of the body, for the operands behind the number */
	bool is_optional;       /* all of them or none */
	bool has_runs;
	const char *operands;
} orders[] = {
	{ "bisect stop", { NULL }, false, false, "the number of a bisection" },
	{ "bisect invalidate", { NULL }, false, false, "the number of a bisection" },
	{ "bisect skip", { "commit" }, false, false, "the number of a bisection and a commit" },
	{ "bisect culprit", { "commit" }, false, false, "the number of a bisection and a commit" },
	{ "bisect narrow",
	  { "from", "to" },
	  true,
	  true,
	  "the number of a bisection, and two commits or none" },
};

/* "7" or "bisection:7"; NULL: neither. */
static const char *read_id(const char *word)
{
	static const char prefix[] = "bisection:";
	const char *id = word + (str_has_prefix(word, prefix) ? strlen(prefix) : 0);
	int64_t number;

	return str_to_int(id, 1, INT64_MAX, &number, NULL) ? id : NULL;
}

static int ls(struct call *call)
{
	scoped(online_release) struct online online = { 0 };
	struct show_filter filter = { 0 };
	const struct option_row rows[] = {
		{ "state", 0, "STATE", "only in this state", OPTION_TEXT, &filter.state },
		{ "before", 0, "N", "older ones than this", OPTION_TEXT, &filter.before },
	};
	int exit_code;

	if (!online_options(call, &online, rows, countof(rows), &exit_code)) {
		return exit_code;
	}
	if (call->argc != 1) {
		return call_usage(call, "expected no operand");
	}
	return show_list(call, &online, thing_find(lists, nr_lists, "bisections"), &filter);
}

static int show(struct call *call)
{
	scoped(online_release) struct online online = { 0 };
	const char *id = NULL;
	int exit_code;

	if (!online_options(call, &online, NULL, 0, &exit_code)) {
		return exit_code;
	}
	id = call->argc == 2 ? read_id(call->argv[1]) : NULL;
	if (!id) {
		return call_usage(call, "expected the number of a bisection");
	}
	return show_thing(call, &online, thing_find(things, nr_things, "bisection"), id, NULL);
}

/* Who says it: the person, as this machine calls him. */
static struct json *body_of(const char *why)
{
	const struct passwd *entry = getpwuid(getuid());
	struct json *body = json_new_object();
	scoped(free) char *number = mem_printf("uid %u", getuid());

	json_put_text(body, "who", entry ? entry->pw_name : number);
	json_put_text(body, "why", why);
	return body;
}

/* False: there are more or fewer. */
static bool put_operands(const struct order *order, const struct call *call, struct json *body)
{
	int nr = (order->members[0] != NULL) + (order->members[1] != NULL);
	int nr_given = call->argc - 2;

	if (nr_given != nr && !(order->is_optional && nr_given == 0)) {
		return false;
	}
	for (int i = 0; i < nr_given; i++) {
		json_put_text(body, order->members[i], call->argv[2 + i]);
	}
	return true;
}

static bool post(struct online *online, const char *path, const struct json *body, struct err *err)
{
	const struct client_request request = { .method = "POST", .path = path, .body = body };
	scoped(str_release) struct str text = STR_INIT;
	scoped(json_free) struct json *document = NULL;

	if (!online_open(online, err) || !client_text(online->client, &request, &text, err)) {
		return false;
	}
	if (online->is_json) {
		screen_print(&online->screen, text.at, text.length);
		return true;
	}
	if (!json_parse("answer", text.at, text.length, &document, err)) {
		err->kind = ERR_REMOTE;
		return err_wrap(err, "POST %s", path);
	}
	str_truncate(&text, 0);
	str_printf(&text, "bisection %" PRId64 " is %s", json_int(json_get(document, "id"), 0),
		   json_text(json_get(document, "state")));
	screen_line(&online->screen, TONE_PLAIN, text.at, text.length);
	return true;
}

static int give(struct call *call, const struct order *order)
{
	scoped(online_release) struct online online = { .is_operator = true };
	const char *why = "no reason given";
	int64_t runs = RUNS;
	const struct option_row rows[] = {
		{ "why", 0, "TEXT", "one line for its history (no reason given)", OPTION_TEXT,
		  &why },
		{ "runs", 0, "N", "so many more in its budget (40)", OPTION_INT, &runs },
	};
	scoped(json_free) struct json *body = NULL;
	scoped(free) char *path = NULL;
	struct err err = ERR_INIT;
	const char *id;
	int exit_code;

	if (!online_options(call, &online, rows, order->has_runs ? 2 : 1, &exit_code)) {
		return exit_code;
	}
	body = body_of(why);
	id = call->argc > 1 ? read_id(call->argv[1]) : NULL;
	if (!id || !put_operands(order, call, body)) {
		return call_usage(call, "expected %s", order->operands);
	}
	if (order->has_runs) {
		json_put_int(body, "runs", runs);
	}
	path = mem_printf("/api/v1/bisections/%s/%s", id, strchr(order->verb, ' ') + 1);
	return post(&online, path, body, &err) ? EXIT_DONE : online_fail(call, &err);
}

int verb_bisect_online(struct call *call)
{
	for (size_t i = 0; i < countof(orders); i++) {
		if (strcmp(orders[i].verb, call->verb->name) == 0) {
			return give(call, &orders[i]);
		}
	}
	return strcmp(call->verb->name, "bisect ls") == 0 ? ls(call) : show(call);
}
