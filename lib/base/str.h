/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * str.h - a growable string, and the reading of numbers.
 *
 *	scoped(str_release) struct str text = STR_INIT;
 *	str_printf(&text, "%d runs", nr);
 *	puts(text.at);                        // .at is never NULL and always ends in NUL
 *	return str_detach(&text);             // the one way out for ownership; free() it
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "err.h"

struct str {
	char *at;      /* NUL-terminated; points to a shared empty string until first use */
	size_t length; /* bytes, without the NUL; the content may hold NULs of its own */
	size_t room;   /* bytes allocated; 0: nothing allocated */
	FILE *sink;    /* str_drain() writes there; NULL: it does nothing */
};

extern char str_empty[];

#define STR_INIT                \
	{                       \
		.at = str_empty \
	}

void str_init(struct str *str);
void str_release(struct str *str);
DEFINE_SCOPED_EMBEDDED(str_release, struct str)

/* Growing and cutting.  The text must not point into *str; truncating to more than there is does
 * nothing. */
void str_append(struct str *str, const char *text);
void str_append_bytes(struct str *str, const void *bytes, size_t length);
void str_append_char(struct str *str, char character);
void str_append_int(struct str *str, int64_t value);
void str_printf(struct str *str, const char *format, ...) PRINTF_LIKE(2, 3);
void str_append_blanks(struct str *str, size_t nr);
/* As one word of a shell, in the quoting that no text can leave. */
void str_append_quoted(struct str *str, const char *text);
void str_truncate(struct str *str, size_t length);

/* For long outputs, that they need not be in memory as a whole: whoever appends line after line
 * calls it between two.  It writes to the sink and empties the string, once there is enough. */
void str_drain(struct str *str);

/* Hands the buffer to the caller (free()), leaves *str empty and usable. */
char *str_detach(struct str *str);

/* Reads a whole file.  Blocks.  ERR_ABSENT, ERR_TOO_BIG over `limit_bytes`, ERR_BROKEN. */
MUST_CHECK bool str_read_file(struct str *str, const char *path, size_t limit_bytes,
			      struct err *err);

/* The same of a regular file only, so that it does not block for a FIFO or device.  ERR_INPUT: it
 * is something else. */
MUST_CHECK bool str_read_regular(struct str *str, const char *path, size_t limit_bytes,
				 struct err *err);

/* Writes a whole file so that a reader, also one after a power cut, sees all of it or nothing:
 * temporary name, fsync, rename, fsync of the folder.  Blocks.  ERR_BROKEN. */
MUST_CHECK bool str_write_file(const char *path, const void *bytes, size_t length, unsigned mode,
			       struct err *err);

/* The whole text must be the number; outside the range or anything else: ERR_INPUT. */
MUST_CHECK bool str_to_int(const char *text, int64_t min, int64_t max, int64_t *ret_value,
			   struct err *err);
/* Finite numbers only, C syntax without hexadecimal, locale-free. */
MUST_CHECK bool str_to_double(const char *text, double *ret_value, struct err *err);

/* Appends the shortest decimal text that reads back as the same finite number: "1.1", "1e+100". */
void str_append_number(struct str *str, double value);

/* An empty prefix or suffix fits every text. */
bool str_has_prefix(const char *text, const char *prefix);
bool str_has_suffix(const char *text, const char *suffix);

/* Whether a name matches a glob of `*` and `?` where `*` also matches '/'. */
bool str_matches(const char *glob, const char *text);

/* The name a person may have meant by `text`, for "did you mean"; NULL where none is near.  The
 * names are the first of `nr` rows of a table and every `stride_bytes` on:
 * str_nearest(text, &rows[0].name, countof(rows), sizeof(rows[0])). */
const char *str_nearest(const char *text, const char *const *first, size_t nr, size_t stride_bytes);

/* Decodes the character at the front of `left` bytes, at least one.  Gives its length in bytes;
 * 0, and *ret_code untouched, where they do not begin with a character of UTF-8. */
size_t str_decode(const char *bytes, size_t left, uint32_t *ret_code);

/* Appends text made fit for a person's screen, a mail or a page: valid UTF-8, every control and
 * bidirectional formatting character, and every byte that is not UTF-8, replaced by U+FFFD.
 * `keep_lines` keeps '\n' and '\t'.  At most `limit_bytes` are appended, cut at a character. */
void str_append_clean(struct str *str, const char *bytes, size_t length, bool keep_lines,
		      size_t limit_bytes);

#endif
