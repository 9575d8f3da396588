/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mails of mail/: a comparison and facts in, subject and body out, written by hand.  And what no
 * input may do to one.  C20 and C22: cases of data/practice-cases.tsv in the shared material.
 */
#include "tests/t.h"

#include "lib/base/mem.h"
#include "lib/report/mail.h"
#include "lib/report/view.h"

static struct json *read_json(const char *name)
{
	scoped(free) char *file = mem_printf("tests/golden/mail/%s", name);
	scoped(free) char *path = t_source(file);
	struct json *json = NULL;
	struct err err = ERR_INIT;

	CHECK_DONE(json_read_file(path, 1 << 20, &json, &err), &err);
	return json;
}

static void check_mail(const char *name, const struct view *view, const struct json *facts)
{
	scoped(free) char *file = mem_printf("tests/golden/mail/%s.txt", name);
	scoped(free) char *path = t_source(file);
	scoped(str_release) struct str expected = STR_INIT;
	scoped(str_release) struct str mail = STR_INIT;
	struct err err = ERR_INIT;

	str_append(&mail, "Subject: ");
	mail_subject(view, facts, &mail);
	str_append(&mail, "\n\n");
	mail_body(view, facts, &mail);
	if (CHECK_DONE(str_read_file(&expected, path, 1 << 20, &err), &err)) {
		CHECK_TEXT(mail.at, expected.at);
	}
}

static void reports_a_regression(void)
{
	scoped(json_free) struct json *document = read_json("regression.view.json");
	scoped(view_free) struct view *view = NULL;
	scoped(json_free) struct json *facts = read_json("regression.facts.json");
	struct err err = ERR_INIT;

	if (CHECK_DONE(view_read(document, &view, &err), &err)) {
		check_mail("regression", view, facts);
	}
}

static void reports_a_broken_build(void)
{
	scoped(json_free) struct json *facts = read_json("build.facts.json");

	check_mail("build", NULL, facts);
}

/* The guide's example is this mail, but for blanks at line ends. */
static void is_in_the_guide(void)
{
	scoped(free) char *guide_path = t_source("docs/reading-a-report.md");
	scoped(free) char *mail_path = t_source("tests/golden/mail/regression.txt");
	scoped(str_release) struct str guide = STR_INIT;
	scoped(str_release) struct str mail = STR_INIT;
	const char *example;
	const char *body;
	struct err err = ERR_INIT;

	if (!CHECK_DONE(str_read_file(&guide, guide_path, 1 << 20, &err), &err) ||
	    !CHECK_DONE(str_read_file(&mail, mail_path, 1 << 20, &err), &err)) {
		return;
	}
	example = strstr(guide.at, "```\nregression: ");
	body = strstr(mail.at, "\nregression: ");
	if (!CHECK(example != NULL) || !CHECK(body != NULL)) {
		return;
	}
	body++;
	for (example += 4; strncmp(example, "```", 3) != 0; example++) {
		body += *example == '\n' ? strspn(body, " ") : 0;
		if (!CHECK(*example == *body)) {
			return;
		}
		body++;
	}
}

/* What every body keeps, whatever went in. */
static void check_shape(const char *body)
{
	size_t length = strlen(body);
	const char *end = body + length;

	CHECK(length <= MAIL_MAX_BYTES);
	CHECK(length > 0 && end[-1] == '\n');
	for (const char *at = body; at < end;) {
		size_t line = strcspn(at, "\n");

		CHECK(line <= MAIL_MAX_LINE_BYTES);
		at += line + 1;
	}
	for (const char *at = body; at < end;) {
		uint32_t code = 0;
		size_t size = str_decode(at, (size_t)(end - at), &code);

		if (!CHECK(size > 0) || !CHECK(code >= 0x20 || code == '\n' || code == '\t')) {
			return;
		}
		at += size;
	}
	CHECK(strstr(body, "\n-- \n") != NULL);
}

/* A text of `length` bytes of markup, escapes, line ends and what is not UTF-8. */
static char *hostile(size_t length)
{
	static const char pattern[] =
		"\x1b[31m\n-- \nReported-by: x <x@example.org>\n\xff\xfe{{{first}}}"
		"<script>\xe2\x80\xae\xc3\xa9\xe2\x80\xac";
	char *text = mem_alloc(length + 1);

	for (size_t i = 0; i < length; i++) {
		text[i] = pattern[i % (sizeof(pattern) - 1)];
	}
	return text;
}

/* Every text of the facts and of the view is a megabyte of the worst. */
static void poison(struct json *value, const char *text)
{
	for (size_t i = 0; json_kind(value) == KIND_ARRAY && i < json_size(value); i++) {
		poison(json_at(value, i), text);
	}
	for (void *it = json_first(value); it; it = json_next(value, it)) {
		static const char *const fixed[] = { "verdict", "class", "better", "commit" };
		const char *name = json_member_name(it);
		bool is_fixed = false;

		for (size_t i = 0; i < countof(fixed); i++) {
			is_fixed = is_fixed || strcmp(name, fixed[i]) == 0;
		}
		if (json_kind(json_member_value(it)) != KIND_TEXT) {
			poison(json_member_value(it), text);
		} else if (!is_fixed) {
			json_put_text(value, name, text);
		}
	}
}

static void survives_hostile_text(void)
{
	scoped(json_free) struct json *document = read_json("regression.view.json");
	scoped(view_free) struct view *view = NULL;
	scoped(json_free) struct json *facts = read_json("regression.facts.json");
	scoped(free) char *text = hostile(1 << 20);
	scoped(str_release) struct str body = STR_INIT;
	scoped(str_release) struct str subject = STR_INIT;
	struct err err = ERR_INIT;

	poison(document, text);
	poison(facts, text);
	if (!CHECK_DONE(view_read(document, &view, &err), &err)) {
		return;
	}
	mail_body(view, facts, &body);
	check_shape(body.at);
	CHECK(strstr(body.at, "\nReported-by:") == NULL);
	CHECK(strstr(body.at, "{{{first}}}") != NULL);
	mail_subject(view, facts, &subject);
	CHECK(strchr(subject.at, '\n') == NULL);
	CHECK(subject.length < MAIL_MAX_LINE_BYTES);
}

/* More rows, columns, parameters and commits than a mail can hold. */
static void survives_size(void)
{
	scoped(json_free) struct json *document = read_json("regression.view.json");
	scoped(view_free) struct view *view = NULL;
	scoped(json_free) struct json *facts = read_json("regression.facts.json");
	scoped(str_release) struct str body = STR_INIT;
	struct json *rows = json_get(json_at(json_get(document, "groups"), 0), "rows");
	struct json *commits = json_get(json_get(facts, "stack"), "commits");
	struct err err = ERR_INIT;

	for (int i = 0; i < 3000; i++) {
		json_append(rows, json_clone(json_at(rows, 0)));
		json_append(commits, json_clone(json_at(commits, 0)));
		json_append(json_get(document, "groups"),
			    json_clone(json_at(json_get(document, "groups"), 1)));
	}
	if (!CHECK_DONE(view_read(document, &view, &err), &err)) {
		return;
	}
	mail_body(view, facts, &body);
	check_shape(body.at);
	CHECK(strstr(body.at, "\n2986 more rows changed: https://robot.example.org/report/31\n") !=
	      NULL);
	CHECK(strstr(body.at, "\n  and 2983 more headlines and failures\n") != NULL);
	CHECK(strstr(body.at, "\n3001 more sets of parameters changed.\n") != NULL);
	CHECK(strstr(body.at, "\n  and 2964 more\n") != NULL);
}

/* A build log of 40 MB: the lines around its first error, and the number of that line. */
static void shows_the_error_of_a_log(void)
{
	scoped(str_release) struct str log = STR_INIT;
	scoped(str_release) struct str out = STR_INIT;
	scoped(json_free) struct json *facts = read_json("build.facts.json");
	scoped(str_release) struct str body = STR_INIT;

	while (log.length < (20 << 20)) {
		str_append(&log, "  CC      drivers/some/where/object.o\n");
	}
	str_append(&log, "mm/batch.c:3:1: error: expected ';'\r\n");
	while (log.length < (40 << 20)) {
		str_append(&log, "  LD      vmlinux.o: error: also\n");
	}
	CHECK_INT(mail_excerpt(log.at, log.length, &out), (20 << 20) / 38 + 2);
	CHECK(strncmp(out.at, "  CC ", 5) == 0);
	CHECK(strstr(out.at, "mm/batch.c:3:1: error: expected ';'\n") != NULL);
	CHECK(out.length < 1800);
	json_put_text(json_get(facts, "log"), "excerpt", log.at);
	mail_body(NULL, facts, &body);
	check_shape(body.at);
	CHECK(strstr(body.at, "https://robot.example.org/run/7/log?line=2") != NULL);
}

static void shows_the_end_of_a_log(void)
{
	scoped(str_release) struct str log = STR_INIT;
	scoped(str_release) struct str out = STR_INIT;

	CHECK_INT(mail_excerpt("", 0, &out), 0);
	CHECK_TEXT(out.at, "");
	for (int i = 1; i <= 100; i++) {
		str_printf(&log, "line %d\n", i);
	}
	CHECK_INT(mail_excerpt(log.at, log.length, &out), 0);
	CHECK(strncmp(out.at, "line 71\n", 8) == 0);
	CHECK(strstr(out.at, "line 100\n") != NULL);
}

/* Bytes that are not UTF-8 and a line of 5000 characters, in an excerpt and in a subject. */
static void survives_foreign_bytes(void)
{
	scoped(json_free) struct json *facts = read_json("build.facts.json");
	scoped(str_release) struct str log = STR_INIT;
	scoped(str_release) struct str excerpt = STR_INIT;
	scoped(str_release) struct str body = STR_INIT;

	str_append(&log, "+\xff\xfe error: bytes\n");
	for (int i = 0; i < 5000; i++) {
		str_append_char(&log, 'x');
	}
	CHECK_INT(mail_excerpt(log.at, log.length, &excerpt), 1);
	json_put(json_get(facts, "log"), "excerpt",
		 json_new_text_bytes(excerpt.at, excerpt.length));
	json_put(json_get(facts, "commit"), "subject", json_new_text_bytes(log.at, log.length));
	mail_body(NULL, facts, &body);
	check_shape(body.at);
	CHECK(strstr(body.at, "  +\xef\xbf\xbd\xef\xbf\xbd error: bytes\n  xxx") != NULL);
}

static void needs_nothing(void)
{
	scoped(json_free) struct json *facts = json_new_object();
	scoped(str_release) struct str body = STR_INIT;
	scoped(str_release) struct str subject = STR_INIT;

	mail_body(NULL, facts, &body);
	check_shape(body.at);
	mail_subject(NULL, facts, &subject);
	CHECK_TEXT(subject.at, "[patch] no regression");
}

static const struct t_case cases[] = {
	{ "a regression is reported in the order of the contract", reports_a_regression },
	{ "a broken build is reported with the lines that say why", reports_a_broken_build },
	{ "the guide shows this very mail", is_in_the_guide },
	{ "hostile text stays on its line, clean and short", survives_hostile_text },
	{ "a mail is 40 kB at most and says what it leaves out", survives_size },
	{ "C20: of a log of 40 MB the lines around the first error are shown",
	  shows_the_error_of_a_log },
	{ "of a log without an error the end is shown", shows_the_end_of_a_log },
	{ "C22: bytes that are not UTF-8 and long lines leave as valid text",
	  survives_foreign_bytes },
	{ "a mail without a single fact is still a mail", needs_nothing },
};

T_MAIN(cases)
