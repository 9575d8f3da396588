/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script that does a run again on the reader's own machine.  The words are in
 * web/templates/reproduce.txt; here is what it needs, quoted for a shell.
 */
#include "lib/text/template_set.h"
#include "page.h"
#include "web/handlers.h"

static char *quote(const char *text)
{
	struct str quoted = STR_INIT;

	str_append_quoted(&quoted, text);
	return str_detach(&quoted);
}

static void put_quoted(struct json *object, const char *name, const char *text)
{
	scoped(free) char *quoted = text ? quote(text) : NULL;

	json_put_text(object, name, quoted);
}

static bool is_share(const char *value)
{
	size_t digits = strspn(value, "0123456789.");

	return digits > 0 && strcmp(value + digits, "%") == 0;
}

static bool is_variable(const char *name)
{
	return *name &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
		       strlen(name);
}

/* A percentage is a share of the reader's processors; the values of a sweep stand side by side. */
static void add_word(struct str *words, const char *value)
{
	scoped(free) char *quoted = quote(value);

	str_printf(words, is_share(value) ? "%s\"$(share %s)\"" : "%s%s",
		   words->length ? "' '" : "", quoted);
}

static struct json *params_of(const struct json *document)
{
	const struct json *params = json_get(document, "params");
	struct json *list = json_new_array();

	for (void *it = json_first(params); it; it = json_next(params, it)) {
		scoped(str_release) struct str words = STR_INIT;
		struct json *value = json_member_value(it);
		struct json *param;

		if (!is_variable(json_member_name(it))) {
			continue;
		}
		for (size_t i = 0; i < json_size(value); i++) {
			add_word(&words, json_text(json_at(value, i)));
		}
		if (json_text(value)) {
			add_word(&words, json_text(value));
		}
		param = json_new_object();
		json_put_text(param, "name", json_member_name(it));
		json_put_text(param, "words", words.length ? words.at : "''");
		json_append(list, param);
	}
	return list;
}

static struct json *quoted_list(const struct json *texts)
{
	struct json *list = json_new_array();

	for (size_t i = 0; i < json_size(texts); i++) {
		const char *text = json_text(json_at(texts, i));
		scoped(free) char *quoted = quote(text ? text : "");

		json_append(list, json_new_text(quoted));
	}
	return list;
}

static struct json *script_of(const struct request *request, const struct json *document)
{
	static const char *const steps[] = { "build", "setup", "run", "teardown" };
	const struct json *recipe = json_get(document, "recipe");
	const char *host = request_header(request, "Host");
	struct json *script = json_new_object();

	json_put_int(script, "run", json_int(json_get(document, "run"), 0));
	json_put_text(script, "host", host ? host : "the robot");
	json_put_text(script, "benchmark", json_text(json_get(document, "benchmark")));
	json_put_text(script, "subject", json_text(json_get(document, "subject")));
	json_put_text(script, "commit", json_text(json_get(document, "commit")));
	json_put_bool(script, "is_build",
		      strcmp(json_text(json_get(document, "kind")), "build") == 0);
	put_quoted(script, "address", json_text(json_get(document, "address")));
	put_quoted(script, "ref", json_text(json_get(document, "ref")));
	json_put(script, "params", params_of(document));
	for (size_t i = 0; i < countof(steps); i++) {
		scoped(free) char *name = mem_printf("%s_text", steps[i]);

		put_quoted(script, name, json_text(json_get(recipe, steps[i])));
	}
	json_put_int(script, "warmup", json_int(json_get(recipe, "warmup"), 0));
	json_put_int(script, "repeat", json_int(json_get(recipe, "repeat"), 1));
	json_put(script, "commands", quoted_list(json_get(json_get(recipe, "needs"), "commands")));
	return script;
}

bool get_reproduce(struct request *request, struct reply *reply, struct err *err)
{
	scoped(json_free) struct json *document = NULL;
	scoped(json_free) struct json *script = NULL;
	scoped(str_release) struct str text = STR_INIT;
	const struct template_set *pages = request->site->pages;
	int64_t id;

	if (!request_id(request, 0, &id, err) ||
	    !page_query(request, Q_RUN_RECIPE, ARGS(arg_int(id)), &document, err)) {
		return false;
	}
	script = script_of(request, document);
	if (!template_render(template_set_get(pages, "reproduce"), pages, script, &text, err)) {
		return false;
	}
	reply_bytes(reply, "text/x-shellscript; charset=utf-8", &text);
	reply_header(request, reply, "Content-Disposition",
		     "attachment; filename=\"reproduce-%" PRId64 ".sh\"", id);
	return true;
}
