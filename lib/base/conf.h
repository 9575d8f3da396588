/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf.h - a configuration file in git's style, and the rows that say what may stand in it.
 *
 *	[daemon]
 *		listen = 127.0.0.1:8080
 *	[tree "linux"]
 *		branch = topic/*		# a key may be repeated where its row says so
 *
 * A program lists its keys as rows of struct conf_key; conf_read() refuses anything else with
 * "FILE:LINE: ...".  Values set with `-c section.key=value` come after the file and win.
 */
#ifndef BASE_CONF_H
#define BASE_CONF_H

#include "err.h"

enum conf_type {
	CONF_TEXT,
	CONF_INT,      /* whole number within min..max */
	CONF_BOOL,     /* true false yes no on off 1 0 */
	CONF_DURATION, /* "30s", "5m", "2h", "1d": read as whole seconds within min..max */
	CONF_CHOICE    /* one of the words in `words`, separated by blanks */
};

struct conf_key {
	const char *section;
	const char *key;
	enum conf_type type;
	bool is_repeated;
	int64_t min, max;
	const char *words;
	const char *fallback; /* value where the file is silent; NULL: none */
	const char *doc;      /* one sentence with the unit */
};

struct conf_entry {
	const char *section;
	const char *name; /* the quoted part of `[tree "NAME"]`; "" where there is none */
	const char *key;
	const char *value;
	int line; /* 0: from the command line */
};

struct conf;

struct conf *conf_new(const struct conf_key *keys, size_t nr_keys);
struct conf *conf_free(struct conf *conf);
DEFINE_SCOPED(conf_free, struct conf *)

/* Adds what the text says.  ERR_INPUT "FILE:LINE: ..." for bad syntax, an unknown section or key
 * (with the nearest known one), a value outside its row. */
MUST_CHECK bool conf_parse(struct conf *conf, const char *file, const char *text, struct err *err);
/* Reads a file; blocks.  ERR_ABSENT, ERR_BROKEN, ERR_INPUT. */
MUST_CHECK bool conf_read(struct conf *conf, const char *path, struct err *err);
/* "section.key=value" or "section.NAME.key=value", as given to -c. */
MUST_CHECK bool conf_set(struct conf *conf, const char *assignment, struct err *err);

/* The last value of the key, else its fallback, else NULL.  The conf owns it. */
const char *conf_text(const struct conf *conf, const char *section, const char *name,
		      const char *key);
int64_t conf_int(const struct conf *conf, const char *section, const char *name, const char *key);
bool conf_bool(const struct conf *conf, const char *section, const char *name, const char *key);
int64_t conf_seconds(const struct conf *conf, const char *section, const char *name,
		     const char *key);

/* The values of a repeated key in order; *ret_nr may be 0.  Array and texts belong to the conf. */
const char *const *conf_list(const struct conf *conf, const char *section, const char *name,
			     const char *key, size_t *ret_nr);

/* The distinct names of a section, in order of first mention. */
const char *const *conf_names(const struct conf *conf, const char *section, size_t *ret_nr);

/* Edits of a file that keep its comments: add appends a section at the end, remove takes out
 * a section with its lines.  Whole-file, atomic.  ERR_CONFLICT: it stands there already;
 * ERR_ABSENT: there is no such section. */
MUST_CHECK bool conf_file_add(const char *path, const char *section, const char *name,
			      const char *const *keys_and_values, size_t nr_pairs, struct err *err);
MUST_CHECK bool conf_file_remove(const char *path, const char *section, const char *name,
				 struct err *err);

/* Appends one line a row for --help and the man page. */
struct str;
void conf_describe(const struct conf_key *keys, size_t nr_keys, struct str *str);

#endif
