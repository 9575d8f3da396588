/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "template_parts.h"

#include <stdarg.h>

#define MAX_NAME_BYTES      200
#define MAX_DELIMITER_BYTES 16

struct parser {
	struct template *template;
	const char *begin; /* of the template */
	const char *end;
	const char *at; /* what is before it is done */
	int line;       /* of `at` */
	char open[MAX_DELIMITER_BYTES + 1];
	char close[MAX_DELIMITER_BYTES + 1];
	size_t open_sections[TEMPLATE_MAX_NESTING]; /* indexes of parts */
	size_t nr_open;
	struct err *err;
};

/* One tag as it stands in the source. */
struct tag {
	char sigil;          /* one of # ^ / > & { ! = or 0 for a plain name */
	const char *content; /* without sigil and the blanks around */
	size_t length;
	const char *begin;    /* of the tag */
	const char *end;      /* one after the tag */
	const char *margin;   /* where its line begins if it is alone there, else NULL */
	const char *line_end; /* one after the line end, if it is alone there */
	int line;
};

static bool fail(const struct parser *parser, int line, const char *format, ...) PRINTF_LIKE(3, 4);

static bool fail(const struct parser *parser, int line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return err_set(parser->err, ERR_INPUT, "%s:%d: %s", parser->template->name, line, text);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_space(char c)
{
	return is_blank(c) || c == '\n' || c == '\r';
}

static struct part *add_part(struct parser *parser, enum part_kind kind, int line)
{
	struct part *part = vec_push(&parser->template->parts);

	*part = (struct part){ .kind = kind, .line = line, .text = "", .indent = "" };
	return part;
}

static bool is_line_start(const struct parser *parser, const char *at)
{
	return at == parser->begin || at[-1] == '\n';
}

static void mark_line_start(struct parser *parser, const char *at, int line)
{
	if (is_line_start(parser, at)) {
		add_part(parser, PART_INDENT, line);
	}
}

/* Takes the text up to `end`, line by line. */
static void take_text(struct parser *parser, const char *end)
{
	while (parser->at < end) {
		const char *newline = memchr(parser->at, '\n', (size_t)(end - parser->at));
		const char *stop = newline ? newline + 1 : end;
		struct part *part;

		mark_line_start(parser, parser->at, parser->line);
		part = add_part(parser, PART_TEXT, parser->line);
		part->text = parser->at;
		part->length = (size_t)(stop - parser->at);
		parser->at = stop;
		parser->line += newline != NULL;
	}
}

static void skip_to(struct parser *parser, const char *end)
{
	for (; parser->at < end; parser->at++) {
		parser->line += *parser->at == '\n';
	}
}

static const char *find(const char *at, const char *end, const char *text)
{
	return memmem(at, (size_t)(end - at), text, strlen(text));
}

/* A tag that shows nothing itself and is alone on its line takes the whole line with it. */
static void find_line(const struct parser *parser, struct tag *tag)
{
	const char *before = tag->begin;
	const char *after = tag->end;

	while (before > parser->begin && is_blank(before[-1])) {
		before--;
	}
	while (after < parser->end && is_blank(*after)) {
		after++;
	}
	if (after < parser->end && *after == '\r') {
		after++;
	}
	if (!is_line_start(parser, before) || (after < parser->end && *after != '\n')) {
		return;
	}
	tag->margin = before;
	tag->line_end = after + (after < parser->end);
}

static bool read_tag(const struct parser *parser, const char *begin, struct tag *tag)
{
	const char *content = begin + strlen(parser->open);
	char close[MAX_DELIMITER_BYTES + 3];
	const char *stop;

	*tag = (struct tag){ .begin = begin, .line = parser->line };
	for (const char *at = parser->at; at < begin; at++) {
		tag->line += *at == '\n';
	}
	if (content < parser->end && strchr("#^/>&{!=", *content) && *content) {
		tag->sigil = *content++;
	}
	snprintf(close, sizeof(close), "%s%s",
		 tag->sigil == '{'   ? "}"
		 : tag->sigil == '=' ? "="
				     : "",
		 parser->close);
	stop = find(content, parser->end, close);
	if (!stop) {
		return fail(parser, tag->line, "the tag that begins here is never closed by '%s'",
			    close);
	}
	tag->end = stop + strlen(close);
	while (content < stop && is_space(*content)) {
		content++;
	}
	while (content < stop && is_space(stop[-1])) {
		stop--;
	}
	tag->content = content;
	tag->length = (size_t)(stop - content);
	if (tag->sigil && tag->sigil != '&' && tag->sigil != '{') {
		find_line(parser, tag);
	}
	return true;
}

/* {{=<% %>=}} */
static bool set_delimiters(struct parser *parser, const struct tag *tag)
{
	const char *end = tag->content + tag->length;
	const char *gap = tag->content;
	const char *second;

	while (gap < end && !is_space(*gap)) {
		gap++;
	}
	second = gap;
	while (second < end && is_space(*second)) {
		second++;
	}
	if (gap == tag->content || second == end || gap - tag->content > MAX_DELIMITER_BYTES ||
	    end - second > MAX_DELIMITER_BYTES || memchr(tag->content, '=', tag->length) ||
	    memchr(tag->content, '\0', tag->length)) {
		return fail(parser, tag->line, "expected two delimiters of at most %d bytes",
			    MAX_DELIMITER_BYTES);
	}
	for (const char *at = second; at < end; at++) {
		if (is_space(*at)) {
			return fail(parser, tag->line, "expected two delimiters, found more");
		}
	}
	snprintf(parser->open, sizeof(parser->open), "%.*s", (int)(gap - tag->content),
		 tag->content);
	snprintf(parser->close, sizeof(parser->close), "%.*s", (int)(end - second), second);
	return true;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static bool check_name(const struct parser *parser, const struct tag *tag, const char *also)
{
	if (tag->length == 0) {
		return fail(parser, tag->line, "expected a name in the tag");
	}
	if (tag->length > MAX_NAME_BYTES) {
		return fail(parser, tag->line, "a name has more than %d bytes", MAX_NAME_BYTES);
	}
	for (size_t i = 0; i < tag->length; i++) {
		char c = tag->content[i];

		if (!is_name_char(c) && (!c || !strchr(also, c))) {
			return fail(parser, tag->line, "'%.*s' is not a name", (int)tag->length,
				    tag->content);
		}
	}
	return true;
}

/* "a.b.c" as three names, "." as none. */
static bool read_path(const struct parser *parser, const struct tag *tag, struct part *part)
{
	struct arena *arena = parser->template->arena;
	char *rest;
	char *dot;

	if (tag->length == 1 && *tag->content == '.') {
		return true;
	}
	if (!check_name(parser, tag, ".")) {
		return false;
	}
	rest = arena_strndup(arena, tag->content, tag->length);
	part->path = arena_array(arena, tag->length, sizeof(*part->path));
	do {
		dot = strchr(rest, '.');
		if (dot) {
			*dot = '\0';
		}
		if (!*rest) {
			return fail(parser, tag->line, "'%.*s' has an empty name in it",
				    (int)tag->length, tag->content);
		}
		part->path[part->nr_path++] = rest;
		rest = dot + 1;
	} while (dot);
	return true;
}

static bool take_value(struct parser *parser, const struct tag *tag)
{
	bool is_raw = tag->sigil != 0;

	if (!read_path(parser, tag, add_part(parser, is_raw ? PART_RAW : PART_VALUE, tag->line))) {
		return false;
	}
	if (is_raw && parser->template->mode == TEMPLATE_HTML) {
		return fail(parser, tag->line, "a page must not print '%.*s' raw, write {{%.*s}}",
			    (int)tag->length, tag->content, (int)tag->length, tag->content);
	}
	return true;
}

static bool open_section(struct parser *parser, const struct tag *tag)
{
	if (parser->nr_open == TEMPLATE_MAX_NESTING) {
		return fail(parser, tag->line, "sections are nested more than %d deep",
			    TEMPLATE_MAX_NESTING);
	}
	parser->open_sections[parser->nr_open++] = parser->template->parts.nr;
	return read_path(
		parser, tag,
		add_part(parser, tag->sigil == '#' ? PART_SECTION : PART_INVERTED, tag->line));
}

static bool is_same_path(const struct part *a, const struct part *b)
{
	bool is_same = a->nr_path == b->nr_path;

	for (size_t i = 0; is_same && i < a->nr_path; i++) {
		is_same = strcmp(a->path[i], b->path[i]) == 0;
	}
	return is_same;
}

static bool close_section(struct parser *parser, const struct tag *tag)
{
	struct part closing = { 0 };
	struct part *opening;

	if (!read_path(parser, tag, &closing)) {
		return false;
	}
	if (parser->nr_open == 0) {
		return fail(parser, tag->line, "'/%.*s' closes a section that is not open",
			    (int)tag->length, tag->content);
	}
	opening = &parser->template->parts.at[parser->open_sections[--parser->nr_open]];
	if (!is_same_path(opening, &closing)) {
		return fail(parser, tag->line, "'/%.*s' does not close the section of line %d",
			    (int)tag->length, tag->content, opening->line);
	}
	opening->end = parser->template->parts.nr;
	return true;
}

static bool take_partial(struct parser *parser, const struct tag *tag)
{
	struct arena *arena = parser->template->arena;
	struct part *part;

	if (!check_name(parser, tag, "./")) {
		return false;
	}
	part = add_part(parser, PART_PARTIAL, tag->line);
	part->text = arena_strndup(arena, tag->content, tag->length);
	part->length = tag->length;
	part->is_standalone = tag->margin != NULL;
	if (tag->margin) {
		part->indent =
			arena_strndup(arena, tag->margin, (size_t)(tag->begin - tag->margin));
	}
	return true;
}

static bool take_tag(struct parser *parser, const struct tag *tag)
{
	switch (tag->sigil) {
	case '#':
	case '^':
		return open_section(parser, tag);
	case '/':
		return close_section(parser, tag);
	case '>':
		return take_partial(parser, tag);
	case '=':
		return set_delimiters(parser, tag);
	case '!':
		return true;
	default:
		return take_value(parser, tag);
	}
}

static bool parse(struct parser *parser)
{
	const char *begin;
	struct tag tag;

	while ((begin = find(parser->at, parser->end, parser->open))) {
		if (!read_tag(parser, begin, &tag)) {
			return false;
		}
		take_text(parser, tag.margin ? tag.margin : begin);
		if (!tag.margin) {
			mark_line_start(parser, begin, tag.line);
		}
		if (!take_tag(parser, &tag)) {
			return false;
		}
		skip_to(parser, tag.margin ? tag.line_end : tag.end);
	}
	take_text(parser, parser->end);
	if (parser->nr_open) {
		size_t last = parser->open_sections[parser->nr_open - 1];

		return fail(parser, parser->template->parts.at[last].line,
			    "the section that begins here is never closed");
	}
	return true;
}

bool template_parse(const char *name, const char *bytes, size_t length, enum template_mode mode,
		    struct template **ret_template, struct err *err)
{
	scoped(template_free) struct template *template = mem_alloc(sizeof(*template));
	struct parser parser = {
		.template = template, .line = 1, .open = "{{", .close = "}}", .err = err
	};

	if (length > TEMPLATE_MAX_BYTES) {
		return err_set(err, ERR_TOO_BIG, "%s: a template has more than %u bytes", name,
			       TEMPLATE_MAX_BYTES);
	}
	template->arena = arena_new();
	template->name = arena_strdup(template->arena, name);
	template->mode = mode;
	parser.begin = parser.at = arena_strndup(template->arena, bytes, length);
	parser.end = parser.begin + length;
	if (!parse(&parser)) {
		return false;
	}
	*ret_template = move(&template);
	return true;
}
