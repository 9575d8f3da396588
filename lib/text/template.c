/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "template.h"

#include "template_parts.h"
#include "template_set.h"

#define MAX_PARTIALS 32  /* one in the other; endless recursion ends here */
#define MAX_CONTEXTS 256 /* documents one in the other */
#define MAX_STEPS    20000000

struct render {
	const struct template_set *set;
	enum template_mode mode;
	const struct json *contexts[MAX_CONTEXTS]; /* the innermost is the last */
	size_t nr_contexts;
	int nr_partials;
	size_t nr_steps;
	struct str *out;
	size_t limit_length; /* of out */
	struct err *err;
};

/* One template, or partial, being rendered. */
struct frame {
	const struct template *template;
	const char *indent; /* before each of its lines */
	size_t indent_length;
};

static bool render_parts(struct render *render, const struct frame *frame, size_t from, size_t to);

static bool fail(const struct render *render, const struct frame *frame, const struct part *part,
		 const char *what)
{
	return err_set(render->err, ERR_TOO_BIG, "%s:%d: %s", frame->template->name, part->line,
		       what);
}

static const struct {
	char character;
	const char *text;
} escapes[] = {
	{ '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" }, { '\'', "&#39;" },
};

static bool is_clean(char c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t';
}

static const char *escape_of(char c)
{
	for (size_t i = 0; i < countof(escapes); i++) {
		if (escapes[i].character == c) {
			return escapes[i].text;
		}
	}
	return NULL;
}

/* Text of clean characters, the overwhelming case, is appended in runs. */
static void append_text(struct str *out, const char *text, bool is_escaping)
{
	while (*text) {
		const char *escape = is_escaping ? escape_of(*text) : NULL;
		size_t length = 0;

		if (escape) {
			str_append(out, escape);
			text++;
		}
		while (is_clean(text[length]) && !(is_escaping && escape_of(text[length]))) {
			length++;
		}
		str_append_bytes(out, text, length);
		text += length;
		for (length = 0; text[length] && !is_clean(text[length]);) {
			length++;
		}
		str_append_clean(out, text, length, true, SIZE_MAX / 2);
		text += length;
	}
}

static void append_value(struct render *render, const struct json *value, bool is_raw)
{
	bool is_escaping = render->mode != TEMPLATE_PLAIN && !is_raw;

	switch (json_kind(value)) {
	case KIND_TEXT:
		append_text(render->out, json_text(value), is_escaping);
		break;
	case KIND_NUMBER:
		if (is_json_int(value)) {
			str_printf(render->out, "%" PRId64, json_int(value, 0));
		} else {
			str_append_number(render->out, json_number(value, 0));
		}
		break;
	case KIND_BOOL:
		str_append(render->out, json_bool(value, false) ? "true" : "false");
		break;
	case KIND_NULL:
	case KIND_ARRAY:
	case KIND_OBJECT:
		break;
	}
}

/* The innermost document that has the first name decides; the others are followed from there. */
static const struct json *look_up(const struct render *render, const struct part *part)
{
	const struct json *found = NULL;

	if (part->nr_path == 0) {
		return render->contexts[render->nr_contexts - 1];
	}
	for (size_t i = render->nr_contexts; !found && i-- > 0;) {
		found = json_get(render->contexts[i], part->path[0]);
	}
	for (size_t i = 1; i < part->nr_path; i++) {
		found = json_get(found, part->path[i]);
	}
	return found;
}

static bool is_truthy(const struct json *value)
{
	switch (json_kind(value)) {
	case KIND_NULL:
		return false;
	case KIND_BOOL:
		return json_bool(value, false);
	case KIND_TEXT:
		return *json_text(value) != '\0';
	case KIND_ARRAY:
		return json_size(value) > 0;
	case KIND_NUMBER:
	case KIND_OBJECT:
		break;
	}
	return true;
}

static bool render_within(struct render *render, const struct frame *frame, size_t index,
			  const struct json *context)
{
	const struct part *part = &frame->template->parts.at[index];
	bool is_done;

	if (render->nr_contexts == MAX_CONTEXTS) {
		return fail(render, frame, part, "documents are nested too deep");
	}
	render->contexts[render->nr_contexts++] = context;
	is_done = render_parts(render, frame, index + 1, part->end);
	render->nr_contexts--;
	return is_done;
}

static bool render_section(struct render *render, const struct frame *frame, size_t index)
{
	const struct part *part = &frame->template->parts.at[index];
	const struct json *value = look_up(render, part);

	if (is_truthy(value) == (part->kind == PART_INVERTED)) {
		return true;
	}
	if (part->kind == PART_INVERTED) {
		return render_parts(render, frame, index + 1, part->end);
	}
	if (json_kind(value) != KIND_ARRAY) {
		return render_within(render, frame, index, value);
	}
	for (size_t i = 0; i < json_size(value); i++) {
		if (!render_within(render, frame, index, json_at(value, i))) {
			return false;
		}
	}
	return true;
}

/* A partial alone on its line is indented by what stands before it, on top of what its own
 * surroundings are indented by; one within a line is not indented. */
static bool render_partial(struct render *render, const struct frame *frame,
			   const struct part *part)
{
	scoped(str_release) struct str indent = STR_INIT;
	struct frame inner = { .template = template_set_get(render->set, part->text) };
	bool is_done;

	if (!inner.template) {
		return true;
	}
	if (inner.template->mode != render->mode) {
		return err_set(render->err, ERR_INPUT,
			       "%s:%d: the partial '%s' is of another mode than the template",
			       frame->template->name, part->line, part->text);
	}
	if (render->nr_partials == MAX_PARTIALS) {
		return fail(render, frame, part, "partials are nested too deep");
	}
	if (part->is_standalone) {
		str_append_bytes(&indent, frame->indent, frame->indent_length);
		str_append(&indent, part->indent);
	}
	inner.indent = indent.at;
	inner.indent_length = indent.length;
	render->nr_partials++;
	is_done = render_parts(render, &inner, 0, inner.template->parts.nr);
	render->nr_partials--;
	return is_done;
}

static bool render_part(struct render *render, const struct frame *frame, size_t index)
{
	const struct part *part = &frame->template->parts.at[index];

	switch (part->kind) {
	case PART_TEXT:
		str_append_bytes(render->out, part->text, part->length);
		return true;
	case PART_INDENT:
		str_append_bytes(render->out, frame->indent, frame->indent_length);
		return true;
	case PART_VALUE:
	case PART_RAW:
		append_value(render, look_up(render, part), part->kind == PART_RAW);
		return true;
	case PART_SECTION:
	case PART_INVERTED:
		return render_section(render, frame, index);
	case PART_PARTIAL:
		return render_partial(render, frame, part);
	}
	return true;
}

static bool render_parts(struct render *render, const struct frame *frame, size_t from, size_t to)
{
	const struct part *parts = frame->template->parts.at;
	size_t i = from;

	while (i < to) {
		bool is_section = parts[i].kind == PART_SECTION || parts[i].kind == PART_INVERTED;

		if (++render->nr_steps > MAX_STEPS) {
			return fail(render, frame, &parts[i], "rendering takes too many steps");
		}
		if (!render_part(render, frame, i)) {
			return false;
		}
		if (render->out->length > render->limit_length) {
			return fail(render, frame, &parts[i], "the output is too large");
		}
		i = is_section ? parts[i].end : i + 1;
	}
	return true;
}

bool template_render(const struct template *template, const struct template_set *set,
		     const struct json *document, struct str *out, struct err *err)
{
	size_t before = out->length;
	struct frame frame = { .template = template, .indent = "" };
	struct render render = { .set = set,
				 .mode = template->mode,
				 .contexts = { document },
				 .nr_contexts = 1,
				 .out = out,
				 .limit_length = before + TEMPLATE_MAX_OUTPUT_BYTES,
				 .err = err };

	if (!render_parts(&render, &frame, 0, template->parts.nr)) {
		str_truncate(out, before);
		return false;
	}
	return true;
}

struct template *template_free(struct template *template)
{
	if (template) {
		vec_release(&template->parts);
		arena_free(template->arena);
		free(template);
	}
	return NULL;
}

const char *template_name(const struct template *template)
{
	return template->name;
}

enum template_mode template_mode(const struct template *template)
{
	return template->mode;
}

const char *template_partial(const struct template *template, size_t index)
{
	for (size_t i = 0; i < template->parts.nr; i++) {
		const struct part *part = &template->parts.at[i];

		if (part->kind == PART_PARTIAL && index-- == 0) {
			return part->text;
		}
	}
	return NULL;
}
