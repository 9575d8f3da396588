/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The official Mustache specification (data/mustache-spec of the shared material), a file a case.
 */
#include "tests/t.h"

#include "lib/base/mem.h"
#include "lib/text/template.h"
#include "lib/text/template_set.h"

static bool add_partials(struct template_set *set, const struct json *partials, struct err *err)
{
	for (void *it = json_first(partials); it; it = json_next(partials, it)) {
		const char *text = json_text(json_member_value(it));

		if (!template_set_add(set, json_member_name(it), text, strlen(text),
				      TEMPLATE_STANDARD, err)) {
			return false;
		}
	}
	return true;
}

static void run_example(const struct json *example)
{
	scoped(template_set_free) struct template_set *set = template_set_new();
	scoped(template_free) struct template *template = NULL;
	scoped(str_release) struct str out = STR_INIT;
	const char *name = json_text(json_get(example, "name"));
	const char *text = json_text(json_get(example, "template"));
	struct err err = ERR_INIT;

	if (!t_check_done(__FILE__, __LINE__, name,
			  add_partials(set, json_get(example, "partials"), &err), &err) ||
	    !t_check_done(__FILE__, __LINE__, name,
			  template_parse("example", text, strlen(text), TEMPLATE_STANDARD,
					 &template, &err),
			  &err)) {
		return;
	}
	t_check_done(__FILE__, __LINE__, name,
		     template_render(template, set, json_get(example, "data"), &out, &err), &err);
	t_check_text(__FILE__, __LINE__, name, out.at, json_text(json_get(example, "expected")));
}

static void run_file(const char *file, size_t nr_examples)
{
	scoped(free) char *name = mem_printf("data/mustache-spec/%s.json", file);
	scoped(free) char *path = t_shared(name);
	scoped(json_free) struct json *spec = NULL;
	const struct json *examples;
	struct err err = ERR_INIT;

	if (!path) {
		T_SKIP("no %s beside the checkout", name);
	}
	if (!CHECK_DONE(json_read_file(path, 1 << 20, &spec, &err), &err)) {
		return;
	}
	examples = json_get(spec, "tests");
	CHECK_INT(json_size(examples), nr_examples);
	for (size_t i = 0; i < json_size(examples); i++) {
		run_example(json_at(examples, i));
	}
}

static void comments(void)
{
	run_file("comments", 12);
}

static void delimiters(void)
{
	run_file("delimiters", 14);
}

static void interpolation(void)
{
	run_file("interpolation", 42);
}

static void inverted(void)
{
	run_file("inverted", 22);
}

static void partials(void)
{
	run_file("partials", 12);
}

static void sections(void)
{
	run_file("sections", 34);
}

static const struct t_case cases[] = {
	{ "comments are as specified", comments },
	{ "set delimiters are as specified", delimiters },
	{ "interpolation is as specified", interpolation },
	{ "inverted sections are as specified", inverted },
	{ "partials are as specified", partials },
	{ "sections are as specified", sections },
};

T_MAIN(cases)
