/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h - what the operator said: patchmeterd.conf and -c, checked and complete.
 *
 * Read once at start and again on SIGHUP; a broken file keeps the old settings.  The trees of the
 * file become rows of `repository` (settings_store), which is what the stages read.
 */
#ifndef DAEMON_SETTINGS_H
#define DAEMON_SETTINGS_H

#include "lib/base/conf.h"
#include "lib/base/str.h"

struct db;
struct option_list;

struct settings {
	const char *path;                    /* of the file; NULL: none */
	const struct option_list *overrides; /* of -c */
	const char *embedded;                /* data folder of --embedded; NULL: none */
	struct conf *conf;                   /* owns every text below */
	const char *listen;                  /* "ADDRESS:PORT", port 0 for any */
	const char *database;                /* libpq's conninfo; NULL with an embedded one */
	const char *data;                    /* folder for store, mirrors and outbox */
	const char *jobs;                    /* folder with one folder a benchmark */
	const char *postgresql; /* folder of the server's programs; NULL: the newest Debian has */
	const char *url; /* address of the pages as people reach them; NULL: made from listen */
	const char *mail_from;      /* "Name <address>" */
	const char *message_domain; /* right side of our Message-IDs */
	int64_t poll_s;             /* between two looks at a repository */
	int64_t calibrate_s;        /* between two calibrations of a cell; 0: none */
};

/* The rows of patchmeterd.conf, for --help and the man page. */
void settings_describe(struct str *str);

/* `path` may be NULL.  `overrides` are the arguments of -c.  `embedded` is a data folder, or NULL.
 * All three are kept by address.  Blocks.  ERR_INPUT names file and line; ERR_ABSENT, ERR_BROKEN as
 * str_read_file. */
MUST_CHECK bool settings_read(const char *path, const struct option_list *overrides,
			      const char *embedded, struct settings *ret_settings, struct err *err);
/* The same sources as another time. */
MUST_CHECK bool settings_reread(const struct settings *settings, struct settings *ret_settings,
				struct err *err);
void settings_release(struct settings *settings);
DEFINE_SCOPED_EMBEDDED(settings_release, struct settings)

/* Makes the repository rows equal to the trees of the settings: adds, changes, marks as removed.
 * One transaction. */
MUST_CHECK bool settings_store(const struct settings *settings, struct db *db, struct err *err);

#endif
