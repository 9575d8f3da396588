/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mail.h"

#include "finding.h"
#include "lib/base/mem.h"
#include "lib/text/template_set.h"
#include "lib/text/width.h"
#include "lkp.h"

/* templates/ of this folder, compiled in. */
extern const struct template_file mail_templates[];
extern const size_t nr_mail_templates;

#define MAX_LINES         20 /* a line a headline */
#define MAX_OTHERS        5  /* tables of other parameters */
#define MAX_ELEMENTS      40 /* of a list of facts: the stack, the parameters */
#define MAX_EXCERPT_BYTES 8000
#define STACK_DIGITS      12
#define PROSE_WIDTH       72

/* Lines without the line ends after the last one. */
static struct json *lines_json(const struct str *lines)
{
	size_t length = lines->length;

	while (length > 0 && lines->at[length - 1] == '\n') {
		length--;
	}
	return json_new_text_bytes(lines->at, length);
}

/* facts: a clean and bounded copy */

static struct json *clean_copy(const struct json *value, int levels);

static struct json *clean_text(const char *text)
{
	scoped(str_release) struct str clean = STR_INIT;

	str_append_clean(&clean, text, strlen(text), false, VIEW_MAX_TEXT_BYTES);
	return json_new_text_bytes(clean.at, clean.length);
}

static struct json *clean_object(const struct json *object, int levels)
{
	struct json *copy = json_new_object();

	for (void *it = json_first(object); it; it = json_next(object, it)) {
		json_put(copy, json_member_name(it), clean_copy(json_member_value(it), levels - 1));
	}
	return copy;
}

static struct json *clean_array(const struct json *array, int levels)
{
	struct json *copy = json_new_array();

	for (size_t i = 0; i < json_size(array) && i < MAX_ELEMENTS; i++) {
		json_append(copy, clean_copy(json_at(array, i), levels - 1));
	}
	return copy;
}

static struct json *clean_copy(const struct json *value, int levels)
{
	if (json_kind(value) == KIND_TEXT) {
		return clean_text(json_text(value));
	}
	if (json_kind(value) == KIND_OBJECT) {
		return levels > 0 ? clean_object(value, levels) : json_new_null();
	}
	if (json_kind(value) == KIND_ARRAY) {
		return levels > 0 ? clean_array(value, levels) : json_new_null();
	}
	return value ? json_clone(value) : json_new_null();
}

/* Set off by blanks, so that no line of a log can pass for a tag or for the signature. */
static void finish_log(struct json *document, const struct json *facts)
{
	const char *at = json_text(json_get(json_get(facts, "log"), "excerpt"));
	scoped(str_release) struct str lines = STR_INIT;

	if (!at) {
		return;
	}
	while (*at && lines.length < MAX_EXCERPT_BYTES) {
		size_t length = strcspn(at, "\n");

		str_append(&lines, "  ");
		str_append_clean(&lines, at, length, true, MAX_EXCERPT_BYTES - lines.length);
		str_append_char(&lines, '\n');
		at += length + (at[length] == '\n');
	}
	json_put(json_get(document, "log"), "excerpt", lines_json(&lines));
}

static void finish_stack(struct json *document, const struct json *facts)
{
	const struct json *all = json_get(json_get(facts, "stack"), "commits");
	struct json *stack = json_get(document, "stack");
	const struct json *commits = json_get(stack, "commits");

	for (size_t i = 0; i < json_size(commits); i++) {
		const char *id = json_text(json_get(json_at(commits, i), "id"));

		if (id) {
			scoped(free) char *digits = mem_strndup(id, strnlen(id, STACK_DIGITS));

			json_put_text(json_at(commits, i), "id", digits);
		}
	}
	if (json_size(all) > json_size(commits)) {
		json_put_int(stack, "nr_left_out", (int64_t)(json_size(all) - json_size(commits)));
	}
}

/* The address that this mail can be found under, for Closes: */
static void put_closes(struct json *document)
{
	const char *archive = json_text(json_get(document, "archive"));
	const char *id = json_text(json_get(document, "message_id"));
	const char *address = json_text(json_get(json_get(document, "robot"), "address"));

	if (archive && id && address) {
		scoped(free) char *closes =
			mem_printf("%s%s%s", archive, str_has_suffix(archive, "/") ? "" : "/", id);

		json_put_text(document, "closes", closes);
	}
}

static struct json *document_of(const struct json *facts)
{
	struct json *document = clean_object(facts, 4);

	finish_log(document, facts);
	finish_stack(document, facts);
	put_closes(document);
	json_put_bool(document, "has_setup",
		      json_get(document, "benchmark") || json_get(document, "machine") ||
			      json_get(document, "parameters"));
	return document;
}

/* the comparison */

static void put_first(struct json *document, const struct view *view, const struct finding *finding)
{
	scoped(str_release) struct str text = STR_INIT;

	if (json_text(json_get(document, "first"))) {
		return;
	}
	if (finding) {
		str_printf(&text, "%s: ", finding_verdict(finding));
		finding_write(view, finding, &text);
	} else {
		str_append(&text, "no regression: ");
		view_summary_text(view, 0, &text);
	}
	json_put_text(document, "first", text.at);
}

static void put_count(struct json *document, const char *name, size_t nr)
{
	if (nr > 0) {
		json_put_int(document, name, (int64_t)nr);
	}
}

/* Why it was not decided, or what speaks for it. */
static void append_reason(const struct finding *line, struct str *out)
{
	const char *reason = line->row->changes[line->index].reason;

	if (reason) {
		str_append(out, " (");
		view_text(reason, out);
		str_append_char(out, ')');
	}
}

static bool is_told(const struct finding *line)
{
	return line->row->rates ? view_meaning(line->row, line->index) <= VIEW_BETTER
				: is_view_headline(line->row);
}

static void add_line(struct json *lines, const struct view *view, const struct finding *line)
{
	scoped(str_release) struct str text = STR_INIT;

	finding_write(view, line, &text);
	str_printf(&text, ": %s", finding_verdict(line));
	append_reason(line, &text);
	json_append(lines, json_new_text(text.at));
}

/* A line for each headline of a group, and later column; then for each failure that changed. */
static void put_lines(struct json *document, const struct view *view, size_t group)
{
	const struct view_group *from = &view->groups.at[group];
	size_t nr_changes = view->nr_columns - 1;
	struct json *lines = json_new_array();
	size_t nr = 0;

	for (size_t i = 0; i < (from->nr_rows + from->nr_failures) * nr_changes; i++) {
		size_t row = i / nr_changes;
		struct finding line = { .group = group,
					.row = row < from->nr_rows
						       ? &from->rows[row]
						       : &from->failures[row - from->nr_rows],
					.index = i % nr_changes };

		if (is_told(&line) && ++nr <= MAX_LINES) {
			add_line(lines, view, &line);
		}
	}
	json_put(document, "lines", lines);
	put_count(document, "nr_lines_left_out", nr > MAX_LINES ? nr - MAX_LINES : 0);
}

static void put_sums(struct json *document, const struct view *view)
{
	struct json *sums = json_new_array();

	for (size_t i = 1; i < view->nr_columns; i++) {
		scoped(str_release) struct str text = STR_INIT;
		scoped(str_release) struct str lines = STR_INIT;
		scoped(str_release) struct str name = STR_INIT;
		struct json *sum = json_new_object();

		view_summary_text(view, i - 1, &text);
		width_wrap(&lines, text.at, PROSE_WIDTH, "  ");
		json_put(sum, "text", lines_json(&lines));
		if (view->nr_columns > 2) {
			view_text(view->columns[i].name, &name);
			json_put_text(sum, "column", name.at);
		}
		json_append(sums, sum);
	}
	json_put(document, "sums", sums);
}

static bool has_change(const struct view *view, const struct view_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (view_has_changed(view, &rows[i])) {
			return true;
		}
	}
	return false;
}

static bool is_other(const struct view *view, const struct view_group *group)
{
	return has_change(view, group->failures, group->nr_failures) ||
	       has_change(view, group->rows, group->nr_rows);
}

/* The table of one group first, then those of the others in which something changed. */
static void put_tables(struct json *document, const struct view *view, size_t first)
{
	struct format_options options = { .limit_rows = MAIL_MAX_ROWS };
	scoped(str_release) struct str table = STR_INIT;
	struct json *others = json_new_array();
	size_t nr_left_out = 0;
	size_t nr_others_left_out = 0;

	options.limit_rows -= lkp_write_group(view, first, &options, &table, &nr_left_out);
	json_put(document, "table", lines_json(&table));
	put_count(document, "nr_rows_left_out", nr_left_out);
	for (size_t i = 0; i < view->groups.nr; i++) {
		if (i == first || !is_other(view, &view->groups.at[i])) {
			continue;
		}
		if (json_size(others) == MAX_OTHERS || options.limit_rows == 0) {
			nr_others_left_out++;
			continue;
		}
		str_truncate(&table, 0);
		options.limit_rows -= lkp_write_group(view, i, &options, &table, &nr_left_out);
		json_append(others, lines_json(&table));
	}
	json_put(document, "others", others);
	put_count(document, "nr_others_left_out", nr_others_left_out);
}

static void put_view(struct json *document, const struct view *view)
{
	struct finding finding = { 0 };
	bool is_found = finding_of(view, &finding);

	put_first(document, view, is_found ? &finding : NULL);
	if (view->groups.nr > 0) {
		put_tables(document, view, finding.group);
		put_lines(document, view, finding.group);
	}
	put_sums(document, view);
}

/* the text */

static void render(const char *name, const struct json *document, struct str *out)
{
	scoped(template_set_free) struct template_set *set = template_set_new();
	struct err err = ERR_INIT;

	if (!template_set_add_files(set, mail_templates, nr_mail_templates, &err) ||
	    !template_render(template_set_get(set, name), set, document, out, &err)) {
		bug("the templates of mails: %s", err.message);
	}
}

/* The start of the character that byte `at` belongs to. */
static size_t character_start(const char *text, size_t at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80) {
		at--;
	}
	return at;
}

/* Appends the text with no line longer than a mail may have, up to `limit_bytes` and then to the
 * end of the last whole line.  Gives whether all of it went in. */
static bool append_lines(struct str *out, const char *text, size_t limit_bytes)
{
	size_t end = out->length + limit_bytes;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length > MAIL_MAX_LINE_BYTES) {
			length = character_start(text, MAIL_MAX_LINE_BYTES);
		}
		if (out->length + length + 1 > end) {
			return false;
		}
		str_append_bytes(out, text, length);
		str_append_char(out, '\n');
		text += length + (text[length] == '\n');
	}
	return true;
}

void mail_body(const struct view *view, const struct json *facts, struct str *out)
{
	static const char cut[] = "\n[the rest is cut, see the links]\n";
	scoped(json_free) struct json *document = document_of(facts);
	scoped(str_release) struct str body = STR_INIT;
	scoped(str_release) struct str signature = STR_INIT;

	if (view) {
		put_view(document, view);
	}
	render("report", document, &body);
	render("signature", document, &signature);
	if (!append_lines(out, body.at, MAIL_MAX_BYTES - sizeof(cut) - signature.length)) {
		str_append(out, cut);
	}
	str_append_char(out, '\n');
	str_append(out, signature.at);
}

void mail_subject(const struct view *view, const struct json *facts, struct str *out)
{
	scoped(json_free) struct json *document = document_of(facts);
	const struct json *tree = json_get(document, "tree");
	const char *id = json_text(json_get(json_get(document, "commit"), "id"));
	struct finding finding;

	str_printf(out, "[%s", json_text(json_get(tree, "name")) ?: "patch");
	if (json_text(json_get(tree, "branch"))) {
		str_printf(out, ":%s", json_text(json_get(tree, "branch")));
	}
	str_append(out, "]");
	if (id) {
		str_printf(out, " %.*s:", STACK_DIGITS, id);
	}
	str_append_char(out, ' ');
	if (json_text(json_get(document, "first"))) {
		str_append(out, json_text(json_get(document, "first")));
	} else if (view && finding_of(view, &finding)) {
		finding_title(&finding, out);
	} else {
		str_append(out, "no regression");
	}
}
