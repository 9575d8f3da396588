/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf.h - a configuration file in git's style, and the rows that say what may stand in it.
 *
 *	[daemon]
 *		listen = 127.0.0.1:8080
 *	[tree "linux"]
 *		branch = "v6.*"		# a key may be repeated where its row says so
 *
 * A program lists its keys as rows and refuses everything else, so that a slip of the keyboard is
 * "FILE:LINE:COLUMN: ..." at start and not a default in production:
 *
 *	scoped(conf_free) struct conf *conf = conf_new(keys, countof(keys));
 *	if (!conf_read(conf, path, err) || !conf_set(conf, "daemon.listen=127.0.0.1:0", err)) ...
 *	listen = conf_text(conf, "daemon", "", "listen");
 *
 * Later sources win: a file over the file read before it, conf_set() over files.  A key that may
 * be repeated adds up within one source, and a later source replaces the whole list.
 * Asking is free of allocation and may be done from any thread, as long as nobody adds.
 */
#ifndef BASE_CONF_H
#define BASE_CONF_H

#include "err.h"

enum conf_type {
	CONF_TEXT,
	CONF_INT,      /* whole number within min..max */
	CONF_BOOL,     /* true false yes no on off 1 0; a key without '=' is true */
	CONF_DURATION, /* "30s", "5m", "2h", "1d": read as whole seconds within min..max */
	CONF_CHOICE    /* one of the words in `words`, separated by blanks */
};

enum conf_flags {
	CONF_REPEATED = 1 << 0, /* may be given more than once: conf_list() has all values */
	CONF_NAMED = 1 << 1     /* stands in sections with a name; true for a section's every row */
};

struct conf_key {
	const char *section;
	const char *key;
	enum conf_type type;
	unsigned flags; /* of enum conf_flags */
	int64_t min, max;
	const char *words;
	const char *fallback; /* value where nobody gave one; NULL: none */
	const char *doc;      /* one sentence, lower case, with the unit */
};

struct conf;

/* building; not from two threads at once */

/* Keeps the rows, of which those of a section stand together, by address.  A fallback that breaks
 * its own row is a bug. */
struct conf *conf_new(const struct conf_key *keys, size_t nr_keys);
struct conf *conf_free(struct conf *conf);
DEFINE_SCOPED(conf_free, struct conf *)

/* Adds what the text says.  ERR_INPUT "FILE:LINE:COLUMN: ..." for bad syntax, an unknown section or
 * key (with the nearest known one), a value outside its row, a key given twice; what stands before
 * the fault may have been added. */
MUST_CHECK bool conf_parse(struct conf *conf, const char *file, const char *text, struct err *err);
/* Reads a file of up to a mebibyte; blocks.  ERR_ABSENT, ERR_BROKEN, ERR_TOO_BIG, ERR_INPUT. */
MUST_CHECK bool conf_read(struct conf *conf, const char *path, struct err *err);
/* "section.key=value" or "section.NAME.key=value", as given to -c. */
MUST_CHECK bool conf_set(struct conf *conf, const char *assignment, struct err *err);

/* asking; `name` is the quoted part of `[tree "NAME"]`, "" for a section without; to ask for a
 * (section, key) that is no row is a bug */

/* The value of the key (the last one of a repeated key), else its fallback, else NULL.  The conf
 * owns it. */
const char *conf_text(const struct conf *conf, const char *section, const char *name,
		      const char *key);
/* The same, read as its row's type; 0 or false where neither value nor fallback is. */
int64_t conf_int(const struct conf *conf, const char *section, const char *name, const char *key);
bool conf_bool(const struct conf *conf, const char *section, const char *name, const char *key);
int64_t conf_seconds(const struct conf *conf, const char *section, const char *name,
		     const char *key);

/* The given values of a key in order, without the fallback; *ret_nr may be 0.  The array, which
 * the next addition moves, and the texts belong to the conf. */
const char *const *conf_list(const struct conf *conf, const char *section, const char *name,
			     const char *key, size_t *ret_nr);

/* The distinct names of a section, in order of first mention; owned as above. */
const char *const *conf_names(const struct conf *conf, const char *section, size_t *ret_nr);

/* Appends the rows, grouped by section, for --help and the man page. */
struct str;
void conf_describe(const struct conf_key *keys, size_t nr_keys, struct str *str);

/* editing a file; comments and the other sections keep every byte; two editors wait for each other;
 * blocks */

/* Appends `[section "name"]` with nr_pairs lines; keys_and_values alternates.  Makes the file where
 * it is absent.  The values are not checked: read the file afterwards.
 * ERR_CONFLICT: the section stands there already; ERR_INPUT: the file, a name or a value is bad. */
MUST_CHECK bool conf_file_add(const char *path, const char *section, const char *name,
			      const char *const *keys_and_values, size_t nr_pairs, struct err *err);
/* Takes the section with its lines out, wherever it stands.  ERR_ABSENT: no such section. */
MUST_CHECK bool conf_file_remove(const char *path, const char *section, const char *name,
				 struct err *err);

#endif
