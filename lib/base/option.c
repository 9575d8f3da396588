/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "option.h"

#include "mem.h"

/* Where option_parse() stands: words before `next` are taken or kept. */
struct reader {
	const struct option_row *rows;
	size_t nr_rows;
	int argc;
	char **argv;
	int next;
};

void option_list_release(struct option_list *list)
{
	free(list->at);
	*list = (struct option_list){ 0 };
}

static void push(struct option_list *list, const char *value)
{
	list->at = mem_resize(list->at, list->nr + 1, sizeof(*list->at));
	list->at[list->nr++] = value;
}

/* `shown` is the option as the user wrote it, for messages. */
static bool set_value(const struct option_row *row, const char *shown, const char *value,
		      struct err *err)
{
	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)row->target = true;
		return true;
	case OPTION_TEXT:
		*(const char **)row->target = value;
		return true;
	case OPTION_LIST:
		push(row->target, value);
		return true;
	case OPTION_INT:
		return str_to_int(value, INT64_MIN, INT64_MAX, row->target, err) ||
		       err_wrap(err, "option '%s'", shown);
	}
	bug("option '%s' has no type", shown);
}

/* `value` is what stands in the same word, or NULL: then the next word is it. */
static bool take(struct reader *reader, const struct option_row *row, const char *shown,
		 const char *value, struct err *err)
{
	if (row->type != OPTION_FLAG && !value) {
		if (reader->next == reader->argc) {
			return err_set(err, ERR_INPUT, "option '%s' needs a value, %s", shown,
				       row->value);
		}
		value = reader->argv[reader->next++];
	}
	return set_value(row, shown, value, err);
}

/* A word "--NAME" or "--NAME=VALUE". */
static bool take_long(struct reader *reader, const char *word, struct err *err)
{
	const char *equals = strchr(word, '=');
	scoped(free) char *shown =
		mem_strndup(word, equals ? (size_t)(equals - word) : strlen(word));
	VEC(const char *) names = { 0 };
	const char *nearest;

	for (size_t i = 0; i < reader->nr_rows; i++) {
		const struct option_row *row = &reader->rows[i];

		if (!row->name) {
			continue;
		}
		if (strcmp(row->name, shown + 2) == 0) {
			vec_release(&names);
			if (equals && row->type == OPTION_FLAG) {
				return err_set(err, ERR_INPUT, "option '%s' takes no value", shown);
			}
			return take(reader, row, shown, equals ? equals + 1 : NULL, err);
		}
		*vec_push(&names) = row->name;
	}
	nearest = str_nearest(shown + 2, names.at, names.nr, sizeof(*names.at));
	vec_release(&names);
	return err_set(err, ERR_INPUT, "unknown option '%s'%s%s%s", shown,
		       nearest ? ", did you mean '--" : "", nearest ? nearest : "",
		       nearest ? "'" : "");
}

static const struct option_row *find_letter(const struct reader *reader, char letter)
{
	for (size_t i = 0; i < reader->nr_rows; i++) {
		if (reader->rows[i].letter == letter) {
			return &reader->rows[i];
		}
	}
	return NULL;
}

/* A word "-L", "-LVALUE" or a bunch of flags "-LMN". */
static bool take_letters(struct reader *reader, const char *word, struct err *err)
{
	for (const char *at = word + 1; *at; at++) {
		const struct option_row *row = find_letter(reader, *at);
		const char shown[] = { '-', *at, '\0' };

		if (!row) {
			return err_set(err, ERR_INPUT, "unknown option '%s' in '%s'", shown, word);
		}
		if (row->type != OPTION_FLAG) {
			return take(reader, row, shown, at[1] ? at + 1 : NULL, err);
		}
		if (!take(reader, row, shown, NULL, err)) {
			return false;
		}
	}
	return true;
}

bool option_parse(const struct option_row *rows, size_t nr_rows, bool stop_at_operand, int *argc,
		  char **argv, struct err *err)
{
	struct reader reader = { rows, nr_rows, *argc, argv, 1 };
	bool is_over = false;
	int nr_kept = 1;

	while (reader.next < reader.argc) {
		char *word = argv[reader.next++];

		if (is_over || word[0] != '-' || word[1] == '\0') {
			argv[nr_kept++] = word;
			is_over = is_over || stop_at_operand;
		} else if (strcmp(word, "--") == 0) {
			is_over = true;
		} else if (!(word[1] == '-' ? take_long(&reader, word, err)
					    : take_letters(&reader, word, err))) {
			return false;
		}
	}
	argv[nr_kept] = NULL;
	*argc = nr_kept;
	return true;
}

static void describe_head(const struct option_row *row, struct str *str)
{
	str_append(str, "  ");
	if (row->letter) {
		str_printf(str, "-%c%s", row->letter, row->name ? ", " : "");
	} else {
		str_append(str, "    ");
	}
	if (row->name) {
		str_printf(str, "--%s", row->name);
	}
	if (row->value) {
		str_printf(str, " %s", row->value);
	}
}

void option_describe(const struct option_row *rows, size_t nr_rows, struct str *str)
{
	scoped(str_release) struct str head = STR_INIT;
	size_t width = 0;

	for (size_t i = 0; i < nr_rows; i++) {
		str_truncate(&head, 0);
		describe_head(&rows[i], &head);
		width = head.length > width ? head.length : width;
	}
	for (size_t i = 0; i < nr_rows; i++) {
		str_truncate(&head, 0);
		describe_head(&rows[i], &head);
		str_printf(str, "%-*s  %s\n", (int)width, head.at, rows[i].doc);
	}
}
