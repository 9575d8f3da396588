/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_syntax.h - what stands in a configuration file, one entry after the other.
 *
 * The grammar of git-config(1), less what nobody needs here: a header stands on a line of its own,
 * and sections and keys are lower-case letters, digits and '-'.
 *
 *	struct conf_reader reader;
 *	conf_reader_init(&reader, path, text);
 *	while (conf_reader_next(&reader, &entry, err) && entry.kind != CONF_END) ...
 *	conf_reader_release(&reader);
 */
#ifndef BASE_CONF_SYNTAX_H
#define BASE_CONF_SYNTAX_H

#include "str.h"

enum conf_entry_kind {
	CONF_HEADER, /* [section] or [section "name"] */
	CONF_VALUE,  /* key = value, or a key alone: "true" */
	CONF_END
};

/* The texts live until the next entry; section and name are those the entry stands under. */
struct conf_entry {
	enum conf_entry_kind kind;
	const char *section;
	const char *name; /* "" where the header has none */
	const char *key;
	const char *value;
	const char *key_at;   /* where the section or the key begins in the text */
	const char *value_at; /* where the name or the value does; of a key alone, as key_at */
	const char *start;    /* the entry's whole lines in the text, */
	const char *end;      /* with the last one's '\n' */
};

struct conf_reader {
	const char *file;
	const char *text;
	const char *at;
	struct str section, name, key, value;
};

/* Reads a whole file of up to a mebibyte.  Blocks.  ERR_INPUT where it holds a NUL; else as
 * str_read_file(). */
MUST_CHECK bool conf_read_text(const char *path, struct str *text, struct err *err);

/* Keeps `file` and `text` by address. */
void conf_reader_init(struct conf_reader *reader, const char *file, const char *text);
void conf_reader_release(struct conf_reader *reader);
DEFINE_SCOPED_EMBEDDED(conf_reader_release, struct conf_reader)

/* ERR_INPUT "FILE:LINE:COLUMN: ...".  Past the end it gives CONF_END again. */
MUST_CHECK bool conf_reader_next(struct conf_reader *reader, struct conf_entry *ret_entry,
				 struct err *err);

/* Sets ERR_INPUT with FILE:LINE:COLUMN of a byte of the text in front; false. */
bool conf_reader_fail(const struct conf_reader *reader, const char *at, struct err *err,
		      const char *format, ...) PRINTF_LIKE(4, 5);

/* Appends a line that reads back as this header or this value.  What no spelling can say, control
 * characters but '\t' and '\n' and text that is not UTF-8, comes back as ERR_INPUT. */
MUST_CHECK bool conf_write_header(struct str *str, const char *section, const char *name,
				  struct err *err);
MUST_CHECK bool conf_write_value(struct str *str, const char *key, const char *value,
				 struct err *err);

#endif
