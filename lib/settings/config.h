/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - the keys of patchmeterd.conf, and what they must say together.
 *
 * The daemon reads the file, `patchmeter tree` edits it, patchmeterd.conf(5) lists its keys: all
 * three from these rows.
 *
 *	scoped(conf_free) struct conf *conf = config_new();
 *	if (!conf_read(conf, path, err) || !config_check(conf, err)) ...
 *	url = conf_text(conf, "tree", name, "url");
 */
#ifndef SETTINGS_CONFIG_H
#define SETTINGS_CONFIG_H

#include "lib/base/conf.h"
#include "lib/base/str.h"

/* Where the file is, unless somebody says otherwise. */
#define CONFIG_PATH "/etc/patchmeter/patchmeterd.conf"

extern const struct conf_key config_keys[];
extern const size_t config_nr_keys;

/* An empty configuration of these rows. */
struct conf *config_new(void);

/* Whether a tree may be called so.  ERR_INPUT. */
MUST_CHECK bool config_check_name(const char *tree, struct err *err);

/* What a single row cannot say: each tree has a good name and what it needs.  ERR_INPUT names the
 * tree. */
MUST_CHECK bool config_check(const struct conf *conf, struct err *err);

#endif
