/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node.h"

#include <stdarg.h>
#include <yaml.h>

#include "lib/base/str.h"

struct reader {
	yaml_parser_t yaml;
	struct arena *arena;
	const char *file;
	const char *bytes;
	size_t length;
	int depth;
};

PRINTF_LIKE(3, 0)
static void fail_at(const struct place *place, struct err *err, const char *format, va_list args)
{
	scoped(str_release) struct str text = STR_INIT;
	char message[768];

	vsnprintf(message, sizeof(message), format, args);
	str_append_clean(&text, message, strlen(message), false, sizeof(message));
	if (place->line > 0) {
		err_set(err, ERR_INPUT, "%s:%d:%d: %s", place->file, place->line, place->column,
			text.at);
	} else {
		err_set(err, ERR_INPUT, "%s: %s", place->file, text.at);
	}
}

bool place_fail(const struct place *place, struct err *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_at(place, err, format, args);
	va_end(args);
	return false;
}

bool node_fail(const struct node *node, struct err *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_at(&node->place, err, format, args);
	va_end(args);
	return false;
}

const struct node *node_get(const struct node *map, const char *name)
{
	const struct node *member = map && map->kind == NODE_MAP ? map->first : NULL;

	while (member && strcmp(member->name, name) != 0) {
		member = member->next;
	}
	return member;
}

bool node_refuse(const struct node *node, struct err *err, const char *expected)
{
	static const char *const words[] = { "nothing", "an empty list", "an empty map",
					     NULL,      "a list",        "a map" };
	bool is_filled = node->kind == NODE_TEXT ? *node->text != '\0' : node->nr > 0;
	const char *word = words[(is_filled ? 3 : 0) + node->kind];
	const char *quote = word ? "" : "'";
	bool is_named = node->name != NULL;

	return node_fail(node, err, "%s%s%s%s%.40s%s; expected %s", is_named ? "'" : "",
			 is_named ? node->name : "", is_named ? "' is " : "", quote,
			 word ? word : node->text, quote, expected);
}

static struct place place_of(const struct reader *reader, const yaml_mark_t *mark)
{
	return (struct place){ reader->file, (int)mark->line + 1, (int)mark->column + 1 };
}

/* libyaml tells a byte that is no character only by its offset. */
static struct place place_of_byte(const struct reader *reader, size_t offset)
{
	struct place place = { reader->file, 1, 1 };

	for (size_t i = 0; i < offset && i < reader->length; i++) {
		place.column++;
		if (reader->bytes[i] == '\n') {
			place.line++;
			place.column = 1;
		}
	}
	return place;
}

/* Is the first byte behind the blanks that line `line` (from 0) starts with a tab? */
static bool is_tab_indented(const struct reader *reader, size_t line)
{
	const char *at = reader->bytes;
	const char *end = reader->bytes + reader->length;

	while (line > 0 && at < end) {
		line -= *at++ == '\n';
	}
	while (at < end && *at == ' ') {
		at++;
	}
	return at < end && *at == '\t';
}

static bool fail_syntax(const struct reader *reader, struct err *err)
{
	const yaml_parser_t *yaml = &reader->yaml;
	struct place place = place_of(reader, &yaml->problem_mark);

	if (yaml->error == YAML_READER_ERROR) {
		place = place_of_byte(reader, yaml->problem_offset);
		return place_fail(&place, err, "%s; expected UTF-8 text without control characters",
				  yaml->problem);
	}
	if (is_tab_indented(reader, yaml->problem_mark.line)) {
		return place_fail(&place, err, "indented with a tab; expected blanks");
	}
	return place_fail(&place, err, "%s%s%s; expected YAML",
			  yaml->problem ? yaml->problem : "error", yaml->context ? " " : "",
			  yaml->context ? yaml->context : "");
}

static bool next_event(struct reader *reader, yaml_event_t *event, struct err *err)
{
	return yaml_parser_parse(&reader->yaml, event) || fail_syntax(reader, err);
}

static bool read_node(struct reader *reader, yaml_event_t *event, struct node **ret_node,
		      struct err *err);

/* Gives the next node, or NULL at the end of the collection that is being read. */
static bool next_node(struct reader *reader, struct node **ret_node, struct err *err)
{
	yaml_event_t event;
	bool is_done;

	if (!next_event(reader, &event, err)) {
		return false;
	}
	is_done = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
	if (is_done) {
		*ret_node = NULL;
	} else {
		is_done = read_node(reader, &event, ret_node, err);
	}
	yaml_event_delete(&event);
	return is_done;
}

static void add_child(struct node *parent, struct node **tail, struct node *child)
{
	if (*tail) {
		(*tail)->next = child;
	} else {
		parent->first = child;
	}
	*tail = child;
	parent->nr++;
}

static bool read_list(struct reader *reader, struct node *list, struct err *err)
{
	struct node *tail = NULL;
	struct node *item = NULL;

	for (;;) {
		if (!next_node(reader, &item, err)) {
			return false;
		}
		if (!item) {
			return true;
		}
		if (list->nr == NODE_LIMIT_ITEMS) {
			return node_fail(item, err,
					 "more than %d elements; expected a shorter list",
					 NODE_LIMIT_ITEMS);
		}
		add_child(list, &tail, item);
	}
}

static bool check_name(const struct node *map, const struct node *name, struct err *err)
{
	const struct node *twin;

	if (name->kind != NODE_TEXT || name->text[0] == '\0') {
		return node_refuse(name, err, "a name and ':'");
	}
	if (map->nr == NODE_LIMIT_NAMES) {
		return node_fail(name, err, "more than %d names; expected a smaller map",
				 NODE_LIMIT_NAMES);
	}
	twin = node_get(map, name->text);
	if (twin) {
		return node_fail(name, err,
				 "'%.40s' stands twice, first in line %d; expected it once",
				 name->text, twin->name_place.line);
	}
	return true;
}

static bool read_map(struct reader *reader, struct node *map, struct err *err)
{
	struct node *tail = NULL;
	struct node *name = NULL;
	struct node *value = NULL;

	for (;;) {
		if (!next_node(reader, &name, err)) {
			return false;
		}
		if (!name) {
			return true;
		}
		if (!check_name(map, name, err) || !next_node(reader, &value, err)) {
			return false;
		}
		assert(value); /* libyaml gives each name a value */
		value->name = name->text;
		value->name_place = name->place;
		add_child(map, &tail, value);
	}
}

static bool read_text(struct reader *reader, const yaml_event_t *event, struct node *node,
		      struct err *err)
{
	const char *bytes = (const char *)event->data.scalar.value;
	size_t length = event->data.scalar.length;

	node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	if (!node->is_quoted && event->end_mark.line != event->start_mark.line) {
		return node_fail(node, err, "a text over several lines; expected '|' or quotes");
	}
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f) {
			return node_fail(node, err, "control character 0x%02x; expected plain text",
					 byte);
		}
	}
	node->text = arena_strndup(reader->arena, bytes, length);
	return true;
}

/* What the subset leaves out. */
static bool check_event(const struct node *node, const yaml_event_t *event, struct err *err)
{
	const yaml_char_t *anchor = event->type == YAML_SCALAR_EVENT ? event->data.scalar.anchor
				    : event->type == YAML_SEQUENCE_START_EVENT
					    ? event->data.sequence_start.anchor
					    : event->data.mapping_start.anchor;
	const yaml_char_t *tag = event->type == YAML_SCALAR_EVENT ? event->data.scalar.tag
				 : event->type == YAML_SEQUENCE_START_EVENT
					 ? event->data.sequence_start.tag
					 : event->data.mapping_start.tag;

	if (anchor) {
		return node_fail(node, err, "anchor '&%.40s'; expected a value without one",
				 (const char *)anchor);
	}
	if (tag) {
		return node_fail(node, err, "tag '%.40s'; expected a value without one",
				 (const char *)tag);
	}
	return true;
}

static bool read_inner(struct reader *reader, struct node *node, struct err *err)
{
	bool is_done;

	if (reader->depth == NODE_LIMIT_DEPTH) {
		return node_fail(node, err, "nested more than %d levels deep; expected less",
				 NODE_LIMIT_DEPTH);
	}
	reader->depth++;
	is_done = node->kind == NODE_LIST ? read_list(reader, node, err)
					  : read_map(reader, node, err);
	reader->depth--;
	return is_done;
}

static bool read_node(struct reader *reader, yaml_event_t *event, struct node **ret_node,
		      struct err *err)
{
	struct node *node = arena_alloc(reader->arena, sizeof(*node));

	node->place = place_of(reader, &event->start_mark);
	if (event->type == YAML_ALIAS_EVENT) {
		return node_fail(node, err, "alias '*%.40s'; expected the value itself",
				 (const char *)event->data.alias.anchor);
	}
	if (!check_event(node, event, err)) {
		return false;
	}
	node->kind = event->type == YAML_SCALAR_EVENT           ? NODE_TEXT
		     : event->type == YAML_SEQUENCE_START_EVENT ? NODE_LIST
								: NODE_MAP;
	*ret_node = node;
	return node->kind == NODE_TEXT ? read_text(reader, event, node, err)
				       : read_inner(reader, node, err);
}

/* STREAM-START, DOCUMENT-START, a node, DOCUMENT-END, STREAM-END and nothing else. */
static bool read_frame(struct reader *reader, struct node **ret_root, struct err *err)
{
	static const yaml_event_type_t frame[] = { YAML_STREAM_START_EVENT,
						   YAML_DOCUMENT_START_EVENT, YAML_NO_EVENT,
						   YAML_DOCUMENT_END_EVENT, YAML_STREAM_END_EVENT };
	yaml_event_t event;
	struct place place;

	for (size_t i = 0; i < countof(frame); i++) {
		bool is_right;

		if (frame[i] == YAML_NO_EVENT) {
			if (!next_node(reader, ret_root, err)) {
				return false;
			}
			continue;
		}
		if (!next_event(reader, &event, err)) {
			return false;
		}
		place = place_of(reader, &event.start_mark);
		is_right = event.type == frame[i] &&
			   (event.type != YAML_DOCUMENT_START_EVENT ||
			    (!event.data.document_start.version_directive &&
			     event.data.document_start.tag_directives.start ==
				     event.data.document_start.tag_directives.end));
		yaml_event_delete(&event);
		if (!is_right) {
			return place_fail(
				&place, err, "%s; expected one document without directives",
				i == 1 ? "no document, or a directive" : "a second document");
		}
	}
	return true;
}

bool node_read_yaml(struct arena *arena, const char *file, const char *bytes, size_t length,
		    const struct node **ret_root, struct err *err)
{
	struct reader reader = { .arena = arena, .bytes = bytes, .length = length };
	struct node *root = NULL;
	bool is_done;

	if (length > NODE_LIMIT_BYTES) {
		return err_set(err, ERR_TOO_BIG, "%s:1:1: %zu bytes; expected at most %d", file,
			       length, NODE_LIMIT_BYTES);
	}
	reader.file = arena_strdup(arena, file);
	if (!yaml_parser_initialize(&reader.yaml)) {
		bug("out of memory");
	}
	yaml_parser_set_encoding(&reader.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.yaml, (const unsigned char *)bytes, length);
	is_done = read_frame(&reader, &root, err);
	yaml_parser_delete(&reader.yaml);
	if (is_done) {
		*ret_root = root;
	}
	return is_done;
}

static struct node *json_node(struct arena *arena, const char *file, const struct json *json);

static void add_members(struct arena *arena, const struct json *json, struct node *node)
{
	struct node *tail = NULL;

	for (size_t i = 0; node->kind == NODE_LIST && i < json_size(json); i++) {
		add_child(node, &tail, json_node(arena, node->place.file, json_at(json, i)));
	}
	if (node->kind != NODE_MAP) {
		return;
	}
	for (void *it = json_first(json); it; it = json_next(json, it)) {
		struct node *child = json_node(arena, node->place.file, json_member_value(it));

		child->name = arena_strdup(arena, json_member_name(it));
		add_child(node, &tail, child);
	}
}

static struct node *json_node(struct arena *arena, const char *file, const struct json *json)
{
	struct node *node = arena_alloc(arena, sizeof(*node));
	enum json_kind kind = json_kind(json);

	node->place.file = file;
	node->is_quoted = kind == KIND_TEXT;
	if (kind == KIND_ARRAY || kind == KIND_OBJECT) {
		node->kind = kind == KIND_ARRAY ? NODE_LIST : NODE_MAP;
		add_members(arena, json, node);
	} else if (kind == KIND_TEXT) {
		node->text = arena_strdup(arena, json_text(json));
	} else if (kind == KIND_NULL) {
		node->text = "";
	} else {
		scoped(free) char *text = json_write(json, FORM_COMPACT);

		node->text = arena_strdup(arena, text);
	}
	return node;
}

const struct node *node_read_json(struct arena *arena, const char *file, const struct json *json)
{
	return json_node(arena, arena_strdup(arena, file), json);
}
